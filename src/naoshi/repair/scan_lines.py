"""What one line of a change must not say: words for a grader, ways to what is hidden, ways into other programs."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_GRADER = r"(?:graders?|judges?|evaluators?|assessors?|llm[- ]judge)"
_GRADERS_JA = "(?:(?:採点|評価|判定)(?:者|役|係|AI|モデル)|審査員|審査者|ジャッジ|グレーダー)"
_AIMED_AT_GRADER = re.compile(
    rf"(?i)\b{_GRADER}\b[^\n]{{0,40}}\b(?:return|give|award|assign|score|mark|answer|output|say|reply|respond)\b[^\n]{{0,20}}"
    r"(?:\bpass(?:ed)?\b(?![- ]?(?:through|word))|\bfull (?:marks?|scores?|credits?|points?)\b|\b1\.0\b|\b10/10\b)"
    r"|\b(?:mark|score|grade|rate|accept) (?:this|the) (?:answer|output|response|result) (?:as )?(?:an? )?"
    r"(?:pass(?:ed)?|full marks|1\.0|10/10|correct)\b"
    r"|\b(?:ignore|disregard|forget) (?:all |any )?(?:of )?(?:the |your )?(?:previous|above|earlier|prior|other) "
    r"(?:instructions|rubrics?|criteria|rules)\b"
    rf"|{_GRADERS_JA}[^\n]{{0,30}}(?:合格|満点|正解|パス|高得点|最高点|100点)"
    r"|(?:合格|満点)(?:に|と|として)[^\n。]{0,8}(?:して|せよ|しろ|採点|返して|返せ|扱って|扱え|ください|下さい)"
    r"|(?:以前|これまで|上記|前)の(?:指示|命令|ルール|基準|採点基準)[^\n。]{0,6}(?:無視|忘れ)"
)
_REACHES_NAOSHI = re.compile(
    r"(?i)\.naoshi\b|\bNAOSHI_DATABASE_URL\b|\bevals[/\\]|\bholdout\.ya?ml\b|\bcodex_handoff\.md\b"
    r"|\bnaoshi\.(?:app|demo|evals|flow|gate|release|repair|signals|store|triage|ui)\b"
    r"|\bfrom naoshi import (?:app|demo|evals|flow|gate|release|repair|signals|store|triage|ui)\b"
)
_LOOKS_AROUND = re.compile(
    r"/proc/(?:self|thread-self|\d+|\*|\{|['\"+])|(?<![\w.])\.git(?:/|\\|['\"])|\bGIT_(?:DIR|WORK_TREE|OBJECT_DIRECTORY)\b"
    r"|\bgit\b[\"',\s]+(?:cat-file|rev-list|log|show|stash|reflog|fsck|archive)\b"
)
_PATCHES = re.compile(
    r"\bsys\s*\.\s*(?:modules|meta_path|path_hooks|settrace|setprofile)\b|\bbuiltins\s*\.\s*\w+\s*=[^=]"
    r"|\bfrom sys import [^\n]*\b(?:modules|meta_path|path_hooks|settrace)\b"
    r"|\bPYTHON(?:PATH|STARTUP|HOME|USERBASE|BREAKPOINT)\b|\bLD_(?:PRELOAD|LIBRARY_PATH)\b|\bNODE_OPTIONS\b"
    r"|\bsite-packages\b|\bgc\.get_(?:objects|referrers)\b|\bptrace\b"
)
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bsk-[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}"
)
# Characters that nobody sees and that would part a word.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


@dataclass(frozen=True, kw_only=True)
class LineRule:
    """One thing that no added line may say. ``name`` is the finding's, ``what`` completes "line 3 of x …"."""

    name: str
    pattern: re.Pattern[str]
    what: str
    goes_on: bool = False
    """Whether a file that said it before the change may say it again."""


LINE_RULES: Final = (
    LineRule(
        name="aimed_at_grader", pattern=_AIMED_AT_GRADER, what="speaks to a grader or gives it instructions"
    ),
    LineRule(name="reaches_naoshi", pattern=_REACHES_NAOSHI, what="names files of Naoshi or of the evals"),
    LineRule(
        name="looks_around", pattern=_LOOKS_AROUND, what="looks into other processes or into git", goes_on=True
    ),
    LineRule(
        name="patches_programs", pattern=_PATCHES, what="changes what other code is loaded or how it runs", goes_on=True
    ),
    LineRule(name="secret", pattern=_SECRET, what="looks like a secret key"),
)  # fmt: skip


def broken_rules(line: str, *, before: str = "") -> Iterator[LineRule]:
    """Return the rules that *line* breaks; *before* is the text of its file before the change."""
    plain = plain_text(line)
    for rule in LINE_RULES:
        found = rule.pattern.search(plain)
        if found is not None and not (rule.goes_on and found[0] in before):
            yield rule


def speaks_to_grader(text: str) -> bool:
    """Return whether *text* tells a grader what to find, in English or Japanese."""
    return _AIMED_AT_GRADER.search(plain_text(text)) is not None


def plain_text(text: str) -> str:
    """Return *text* as it reads: wide and other forms of letters made plain, and unseen characters dropped."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
