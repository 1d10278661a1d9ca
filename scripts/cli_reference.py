"""The page of all commands and options, as the command line itself describes them."""

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path("docs/cli.md")
SOURCE = "naoshi.ui.cli.all_commands"

_PREFACE = """\
<!-- Written by `make docs` from the command line itself; change the commands instead. -->

Every command takes `--json` and then prints one JSON document on the standard output; text for people goes to the
standard error stream. The exit status is 0 for yes, 1 when a check says no, 2 for wrong usage or input, 3 when it is
inconclusive or a person has to decide first, and 4 when two things cannot be compared. A command that is stopped
(Ctrl-C) ends with 130, leaves nothing running, and can be run again; one whose reader has gone ends with 141. Errors
are one line; [errors.md](errors.md) lists them. Settings stand in `naoshi.toml`; [settings.md](settings.md) lists them.
"""


def render() -> str:
    """Return the page in Markdown, made by Typer's own documenter.

    Raises:
        subprocess.CalledProcessError: the command line cannot be loaded.
    """
    described = subprocess.run(
        [sys.executable, "-m", "typer", SOURCE, "utils", "docs", "--name", "naoshi"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120"},
    ).stdout
    title, _, rest = described.partition("\n")
    return f"{title}\n\n{_PREFACE}\n{rest.strip()}\n"
