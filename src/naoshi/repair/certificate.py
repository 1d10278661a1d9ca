"""The proof that a change mends what it was made for and breaks nothing else, as a record whose alteration is seen."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from naoshi.records import (
    CaseResult,
    Certificate,
    CertificateCheck,
    Change,
    EvalCase,
    EvalRun,
    ResultState,
    Split,
    content_hash,
    content_id,
)
from naoshi.repair.from_memory import CHECK
from naoshi.repair.protect import altered, named
from naoshi.repair.scan_lines import speaks_to_grader

ANSWERS_FROM_MEMORY = "answers_from_memory"
"""Why a change is refused whose answers are only remembered."""

_NOT_HELD = {
    "targets_failed_before": "a case that was to be mended did not fail before",
    "every_case_ran": "a case is missing from one of the runs, or was asked otherwise than it is written",
    "runs_comparable": "the runs before and after were not graded under the same settings",
    "repository_kept": "the repository itself was altered while the changed agent ran without a sandbox; look at it",
    "protected_kept": "the changed agent altered protected files while it ran",
}
_ERRORS = (ResultState.agent_error, ResultState.judge_error, ResultState.not_run)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two runs of the same cases side by side, before and after a change.

    A case that was tried several times is in the state that most of its trials say. ``hashes`` are all that the trials
    of a case, in either run, say of what was asked.
    """

    cases: Mapping[str, EvalCase]
    before: Mapping[str, ResultState]
    after: Mapping[str, ResultState]
    hashes: Mapping[str, frozenset[str]]
    targets: tuple[str, ...]

    @classmethod
    def of(
        cls, *, cases: Sequence[EvalCase], before: EvalRun, after: EvalRun, targets: Sequence[str]
    ) -> "Comparison":  # fmt: skip
        """Return *before* and *after* by case; holdout cases are never looked at."""
        judged = {case.case_id: case for case in cases if case.split is not Split.holdout}
        return cls(
            cases=judged,
            before={name: state for name, state in before.case_states().items() if name in judged},
            after={name: state for name, state in after.case_states().items() if name in judged},
            hashes=_hashes(judged, (*before.results, *after.results)),
            targets=tuple(targets),
        )

    def passed_before(self, case_id: str) -> bool:
        """Return whether the case passed before the change."""
        return self.before.get(case_id) is ResultState.pass_

    def passes_after(self, case_id: str) -> bool:
        """Return whether the case passes after the change; one that was not run does not."""
        return self.after.get(case_id) is ResultState.pass_

    @property
    def mended(self) -> tuple[str, ...]:
        """The targets that failed before and pass now."""
        return tuple(sorted(name for name in self.targets if self.passes_after(name) and not self.passed_before(name)))

    @property
    def worse(self) -> tuple[str, ...]:
        """All cases, of both splits, that passed before and do not now."""
        return tuple(sorted(name for name in self.before if self.passed_before(name) and not self.passes_after(name)))

    def worse_in(self, split: Split) -> tuple[str, ...]:
        """Return the cases of *split* that passed before and do not now."""
        return tuple(name for name in self.worse if self.cases[name].split is split)

    def validate_losses(self) -> dict[str, int]:
        """Return by category how many fewer cases of the validate split pass than before, where any fewer do."""
        balance: Counter[str] = Counter()
        for name, case in self.cases.items():
            if case.split is Split.validate_:
                balance[case.category] += int(self.passed_before(name)) - int(self.passes_after(name))
        return {category: loss for category, loss in sorted(balance.items()) if loss > 0}


def certify(
    change: Change,
    *,
    cases: Sequence[EvalCase],
    before: EvalRun,
    after: EvalRun,
    targets: Sequence[str],
    protected: Mapping[str, str],
    protected_after: Mapping[str, str],
    allow_worse: int = 0,
    more: Sequence[CertificateCheck] = (),
    now: datetime,
) -> Certificate:
    """Return the certificate of *change*, granted only when every check holds.

    *cases* are those of the diagnose and validate splits, *targets* the cases that the handoff named as failing.
    *protected* are hashes of the protected files of the base, *protected_after* of those that the judging used.
    *more* are checks that were made besides.
    """
    compared = Comparison.of(cases=cases, before=before, after=after, targets=targets)
    checks = (
        *(check(compared, allow_worse) for check in _CHECKS),
        _runs_comparable(before, after),
        _protected_kept(protected, protected_after),
        _nothing_for_graders(compared, before, after),
        *more,
        CertificateCheck(name="runs_pinned", held=True, detail=f"before {run_hash(before)}, after {run_hash(after)}"),
    )
    draft = Certificate(
        certificate_id=_identifier(change, before.run_id, after.run_id, checks, protected),
        change_id=change.change_id,
        before_run_id=before.run_id,
        after_run_id=after.run_id,
        targets=tuple(targets),
        mended=compared.mended,
        worse=compared.worse,
        checks=checks,
        protected=dict(protected),
        granted=all(check.held for check in checks),
        digest="",
        made_at=now,
    )
    return draft.model_copy(update={"digest": draft.computed_digest})


