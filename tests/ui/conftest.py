"""Shops of mails for the tests of the command line."""

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.flow.steps.triage import triage
from naoshi.ui.cli.main import run
from tests.flow.mail_shop import Follower
from tests.ui.command_line import CommandLine, copy_shop, make_corrected_shop


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sits at a terminal, whoever runs the tests."""
    monkeypatch.setattr("sys.stdin", io.StringIO())


@pytest.fixture(autouse=True)
def _fresh_log() -> Iterator[None]:
    """DBOS keeps writing to the standard error stream that it saw first, which pytest closes after that test."""
    yield
    logging.getLogger("dbos").handlers.clear()


@pytest.fixture(scope="session")
def corrected_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_corrected_shop(tmp_path_factory.mktemp("corrected") / "shop")


@pytest.fixture(scope="session")
def triaged_shop(tmp_path_factory: pytest.TempPathFactory, corrected_shop: Path) -> Path:
    folder = copy_shop(corrected_shop, tmp_path_factory.mktemp("triaged") / "shop")
    _follow_proposals(folder)
    assert run(["evals", "mint", "-C", str(folder)]) == 0
    assert run(["evals", "run", "-C", str(folder)]) == 0
    return folder


@pytest.fixture
def corrected(corrected_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Traces and corrections are in; nothing is triaged."""
    return CommandLine(folder=copy_shop(corrected_shop, tmp_path / "shop"), capsys=capsys)


@pytest.fixture
def triaged(triaged_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Cases are made of the corrections, and the version in force has been run on them."""
    return CommandLine(folder=copy_shop(triaged_shop, tmp_path / "shop"), capsys=capsys)


def _follow_proposals(folder: Path) -> None:
    with open_loop(folder, people=Follower()) as loop:
        triage(loop)
