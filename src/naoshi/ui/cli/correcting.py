"""Corrections from the command line: a table, or one that the options name."""

from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import UsageError
from naoshi.flow.corrections import take_one, take_table
from naoshi.flow.loop import Loop
from naoshi.ui.cli.incoming_show import show_corrections
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.session import actor_of


@dataclass(frozen=True, kw_only=True)
class NamedCorrection:
    """One correction as the options name it. Empty text, or None for the value, stands for an option left out."""

    trace_id: str
    artifact: str
    field: str
    value: str | None
    reason: str
    by: str

    def require_either(self, table: Path | None) -> None:
        """Check that there is a table or one whole correction, and not both.

        Raises:
            UsageError: there is neither, or something of both.
        """
        given = (self.trace_id, self.artifact, self.field, self.value is not None)
        if table is not None and any(given):
            raise UsageError("a table and the options for one correction exclude each other")
        if table is None and not all(given):
            raise UsageError("name a CSV file, or one correction with --trace, --artifact, --field and --value")


def take_and_show(loop: Loop, out: Output, *, table: Path | None, named: NamedCorrection) -> None:
    """Take in the *table*, or the correction that is *named* where there is none, and show what became of it.

    Raises:
        MissingPathError: there is no such file.
        NotFoundError: there is no such trace.
        InputError: the table or the correction cannot be read.
    """
    if table is not None:
        taken = take_table(loop, table)
    else:
        taken = take_one(
            loop,
            trace_id=named.trace_id,
            artifact=named.artifact,
            field=named.field,
            corrected=named.value if named.value and named.value.strip() else None,
            practitioner=actor_of(loop, named.by),
            reason=named.reason,
        )
    show_corrections(taken, out)