def verify_certificate(
    certificate: Certificate,
    *,
    before: EvalRun | None = None,
    after: EvalRun | None = None,
    change: Change | None = None,
) -> tuple[str, ...]:
    """Return what is wrong with *certificate*: altered, granted against its own checks, or of other runs than given.

    With *change* it also has to be of that change, at that commit.
    """
    problems: list[str] = []
    runs = (certificate.before_run_id, certificate.after_run_id)
    if change is not None and certificate.certificate_id != _identifier(
        change, *runs, certificate.checks, certificate.protected
    ):
        problems.append("it is not the certificate of this change")
    if certificate.digest != certificate.computed_digest:
        problems.append("the certificate was altered after it was made")
    if certificate.granted and not (certificate.mended and certificate.checks):
        problems.append("it is granted though nothing is mended or nothing was checked")
    if certificate.granted != all(check.held for check in certificate.checks):
        problems.append("whether it is granted does not follow from its checks")
    pinned = next((check.detail for check in certificate.checks if check.name == "runs_pinned"), "")
    for word, run, run_id in (
        ("before", before, certificate.before_run_id),
        ("after", after, certificate.after_run_id),
    ):
        if run is not None and (run.run_id != run_id or f"{word} {run_hash(run)}" not in pinned):
            problems.append(f"the run {word} the change is not the one that was certified")
    if before is not None and after is not None and not _follows(certificate, before, after):
        problems.append("what it says is mended or worse does not follow from its runs")
    return tuple(problems)


def _follows(certificate: Certificate, before: EvalRun, after: EvalRun) -> bool:
    """Return whether the targets that are mended, and each case that is worse, are so in the two runs."""
    then, now = before.case_states(), after.case_states()
    passed = {name for name, state in then.items() if state is ResultState.pass_}
    passes = {name for name, state in now.items() if state is ResultState.pass_}
    mended = tuple(sorted(name for name in certificate.targets if name in passes - passed))
    return certificate.mended == mended and set(certificate.worse) <= passed - passes


def failures_told(
    certificate: Certificate, *, cases: Sequence[EvalCase], before: EvalRun, after: EvalRun
) -> tuple[str, ...]:
    """Return why *certificate* was not granted, as the next attempt may know it.

    Cases of the diagnose split are named; of the validate split only counts by field are told, never a name or value.
    """
    if certificate.granted:
        return ()
    compared = Comparison.of(cases=cases, before=before, after=after, targets=certificate.targets)
    told = [
        f"worse: {name} (field {compared.cases[name].provenance.field or 'unknown'})"
        for name in compared.worse_in(Split.diagnose)
    ]
    told += [f"validate worse: {category} {loss}" for category, loss in compared.validate_losses().items()]
    if not certificate.mended:
        told.append("no failing case passes now")
    quiet = {"diagnose_kept", "validate_not_worse", "targets_mended"}
    told += [_told(check) for check in certificate.checks if not check.held and check.name not in quiet]
    return tuple(told)


def _told(check: CertificateCheck) -> str:
    """Return in words why *check* does not hold, without the names of cases, which may be hidden ones."""
    if check.name == CHECK:
        return f"{ANSWERS_FROM_MEMORY}: {check.detail}"
    return f"{check.name}: {_NOT_HELD.get(check.name) or check.detail.partition(':')[0]}"


def run_hash(run: EvalRun) -> str:
    """Return a hash of what *run* says of each case: 64 hexadecimal digits."""
    results = sorted([result.case_id, result.content_hash, result.state.value] for result in run.results)
    return content_hash([run.run_id, run.suite, run.version, run.settings_hash, results])


def _targets_failed(compared: Comparison, allow_worse: int) -> CertificateCheck:
    passed = [name for name in compared.targets if name not in compared.before or compared.passed_before(name)]
    held = bool(compared.targets) and not passed
    detail = f"{len(compared.targets)} targets" + (f"; not failing before: {named(passed)}" if passed else "")
    return CertificateCheck(name="targets_failed_before", held=held, detail=detail)


def _targets_mended(compared: Comparison, allow_worse: int) -> CertificateCheck:
    mended = len(compared.mended)
    return CertificateCheck(
        name="targets_mended", held=mended > 0, detail=f"{mended} of {len(compared.targets)} targets pass now"
    )


