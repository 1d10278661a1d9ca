"""Opening the loop for one command: where it prints, and who can be asked."""

import getpass
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.app.settings import CONFIG_NAME, read_settings
from naoshi.flow.loop import Loop
from naoshi.flow.people import Nobody, People
from naoshi.system.git import Git
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.terminal_people import terminal_people


@contextmanager
def session(folder: Path, out: Output, *, people: People | None = None) -> Generator[Loop]:
    """Open the loop of the repository that *folder* lies in. What happens meanwhile is told on stderr.

    Raises:
        RepositoryError: *folder* lies in no git repository.
        ConfigError: naoshi.toml is missing or wrong.
        StoreError: the state cannot be opened.
    """
    with open_loop(folder, people=people or Nobody(), report=out.progress, progress=out.passing) as loop:
        try:
            yield loop
        finally:
            out.clear()


def whoever_is_here(folder: Path, out: Output, *, by: str = "") -> People:
    """Return the person at the terminal, or nobody when the input is not a terminal.

    Raises:
        RepositoryError: *folder* lies in no git repository.
        ConfigError: naoshi.toml is missing or wrong.
    """
    if not sys.stdin.isatty():
        return Nobody()
    git = Git.at(folder)
    language = read_settings(git.folder / CONFIG_NAME).language
    return terminal_people(out, actor=by.strip() or name_of_user(git), language=language)


def durable_url(folder: Path) -> str:
    """Return the address of the database that keeps durable workflows, empty for SQLite beside the store.

    Raises:
        RepositoryError: *folder* lies in no git repository.
        ConfigError: naoshi.toml is missing or wrong.
    """
    return read_settings(Git.at(folder).folder / CONFIG_NAME).database_url


def name_of_user(git: Git) -> str:
    """Return git's name of the user, else that of the login."""
    found = git.attempt("config", "user.name")
    name = found.stdout.strip() if found.status == 0 else ""
    try:
        return name or getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def actor_of(loop: Loop, by: str) -> str:
    """Return the name in *by*, else that of the user."""
    return by.strip() or name_of_user(loop.git)
