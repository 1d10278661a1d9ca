"""What DBOS asks of SQLite and releases before 3.42 do not have.

On Python 3.12 and newer it writes its tables with `unixepoch('subsec')`, which older releases answer with NULL, so that
every insert fails. Python brings whatever SQLite the system has (3.40 on Debian 12). A database that was made on one
machine is opened on another too: it depends on the release alone whether the function is put in.
"""

import sqlite3
import time
from typing import Any

_KNOWS_SUBSEC = (3, 42, 0)


class SubsecConnection(sqlite3.Connection):
    """A connection that knows `unixepoch('subsec')`: seconds since 1970-01-01 UTC, to the millisecond."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.create_function("unixepoch", 1, _unix_epoch)


def connect_arguments() -> dict[str, Any]:
    """Return what `sqlite3.connect` has to be given besides, so that DBOS finds what it asks for."""
    return {"factory": SubsecConnection} if sqlite3.sqlite_version_info < _KNOWS_SUBSEC else {}


def _unix_epoch(when: object) -> float | int | None:
    """Answer as SQLite 3.42 does for the words of it that DBOS uses; NULL for others, as it does for unknown ones."""
    if when in ("subsec", "subsecond"):
        return round(time.time(), 3)
    return int(time.time()) if when == "now" else None
