"""What the tests of all integrations use."""

import os
from pathlib import Path

import pytest

from naoshi.confirm import FileStore

# No test reaches out: traces stay here, and no model has a key.
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
os.environ["LANGSMITH_TRACING"] = "false"


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """An empty store in a folder."""
    return FileStore(tmp_path / "confirmations")
