"""What an engine of diagnosis is given, and what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from naoshi.records import Correction, Diagnosis, EvalCase, EvalRun, FailureGroup, Signal, Trace


@dataclass(frozen=True, kw_only=True)
class DiagnosisMaterial:
    """All that a diagnosis is made from.

    ``groups`` and ``signals`` are of every run and give the weights. ``cases`` are those of the diagnose split, and
    ``traces`` the runs that a coding agent may see: nothing else is ever cited or quoted. ``run`` is of the present
    version on these cases, where there is one.
    """

    agent_version: str
    groups: Sequence[FailureGroup]
    signals: Sequence[Signal]
    cases: Sequence[EvalCase] = ()
    corrections: Sequence[Correction] = ()
    traces: Sequence[Trace] = ()
    run: EvalRun | None = None


class DiagnosisEngine(Protocol):
    """Makes ranked recommendations with cited evidence out of failures."""

    @property
    def name(self) -> str:
        """How the engine is called in records."""
        ...

    def diagnose(self, material: DiagnosisMaterial, *, now: datetime) -> Diagnosis:
        """Return the diagnosis. Its citations have not been looked up yet.

        Raises:
            InputError: the material holds cases that no coding agent may see.
        """
        ...
