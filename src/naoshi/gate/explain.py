"""A verdict in plain words, in English and in Japanese."""

import re
from collections.abc import Iterator, Sequence

from naoshi.gate.advice import advice
from naoshi.gate.reasons import chance, in_japanese
from naoshi.gate.turns import by_turn
from naoshi.records.eval_run import ResultState
from naoshi.records.language import Language
from naoshi.records.verdict import (
    CategoryStatistics,
    CategoryVerdict,
    Certainty,
    Flip,
    MeasureStatistics,
    PolicyVerdict,
    Verdict,
    VerdictOutcome,
)

_SHOWN = 10
_ROUNDING = 1e-6

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
_TEST: dict[Language, dict[str, str]] = {
    "en": {},
    "ja": {
        "exact McNemar": "McNemar の正確検定",
        "exact sign flips": "符号反転の正確検定",
        "paired cluster bootstrap": "対応のあるクラスターブートストラップ",
    },
}
_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "why": "Why:",
        "categories": "By category (pass rate, baseline → candidate):",
        "cases": "{count} cases",
        "one_case": "1 case",
        "none": "none",
        "worse": "Cases that got worse:",
        "better": "Cases that got better:",
        "unknown": "Cases that were not run or not judged in one of the runs, so neither better nor worse:",
        "quarantined": "Cases that were run and have no say, being flaky or retired (baseline → candidate):",
        "more": "and {count} more",
        "other": "By the policy `{policy}` it would be: {headline}",
        "difference": "difference {difference} points, 95 % from {low} to {high}",
        "changed": "{worse} worse, {better} better",
        "open": "unknown results are counted for the candidate",
        "chance": "p {p} by {test}, {adjusted} with Holm's method",
        "bounds": "95 % bounds of the pass rate: {low} to {high}",
        "answers": "answers given",
        "scores": "mean score",
        "certified": "certified",
        "too_few": "too few to certify",
        "effects": "The smallest loss that averages would have shown, four times in five (re-runs show single cases):",
        "effect": "{category}: {count} of {cases} that break",
        "no_effect": "{category}: none, {cases} are too few",
        "no_effect_of_one": "{category}: none, 1 case is too few",
        "confirmed": "shows each time it is run again",
        "contradicted": "does not always show when it is run again",
        "rerun": "To run again on both versions before this is final:",
        "of_trials": "{before} → {after} of the trials pass",
        "next": "What to do next:",
    },
    "ja": {
        "why": "理由:",
        "categories": "区分ごと（合格率、基準 → 候補）:",
        "cases": "{count} 件",
        "one_case": "1 件",
        "none": "なし",
        "worse": "悪くなったケース:",
        "better": "良くなったケース:",
        "unknown": "どちらかの実行で未実行または採点失敗のため、良し悪しを言えないケース:",
        "quarantined": "実行したが判定に使わないケース（隔離中または引退。基準 → 候補）:",
        "more": "ほか {count} 件",
        "other": "方針 `{policy}` による場合 → {headline}",
        "difference": "差 {difference} ポイント、95 % 区間 {low} から {high}",
        "changed": "悪化 {worse} 件、改善 {better} 件",
        "open": "不明な結果は候補に有利に数えています",
        "chance": "偶然とした場合の確率 p {p}（{test}）、Holm 法の補正後 {adjusted}",
        "bounds": "合格率の 95 % 区間 {low} から {high}",
        "answers": "応答のある割合",
        "scores": "平均点",
        "certified": "保証できます",
        "too_few": "保証するには件数が足りません",
        "effects": "平均だけで五回に四回は見つけられた最小の悪化（一件ずつの悪化はやり直しで分かります）:",
        "effect": "{category}: {cases}中 {count} 件が壊れる場合",
        "no_effect": "{category}: なし（{cases}では少なすぎます）",
        "no_effect_of_one": "{category}: なし（1 件では少なすぎます）",
        "confirmed": "やり直しても毎回同じです",
        "contradicted": "やり直すと毎回同じではありません",
        "rerun": "確定する前に両方の版でやり直すケース:",
        "of_trials": "試行の合格率 {before} → {after}",
        "next": "次にすること:",
    },
}


def explain(verdict: Verdict, language: Language = "en") -> str:
    """Return *verdict* in plain words: what it is, why, each category, the cases that flipped, and what to do next."""
    words = _WORDS[language]
    reasons = [f"  - {reason}" for reason in _reasons(verdict, language)]
    parts = [_HEADLINE[language][verdict.outcome], words["why"], *reasons]
    for other in verdict.by_policy:
        if other.policy != verdict.policy:
            parts += _other_lines(other, language)
    if verdict.categories:
        parts += [words["categories"], *_category_lines(verdict, language)]
    parts += _effect_lines(verdict.categories, language)
    if verdict.rerun:
        parts += [words["rerun"], *_some([f"  - {case_id}" for case_id in verdict.rerun], language)]
    for turn, flips in by_turn(verdict.flips).items():
        if flips:
            parts += [words[turn], *_flip_lines(flips, language)]
    if verdict.quarantined:
        parts += [words["quarantined"], *_flip_lines(verdict.quarantined, language)]
    parts += [words["next"], *(f"  - {line}" for line in advice(verdict, language))]
    # A name of a case or a category may hold line breaks, and must not look like a line of ours.
    return "\n".join(_BREAKS.sub(" ", part) for part in parts) + "\n"


