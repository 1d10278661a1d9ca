"""The cases with their age and health, and how much each source counts."""

from collections import Counter
from datetime import datetime
from typing import Any

from naoshi.evals.suites.health import CaseHealth
from naoshi.evals.suites.source_weights import CategoryRate, category_rates
from naoshi.evals.suites.standing import CaseStanding
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import last_present_run
from naoshi.flow.quarantine import FlakyCase, case_histories, case_key, case_standings, flaky_cases
from naoshi.flow.suites import load_suites
from naoshi.records import EvalCase, Split
from naoshi.ui.cli.output import Output, counted


def show_health(loop: Loop, out: Output) -> None:
    """List the cases, their totals by standing, and the rates by category."""
    suites, now = load_suites(loop), loop.clock()
    told, seen = case_standings(loop), case_histories(loop)
    flaky = {case_key(item.case): item for item in flaky_cases(loop)}
    rows: list[tuple[object, ...]] = []
    document: list[dict[str, Any]] = []
    totals: Counter[CaseStanding] = Counter()
    for suite in suites:
        for case in suite.cases:
            key = case_key(case)
            standing = told[key].standing if key in told else CaseStanding.counts
            health = seen.get(key, CaseHealth())
            totals[standing] += 1
            if case.split is not Split.holdout or standing is not CaseStanding.counts or key in flaky:
                rows.append(_row(case, standing, health, flaky.get(key), now))
                document.append(_entry(case, suite.path, standing, health, flaky.get(key)))
    count = sum(totals.values())
    if not count:
        out.say("there is no case yet: naoshi evals mint")
    elif rows:
        out.table(("case", "category", "split", "standing", "age", "last failed", "flips", "last"), rows)
    hidden = f" ({counted(count - len(rows), 'case')} of the holdout not listed)" if count > len(rows) else ""
    others = ", ".join(f"{totals[one]} {_said(one)}" for one in CaseStanding if one is not CaseStanding.counts)
    out.say(f"{counted(count, 'case')}: {totals[CaseStanding.counts]} with a say in the gate, {others}{hidden}")
    if flaky:
        out.say(f"{counted(len(flaky), 'flaky case')} for a person to decide on: naoshi cases review")
    rates = _rates(loop, out)
    out.result({"cases": document, "totals": {one.value: totals[one] for one in CaseStanding}, "rates": rates})


def _rates(loop: Loop, out: Output) -> tuple[CategoryRate, ...]:
    run = last_present_run(loop)
    rates = category_rates(run.results) if run is not None else ()
    if run is not None and rates:
        out.say("", f"pass rates of {run.version}, each case counting once and each source counting once")
        out.table(
            ("category", "cases", "sources", "effective", "by case", "by source"),
            [
                (one.category, one.cases, one.sources, f"{one.effective:.1f}", f"{one.by_case:.1%}",
                 f"{one.by_source:.1%}")
                for one in rates
            ],
        )  # fmt: skip
    return rates


def _row(
    case: EvalCase, standing: CaseStanding, health: CaseHealth, flaky: FlakyCase | None, now: datetime
) -> tuple[object, ...]:
    age = health.age(now)
    share = health.flip_share
    return (
        case.case_id,
        case.category,
        case.split.value,
        _said(standing) + (" (flaky)" if flaky is not None and standing is CaseStanding.counts else ""),
        "not run" if age is None else counted(age.days, "day"),
        health.last_failed.date().isoformat() if health.last_failed else "never",
        "–" if share is None else f"{health.flips} of {health.repeats} ({share:.0%})",
        health.last_state.value if health.last_state else "–",
    )


def _entry(
    case: EvalCase, suite: str, standing: CaseStanding, health: CaseHealth, flaky: FlakyCase | None
) -> dict[str, Any]:
    return {
        "case_id": case.case_id,
        "suite": suite,
        "category": case.category,
        "split": case.split.value,
        "source_key": case.source_key if case.split is not Split.holdout else None,
        "standing": standing.value,
        "flaky": flaky is not None,
        "blocks_still": flaky.blocks_still if flaky else None,
        "first_run": _moment(health.first_run),
        "last_run": _moment(health.last_run),
        "last_failed": _moment(health.last_failed),
        "last_state": health.last_state.value if health.last_state else None,
        "results": health.results,
        "repeats": health.repeats,
        "flips": health.flips,
        "flip_share": health.flip_share,
    }


def _said(standing: CaseStanding) -> str:
    return standing.value.replace("_", " ")


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
