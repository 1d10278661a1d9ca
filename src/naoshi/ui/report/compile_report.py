"""Runs, cases and the latest verdict become the contents of the page."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from naoshi.evals.suites.source_weights import CategoryRate, category_rates
from naoshi.flow.left_to_people import LeftGroup
from naoshi.gate.explain import told_outcome
from naoshi.gate.reasons import in_japanese
from naoshi.gate.statistics import wilson
from naoshi.gate.trials import CaseTrials, by_case, passes
from naoshi.gate.turns import Turn, by_turn, turn_of
from naoshi.records import EvalCase, EvalRun, Flip, ResultState, Split, Verdict
from naoshi.records.language import Language
from naoshi.ui.report.eval_report import (
    CaseRow,
    CategoryRows,
    Cell,
    EvalReport,
    FlippedCase,
    Rate,
    Side,
    VerdictPart,
    VersionColumn,
)

_NO_CASE = Rate(cases=0, sources=0, rate=0.0, low=0.0, high=1.0)
# What got worse is what a reader looks for; what nobody judged comes before what got better.
_TURNS = (Turn.worse, Turn.unknown, Turn.better)
_HIDDEN = {"en": "[a case that is not shown]", "ja": "[表示しないケース]"}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A verdict, and the two runs that it compares; a run is None where it is not kept."""

    verdict: Verdict
    before: EvalRun | None
    after: EvalRun | None


def compile_report(
    *,
    project: str,
    runs: Sequence[EvalRun],
    cases: Iterable[EvalCase],
    judged: Judged | None,
    left: Sequence[LeftGroup] = (),
    language: Language,
    now: datetime,
) -> EvalReport:
    """Return the contents of the page.

    ``runs`` are those of versions; of each version the latest gets a column. So does the candidate of ``judged``,
    unless it is one of them, released since. Only cases that are among ``cases`` and in no holdout are shown one by
    one; where a case is among them several times, it is shown only if each of them may be. ``left`` are the groups that
    need a person.
    """
    known = list(cases)
    held_out = {case.case_id for case in known if case.split is Split.holdout}
    shown = {case.case_id: case for case in known if case.case_id not in held_out}
    columns = list({run.version: run for run in sorted(runs, key=_begun)}.values())
    candidate = judged.after if judged else None
    is_apart = candidate is not None and candidate.run_id not in {run.run_id for run in runs}
    if candidate is not None and is_apart:
        columns.append(candidate)
    ordered = sorted(columns, key=_begun)
    seen = {result.case_id for run in ordered for result in run.results}
    return EvalReport(
        language=language,
        project=project,
        made_at=now,
        columns=tuple(
            _column(run, name=name, before=before, is_candidate=is_apart and run is candidate)
            for name, before, run in zip(_distinct(ordered), [None, *ordered], ordered, strict=False)
        ),
        rows=_rows(ordered, shown),
        verdict=_verdict(
            judged, shown, seen=seen, versions={run.run_id: run.version for run in runs}, language=language
        )
        if judged
        else None,
        held_out=len(seen & held_out),
        gone=len(seen - held_out - shown.keys()),
        left=tuple(left),
    )


def _begun(run: EvalRun) -> datetime:
    return run.started_at


def _distinct(runs: Sequence[EvalRun]) -> list[str]:
    """Return the names of the versions; one that comes again has its run's name with it."""
    names: list[str] = []
    for run in runs:
        names.append(f"{run.version} {run.run_id[-6:]}" if run.version in names else run.version)
    return names


def _column(run: EvalRun, *, name: str, before: EvalRun | None, is_candidate: bool) -> VersionColumn:
    by_category: dict[str, Counter[ResultState]] = {}
    for trials in by_case(run.results).values():
        by_category.setdefault(trials.category, Counter())[trials.state] += 1
    total = category_rates([result.model_copy(update={"category": ""}) for result in run.results])
    return VersionColumn(
        name=name,
        run_id=run.run_id,
        at=run.started_at,
        states=_all_states(sum(by_category.values(), Counter[ResultState]())),
        rate=_rate(total[0]) if total else _NO_CASE,
        by_category={found.category: _rate(found) for found in category_rates(run.results)},
        category_states={name: _all_states(counts) for name, counts in by_category.items()},
        graded_alike=before is None or before.settings_hash == run.settings_hash,
        is_candidate=is_candidate,
    )


def _all_states(counts: Mapping[ResultState, int]) -> Mapping[ResultState, int]:
    return {state: counts.get(state, 0) for state in ResultState}


def _rate(found: CategoryRate) -> Rate:
    low, high = wilson(found.by_case, found.effective)
    return Rate(cases=found.cases, sources=found.sources, rate=found.by_case, low=low, high=high)


