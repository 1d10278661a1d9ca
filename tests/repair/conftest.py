"""The repository that the tests of repair work on."""

import shutil
from pathlib import Path

import pytest

from tests.repair.receipts_repository import ReceiptsRepository, make_repository, open_repository


@pytest.fixture(scope="session")
def first_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a repository that is only ever copied."""
    folder = tmp_path_factory.mktemp("receipts")
    make_repository(folder)
    return folder


@pytest.fixture
def repository(first_repository: Path, tmp_path: Path) -> ReceiptsRepository:
    """A receipts agent in git, which does not know the label AMOUNT DUE yet."""
    shutil.copytree(first_repository, tmp_path / "work", symlinks=True)
    return open_repository(tmp_path / "work")
