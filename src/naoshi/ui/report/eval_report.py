"""The contents of the page: runs side by side, with what must stay hidden already left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from naoshi.flow.left_to_people import LeftGroup
from naoshi.gate.turns import Turn
from naoshi.records import CategoryVerdict, ResultState, VerdictOutcome
from naoshi.records.language import Language


@dataclass(frozen=True, kw_only=True)
class Rate:
    """How many of ``cases`` pass: the share ``rate``, and Wilson's bounds of it (0–1), for the effective sources."""

    cases: int
    sources: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class VersionColumn:
    """One run. ``states`` counts its cases in all five states, those included that are not shown one by one.

    ``graded_alike`` says that its results compare with those of the column before; ``is_candidate`` that this was a
    change on trial and no version.
    """

    name: str
    run_id: str
    at: datetime
    states: Mapping[ResultState, int]
    rate: Rate
    by_category: Mapping[str, Rate]
    category_states: Mapping[str, Mapping[ResultState, int]]
    graded_alike: bool
    is_candidate: bool

    @property
    def cases(self) -> int:
        """How many cases were run."""
        return sum(self.states.values())


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one run made of one case: the state of most trials, and how many of the trials passed.

    ``changed`` says that the case asks for something else than in the run before in which it was.
    """

    state: ResultState
    passed: int
    trials: int
    changed: bool


@dataclass(frozen=True, kw_only=True)
class CaseRow:
    """One case over all columns; None where a run did not have it."""

    case_id: str
    description: str
    cells: tuple[Cell | None, ...]

    @property
    def always_passes(self) -> bool:
        """Whether every trial of every run that had it passed."""
        return all(cell is None or cell.passed == cell.trials for cell in self.cells)


@dataclass(frozen=True, kw_only=True)
class CategoryRows:
    """The cases of one category that may be shown: those that ever failed, and those that never did."""

    category: str
    failing: tuple[CaseRow, ...]
    passing: tuple[CaseRow, ...]


@dataclass(frozen=True, kw_only=True)
class Side:
    """What one of two runs made of a case."""

    state: ResultState
    output: JsonValue
    reason: str


@dataclass(frozen=True, kw_only=True)
class FlippedCase:
    """A case that became another state. ``quarantined`` ones had no say; ``confirmed`` is what re-runs bear out."""

    case_id: str
    description: str
    category: str
    asked: Mapping[str, JsonValue]
    before: Side
    after: Side
    confirmed: bool | None
    quarantined: bool


@dataclass(frozen=True, kw_only=True)
class VerdictPart:
    """The latest verdict. ``reasons`` are those of the run and of its categories, which have none of their own here.

    ``hidden_flips`` counts the cases that flipped and are not shown, by the way they went.
    """

    outcome: VerdictOutcome
    policy: str
    others: tuple[tuple[str, VerdictOutcome], ...]
    decided_at: datetime
    reasons: tuple[str, ...]
    categories: tuple[CategoryVerdict, ...]
    before: str
    after: str
    flips: tuple[FlippedCase, ...]
    hidden_flips: Mapping[Turn, int]


@dataclass(frozen=True, kw_only=True)
class EvalReport:
    """All that the page shows. Columns stand oldest first.

    ``held_out`` and ``gone`` count the cases that are in the totals and are not shown one by one: those of the holdout,
    and those that are in no suite any more, of which nobody can tell whether they were held out. ``left`` are the
    groups of failures that need a person.
    """

    language: Language
    project: str
    made_at: datetime
    columns: tuple[VersionColumn, ...]
    rows: tuple[CategoryRows, ...]
    verdict: VerdictPart | None
    held_out: int
    gone: int
    left: tuple[LeftGroup, ...] = ()

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of all categories, in order."""
        return tuple(sorted({name for column in self.columns for name in column.by_category}))

    @property
    def latest(self) -> VersionColumn | None:
        """The newest version, or the candidate where no version was run; None without any run."""
        return next((column for column in reversed(self.columns) if not column.is_candidate), None) or next(
            iter(self.columns), None
        )
