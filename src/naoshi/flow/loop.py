"""All that one turn of the loop works with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from naoshi.confirm import Confirmations
from naoshi.flow.people import People
from naoshi.flow.settings import LoopSettings
from naoshi.records import EvalCase, Triage, TriageProposal
from naoshi.store.ports import Store
from naoshi.system.git import Git


@dataclass(frozen=True, kw_only=True)
class Loop:
    """The store, the agent's repository, the settings, the people, and the clock.

    ``state`` is the folder `.naoshi`. ``report`` is told one line for each thing that a person would want to see
    while it happens; ``progress`` is told how far a long step is, again and again. ``left_alone`` remembers the
    checks that were made of runs. ``believe`` decides corrections unasked, for the naive loop that takes each one for
    true.
    """

    store: Store
    git: Git
    state: Path
    settings: LoopSettings
    people: People
    confirmations: Confirmations
    clock: Callable[[], datetime]
    report: Callable[[str], None]
    progress: Callable[[str], None] = lambda _: None
    left_alone: dict[tuple[str, ...], tuple[EvalCase, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[EvalCase, ...]]
    )
    believe: Callable[[Sequence[TriageProposal], datetime], Sequence[Triage]] | None = None

    @property
    def data_root(self) -> Path:
        """Return the folder that cited documents lie in."""
        return (self.git.folder / self.settings.agent.data_root).resolve()

    @property
    def worktrees(self) -> Path:
        """Return the folder that checkouts are made in."""
        return self.state / "worktrees"
