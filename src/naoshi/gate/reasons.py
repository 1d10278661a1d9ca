"""Every reason that the gate gives, in English and in Japanese.

A verdict keeps its reasons in English; the Japanese is found by the same table, so that old verdicts can be told too.
"""

import re
from functools import cache

_TEXTS: dict[str, tuple[str, str]] = {
    "of_category": ("{category}: {reason}", "{category}: {reason}"),
    "at_or_above": ("at or above the baseline", "基準と同じか、それ以上です"),
    "nothing_to_compare": ("nothing to compare with", "比べる相手がありません"),
    "share_blocks": (
        "{failing} of {cases} cases do not pass, more than the {block} that block",
        "{cases} 件中 {failing} 件が合格せず、止める基準の {block} を超えています",
    ),
    "share_doubtful": (
        "{failing} of {cases} cases do not pass, more than the {allow} that is allowed but not than the {block} "
        "that block",
        "{cases} 件中 {failing} 件が合格せず、許容の {allow} を超えていますが、止める基準の {block} は超えていません",
    ),
    "drop": (
        "{after} of {cases} pass, {before} did in the baseline",
        "{cases} 件中の合格は {after} 件（基準では {before} 件）です",
    ),
    "drop_beyond": (
        "{after} of {cases} pass, {before} did in the baseline; a drop of {allowed} is allowed",
        "{cases} 件中の合格は {after} 件（基準では {before} 件）で、許容の低下 {allowed} を超えています",
    ),
    "error_rise": (
        "the agent gave no answer to {after} cases, to {before} in the baseline",
        "エージェントが {after} 件に応答しませんでした（基準では {before} 件）",
    ),
    "unknown_now": (
        "{count} of {cases} cases were not run or not judged",
        "{cases} 件中 {count} 件が実行または採点されていません",
    ),
    "unknown_then": (
        "{count} of {cases} cases were not run or not judged in the baseline",
        "基準では {cases} 件中 {count} 件が実行または採点されていません",
    ),
    "first_run_errors": (
        "the agent gave no answer to {count} of {cases} cases",
        "エージェントが {cases} 件中 {count} 件に応答しませんでした",
    ),
    "repeated": (
        "the {run} run has more than one result for {named}",
        "実行（{run}）に同じケースの結果が複数あります: {named}",
    ),
    "empty": ("the candidate run has no results", "候補の実行に結果がありません"),
    "graded_differently": (
        "the two runs were not graded alike (judge, rubric or runner differ)",
        "二つの実行は採点の条件（採点モデル、採点基準、実行方法）が違います",
    ),
    "nothing_in_common": ("the two runs have no case in common", "二つの実行に共通のケースがありません"),
    "no_answer_at_all": (
        "the agent answered none of {cases} cases",
        "エージェントは {cases} 件のどれにも応答しませんでした",
    ),
    "too_many_worse": (
        "{count} cases stopped passing, allowed are {allowed}: {named}",
        "{count} 件が合格しなくなりました（許容は {allowed} 件）: {named}",
    ),
    "left_out": (
        "{count} cases that the baseline passed were not run as they were: {named}",
        "基準で合格した {count} 件が同じ内容で実行されていません: {named}",
    ),
    "first_run": (
        "first run: nothing to fall below; {passing} of {cases} cases pass",
        "初回の実行なので、比べる基準がありません。{cases} 件中 {passing} 件が合格です",
    ),
    "passes": (
        "no category is below the baseline; of {cases} cases in both, {before} passed and {after} pass now",
        "基準を下回る分類はありません。共通の {cases} 件のうち、合格は {before} 件から {after} 件になりました",
    ),
}
_HOLE = re.compile(r"\{(\w+)\}")


def reason(key: str, **values: object) -> str:
    """Return the reason called *key* in English, filled with *values*."""
    return _TEXTS[key][0].format(**values)


def in_japanese(text: str) -> str:
    """Return the reason *text* (English, as `reason` gave it) in Japanese; an unknown text comes back as it is."""
    for pattern, japanese in _patterns():
        found = pattern.fullmatch(text)
        if found:
            return japanese.format(**found.groupdict())
    category, separator, rest = text.partition(": ")
    inner = in_japanese(rest) if separator else rest
    return text if inner == rest else f"{category}: {inner}"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern(english), japanese) for key, (english, japanese) in _TEXTS.items() if key != "of_category")


def _pattern(english: str) -> re.Pattern[str]:
    parts = _HOLE.split(english)
    written = [_hole(part) if index % 2 else re.escape(part) for index, part in enumerate(parts)]
    return re.compile("".join(written), re.DOTALL)


def _hole(name: str) -> str:
    filling = {"named": ".+", "run": r"\w+"}.get(name, r"[\d.]+%?")
    return f"(?P<{name}>{filling})"
