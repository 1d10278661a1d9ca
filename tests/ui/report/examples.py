"""Runs, cases and verdicts that the tests of the report are made of. The same seed gives the same ones."""

import random
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from naoshi.gate import GatePolicy, decide
from naoshi.records import CaseResult, EvalCase, EvalRun, ResultState, Split, Verdict
from naoshi.records.language import Language
from naoshi.ui.report.compile_report import Judged, compile_report
from naoshi.ui.report.eval_report import EvalReport

NOW = datetime(2026, 3, 8, 9, 30, tzinfo=UTC)
PASS, FAIL = ResultState.pass_, ResultState.fail


def case(case_id: str, **more: object) -> EvalCase:
    fields: dict[str, object] = {"vars": {"document": f"{case_id}.csv"}, "category": "total", **more}
    return EvalCase(case_id=case_id, **fields)  # type: ignore[arg-type]


def result(of: EvalCase, state: ResultState = PASS, **more: object) -> CaseResult:
    fields: dict[str, object] = {
        "content_hash": of.content_hash,
        "category": of.category,
        "source_key": of.source_key or of.case_id,
        "score": float(state is PASS) if state in (PASS, FAIL) else None,
        "output": {"total": f"RM {of.case_id}"},
        **more,
    }
    return CaseResult(case_id=of.case_id, state=state, **fields)  # type: ignore[arg-type]


def run(version: str, results: list[CaseResult], *, day: int = 0, **more: object) -> EvalRun:
    at = NOW + timedelta(days=day)
    fields: dict[str, object] = {"run_id": f"run_{version}", "settings_hash": "native", **more}
    return EvalRun(
        suite="all",
        version=version,
        started_at=at,
        finished_at=at,
        results=tuple(results),
        **fields,  # type: ignore[arg-type]
    )


def verdict_on(after: EvalRun, before: EvalRun) -> Verdict:
    return decide(after, before, GatePolicy(), now=NOW)


def compiled(
    runs: list[EvalRun],
    cases: list[EvalCase],
    *,
    judged: tuple[EvalRun, EvalRun] | None = None,
    language: Language = "en",
    verdict: Verdict | None = None,
) -> EvalReport:
    found = None
    if judged is not None:
        after, before = judged
        found = Judged(verdict=verdict or verdict_on(after, before), before=before, after=after)
    return compile_report(project="receipts", runs=runs, cases=cases, judged=found, language=language, now=NOW)


def history(*, cases: int = 500, versions: int = 20, seed: int = 1, language: Language = "en") -> EvalReport:
    """Return the report of an agent that gets better, with a candidate that breaks some things."""
    draw = random.Random(seed)
    categories = ("total", "date", "company", "address", "safety")
    known = [
        case(
            f"case_{number:04d}",
            category=draw.choice(categories),
            description=f"{draw.choice(('total', 'date', '合計', '会社名'))} of box/{number:03d}.csv is RM {number}.40",
            split=Split.holdout if number % 5 == 0 else Split.diagnose,
            source_key=f"box/{number // 2:03d}.csv",
        )
        for number in range(cases)
    ]
    hardness = {of.case_id: draw.random() ** 2 for of in known}
    runs: list[EvalRun] = []
    for place in range(versions + 1):
        skill = 0.3 + 0.65 * place / versions - (0.08 if place == versions else 0)
        added = known[: max(10, cases * (place + 2) // (versions + 2))]
        results = [drawn_result(draw, of, hardness[of.case_id] < skill) for of in added]
        runs.append(run(f"v{place + 1}" if place < versions else "candidate-3f2a91", results, day=place))
    return compiled(runs[:-1], known, judged=(runs[-1], runs[-2]), language=language)


def drawn_result(draw: random.Random, of: EvalCase, good: bool) -> CaseResult:
    if draw.random() < 0.03:
        good = not good
    odd = draw.random()
    if odd < 0.01:
        return result(of, draw.choice([ResultState.agent_error, ResultState.judge_error, ResultState.not_run]),
                      output=None, reason="the agent ended with status 7")  # fmt: skip
    output: JsonValue = {"company": "ACME SDN BHD", "date": "2018-03-14", "total": f"RM {of.case_id[-3:]}.40",
                         "address": "NO.2, JALAN BAYU 4,\nBANDAR SERI ALAM,\n81750 MASAI, JOHOR"}  # fmt: skip
    if not good:
        output = {**output, "total": "RM 0.00", "date": None}  # type: ignore[dict-item]
    reason = "" if good else 'equals: expected "RM 1.40", got "RM 0.00"'
    return result(of, PASS if good else FAIL, output=output, reason=reason)
