"""Making a repository ready for the loop."""

import re
import subprocess
from pathlib import Path

import pytest

from naoshi.app.initialise import initialise
from naoshi.app.settings import read_settings
from naoshi.capture import PersonalData
from naoshi.errors import InputError


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An empty git repository."""
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_is_written_can_be_read(repository: Path, language: str) -> None:
    """The commented file gives settings that hold, and the state is ignored by git."""
    done = initialise(repository, language=language)
    settings = read_settings(repository / "naoshi.toml")
    assert settings.language == language
    assert settings.agent.command == ()
    assert "[agent]" in done.next_steps[0]
    subprocess.run(["git", "add", "--all"], cwd=repository, check=True)
    listed = subprocess.run(["git", "ls-files"], cwd=repository, check=True, capture_output=True, text=True).stdout
    assert listed.split() == ["AGENTS.md", "naoshi.toml"]


def test_what_is_commented_out_can_be_used(repository: Path) -> None:
    """Somebody who takes the marks away from an example has settings that hold."""
    initialise(repository)
    config = repository / "naoshi.toml"
    lines = config.read_text().splitlines()
    example = re.compile(r"# (\[[a-z_.]+\]|[a-z_]+ = .+)$")
    config.write_text("\n".join(example.sub(r"\1", line) for line in lines if line != "command = []") + "\n")
    settings = read_settings(config)
    assert settings.judge.model and settings.agent.model and settings.agent.model != settings.judge.model
    assert set(settings.privacy.handed_out) == set(PersonalData)
    assert settings.gate.categories["safety"].block == 0


@pytest.mark.parametrize(
    ("files", "command", "editable"),
    [
        (["agent.py", "harness/x"], ("python3", "agent.py"), ("harness/",)),
        (["agent.mjs", "prompts/x", "src/x"], ("node", "agent.mjs"), ("prompts/",)),
        (["main.py"], ("python3", "main.py"), ("main.py",)),
        ([], (), ("harness/",)),
    ],
)
def test_the_agent_is_guessed_from_what_is_there(
    repository: Path, files: list[str], command: tuple[str, ...], editable: tuple[str, ...]
) -> None:
    """What usually starts an agent is filled in; nothing is made up."""
    for name in files:
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("")
    initialise(repository)
    settings = read_settings(repository / "naoshi.toml")
    assert (settings.agent.command, settings.repair.editable) == (command, editable)


def test_a_folder_inside_the_repository_will_do(repository: Path) -> None:
    """The file goes to the top, where every command looks for it."""
    (repository / "deep" / "er").mkdir(parents=True)
    initialise(repository / "deep" / "er")
    assert (repository / "naoshi.toml").is_file()


@pytest.mark.parametrize("before", ["", "# Mine\n", "# Mine\r\nwith other line breaks\r\n", "no line break at the end"])
def test_what_stands_in_agents_md_stays(repository: Path, before: str) -> None:
    """Our section is added; every byte of the user's stays."""
    (repository / "AGENTS.md").write_bytes(before.encode())
    initialise(repository)
    after = (repository / "AGENTS.md").read_bytes().decode()
    assert after.startswith(before)
    assert "naoshi:begin" in after


def test_a_torn_section_stops_before_anything_is_written(repository: Path) -> None:
    """Where ours cannot be told from theirs, nothing at all is changed."""
    (repository / "AGENTS.md").write_text("<!-- naoshi:begin -->\n")
    with pytest.raises(InputError):
        initialise(repository)
    assert not (repository / "naoshi.toml").exists()


@pytest.mark.parametrize("users", [b"\xef\xbb\xbf# Ours\r\nuse make\r\n", b"# Ours\nno end of line", b"\n\n\t x \n"])
def test_every_byte_of_the_users_agents_file_stays(repository: Path, users: bytes) -> None:
    """Protects what is the user's: byte-order mark, line breaks and blanks; our section comes after it."""
    (repository / "AGENTS.md").write_bytes(users)
    initialise(repository)
    assert (repository / "AGENTS.md").read_bytes().startswith(users)


def test_an_agents_file_that_is_a_link_stays_one(repository: Path) -> None:
    """Protects those who keep one file for all coding agents, and files outside the repository."""
    (repository / "CLAUDE.md").write_text("# For all\n")
    (repository / "AGENTS.md").symlink_to("CLAUDE.md")
    initialise(repository)
    assert (repository / "AGENTS.md").is_symlink()
    assert (repository / "CLAUDE.md").read_text().startswith("# For all\n\n<!-- naoshi:begin -->")


def test_an_agents_file_that_leads_outside_is_refused(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Protects files outside the repository: nothing is written, not even our own configuration."""
    outside = tmp_path_factory.mktemp("outside") / "AGENTS.md"
    outside.write_text("theirs")
    (repository / "AGENTS.md").symlink_to(outside)
    with pytest.raises(InputError, match="does not stay inside"):
        initialise(repository)
    assert outside.read_text() == "theirs" and not (repository / "naoshi.toml").exists()
