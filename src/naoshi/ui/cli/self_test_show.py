"""The gate's test of itself, shown to people in both languages."""

from collections.abc import Iterable, Mapping
from typing import Final

from naoshi.gate.policy import GatePolicy
from naoshi.gate.reasons import in_japanese
from naoshi.records import EvalRun, GateSelfTest, VerdictOutcome
from naoshi.records.language import Language
from naoshi.ui.cli.output import Output, one_line

_SHOWN = 3
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "passed": "the gate passed its test of itself: {counts}",
        "failed": "the gate FAILED its test of itself: {counts}",
        "counts": "of {questions} questions {held} answered as they must be, by the policy {policy} on the cases "
        "({cases}) of run {run}",
        "columns": "question|category|expected|answer",
        "or": " or ",
        "ok": "ok",
        "wrong": "WRONG",
        "too_few": "too few to certify: {named}; were such a category to collapse, averages alone would not show it, "
        "only running its cases again would",
        "skipped": "not tested, as nothing can block them (max_drop and block are 1): {named}",
        "without_cases": "NOTE [gate.categories] names what no case here is of, so that it holds for nothing: {named}",
    },
    "ja": {
        "passed": "ゲートの自己検査は合格です: {counts}",
        "failed": "ゲートの自己検査は不合格です: {counts}",
        "counts": "{questions} 問中 {held} 問に正しく答えました（方針 {policy}、実行 {run} の {cases} 件）",
        "columns": "問い|区分|正解|答え",
        "or": " または ",
        "ok": "正しい",
        "wrong": "誤り",
        "too_few": "保証するには件数が足りない区分: {named}"
        "（全体が壊れても平均だけでは分からず、やり直して初めて分かります）",
        "skipped": "何も止められないため検査しない区分（max_drop と block が 1）: {named}",
        "without_cases": "注意: [gate.categories] にあってケースのない区分（設定は何にも効いていません）: {named}",
    },
}
_OUTCOMES: Final[Mapping[VerdictOutcome, str]] = {
    VerdictOutcome.pass_: "合格",
    VerdictOutcome.regression: "後退",
    VerdictOutcome.inconclusive: "判定不能",
    VerdictOutcome.incomparable: "比較不能",
}
_QUESTIONS: Final[Mapping[str, str]] = {
    "a run against itself": "同じ実行どうし",
    "a regression in these results": "この結果に入れた後退",
    "a regression": "後退",
    "a regression behind a better average": "平均の向上に隠れた後退",
    "a category that collapses, with nothing run again": "区分全体が壊れ、やり直しなし",
    "an agent that answers nothing": "何も答えないエージェント",
    "cases that were not run": "実行されなかったケース",
    "a judge that failed": "審査役の失敗",
    "scores that are no numbers": "数でない点",
    "a run without results": "結果のない実行",
    "a run that was graded differently": "採点の条件が違う実行",
}


def show_self_test(found: GateSelfTest, run: EvalRun, policy: GatePolicy, out: Output, *, language: Language) -> bool:
    """Show *found*, the gate's test of itself on *run* by *policy*, and return whether it passed."""
    words = _WORDS[language]
    counts = words["counts"].format(
        held=sum(probe.held for probe in found.probes),
        questions=len(found.probes),
        policy=found.policy,
        cases=len({result.case_id for result in run.results}),
        run=run.run_id,
    )
    out.say(words["passed" if found.passed else "failed"].format(counts=counts))
    out.table(
        (*words["columns"].split("|"), ""),
        [
            (
                _question(probe.name, language),
                probe.category or "",
                words["or"].join(_outcome(item, language) for item in probe.expected),
                _outcome(probe.found, language),
                words["ok" if probe.held else "wrong"],
            )
            for probe in found.probes
        ],
    )
    for probe in found.probes:
        if not probe.held:
            told = "; ".join(one_line(_reason(reason, language)) for reason in probe.reasons[:_SHOWN])
            place = f" ({one_line(probe.category)})" if probe.category else ""
            out.say(f"  {_question(probe.name, language)}{place}: {told}")
    without_cases = sorted(policy.categories.keys() - {result.category for result in run.results})
    for key, names in (("too_few", found.too_few), ("skipped", found.skipped), ("without_cases", without_cases)):
        if names:
            out.say(words[key].format(named=_named(names)))
    out.result(found)
    return found.passed


def _question(name: str, language: Language) -> str:
    return _QUESTIONS.get(name, name) if language == "ja" else name


def _outcome(outcome: VerdictOutcome, language: Language) -> str:
    return _OUTCOMES[outcome] if language == "ja" else outcome.value


def _reason(text: str, language: Language) -> str:
    return in_japanese(text) if language == "ja" else text


def _named(names: Iterable[str]) -> str:
    return ", ".join(one_line(name) for name in names)
