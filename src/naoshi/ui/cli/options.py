"""Options that many commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout; people's text on stderr.")]
Folder = Annotated[Path, typer.Option("--folder", "-C", help="Work in this folder's git repository.")]
By = Annotated[
    str, typer.Option("--by", help="Whose decision this is; without it, git's user.name or the name of the login.")
]
HERE = Path()
Listed = Annotated[bool, typer.Option("--list", help="Show the open questions with their identifiers, and ask nobody.")]
AnswerTo = Annotated[
    tuple[str, str] | None,
    typer.Option("--answer", metavar="ID REPLY", help="Answer one question without a terminal, as --list shows it."),
]


class Language(StrEnum):
    """The languages of questions and explanations."""

    en = "en"
    ja = "ja"


In = Annotated[Language | None, typer.Option("--language", help="Tell it in this language, not in the settings'.")]


class Scope(StrEnum):
    """How many of the cases are run."""

    comprehensive = "comprehensive"
    smoke = "smoke"


class GatePolicyName(StrEnum):
    """The ways in which the gate decides."""

    paired = "paired"
    literal = "literal"


class Runner(StrEnum):
    """Who runs and grades the cases of a suite."""

    native = "native"
    promptfoo = "promptfoo"


class EngineName(StrEnum):
    """The engines of diagnosis."""

    evidence = "evidence"
    model = "model"
    halo = "halo"


class ChangeEngine(StrEnum):
    """Who makes a change."""

    agent = "agent"
    gepa = "gepa"
