"""What a database says when it fails, as one line for a person."""

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from naoshi.errors import StoreError

_HINTS = {
    "locked": "another process holds the database; wait for it to end, then run again",
    "readonly": "give this user the right to write the database file and its folder",
    "read-only": "give this user the right to write the database",
    "malformed": "restore the database from a backup; `sqlite3 FILE .recover` saves what can be read",
    "not a database": "the file is something else; name another one",
    "disk is full": "free some space, then run again",
    "unable to open": "check that the folder exists and that this user may write in it",
}


@contextmanager
def as_store_error(place: str) -> Generator[None]:
    """Turn what the database raises inside into a `StoreError` that names *place*.

    Raises:
        StoreError: the database failed.
    """
    try:
        yield
    except (SQLAlchemyError, OverflowError, UnicodeError) as error:
        said = _first_line(error)
        hint = next((hint for sign, hint in _HINTS.items() if sign in said), None)
        raise StoreError(f"the database {place} failed: {said}", hint=hint) from error


def _first_line(error: Exception) -> str:
    cause: object = error.orig if isinstance(error, DBAPIError) else error
    lines = str(cause).strip().splitlines()
    return lines[0] if lines else type(cause).__name__