def _diagnose_kept(compared: Comparison, allow_worse: int) -> CertificateCheck:
    worse = compared.worse_in(Split.diagnose)
    held = len(worse) <= allow_worse and (not worse or len(compared.mended) > len(worse))
    detail = f"{len(worse)} that passed fail now, {allow_worse} allowed" + (f": {named(worse)}" if worse else "")
    return CertificateCheck(name="diagnose_kept", held=held, detail=detail)


def _validate_not_worse(compared: Comparison, allow_worse: int) -> CertificateCheck:
    losses = compared.validate_losses()
    unseen = [name for name, case in compared.cases.items() if case.split is Split.validate_]
    failed = [name for name in unseen if not compared.passed_before(name)]
    mended = sum(compared.passes_after(name) for name in failed)
    fewer = "; ".join(f"{category}: {loss} fewer pass" for category, loss in losses.items())
    detail = (
        f"{len(unseen)} cases that the coding agent did not see; {mended} of the {len(failed)} that failed pass now"
    )
    detail += f"; {fewer}" if fewer else ""
    return CertificateCheck(name="validate_not_worse", held=not losses, detail=detail)


def _no_new_errors(compared: Comparison, allow_worse: int) -> CertificateCheck:
    fresh = [
        name
        for name, state in sorted(compared.after.items())
        if state in _ERRORS and compared.before.get(name) not in _ERRORS
    ]
    detail = f"{len(fresh)} cases end in an error that did not" + (f": {named(fresh)}" if fresh else "")
    return CertificateCheck(name="no_new_errors", held=not fresh, detail=detail)


def _every_case_ran(compared: Comparison, allow_worse: int) -> CertificateCheck:
    missing = [name for name in sorted(compared.cases) if name not in compared.before or name not in compared.after]
    differing = [
        name
        for name, case in sorted(compared.cases.items())
        if name not in missing and compared.hashes[name] != frozenset({case.content_hash})
    ]
    detail = f"{len(compared.cases)} cases"
    detail += f"; not run: {named(missing)}" if missing else ""
    detail += f"; not the same case: {named(differing)}" if differing else ""
    held = bool(compared.cases) and not missing and not differing
    return CertificateCheck(name="every_case_ran", held=held, detail=detail)


def _runs_comparable(before: EvalRun, after: EvalRun) -> CertificateCheck:
    held = before.settings_hash == after.settings_hash and before.run_id != after.run_id
    detail = "two runs under the same settings" if held else "the same run twice, or other settings"
    return CertificateCheck(name="runs_comparable", held=held, detail=detail)


def _hashes(judged: Mapping[str, EvalCase], results: Iterable[CaseResult]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {name: set() for name in judged}
    for result in results:
        if result.case_id in found:
            found[result.case_id].add(result.content_hash)
    return {name: frozenset(hashes) for name, hashes in found.items()}


def _protected_kept(before: Mapping[str, str], after: Mapping[str, str]) -> CertificateCheck:
    different = altered(before, after)
    detail = f"{len(before)} protected files" + (f"; altered: {named(different)}" if different else "")
    return CertificateCheck(name="protected_kept", held=not different, detail=detail)


def _nothing_for_graders(compared: Comparison, before: EvalRun, after: EvalRun) -> CertificateCheck:
    """Hold where no output speaks to a grader that did not before, unless the case expects those very words."""
    spoke = {result.case_id for result in before.results if _speaks(result.output)}
    found = sorted(
        {
            result.case_id
            for result in after.results
            if result.case_id in compared.cases and result.case_id not in spoke
            if _speaks(result.output) and not _speaks(compared.cases[result.case_id].provenance.corrected)
        }
    )
    detail = f"{len(found)} of {len(after.results)} outputs speak to a grader" + (f": {named(found)}" if found else "")
    return CertificateCheck(name="nothing_for_graders", held=not found, detail=detail)


def _speaks(output: JsonValue) -> bool:
    return speaks_to_grader(" ".join(" ".join(_texts(output)).split()))


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value if isinstance(value, list) else value.values():
            yield from _texts(item)


def _identifier(
    change: Change,
    before_run_id: str,
    after_run_id: str,
    checks: Sequence[CertificateCheck],
    protected: Mapping[str, str],
) -> str:
    content = [check.model_dump(mode="json") for check in checks]
    body = [change.change_id, change.commit, before_run_id, after_run_id]
    return content_id("certificate", *body, content, dict(protected))


_CHECKS: Final[tuple[Callable[[Comparison, int], CertificateCheck], ...]] = (
    _targets_failed,
    _targets_mended,
    _diagnose_kept,
    _validate_not_worse,
    _no_new_errors,
    _every_case_ran,
)
