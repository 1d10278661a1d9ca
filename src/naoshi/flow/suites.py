"""The suites as files: people may edit them, so the files say which cases there are."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from naoshi.errors import SuiteError
from naoshi.evals.left_alone import left_alone
from naoshi.evals.merge import MergeReport, merge_cases
from naoshi.evals.suite_file import SuiteFile
from naoshi.evals.suite_load import load_suite
from naoshi.flow.loop import Loop
from naoshi.records import Correction, EvalCase, Split, Suite, canonical_json


def suite_paths(loop: Loop) -> tuple[Path, ...]:
    """Return the suites of the repository by name, then the holdout, which lies outside git."""
    folder = loop.git.folder / loop.settings.evals.folder
    kept = sorted(path for path in folder.glob("*.yaml") if path.is_file())
    holdout = holdout_path(loop)
    return (*kept, *([holdout] if holdout.is_file() else []))


def holdout_path(loop: Loop) -> Path:
    """Return where the holdout suite lies, whether there is one or not."""
    return loop.settings.evals.suite_path(Split.holdout, repository=loop.git.folder, state=loop.state)


def load_suites(loop: Loop) -> tuple[Suite, ...]:
    """Read every suite.

    Raises:
        SuiteError: one cannot be read, or two of them have a case of one identifier.
    """
    suites = tuple(load_suite(path, root=loop.git.folder, settings=loop.settings.evals) for path in suite_paths(loop))
    seen: dict[str, str] = {}
    for suite in suites:
        for case in suite.cases:
            if case.case_id in seen:
                raise SuiteError(f"{seen[case.case_id]} and {suite.path} both have a case {case.case_id}")
            seen[case.case_id] = suite.path
    return suites


def load_cases(loop: Loop) -> tuple[EvalCase, ...]:
    """Return the cases of all suites."""
    return tuple(case for suite in load_suites(loop) for case in suite.cases)


def judged_cases(loop: Loop) -> tuple[EvalCase, ...]:
    """Return what a version is judged by: the cases of all suites, and what people left alone in corrected runs."""
    cases = load_cases(loop)
    corrections: dict[str, list[Correction]] = {}
    for correction in loop.store.corrections.find():
        corrections.setdefault(correction.trace_id, []).append(correction)
    checks = {check.case_id: check for name, mine in corrections.items() for check in _left_alone(loop, name, mine)}
    tested = {(canonical_json(case.vars), case.provenance.field) for case in cases}
    fresh = (check for check in checks.values() if (canonical_json(check.vars), check.provenance.field) not in tested)
    return (*cases, *fresh)


def _left_alone(loop: Loop, trace_id: str, corrections: Sequence[Correction]) -> tuple[EvalCase, ...]:
    key = (trace_id, *sorted(correction.correction_id for correction in corrections))
    if key not in loop.left_alone:
        trace = loop.store.traces.get(trace_id)
        fields, settings = loop.settings.fields, loop.settings.evals
        loop.left_alone[key] = left_alone(trace, corrections, fields=fields, settings=settings) if trace else ()
    return loop.left_alone[key]


def of_split(cases: Iterable[EvalCase], *splits: Split) -> tuple[EvalCase, ...]:
    """Return those of *cases* that are in one of *splits*."""
    return tuple(case for case in cases if case.split in splits)


def keep_cases(loop: Loop, fresh: Sequence[EvalCase]) -> MergeReport:
    """Add *fresh* to the suites of their splits, and to the store; commit what changed in the repository.

    The holdout is written first: a crash in between leaves cases that the next call finds there and merges.
    """
    report = merge_cases(load_cases(loop), fresh)
    changed: list[str] = []
    for split in (Split.holdout, Split.validate_, Split.diagnose):
        mine = of_split(report.added, split)
        if not mine:
            continue
        path = loop.settings.evals.suite_path(split, repository=loop.git.folder, state=loop.state)
        SuiteFile.open(path, settings=loop.settings.evals).add(mine).save()
        if split is not Split.holdout:
            changed.append(path.relative_to(loop.git.folder).as_posix())
    with loop.store.transaction():
        for case in report.added:
            loop.store.cases.put(case)
    commit_suites(loop)
    return report


def commit_suites(loop: Loop) -> None:
    """Commit the suites of the repository as they stand, and nothing else, if the settings allow it."""
    folder = loop.settings.evals.folder
    if loop.settings.commit_evals and loop.git.changed([folder]):
        loop.git.commit("evals: cases from corrections", paths=[folder], when=loop.clock())
