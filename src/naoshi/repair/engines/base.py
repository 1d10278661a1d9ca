"""What an engine of diagnosis is given, and what it returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from naoshi.records import Correction, Diagnosis, EvalCase, EvalRun, FailureGroup, Signal, Trace


@dataclass(frozen=True, kw_only=True)
class DiagnosisMaterial:
    """All that a diagnosis is made from.

    ``groups`` and ``signals`` are of every run and give the weights. ``cases`` are those of the diagnose split, and
    ``traces`` the runs that a coding agent may see: nothing else is ever cited or quoted. ``run`` is of the present
    version on these cases, where there is one. ``trace_lines`` maps a trace's id to its flat JSON lines, ``harness``
    the path of each file that may be changed to its text; ``gate`` says in words how the version stands. The engines
    that ask a model need these.
    """

    agent_version: str
    groups: Sequence[FailureGroup]
    signals: Sequence[Signal]
    cases: Sequence[EvalCase] = ()
    corrections: Sequence[Correction] = ()
    traces: Sequence[Trace] = ()
    run: EvalRun | None = None
    trace_lines: Mapping[str, str] = field(default_factory=dict[str, str])
    harness: Mapping[str, str] = field(default_factory=dict[str, str])
    gate: str = ""


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
            ModelError: the model that it asks gave no usable answer.
            HaloError: HALO gave no report that can be used.
        """
        ...
