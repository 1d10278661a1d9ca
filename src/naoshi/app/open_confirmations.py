"""Opening the state of an agent's confirmations, wherever it is kept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from naoshi.confirm import ConfirmationStore, FileStore
from naoshi.errors import MissingPathError
from naoshi.records.confirmation import ConversationState


class ListedStore(ConfirmationStore, Protocol):
    """A store of confirmations that can name all of its conversations."""

    def conversations(self) -> Iterator[ConversationState]:
        """Yield the state of every conversation, in no order."""
        ...


def open_confirmations(place: str, *, make: bool = False) -> ListedStore:
    """Return the store at *place*: a folder, or the URL of a PostgreSQL, SQLite or Redis database.

    Args:
        place: where the agent keeps its confirmations.
        make: whether a folder that is not there is made.

    Raises:
        MissingPathError: there is no such folder.
        ConfigError: the URL is of no kind that is known.
        MissingExtraError: the driver is not installed.
        StoreError: it cannot be opened.
    """
    scheme, divider, _ = place.partition("://")
    if not divider:
        folder = Path(place)
        if not make and not folder.is_dir():
            hint = "name the folder or database that your agent keeps its confirmations in with --state"
            raise MissingPathError(f"there is no folder {place}", hint=hint)
        return FileStore(folder)
    if scheme in ("redis", "rediss", "unix"):
        from naoshi.store.redis import RedisStore  # only who uses it needs its package

        return RedisStore.open(place)
    from naoshi.store.sql import SqlConfirmationStore  # SQLAlchemy takes half a second to load

    return SqlConfirmationStore.open(place)
