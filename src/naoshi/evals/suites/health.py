"""How old a case is, when it last failed, and how often it flips between runs that are the same."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from naoshi.records.eval_run import EvalRun, ResultState

CaseKey = tuple[str, str]
"""A case's identifier and the hash of what it asks: a case that was changed has a new history."""

_SAYS_SOMETHING = frozenset({ResultState.pass_, ResultState.fail, ResultState.agent_error})
_THERE_AND_BACK = 2


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """What became of one case when one version was run again in the same way.

    ``repeats`` counts the results after the first of identical runs (same commit, same suite, same grading, trials of
    one run included), ``flips`` those of them that say otherwise than the one before.
    """

    version: str
    repeats: int = 0
    flips: int = 0


@dataclass(frozen=True, kw_only=True)
class CaseHealth:
    """The history of one case. Moments are None where nothing of the kind was seen.

    ``by_version`` has the repeats on each version in force, oldest first. ``results`` counts what was seen in all.
    """

    results: int = 0
    first_run: datetime | None = None
    last_run: datetime | None = None
    last_failed: datetime | None = None
    last_state: ResultState | None = None
    by_version: tuple[Repeats, ...] = field(default=())

    @property
    def repeats(self) -> int:
        """How many results repeat an identical run."""
        return sum(item.repeats for item in self.by_version)

    @property
    def flips(self) -> int:
        """How many of them say otherwise than the one before."""
        return sum(item.flips for item in self.by_version)

    @property
    def flip_share(self) -> float | None:
        """The share of repeats that flipped (0–1), None where nothing was repeated."""
        return self.flips / self.repeats if self.repeats else None

    def age(self, now: datetime) -> timedelta | None:
        """Return how long ago the case first ran."""
        return None if self.first_run is None else now - self.first_run


def histories(runs: Iterable[EvalRun]) -> Mapping[CaseKey, CaseHealth]:
    """Return the history of every case in *runs*, which are of versions in force and oldest first.

    Hand in no run of a candidate: what a coding agent's change does must never make a case look flaky.
    """
    seen: dict[CaseKey, list[_Seen]] = {}
    for run in runs:
        place = (run.version, run.commit or run.version, run.settings_hash, run.suite)
        for result in run.results:
            one = _Seen(place=place, at=run.started_at, state=result.state)
            seen.setdefault((result.case_id, result.content_hash), []).append(one)
    return {key: _health(found) for key, found in seen.items()}


def is_flaky(repeats: Repeats, *, share: float, least: int) -> bool:
    """Return whether more than *share* of at least *least* repeats flipped, there and back at least once.

    A single flip is a change, of a service behind the agent perhaps, and not yet a habit.
    """
    flips = repeats.flips
    return repeats.repeats >= least and flips >= _THERE_AND_BACK and flips > share * repeats.repeats


def flipped_on(health: CaseHealth, versions: Collection[str]) -> bool:
    """Return whether the case was seen to flip on one of *versions*."""
    return any(item.flips for item in health.by_version if item.version in versions)


@dataclass(frozen=True, kw_only=True)
class _Seen:
    place: tuple[str, str, str, str]
    at: datetime
    state: ResultState

    @property
    def passed(self) -> bool:
        return self.state is ResultState.pass_


def _health(seen: Sequence[_Seen]) -> CaseHealth:
    failed = [one.at for one in seen if one.state in _SAYS_SOMETHING and not one.passed]
    return CaseHealth(
        results=len(seen),
        first_run=seen[0].at,
        last_run=seen[-1].at,
        last_failed=failed[-1] if failed else None,
        last_state=seen[-1].state,
        by_version=tuple(_by_version(one for one in seen if one.state in _SAYS_SOMETHING)),
    )


def _by_version(seen: Iterable[_Seen]) -> list[Repeats]:
    last: dict[tuple[str, str, str, str], bool] = {}
    found: dict[str, Repeats] = {}
    for one in seen:
        version = one.place[0]
        before = last.get(one.place)
        so_far = found.setdefault(version, Repeats(version=version))
        if before is not None:
            found[version] = Repeats(
                version=version, repeats=so_far.repeats + 1, flips=so_far.flips + (before is not one.passed)
            )
        last[one.place] = one.passed
    return list(found.values())
