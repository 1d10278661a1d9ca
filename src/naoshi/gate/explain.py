"""A verdict in plain words, in English and in Japanese."""

from collections.abc import Sequence
from typing import Literal

from naoshi.gate.reasons import in_japanese
from naoshi.records.eval_run import CategoryVerdict, Flip, ResultState, Verdict, VerdictOutcome

Language = Literal["en", "ja"]

_SHOWN_FLIPS = 10

_HEADLINE: dict[Language, dict[VerdictOutcome, str]] = {
    "en": {
        VerdictOutcome.pass_: "PASS: nothing got worse that counts.",
        VerdictOutcome.regression: "REGRESSION: something got worse, or fails more often than is tolerated.",
        VerdictOutcome.inconclusive: "INCONCLUSIVE: too much is unknown to say yes or no.",
        VerdictOutcome.incomparable: "INCOMPARABLE: the two runs cannot be held against each other.",
    },
    "ja": {
        VerdictOutcome.pass_: "合格: 悪くなったところはありません。",
        VerdictOutcome.regression: "後退: 悪くなったところがあるか、許容を超えて失敗しています。",
        VerdictOutcome.inconclusive: "判定不能: 分からないことが多く、可否を言えません。",
        VerdictOutcome.incomparable: "比較不能: 二つの実行は比べられません。",
    },
}
_STATE: dict[Language, dict[ResultState, str]] = {
    "en": {
        ResultState.pass_: "pass",
        ResultState.fail: "fail",
        ResultState.agent_error: "no answer",
        ResultState.judge_error: "judge failed",
        ResultState.not_run: "not run",
    },
    "ja": {
        ResultState.pass_: "合格",
        ResultState.fail: "不合格",
        ResultState.agent_error: "応答なし",
        ResultState.judge_error: "採点失敗",
        ResultState.not_run: "未実行",
    },
}
_MARK: dict[Language, dict[VerdictOutcome, str]] = {
    "en": {
        VerdictOutcome.pass_: "ok",
        VerdictOutcome.regression: "BLOCKS",
        VerdictOutcome.inconclusive: "unclear",
        VerdictOutcome.incomparable: "not comparable",
    },
    "ja": {
        VerdictOutcome.pass_: "問題なし",
        VerdictOutcome.regression: "止める",
        VerdictOutcome.inconclusive: "不明",
        VerdictOutcome.incomparable: "比較不能",
    },
}
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "why": "Why:",
        "categories": "By category (pass rate, baseline → candidate):",
        "cases": "cases",
        "none": "none",
        "worse": "Cases that got worse:",
        "better": "Cases that got better:",
        "more": "and {count} more",
    },
    "ja": {
        "why": "理由:",
        "categories": "分類ごと（合格率、基準 → 候補）:",
        "cases": "件",
        "none": "なし",
        "worse": "悪くなったケース:",
        "better": "良くなったケース:",
        "more": "ほか {count} 件",
    },
}


def explain(verdict: Verdict, language: Language = "en") -> str:
    """Return *verdict* in plain words: what it is, why, each category, and the cases that flipped."""
    words = _WORDS[language]
    reasons = [f"  - {reason}" for reason in _reasons(verdict, language)]
    parts = [_HEADLINE[language][verdict.outcome], words["why"], *reasons]
    if verdict.categories:
        parts += [words["categories"], *(_category_line(item, language) for item in verdict.categories)]
    worse = [flip for flip in verdict.flips if flip.after is not ResultState.pass_]
    better = [flip for flip in verdict.flips if flip.after is ResultState.pass_]
    for title, flips in (("worse", worse), ("better", better)):
        if flips:
            parts += [words[title], *_flip_lines(flips, language)]
    return "\n".join(parts) + "\n"


def _category_line(item: CategoryVerdict, language: Language) -> str:
    before, after = (_percent(rate, language) for rate in (item.baseline_rate, item.candidate_rate))
    count = f"{item.cases} {_WORDS[language]['cases']}" if language == "en" else f"{item.cases} 件"
    return f"  - {item.category}: {before} → {after} ({count}) {_MARK[language][item.outcome]}"


def _percent(rate: float | None, language: Language) -> str:
    return _WORDS[language]["none"] if rate is None else f"{rate:.1%}"


def _flip_lines(flips: Sequence[Flip], language: Language) -> list[str]:
    states = _STATE[language]
    lines = [
        f"  - {flip.case_id} ({flip.category}): {states[flip.before]} → {states[flip.after]}"
        for flip in flips[:_SHOWN_FLIPS]
    ]
    if len(flips) > _SHOWN_FLIPS:
        lines.append("  - " + _WORDS[language]["more"].format(count=len(flips) - _SHOWN_FLIPS))
    return lines


def _reasons(verdict: Verdict, language: Language) -> Sequence[str]:
    return verdict.reasons if language == "en" else [in_japanese(reason) for reason in verdict.reasons]
