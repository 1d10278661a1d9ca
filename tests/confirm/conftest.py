"""Stores and a clock for the tests of confirmations."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from naoshi.confirm import ConfirmationStore, FileStore, MemoryStore


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    """A clock that the test moves."""
    return Clock()


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ConfirmationStore:
    """Each store in turn; all keep one contract."""
    stores: dict[str, Callable[[], ConfirmationStore]] = {
        "memory": MemoryStore,
        "file": lambda: FileStore(tmp_path / "confirmations"),
    }
    return stores[request.param]()