def _rows(runs: Sequence[EvalRun], shown: Mapping[str, EvalCase]) -> tuple[CategoryRows, ...]:
    """Return the rows by category; within one, what went wrong most lately stands first."""
    found = [_results(run) for run in runs]
    by_category: dict[str, list[CaseRow]] = {}
    for case_id in dict.fromkeys(case_id for run in reversed(found) for case_id in run):
        if case_id in shown:
            in_runs = [run.get(case_id) for run in found]
            category = next(trials.category for trials in reversed(in_runs) if trials is not None)
            row = CaseRow(case_id=case_id, description=shown[case_id].description, cells=_cells(in_runs))
            by_category.setdefault(category, []).append(row)
    return tuple(
        CategoryRows(
            category=category,
            failing=tuple(sorted((row for row in rows if not row.always_passes), key=_lateness)),
            passing=tuple(row for row in rows if row.always_passes),
        )
        for category, rows in sorted(by_category.items())
    )


def _cells(in_runs: Sequence[CaseTrials | None]) -> tuple[Cell | None, ...]:
    cells: list[Cell | None] = []
    asked: str | None = None
    for trials in in_runs:
        if trials is None:
            cells.append(None)
            continue
        digest = trials.key[1]
        cells.append(
            Cell(
                state=trials.state,
                passed=sum(map(passes, trials.results)),
                trials=len(trials.results),
                changed=asked is not None and asked != digest,
            )
        )
        asked = digest
    return tuple(cells)


def _lateness(row: CaseRow) -> int:
    """Return how many columns from the last one back a trial did not pass."""
    return next(
        place for place, cell in enumerate(reversed(row.cells)) if cell is not None and cell.passed < cell.trials
    )


def _verdict(
    judged: Judged,
    shown: Mapping[str, EvalCase],
    *,
    seen: set[str],
    versions: Mapping[str, str],
    language: Language,
) -> VerdictPart:
    """Return the verdict without what must stay hidden; ``versions`` names the version of a run that has one."""
    verdict = judged.verdict
    named = [(flip, False) for flip in verdict.flips] + [(flip, True) for flip in verdict.quarantined]
    visible = [(flip, aside) for flip, aside in named if flip.case_id in shown]
    before, after = _results(judged.before), _results(judged.after)
    unseen = [flip for flip, _ in named if flip.case_id not in shown]
    hidden = (seen | {flip.case_id for flip, _ in named}) - shown.keys()
    return VerdictPart(
        outcome=verdict.outcome,
        policy=verdict.policy,
        others=tuple((item.policy, item.outcome) for item in verdict.by_policy if item.policy != verdict.policy),
        decided_at=verdict.decided_at,
        reasons=tuple(
            _without(hidden, in_japanese(reason) if language == "ja" else reason, _HIDDEN[language])
            for reason in verdict.reasons
        ),
        categories=tuple(
            item.model_copy(update={"reason": "", "outcome": told_outcome(verdict, item)})
            for item in verdict.categories
        ),
        before=_name(judged.before, versions),
        after=_name(judged.after, versions),
        flips=tuple(
            FlippedCase(
                case_id=flip.case_id,
                description=shown[flip.case_id].description,
                category=flip.category,
                asked=shown[flip.case_id].vars,
                before=_side(before.get(flip.case_id), flip.before),
                after=_side(after.get(flip.case_id), flip.after),
                confirmed=flip.confirmed,
                quarantined=aside,
            )
            for flip, aside in sorted(visible, key=_gravity)
        ),
        hidden_flips={turn: len(flips) for turn, flips in by_turn(unseen).items()},
    )


def _name(run: EvalRun | None, versions: Mapping[str, str]) -> str:
    return versions.get(run.run_id, run.version) if run else ""


def _results(run: EvalRun | None) -> Mapping[str, CaseTrials]:
    return {trials.case_id: trials for trials in by_case(run.results if run else ()).values()}


def _side(trials: CaseTrials | None, state: ResultState) -> Side:
    """Return the trial that shows *state*, which may have been kept apart from the others."""
    found = next((result for result in trials.results if result.state is state), None) if trials else None
    if found is None:
        return Side(state=state, output=None, reason="")
    return Side(state=state, output=found.output, reason=found.reason)


def _gravity(item: tuple[Flip, bool]) -> tuple[bool, int, str]:
    flip, aside = item
    return aside, _TURNS.index(turn_of(flip)), flip.case_id


def _without(hidden: Iterable[str], text: str, instead: str) -> str:
    """Return *text* with the names of *hidden* cases replaced."""
    found = [name for name in hidden if name and name in text]
    if not found:
        return text
    return re.sub("|".join(re.escape(name) for name in sorted(found, key=len, reverse=True)), instead, text)
