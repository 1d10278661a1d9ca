"""All that Naoshi remembers: the ports, a public in-memory fake, and the chain of the ledger.

Each name is loaded when it is first used. SQL is not here: ``naoshi.store.sql`` is imported by name.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from naoshi.store.ledger_chain import GENESIS, entry_digest, next_entry, verify_chain
    from naoshi.store.memory import MemoryStore
    from naoshi.store.nouns import NOUNS, Noun, noun
    from naoshi.store.ports import LedgerStore, Repository, Store

__all__ = [
    "GENESIS",
    "NOUNS",
    "LedgerStore",
    "MemoryStore",
    "Noun",
    "Repository",
    "Store",
    "entry_digest",
    "next_entry",
    "noun",
    "verify_chain",
]

_HOME = {
    "GENESIS": "ledger_chain",
    "NOUNS": "nouns",
    "LedgerStore": "ports",
    "MemoryStore": "memory",
    "Noun": "nouns",
    "Repository": "ports",
    "Store": "ports",
    "entry_digest": "ledger_chain",
    "next_entry": "ledger_chain",
    "noun": "nouns",
    "verify_chain": "ledger_chain",
}


def __getattr__(name: str) -> Any:
    """Load the name's file at its first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'naoshi.store' has no attribute {name!r}")
    value = getattr(import_module(f"naoshi.store.{home}"), name)
    globals()[name] = value
    return value
