"""The repository that the tests of repair work on."""

from pathlib import Path

import pytest

from tests.repair.receipts_repository import ReceiptsRepository, make_repository


@pytest.fixture
def repository(tmp_path: Path) -> ReceiptsRepository:
    """A receipts agent in git, which does not know the label AMOUNT DUE yet."""
    return make_repository(tmp_path)