def told_outcome(verdict: Verdict, item: CategoryVerdict) -> VerdictOutcome:
    """Return what to say of the category *item*: where the runs do not compare, it is neither well nor worse."""
    return verdict.outcome if verdict.outcome is VerdictOutcome.incomparable else item.outcome


def told_certainty(item: CategoryVerdict) -> Certainty | None:
    """Return what to say of how sure the category *item* is; nothing where it is worse, for which nobody vouches."""
    if item.statistics is None or item.outcome is VerdictOutcome.regression:
        return None
    return item.statistics.certainty


def _other_lines(other: PolicyVerdict, language: Language) -> list[str]:
    headline = _HEADLINE[language][other.outcome]
    line = _WORDS[language]["other"].format(policy=other.policy, headline=headline)
    return [line, *_some([f"  - {reason}" for reason in _reasons(other, language)], language)]


def _category_lines(verdict: Verdict, language: Language) -> Iterator[str]:
    for item in verdict.categories:
        yield from _category(item, _MARK[language][told_outcome(verdict, item)], language)


def _count(cases: int, language: Language) -> str:
    return _WORDS[language]["one_case" if cases == 1 else "cases"].format(count=cases)


def _category(item: CategoryVerdict, mark: str, language: Language) -> Iterator[str]:
    before, after = (_percent(rate, language) for rate in (item.baseline_rate, item.candidate_rate))
    yield f"  - {item.category}: {before} → {after} ({_count(item.cases, language)}) {mark}"
    if item.statistics is not None:
        yield from (f"      {line}" for line in _statistics(item, item.statistics, language))


def _statistics(item: CategoryVerdict, found: CategoryStatistics, language: Language) -> Iterator[str]:
    words = _WORDS[language]
    for measure in found.measures[:1]:
        changed = words["changed"].format(worse=found.worse, better=found.better)
        shown = (item.candidate_rate or 0.0) - (item.baseline_rate or 0.0)
        favoured = f"; {words['open']}" if abs(shown - measure.difference) > _ROUNDING else ""
        yield f"{_points(measure, language)}; {changed}{favoured}"
        if measure.difference < 0:
            yield _chance(measure, language)
    for measure in found.measures[1:]:
        if measure.difference < 0:
            yield f"{words[measure.measure]}: {_points(measure, language)}; {_chance(measure, language)}"
    bounds = words["bounds"].format(low=f"{found.pass_low:.1%}", high=f"{found.pass_high:.1%}")
    certainty = told_certainty(item)
    yield bounds if certainty is None else f"{bounds}; {words[certainty.value]}"


def _points(measure: MeasureStatistics, language: Language) -> str:
    points = {name: f"{getattr(measure, name) * 100:+.1f}" for name in ("difference", "low", "high")}
    return _WORDS[language]["difference"].format(**points)


def _chance(measure: MeasureStatistics, language: Language) -> str:
    return _WORDS[language]["chance"].format(
        p=chance(measure.p_value),
        adjusted=chance(measure.adjusted_p).removeprefix("= "),
        test=_TEST[language].get(measure.test, measure.test),
    )


def _effect_lines(categories: Sequence[CategoryVerdict], language: Language) -> list[str]:
    words, lines = _WORDS[language], list[str]()
    for item in categories:
        if item.statistics is not None and item.statistics.measures:
            count = item.statistics.smallest_effect
            none = "no_effect_of_one" if item.cases == 1 else "no_effect"
            key = none if count is None else "effect"
            lines.append(
                "  - " + words[key].format(category=item.category, count=count, cases=_count(item.cases, language))
            )
    return [words["effects"], *lines] if lines else []


def _percent(rate: float | None, language: Language) -> str:
    return _WORDS[language]["none"] if rate is None else f"{rate:.1%}"


def _flip_lines(flips: Sequence[Flip], language: Language) -> list[str]:
    return _some([_flip_line(flip, language) for flip in flips], language)


def _flip_line(flip: Flip, language: Language) -> str:
    words, states = _WORDS[language], _STATE[language]
    told = [f"  - {flip.case_id} ({flip.category}): {states[flip.before]} → {states[flip.after]}"]
    if {flip.before_rate, flip.after_rate} - {0.0, 1.0, None}:
        rates = {"before": _percent(flip.before_rate, language), "after": _percent(flip.after_rate, language)}
        told.append(words["of_trials"].format(**rates))
    if flip.confirmed is not None:
        told.append(words["confirmed" if flip.confirmed else "contradicted"])
    return "; ".join(told)


def _some(lines: Sequence[str], language: Language) -> list[str]:
    shown = list(lines[:_SHOWN])
    if len(lines) > _SHOWN:
        shown.append("  - " + _WORDS[language]["more"].format(count=len(lines) - _SHOWN))
    return shown


def _reasons(verdict: Verdict | PolicyVerdict, language: Language) -> Sequence[str]:
    return verdict.reasons if language == "en" else [in_japanese(reason) for reason in verdict.reasons]
