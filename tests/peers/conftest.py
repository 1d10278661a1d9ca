"""The peers are large programs that `make test-peers` installs; the ordinary run leaves these tests out, visibly."""

import os
from pathlib import Path

import pytest

from naoshi.evals.promptfoo import Promptfoo, find_promptfoo
from tests.repair.receipts_repository import ReceiptsRepository, make_repository


@pytest.fixture(scope="session")
def promptfoo() -> Promptfoo:
    """The real Promptfoo. That it is missing is a failure once the tests of the peers were asked for."""
    if os.environ.get("NAOSHI_TEST_PEERS") != "1":
        pytest.skip("the tests against real peers run with `make test-peers`")
    return find_promptfoo(os.environ)


@pytest.fixture(scope="session")
def codex() -> Path:
    """The real Codex, of the version that the Makefile pins."""
    return _coding_agent("codex", "CODEX_VERSION", "codex")


@pytest.fixture(scope="session")
def claude() -> Path:
    """The real Claude Code, of the version that the Makefile pins."""
    return _coding_agent("claude-code", "CLAUDE_CODE_VERSION", "claude")


@pytest.fixture
def repository(tmp_path: Path) -> ReceiptsRepository:
    """The small receipts agent of the tests of repair, in git."""
    return make_repository(tmp_path)


def _coding_agent(folder: str, version: str, program: str) -> Path:
    if os.environ.get("NAOSHI_TEST_PEERS") != "1":
        pytest.skip("the tests against real peers run with `make test-peers`")
    peers = Path(os.environ["NAOSHI_PEERS"])
    place = peers / f"{folder}-{os.environ[version]}" / "node_modules" / ".bin" / program
    assert place.exists(), f"{place} is missing; run `make peers`"
    return place
