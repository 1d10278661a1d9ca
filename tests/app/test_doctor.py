"""What is missing on this machine."""

import subprocess
from pathlib import Path

import pytest

from naoshi.app.doctor import examine
from naoshi.app.initialise import initialise


def states(folder: Path) -> dict[str, str]:
    return {finding.subject: finding.state for finding in examine(folder)}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with an agent, initialised and committed."""
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path, check=True)
    (tmp_path / "agent.py").write_text("")
    initialise(tmp_path)
    who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", "add", "--all"], cwd=tmp_path, check=True)
    subprocess.run(["git", *who, "commit", "-q", "-m", "x"], cwd=tmp_path, check=True)
    return tmp_path


def test_all_that_is_well_is_said(repository: Path) -> None:
    """A fresh repository lacks nothing but its coding agent."""
    found = states(repository)
    assert [subject for subject, state in found.items() if state == "missing"] == ["coding agent"]
    assert found["repository"] == found["naoshi.toml"] == found["suites"] == found["state"] == "ok"


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    """Each is named with its remedy, and nothing is raised or made."""
    assert states(tmp_path)["repository"] == "missing"
    assert states(tmp_path / "nowhere")["repository"] == "missing"
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    found = states(tmp_path)
    assert (found["commit"], found["naoshi.toml"]) == ("missing", "missing")


@pytest.mark.parametrize(
    ("file", "text", "subject"),
    [
        ("naoshi.toml", "[agent", "naoshi.toml"),
        ("naoshi.toml", "[repair]\neditable = ['elsewhere/']\n", "harness"),
        ("naoshi.toml", "[agent]\ncommand = ['no-such-agent']\n", "agent"),
        ("naoshi.toml", "database_url = 'postgresql://nobody@127.0.0.1:1/none'\n", "database"),
        ("evals/x.yaml", "tests: [", "suites"),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(repository: Path, file: str, text: str, subject: str) -> None:
    """Each fault has a line of its own that says what to do."""
    (repository / file).write_text(text)
    found = next(finding for finding in examine(repository) if finding.subject == subject)
    assert found.state == "missing"
    assert found.detail and found.remedy
