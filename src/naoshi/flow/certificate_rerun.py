"""A certified change judged again, and whether the same holds as when it was certified."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from naoshi.evals.suite_load import load_suite
from naoshi.evals.suites.standing import CaseStanding, standings
from naoshi.flow.certificate_evidence import CertificateEvidence
from naoshi.flow.judging import Judging
from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import SetAside
from naoshi.flow.suites import judged_cases
from naoshi.records import Certificate, CertificateCheck, Change, EvalCase, EvalRun, ResultState, Split
from naoshi.repair.judge_change import judge_change
from naoshi.repair.scan import scan
from naoshi.repair.scan_copies import texts_of_cases
from naoshi.repair.scan_network import network_names_of
from naoshi.repair.tree_diff import read_tree_diff
from naoshi.repair.workspace import export_tree, held_folder

SCAN_CLEAN = "scan_clean"
"""The check that the diff holds nothing that refuses a change. No change is made without it."""

PROTECTED_SAME = "protected_same"
"""The check that the protected files of the base are those that the certificate has the hashes of."""

_NEVER_COMPARED = frozenset({"runs_pinned"})


@dataclass(frozen=True, kw_only=True)
class CheckedAgain:
    """One check: whether it held when the change was certified, and whether it holds now (None: it was not made).

    ``detail`` is what was seen now, or then where it was not made now.
    """

    name: str
    then: bool | None
    now: bool | None
    detail: str

    @property
    def same(self) -> bool:
        """Whether it says the same, or was not made at both times."""
        return self.then == self.now or self.then is None or self.now is None


@dataclass(frozen=True, kw_only=True)
class HoldoutAgain:
    """How many ``cases`` of the holdout were asked again, and how many passed at both times."""

    cases: int
    passed_then: int
    passed_now: int


@dataclass(frozen=True, kw_only=True)
class CertificateRerun:
    """What came of judging a change again.

    ``cases`` is how many were run, ``other`` those that ended in another state than in the certified run, and
    ``missing`` those of the certified run that nobody has any more as they were. ``granted`` is whether the change
    would be certified now. The holdout is asked only when told to.
    """

    checks: tuple[CheckedAgain, ...]
    granted: bool
    cases: int
    other: tuple[str, ...]
    missing: tuple[str, ...]
    holdout: HoldoutAgain | None = None

    @property
    def same(self) -> bool:
        """Whether every check says what it said when the change was certified."""
        return all(check.same for check in self.checks)


def judge_again(loop: Loop, evidence: CertificateEvidence, *, holdout: bool = False) -> CertificateRerun:
    """Judge the change of *evidence* again, in a fresh folder written from git's objects, and compare.

    The cases are those of the certified run, as its base commit has them, and those that had no say then have none now.
    The changed agent is held against the certified run of its base. Nothing is kept. The holdout is asked only with
    *holdout*, and that is entered into the ledger and counts. *loop* has the settings to judge by.

    Raises:
        HoldoutBudgetError: the holdout was asked often enough.
        MissingSandboxError: a sandbox is required for judging and cannot be had.
        RepositoryError: git cannot do its part.
        SuiteError: a suite of the base commit cannot be read.
    """
    change, certificate = evidence.change, evidence.certificate
    place = f"{change.change_id}-again-{os.getpid()}"
    known = _certified_cases(loop, evidence, place)
    cases = tuple(case for case in known.values() if holdout or case.split is not Split.holdout)
    judging, version = Judging.of(loop), f"{change.base_version}+{change.commit[:12]}"
    judgement = judge_change(
        loop.git,
        change,
        targets=certificate.targets,
        before=evidence.before,
        cases=_set_aside(loop, certificate).deciding(cases),
        evaluate=lambda folder, commit: judging.evaluate(
            folder,
            commit,
            version=version,
            cases=cases,
            why=f"certificate {certificate.certificate_id} again",
        ),
        ask=lambda folder, commit, some, data_root: judging.ask(folder, commit, some, data_root, version=version),
        data_root=loop.data_root,
        judged_in=judging.place.told(),
        guarded=judging.guarded,
        settings=loop.settings.repair,
        worktrees=loop.worktrees,
        now=loop.clock(),
        place=place,
    )
    made = judgement.certificate
    again = [*made.checks, _protected_same(certificate, made), _scanned(loop, change, tuple(known.values()))]
    checks = _side_by_side(certificate.checks, again)
    wanted = {(result.case_id, result.content_hash) for result in evidence.before.results}
    return CertificateRerun(
        checks=checks,
        granted=made.granted and all(check.now is not False for check in checks),
        cases=len(cases),
        other=_other_states(evidence.after, judgement.run, of=cases),
        missing=tuple(sorted(name for name, digest in wanted if (name, digest) not in known)),
        holdout=_holdout(cases, evidence.after, judgement.run) if holdout else None,
    )


def _certified_cases(loop: Loop, evidence: CertificateEvidence, place: str) -> Mapping[tuple[str, str], EvalCase]:
    """Return the cases of the certified run by identifier and content: of the base commit, else as they are kept."""
    wanted = {(result.case_id, result.content_hash) for result in evidence.before.results}
    found: dict[tuple[str, str], EvalCase] = {}
    # The base commit has the first word, since the split of a case is not in the hash of what it asks.
    sources: tuple[Callable[[], Iterable[EvalCase]], ...] = (
        lambda: _cases_of_base(loop, evidence.change, place),
        lambda: judged_cases(loop),
        loop.store.cases.find,
    )
    for source in sources:
        for case in source() if len(found) < len(wanted) else ():
            key = (case.case_id, case.content_hash)
            if key in wanted:
                found.setdefault(key, case)
    return found


def _cases_of_base(loop: Loop, change: Change, place: str) -> Sequence[EvalCase]:
    evals = loop.settings.evals
    with held_folder(loop.worktrees / f"{place}-suites") as folder:
        export_tree(loop.git, change.base_commit, folder / "base", index=folder / "index")
        suites = sorted((folder / "base" / evals.folder).glob("*.yaml"))
        return [
            case
            for path in suites
            if path.is_file()
            for case in load_suite(path, root=folder / "base", settings=evals).cases
        ]


def _set_aside(loop: Loop, certificate: Certificate) -> SetAside:
    """Return the cases that had no say when *certificate* was made."""
    then = [entry for entry in loop.store.ledger.entries() if entry.at <= certificate.made_at]
    told = standings(then)
    return SetAside(
        standings={key: item.standing for key, item in told.items() if item.standing is not CaseStanding.counts}
    )


def _protected_same(certificate: Certificate, again: Certificate) -> CertificateCheck:
    paths = certificate.protected.keys() | again.protected.keys()
    other = sorted(path for path in paths if certificate.protected.get(path) != again.protected.get(path))
    detail = f"{len(again.protected)} protected files" + (
        f"; other ones than then: {', '.join(other)}" if other else ""
    )
    return CertificateCheck(name=PROTECTED_SAME, held=not other, detail=detail)


def _scanned(loop: Loop, change: Change, cases: Sequence[EvalCase]) -> CertificateCheck:
    git, settings = loop.git, loop.settings.repair
    handoff = loop.store.handoffs.get(change.handoff_id)
    findings = scan(
        read_tree_diff(git, change.base_commit, change.commit),
        cases=cases,
        editable=settings.editable,
        protected=settings.protected,
        fields=loop.settings.fields,
        other_names=tuple(item.trace_id for item in handoff.traces) if handoff is not None else (),
        documents=texts_of_cases(cases, data_root=loop.data_root),
        network=lambda: network_names_of(git, change.base_commit),
    )
    told = "; ".join(f"{item.name}: {item.told}" for item in findings)
    return CertificateCheck(
        name=SCAN_CLEAN, held=not findings, detail=told or f"files looked through: {len(change.files)}"
    )


def _side_by_side(
    then: Sequence[CertificateCheck], now: Sequence[CertificateCheck]
) -> tuple[CheckedAgain, ...]:  # fmt: skip
    earlier = {check.name: check for check in then if check.name not in _NEVER_COMPARED}
    # What a change has to have before it can be certified at all held then.
    implied = {SCAN_CLEAN: True, PROTECTED_SAME: True}
    later = {check.name: check for check in now if check.name not in _NEVER_COMPARED}
    return tuple(
        CheckedAgain(
            name=name,
            then=earlier[name].held if name in earlier else implied.get(name),
            now=later[name].held if name in later else None,
            detail=(later.get(name) or earlier[name]).detail,
        )
        for name in dict.fromkeys((*earlier, *later))
    )


def _other_states(then: EvalRun, now: EvalRun, *, of: Sequence[EvalCase]) -> tuple[str, ...]:
    """Return the cases whose state is another one; those of the holdout are named to nobody."""
    named = {case.case_id for case in of if case.split is not Split.holdout}
    earlier = then.case_states()
    return tuple(
        sorted(name for name, state in now.case_states().items() if name in named and earlier.get(name) is not state)
    )


def _holdout(cases: Sequence[EvalCase], then: EvalRun, now: EvalRun) -> HoldoutAgain:
    mine = {case.case_id for case in cases if case.split is Split.holdout}

    def passed(run: EvalRun) -> int:
        return sum(state is ResultState.pass_ for name, state in run.case_states().items() if name in mine)

    return HoldoutAgain(cases=len(mine), passed_then=passed(then), passed_now=passed(now))
