"""Options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout; people's text on stderr.")]
Folder = Annotated[Path, typer.Option("--folder", "-C", help="Work in this folder's git repository.", file_okay=True)]
HERE = Path()
