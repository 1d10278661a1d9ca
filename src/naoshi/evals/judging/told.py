"""What is said of a judge that was measured, in English and in Japanese.

Records keep the English; the Japanese is found by the same table, so that what was measured long ago can be told too.
"""

import re
from functools import cache

_TEXTS: dict[str, tuple[str, str]] = {
    "unmeasured": (
        "nobody has measured it against people's labels: naoshi judge calibrate labels.csv",
        "人のラベルと照らし合わせた測定がまだありません: naoshi judge calibrate labels.csv",
    ),
    "few_labels": (
        "it was measured on {labels} labels, fewer than {least}",
        "測定に使ったラベルは {labels} 件で、必要な {least} 件に足りません",
    ),
    "many_errors": (
        "{errors} of {labels} labelled outputs got no grade",
        "ラベルのある {labels} 件のうち {errors} 件に採点がありません",
    ),
    "no_passes": (
        "people passed none of the outputs that it graded, so that nothing shows whether it passes what is right",
        "採点したものに人が合格とした出力がなく、正しいものを合格にするかどうかが分かりません",
    ),
    "no_fails": (
        "people passed all of the outputs that it graded, so that nothing shows whether it fails what is wrong",
        "採点したものはすべて人が合格とした出力で、誤りを不合格にするかどうかが分かりません",
    ),
    "low_kappa": (
        "its kappa {interval} may lie below {mark}",
        "κ {interval} が {mark} を下回るおそれがあります",
    ),
    "many_false_passes": (
        "its false passes {interval} may lie above {mark}",
        "偽の合格 {interval} が {mark} を上回るおそれがあります",
    ),
    "not_both_ways": ("no output was graded both ways", "両方の形で採点できた出力がありません"),
    "no_text": ("no output is a text that could be lengthened", "言葉を足せる文章の出力がありません"),
    "one_length": ("all outputs are of one length", "すべての出力が同じ長さです"),
    "mostly_one_length": ("most outputs are of one length", "ほとんどの出力が同じ長さです"),
    "no_family": ("the judge's family is not known", "審査役の系列が分かりません"),
    "none_of_ours": (
        "no output is labelled as of the family {families}",
        "系列 {families} とラベルの付いた出力がありません",
    ),
    "none_of_others": ("no output is labelled as of another family", "他の系列とラベルの付いた出力がありません"),
}
_HOLE = re.compile(r"\{(\w+)\}")


def told(key: str, **values: object) -> str:
    """Return the text called *key* in English, filled with *values*."""
    return _TEXTS[key][0].format(**values)


def in_japanese(text: str) -> str:
    """Return *text* (English, as `told` gave it) in Japanese; an unknown text comes back as it is."""
    for key, pattern in _patterns().items():
        found = pattern.fullmatch(text)
        if found:
            return _TEXTS[key][1].format(**found.groupdict())
    return text


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {key: _pattern(english) for key, (english, _) in _TEXTS.items()}


def _pattern(english: str) -> re.Pattern[str]:
    parts = _HOLE.split(english)
    return re.compile("".join(f"(?P<{part}>.+)" if place % 2 else re.escape(part) for place, part in enumerate(parts)))
