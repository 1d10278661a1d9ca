"""The example workflow does what docs/ci.md says, with commands that exist, and gives a pull request no power."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from naoshi.ui.cli.all_commands import app

FILE = Path(__file__).parents[3] / "examples" / "github-workflow" / "naoshi.yml"


@pytest.fixture
def workflow() -> dict[Any, Any]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def commands(workflow: dict[Any, Any]) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def test_every_command_of_ours_exists(workflow: dict[Any, Any]):
    """A user who copies the file gets no usage error: the options are those of today."""
    ours = [shlex.split(line)[1:] for line in commands(workflow) if line.startswith("naoshi ")]
    assert len(ours) == 2
    for words in ours:
        command = get_command(app).commands[words[0]]  # type: ignore[attr-defined]
        parsed = command.make_context(words[0], words[1:])
        assert parsed.params["junit"] == Path("naoshi.xml")


def test_a_pull_request_gets_no_power(workflow: dict[Any, Any]):
    """The agent under test is code of the pull request: no secrets, no writing, and no text of it in a command."""
    triggers = workflow[True]  # YAML 1.1 reads the key `on` as true
    assert set(triggers) == {"pull_request", "push"}
    assert workflow["permissions"] == {"contents": "read"}
    assert not any("${{" in line for line in commands(workflow))
    assert "secrets." not in FILE.read_text(encoding="utf-8")


def test_the_whole_history_is_fetched(workflow: dict[Any, Any]):
    """Without the baseline's commit no flip can be settled."""
    (checkout,) = [
        step for job in workflow["jobs"].values() for step in job["steps"]
        if step.get("uses", "").startswith("actions/checkout")
    ]  # fmt: skip
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
