"""The closed grammar of replies that a machine may read: tables, and the patterns built from them.

Every pattern is matched against a whole reply, its repetitions are bounded or possessive, and so the time is linear.
What a form may mean besides a choice decides whether it is here: ``1号`` is also a date, ``pick 2`` also a quantity,
``2にして`` also a correction, and none of them is.
"""

import re
from collections.abc import Iterable

_WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_INVISIBLE = "\xad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
TRIM = _WHITE + _INVISIBLE

# Character to character only: normalising further would turn ①② into 12 and 1½ into 1 1/2.
FOLD: dict[int, str] = {
    **{0xFF01 + offset: chr(0x21 + offset) for offset in range(94)},
    **dict(zip(map(ord, "｡､｢｣\u3000\xa0\u2007\u202f"), "。、「」    ", strict=True)),
}

_RUNS = (
    ("①", 1, 20),
    ("㉑", 21, 15),
    ("㊱", 36, 15),
    ("❶", 1, 10),
    ("➀", 1, 10),
    ("➊", 1, 10),
    ("⓵", 1, 10),
    ("⓫", 11, 10),
    ("⑴", 1, 20),
    ("⒈", 1, 20),
)
ENCLOSED: dict[str, int] = {
    **{chr(ord(first) + step): value + step for first, value, count in _RUNS for step in range(count)},
    **dict.fromkeys("⓪⓿🄋🄌", 0),
    "🔟": 10,
}
ENCLOSED_LETTERS: dict[str, int] = {chr(ord(first) + step): 1 + step for first in "Ⓐⓐ" for step in range(26)}

PAIRS = {"(": ")", "[": "]", "「": "」", "『": "』", "【": "】", "〔": "〕", "“": "”", "‘": "’", '"': '"', "'": "'"}
TERMINALS = (".", "。", ",", "、", "!", "!!", "!!!")

PREFIXES = (
    "option ?",
    "choice ?",
    "number ?",
    r"no\. ?",
    "# ?",
    "№ ?",
    "その ?",
    "選択肢 ?",
    "オプション ?",
    "옵션 ?",
    "선택지 ?",
    "选项 ?",
    "選項 ?",
    "我?选 ?",
    "我?選 ?",
    "我?选择 ?",
    "我?選擇 ?",
)
_JAPANESE_COUNTERS = ("番", "番目", "ばん")
_JAPANESE_TAILS = (
    "で",
    "です",
    "でお願い",
    "でお願いします",
    "でお願いいたします",
    "でお願い致します",
    "でおねがいします",
    "でよろしく",
    "でよろしくお願いします",
    "でいいです",
    "でいきます",
    "で行きます",
    "で進めて",
    "で進めてください",
    "で進めて下さい",
    "がいい",
    "がいいです",
    "にします",
    "にする",
    "を選択",
    "を選択します",
    "を選びます",
    "を選ぶ",
    "をお願いします",
    "をおねがいします",
    "お願いします",
    "おねがいします",
)
_KOREAN_TAILS = (
    "으로",
    "이요",
    "요",
    "입니다",
    "이에요",
    " ?선택",
    " ?선택합니다",
    " ?선택할게요",
    "을 ?선택합니다",
    "으로 ?할게요",
    "으로 ?해주세요",
    "으로 ?해 주세요",
    "으로 ?부탁해요",
    "으로 ?부탁합니다",
    "으로 ?부탁드립니다",
)


def _any_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


_VARIATION = "[\ufe0e\ufe0f]?"
NUMBER_TOKEN = (
    rf"(?:(?P<digits>[0-9]++){_VARIATION}(?P<keycap>\u20e3?)|(?P<enclosed>[{''.join(ENCLOSED)}]){_VARIATION})"
)
LETTER_TOKEN = rf"(?:(?P<letter>[A-Za-z])|(?P<enclosed>[{''.join(ENCLOSED_LETTERS)}])){_VARIATION}"

_SUFFIX = _any_of(
    (
        rf" ?{_any_of(_JAPANESE_COUNTERS)}? ?{_any_of(_JAPANESE_TAILS)}?",
        rf" ?번{_any_of(_KOREAN_TAILS)}?",
        r"(?:,? |,)please",
    )
)
_TERMINAL = _any_of(map(re.escape, TERMINALS)) + "?"
_OPEN = f"(?P<open>[{re.escape(''.join(PAIRS))}])?"
_CLOSE = f"(?P<close>[{re.escape(''.join(PAIRS.values()))}])?"


def _framed(token: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<prefix>{_any_of(PREFIXES)})?{_OPEN}{token}{_CLOSE}{_SUFFIX}{_TERMINAL}", re.ASCII | re.IGNORECASE
    )


FRAMED_NUMBER = _framed(NUMBER_TOKEN)
FRAMED_LETTER = _framed(LETTER_TOKEN)
CHINESE_ORDINAL = re.compile(
    rf"(?P<prefix>(?:我?(?:选|選|选择|選擇) ?)?第 ?){NUMBER_TOKEN} ?[个個项項]{_TERMINAL}", re.ASCII
)

_SEPARATOR = r"[ .,:;/\\|~^*+=_&()\[\]、。・〜ー−–—―‐‑-]"
_CONNECTOR = _any_of(("と", "か", "や", "から", "または", "and", "or", "to", "和", "或", "과", "와", "e", "x"))
_NUMERAL = rf"[0-9{''.join(ENCLOSED)}¼½¾⅐-⅟↉²³¹⁰⁴-⁹₀-₉\ufe0f\u20e3]"
NUMBERS_ONLY = re.compile(
    rf"{_SEPARATOR}*+{_NUMERAL}++(?:(?:{_SEPARATOR}|{_CONNECTOR})*+{_NUMERAL}++)*+{_SEPARATOR}*+",
    re.ASCII | re.IGNORECASE,
)

SEVERAL_TOKEN = re.compile(rf"{NUMBER_TOKEN}(?: ?番)?", re.ASCII)
SEVERAL_SEPARATOR = re.compile(r" ?(?:,|、|・|&| and |と) ?| ", re.ASCII | re.IGNORECASE)
SEVERAL_TAIL = re.compile(rf" ?{_any_of(_JAPANESE_TAILS)}?(?:(?:,? |,)please)?{_TERMINAL}", re.ASCII | re.IGNORECASE)

YES_WORDS = frozenset(
    ("はい", "はいお願いします", "はい、お願いします", "yes", "yes please", "yes, please", "예", "네", "是", "是的")
)
NO_WORDS = frozenset(("いいえ", "no", "no thanks", "no, thanks", "아니요", "아니오", "不", "不是", "否"))
