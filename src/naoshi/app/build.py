"""Settings become objects here, and nowhere else."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from naoshi.app.initialise import STATE_NAME
from naoshi.app.settings import CONFIG_NAME, Settings, read_settings
from naoshi.confirm import Confirmations, FileStore, JsonLinesEvents
from naoshi.flow.loop import Loop
from naoshi.flow.people import Nobody, People
from naoshi.records import Triage, TriageProposal
from naoshi.store.ports import Store
from naoshi.system.files import write_durably
from naoshi.system.git import Git


def utc_now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)


def silent(line: str) -> None:
    """Take a line of progress and show it to nobody."""


def state_folder(repository: Path) -> Path:
    """Return the folder `.naoshi` of *repository*, made if need be, and ignored by git without touching .gitignore."""
    folder = repository / STATE_NAME
    ignore = folder / ".gitignore"
    if not ignore.exists():
        write_durably(ignore, "*\n")
    return folder


def open_store(settings: Settings, state: Path) -> Store:
    """Return the store that the settings name: PostgreSQL by URL, or SQLite in *state*.

    Raises:
        StoreError: it cannot be opened.
        MissingExtraError: the driver is not installed.
    """
    from naoshi.store.sql import SqlStore  # SQLAlchemy takes half a second, which `naoshi init` need not pay

    return SqlStore.open(settings.database_url or state / "naoshi.db")


@contextmanager
def open_loop(
    folder: Path,
    *,
    people: People | None = None,
    report: Callable[[str], None] = silent,
    progress: Callable[[str], None] = silent,
    clock: Callable[[], datetime] = utc_now,
    believe: Callable[[Sequence[TriageProposal], datetime], Sequence[Triage]] | None = None,
) -> Generator[Loop]:
    """Open the loop of the repository that *folder* lies in, and close its store afterwards.

    Raises:
        RepositoryError: *folder* lies in no git repository.
        ConfigError: naoshi.toml is missing or wrong.
        StoreError: the state cannot be opened.
    """
    git = Git.at(folder)
    settings = read_settings(git.folder / CONFIG_NAME)
    state = state_folder(git.folder)
    store = open_store(settings, state)
    try:
        yield Loop(
            store=store,
            git=git,
            state=state,
            settings=settings.for_loop(),
            people=people or Nobody(),
            confirmations=Confirmations(
                FileStore(state / "confirmations"),
                ttl=timedelta(hours=settings.confirmation_hours),
                clock=clock,
                language=settings.language,
                on_event=JsonLinesEvents(state / "confirmation-events.jsonl"),
            ),
            clock=clock,
            report=report,
            progress=progress,
            believe=believe,
        )
    finally:
        store.close()
