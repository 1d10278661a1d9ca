"""Commands that follow."""

import typer


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
