"""The chain of the ledger, without any storage: making the next entry, and checking all of them."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from pydantic import JsonValue

from naoshi.errors import LedgerError
from naoshi.records.base import content_hash
from naoshi.records.release import LedgerEntry

GENESIS: Final = "0" * 64
"""What the first entry names as the digest before it."""


def next_entry(
    last: LedgerEntry | None,
    *,
    key: str,
    kind: str,
    actor: str,
    subject: str,
    payload: dict[str, JsonValue],
    at: datetime,
) -> LedgerEntry:
    """Return the entry that follows *last* (None: the first one), its digest computed. *at* is kept in UTC.

    Raises:
        ValueError: *payload* holds NaN or an infinity, or *at* has no time zone.
    """
    if at.tzinfo is None:
        raise ValueError("the time of a ledger entry must have a time zone")
    draft = LedgerEntry(
        sequence=1 if last is None else last.sequence + 1,
        key=key,
        kind=kind,
        actor=actor,
        subject=subject,
        payload=payload,
        at=at.astimezone(UTC),
        previous=GENESIS if last is None else last.digest,
        digest="",
    )
    return draft.model_copy(update={"digest": entry_digest(draft)})


def entry_digest(entry: LedgerEntry) -> str:
    """Return the SHA-256, in hexadecimal, of the canonical JSON of *entry* without its digest.

    Raises:
        ValueError: the payload holds NaN or an infinity.
    """
    return content_hash(entry.model_dump(mode="json", exclude={"digest"}))


def verify_chain(entries: Iterable[LedgerEntry]) -> int:
    """Check that *entries*, oldest first, are an unbroken chain; return how many there are.

    Entries cut off at the end cannot be seen from the chain alone: compare the count with one known from elsewhere.

    Raises:
        LedgerError: the first entry that is out of order, unlinked or changed is named.
    """
    count, previous = 0, GENESIS
    keys: set[str] = set()
    for entry in entries:
        fault = _fault(entry, expected=count + 1, previous=previous, keys=keys)
        if fault is not None:
            raise LedgerError(f"entry {count + 1} of the ledger {fault}")
        keys.add(entry.key)
        count, previous = count + 1, entry.digest
    return count


def _fault(entry: LedgerEntry, *, expected: int, previous: str, keys: set[str]) -> str | None:
    if entry.sequence != expected:
        return f"is numbered {entry.sequence}"
    if entry.previous != previous:
        return "does not follow the one before it"
    if entry.key in keys:
        return f"repeats the act {entry.key!r}"
    try:
        digest = entry_digest(entry)
    except ValueError:
        return "holds a number that JSON cannot say"
    return None if entry.digest == digest else "was changed after it was written"
