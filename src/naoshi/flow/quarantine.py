"""Flaky cases: taken out of the gate's decision, never out of a suite, a run or a list, and put to a person."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from naoshi.evals.suites.health import CaseHealth, CaseKey, Repeats, flipped_on, histories, is_flaky
from naoshi.evals.suites.standing import QUARANTINED, CaseStanding, Standing, standings
from naoshi.flow.loop import Loop
from naoshi.flow.suites import judged_cases
from naoshi.records import CaseResult, EvalCase, EvalRun, Flip, ResultState, Version
from naoshi.release.ledger import enter
from naoshi.release.versions import current_version


class BlocksStill(StrEnum):
    """Why a flaky case keeps its say in the gate until a person decides.

    ``no_failure_allowed``: nothing may fail in its category. ``not_before_changes``: it was not seen to flip before
    coding agents began to change this agent. ``kept_before``: a person kept it.
    """

    no_failure_allowed = "no_failure_allowed"
    not_before_changes = "not_before_changes"
    kept_before = "kept_before"


@dataclass(frozen=True, kw_only=True)
class FlakyCase:
    """A case that flips between identical runs of the version in force.

    ``repeats`` is what speaks for it. ``blocks_still`` says why it keeps its say in the gate until a person decides
    (None: it is out of the decision meanwhile).
    """

    case: EvalCase
    repeats: Repeats
    blocks_still: BlocksStill | None = None


def case_key(case: EvalCase) -> CaseKey:
    """Return what makes *case* the same case in runs, and in the ledger."""
    return case.case_id, case.content_hash


def case_histories(loop: Loop) -> Mapping[CaseKey, CaseHealth]:
    """Return the history of every case that ran on a version while that was in force.

    Runs of candidates are left out, the one that a version was released with too: what a coding agent's change did
    before anybody approved it says nothing of a case.
    """
    return histories(_runs_in_force(loop))


def case_standings(loop: Loop) -> Mapping[CaseKey, Standing]:
    """Return what the ledger says of cases."""
    return standings(loop.store.ledger.entries())


def flaky_cases(loop: Loop) -> tuple[FlakyCase, ...]:
    """Return the cases that are flaky on the version in force and that nobody has decided on since they were.

    Only identical runs of the version in force count. Three kinds keep their say in the gate until a person decides:
    those of a category in which nothing may fail; those that were not seen to flip before the first release of a coding
    agent's change, since a change could flap on purpose; and those that a person kept before.
    """
    version = current_version(loop.store)
    if version is None:
        return ()
    told = case_standings(loop)
    # One version's runs alone: a long history must not make each run slower.
    runs = sorted(loop.store.runs.find(version=version.name), key=lambda run: run.started_at)
    seen = histories(runs)
    found: list[tuple[EvalCase, Repeats, bool]] = []
    for case in judged_cases(loop):
        key = case_key(case)
        before = told.get(key)
        if before is not None and before.standing is not CaseStanding.counts:
            continue
        health = seen.get(key) if before is None else histories(_since(runs, key, before.at)).get(key)
        repeats = _of_version(health, version)
        if is_flaky(repeats, share=loop.settings.evals.flaky_share, least=loop.settings.evals.flaky_repeats):
            found.append((case, repeats, before is not None))
    whole: Mapping[CaseKey, CaseHealth] = case_histories(loop) if found else {}
    return tuple(
        FlakyCase(
            case=case,
            repeats=repeats,
            blocks_still=_why_it_blocks(loop, case, whole.get(case_key(case), CaseHealth()), kept=kept),
        )
        for case, repeats, kept in found
    )


def quarantine_flaky(loop: Loop) -> tuple[FlakyCase, ...]:
    """Enter the flaky cases that lose their say into the ledger; return all flaky ones that nobody has decided on."""
    found = flaky_cases(loop)
    for item in found:
        if item.blocks_still is None:
            enter_standing(loop, item.case, kind=QUARANTINED, actor="naoshi", payload=_figures(item.repeats))
            told = f"{item.repeats.flips} of {item.repeats.repeats} identical runs of {item.repeats.version} flipped"
            loop.report(f"quarantined {item.case.case_id}: {told}; decide with `naoshi cases review`")
    return found


def enter_standing(
    loop: Loop, case: EvalCase, *, kind: str, actor: str, payload: Mapping[str, JsonValue] | None = None
) -> None:
    """Enter what is said of *case* into the ledger. There is no other way to give or take its say."""
    before = case_standings(loop).get(case_key(case))
    enter(
        loop.store,
        kind=kind,
        subject=case.case_id,
        actor=actor,
        now=loop.clock(),
        payload={"content_hash": case.content_hash, **(payload or {})},
        act=f"{case.content_hash[:16]}:{before.times if before else 0}",
    )


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """The cases that have no say in the gate, and what they are."""

    standings: Mapping[CaseKey, CaseStanding]

    @classmethod
    def of(cls, loop: Loop) -> "SetAside":
        """Return those that the ledger names."""
        told = case_standings(loop)
        return cls(
            standings={key: item.standing for key, item in told.items() if item.standing is not CaseStanding.counts}
        )

    @classmethod
    def named(cls, keys: Iterable[CaseKey]) -> "SetAside":
        """Return those that *keys* name, which were in quarantine when a baseline was kept."""
        return cls(standings=dict.fromkeys(keys, CaseStanding.quarantined))

    def has(self, case: EvalCase) -> bool:
        """Return whether *case* has no say."""
        return bool(self.standings) and case_key(case) in self.standings

    def deciding(self, cases: Iterable[EvalCase]) -> tuple[EvalCase, ...]:
        """Return those of *cases* that have a say."""
        return tuple(case for case in cases if not self.has(case))

    def without(self, run: EvalRun) -> EvalRun:
        """Return *run* with the results that have a say. It keeps its identifier; the whole run is in the store."""
        if not self.standings:
            return run
        return run.model_copy(update={"results": tuple(item for item in run.results if not self._silent(item))})

    def told(self, candidate: EvalRun, before: EvalRun | None) -> tuple[Flip, ...]:
        """Return what became, in *candidate*, of the cases without a say, whether it flipped or not."""
        earlier = {_key(item): item for item in before.results} if before else {}
        found: dict[CaseKey, Flip] = {}
        for item in candidate.results:
            if self._silent(item):
                then = earlier.get(_key(item))
                state = then.state if then else ResultState.not_run
                found[_key(item)] = Flip(case_id=item.case_id, category=item.category, before=state, after=item.state)
        return tuple(found.values())

    def _silent(self, result: CaseResult) -> bool:
        return _key(result) in self.standings


def _key(result: CaseResult) -> CaseKey:
    return result.case_id, result.content_hash


def _runs_in_force(loop: Loop) -> list[EvalRun]:
    names = {version.name for version in loop.store.versions.find()}
    return sorted((run for run in loop.store.runs.find() if run.version in names), key=lambda run: run.started_at)


def _since(runs: Iterable[EvalRun], key: CaseKey, at: datetime) -> list[EvalRun]:
    return [
        run.model_copy(update={"results": tuple(item for item in run.results if _key(item) == key)})
        for run in runs
        if run.started_at > at
    ]


def _of_version(health: CaseHealth | None, version: Version) -> Repeats:
    seen = health.by_version if health else ()
    return next((item for item in seen if item.version == version.name), Repeats(version=version.name))


def _why_it_blocks(loop: Loop, case: EvalCase, health: CaseHealth, *, kept: bool) -> BlocksStill | None:
    if kept:
        return BlocksStill.kept_before
    if loop.settings.gate.tolerance(case.category).block <= 0:
        return BlocksStill.no_failure_allowed
    untouched = _untouched_versions(loop)
    if untouched is not None and not flipped_on(health, untouched):
        return BlocksStill.not_before_changes
    return None


def _untouched_versions(loop: Loop) -> frozenset[str] | None:
    """Return the versions before the first one that a coding agent made, or None where it has made none."""
    changed = {release.version for release in loop.store.releases.find() if release.change_id}
    versions = loop.store.versions.find()
    first = min((version.number for version in versions if version.name in changed), default=None)
    if first is None:
        return None
    return frozenset(version.name for version in versions if version.number < first)


def _figures(repeats: Repeats) -> dict[str, JsonValue]:
    return {"version": repeats.version, "repeats": repeats.repeats, "flips": repeats.flips}
