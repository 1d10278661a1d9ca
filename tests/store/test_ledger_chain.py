"""The chain of the ledger, without a database."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import LedgerError
from naoshi.records import LedgerEntry, content_hash
from naoshi.store import GENESIS, entry_digest, next_entry, verify_chain

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def chain(length: int) -> list[LedgerEntry]:
    entries: list[LedgerEntry] = []
    for number in range(length):
        entries.append(
            next_entry(
                entries[-1] if entries else None,
                key=f"k{number}",
                kind="release",
                actor="mari",
                subject=f"v{number}",
                payload={"n": number, "reason": "良い"},
                at=NOW,
            )
        )
    return entries


def test_a_digest_is_that_of_the_canonical_json_without_it() -> None:
    """Anyone can check an entry with a JSON tool and SHA-256; the rule is not ours alone."""
    (entry,) = chain(1)
    said = {
        "schema_version": 1,
        "sequence": 1,
        "key": "k0",
        "kind": "release",
        "actor": "mari",
        "subject": "v0",
        "payload": {"n": 0, "reason": "良い"},
        "at": "2026-03-01T00:00:00Z",
        "previous": GENESIS,
    }
    assert entry.digest == content_hash(said) == entry_digest(entry)


def test_a_whole_chain_holds() -> None:
    """What was written is accepted, the empty ledger too, and counted."""
    assert [verify_chain(chain(length)) for length in (0, 1, 5)] == [0, 1, 5]


CHANGES: list[tuple[str, Any]] = [
    ("sequence", 9),
    ("key", "other"),
    ("kind", "rollback"),
    ("actor", "somebody else"),
    ("subject", "v9"),
    ("payload", {"n": 99}),
    ("at", datetime(2027, 1, 1, tzinfo=UTC)),
    ("previous", "f" * 64),
    ("digest", "f" * 64),
    ("schema_version", 2),
]


@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize(("field", "value"), CHANGES)
def test_any_change_of_any_field_is_found(field: str, value: object, place: int) -> None:
    """No part of any entry can be rewritten unseen; the first broken one is named."""
    entries = chain(5)
    entries[place] = entries[place].model_copy(update={field: value})
    with pytest.raises(LedgerError, match=f"entry {place + 1} of"):
        verify_chain(entries)


@given(keep=st.lists(st.integers(0, 5), max_size=8))
def test_only_a_beginning_of_the_chain_holds(keep: list[int]) -> None:
    """Leaving out, repeating or moving entries breaks it; what is cut off at the end is seen in the count."""
    whole = chain(6)
    picked = [whole[index] for index in keep]
    if keep == list(range(len(keep))):
        assert verify_chain(picked) == len(keep)
    else:
        with pytest.raises(LedgerError):
            verify_chain(picked)


def test_an_entry_rewritten_with_a_fresh_digest_breaks_the_next() -> None:
    """Who recomputes the digest of a changed entry has to rewrite all that follow."""
    entries = chain(3)
    forged = entries[1].model_copy(update={"actor": "somebody else"})
    entries[1] = forged.model_copy(update={"digest": entry_digest(forged)})
    with pytest.raises(LedgerError, match="entry 3 of the ledger does not follow"):
        verify_chain(entries)


def test_an_act_entered_twice_is_found() -> None:
    """A chain with correct digests but the same act twice was not written by a store."""
    (first,) = chain(1)
    twice = next_entry(first, key="k0", kind="x", actor="a", subject="s", payload={}, at=NOW)
    with pytest.raises(LedgerError, match="repeats the act 'k0'"):
        verify_chain([first, twice])


def test_a_stored_nan_is_a_broken_entry_and_no_crash() -> None:
    """A tampered payload that JSON cannot say is named like any other damage."""
    (entry,) = chain(1)
    with pytest.raises(LedgerError, match="entry 1"):
        verify_chain([entry.model_copy(update={"payload": {"n": float("nan")}})])
