"""What a recommendation says, in plain words of one language."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from naoshi.records import Defect, as_text
from naoshi.records.language import Language
from naoshi.repair.engines.pattern import FailurePattern

_SHOWN = 60

_DEFECTS: Final[Mapping[Language, Mapping[Defect, str]]] = {
    "en": {
        Defect.requirement_missing: "No rule of the harness led there.",
        Defect.requirement_not_followed: "The harness has this elsewhere, and it was not followed here.",
        Defect.implementation: "The harness takes the value from the wrong place, and no rule for it is named.",
        Defect.observability: "The run does not show what its claims stand on.",
    },
    "ja": {
        Defect.requirement_missing: "ハーネスのどの規則もそこを指していない。",
        Defect.requirement_not_followed: "ハーネスに決まりはあるが、ここでは守られていない。",
        Defect.implementation: "ハーネスは誤った場所から値を取っており、どの規則によるかは記録にない。",
        Defect.observability: "主張の根拠が実行の記録に示されていない。",
    },
}


def title(pattern: FailurePattern, *, language: Language) -> str:
    """Return the change in one short line."""
    what = pattern.group.field or pattern.group.artifact
    if language == "ja":
        return (
            f"{what}: 「{pattern.label}」の近くにある値を読む" if pattern.label else f"{what}: {_kind(pattern)} を直す"
        )
    return f"{what}: read the value beside “{pattern.label}”" if pattern.label else f"{what}: mend {_kind(pattern)}"


def statement(pattern: FailurePattern, *, rule: str | None, defect: Defect, language: Language) -> str:
    """Return what was seen: how often, where the right value stands, and what the run used instead."""
    seen = len(pattern.seen)
    found = sum(bool(failure.places) for failure in pattern.seen)
    wrong = sum(failure.signal.observed not in (None, "") for failure in pattern.seen)
    words = _japanese if language == "ja" else _english
    parts = words(pattern, rule, seen, found, wrong)
    joined = "".join(parts) if language == "ja" else " ".join(parts)
    gap = "" if language == "ja" else " "
    return f"{joined}{gap}{_DEFECTS[language][defect]}"


def _english(pattern: FailurePattern, rule: str | None, seen: int, found: int, wrong: int) -> list[str]:
    parts = [f"{pattern.count} signals say {_kind(pattern)} ({seen} runs can be looked at)."]
    if found:
        beside = f" beside “{pattern.label}”" if pattern.label else ""
        lines = _line_numbers(pattern)
        parts.append(
            f"In {found} of them the right value stands in the source{beside}{f' ({lines})' if lines else ''}."
        )
    if seen > wrong:
        parts.append(f"{seen - wrong} runs gave no value.")
    if wrong:
        by = f", most often by the rule “{_cut(rule)}”" if rule else ""
        parts.append(f"{wrong} runs gave another value{by}{_instead(pattern, ' (such as ', ')')}.")
    return parts


def _japanese(pattern: FailurePattern, rule: str | None, seen: int, found: int, wrong: int) -> list[str]:
    parts = [f"{pattern.count} 件の兆候が {_kind(pattern)} を示す（{seen} 件の実行を確認できる）。"]
    if found:
        beside = f"「{pattern.label}」の近くで" if pattern.label else ""
        parts.append(f"うち {found} 件では正しい値が{beside}原文にある。")
    if seen > wrong:
        parts.append(f"{seen - wrong} 件の実行は値を出していない。")
    if wrong:
        by = f"（多くは規則「{_cut(rule)}」による）" if rule else ""
        parts.append(f"{wrong} 件の実行は別の値を出した{by}{_instead(pattern, '（例: ', '）')}。")
    return parts


def _kind(pattern: FailurePattern) -> str:
    return pattern.group.failure_type


def _line_numbers(pattern: FailurePattern) -> str:
    """Return on which lines the value most often begins, where that is nearly always the same few."""
    lines = [failure.places[0][0].line for failure in pattern.seen if failure.places]
    counts = Counter(line for line in lines if line is not None)
    frequent = [line for line, number in counts.most_common(3) if number > 1]
    if sum(counts[line] for line in frequent) * 2 < len(lines) or not frequent:
        return ""
    return "most often line " + ", ".join(str(line) for line in sorted(frequent))


def _instead(pattern: FailurePattern, before: str, after: str) -> str:
    given = next((failure.signal.observed for failure in pattern.seen if failure.signal.observed not in (None, "")), "")
    text = _cut(as_text(given))
    return f"{before}“{text}”{after}" if text else ""


def _cut(text: str | None) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
