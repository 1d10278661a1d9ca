"""The words of a review in Japanese and English, and text of strangers made safe to show on a terminal."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from naoshi.records import VerdictOutcome
from naoshi.records.language import Language

_LINE_LIMIT = 400
# Control characters and those that turn the direction of reading could show another text than is merged.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class Words:
    """What a reviewer reads, in one language."""

    question: str
    mended: str
    worse: str
    files: str
    certificate: str
    granted: str
    not_granted: str
    verdict: str
    outcomes: Mapping[VerdictOutcome, str]
    cases: str
    diff: str
    more: str
    more_lines: str
    none_worse: str
    approve: str
    reject: str
    full_diff: str
    worse_cases: str


WORDS: Final[Mapping[Language, Words]] = {
    "en": Words(
        question="May this change of version {version} be released? (attempt {attempt}, made by {agent})",
        mended="cases mended",
        worse="cases that got worse",
        files="files",
        certificate="Certificate",
        granted="granted",
        not_granted="not granted",
        verdict="Gate",
        outcomes={
            VerdictOutcome.pass_: "passes",
            VerdictOutcome.regression: "regression",
            VerdictOutcome.inconclusive: "inconclusive",
            VerdictOutcome.incomparable: "not comparable",
        },
        cases="{count} cases",
        diff="Diff",
        more="… and {count} more",
        more_lines="… {count} more lines; choose 3 to see all of them",
        none_worse="No case got worse.",
        approve="Approve and release",
        reject="Reject",
        full_diff="Show the full diff, then ask again",
        worse_cases="Show the cases that got worse ({count}), then ask again",
    ),
    "ja": Words(
        question="バージョン {version} へのこの変更をリリースしてよいですか？（{attempt} 回目の試行、作成: {agent}）",
        mended="直ったケース",
        worse="悪くなったケース",
        files="ファイル",
        certificate="証明書",
        granted="発行済み",
        not_granted="発行されず",
        verdict="ゲート",
        outcomes={
            VerdictOutcome.pass_: "合格",
            VerdictOutcome.regression: "退行",
            VerdictOutcome.inconclusive: "判定できず",
            VerdictOutcome.incomparable: "比較できず",
        },
        cases="{count} 件",
        diff="差分",
        more="… ほか {count} 件",
        more_lines="… ほか {count} 行。3 を選ぶと全体を表示します",
        none_worse="悪くなったケースはありません。",
        approve="承認してリリースする",
        reject="却下する",
        full_diff="差分をすべて表示してから、もう一度尋ねる",
        worse_cases="悪くなったケース（{count} 件）を表示してから、もう一度尋ねる",
    ),
}


def one_line(text: str, *, limit: int = _LINE_LIMIT) -> str:
    """Return *text* on one line, what cannot be seen shown escaped, cut at *limit* characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= limit else line[:limit] + " …"


def visible(text: str) -> str:
    """Return *text* with every character that cannot be seen, or that moves others, shown as its code."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown_diff(diff: str, lines: int | None, words: Words) -> str:
    """Return *diff* for reading, all of it or the first *lines* with a count of the rest."""
    split = [visible(line) for line in diff.split("\n")]
    if lines is None or len(split) <= lines:
        return "\n".join(split)
    return "\n".join([*split[:lines], words.more_lines.format(count=len(split) - lines)])


def shown_share(share: float | None) -> str:
    """Return a share (0 to 1) as a percentage, or a dash where there is none."""
    return "-" if share is None else f"{share:.0%}"
