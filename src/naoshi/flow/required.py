"""Records that have to be in the store by now."""

from typing import TypeVar

from naoshi.errors import NotFoundError
from naoshi.records.base import Record
from naoshi.store.ports import Repository

T = TypeVar("T", bound=Record)


def require(repository: Repository[T], identifier: str | None) -> T:
    """Return the record called *identifier*.

    Raises:
        NotFoundError: there is none, or no identifier is known yet.
    """
    if identifier is None:
        raise NotFoundError("an earlier stage has not been done yet", hint="`naoshi status` says what comes next")
    found = repository.get(identifier)
    if found is None:
        raise NotFoundError(f"there is no record {identifier}")
    return found


def latest(repository: Repository[T], what: str, hint: str) -> T:
    """Return the record that came last.

    Raises:
        NotFoundError: there is none; *what* names it and *hint* says how to get one.
    """
    found = repository.find()
    if not found:
        raise NotFoundError(f"there is no {what} yet", hint=hint)
    return found[-1]
