"""The stages of the loop, in order. ARCHITECTURE.md is written from this table."""

from dataclasses import dataclass

from naoshi.records import (
    Baseline,
    Certificate,
    Change,
    Correction,
    Diagnosis,
    EvalCase,
    EvalRun,
    FailureGroup,
    Handoff,
    LedgerEntry,
    Release,
    Review,
    Signal,
    Task,
    Trace,
    Triage,
    TriageProposal,
    Verdict,
    Version,
)
from naoshi.records.base import Record


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage: the package that does it, the records it takes and gives, and the command that runs it alone.

    ``question`` says what a person is asked there, empty where nobody is.
    """

    name: str
    module: str
    takes: tuple[type[Record], ...]
    gives: tuple[type[Record], ...]
    question: str = ""
    command: str


STAGES: tuple[Stage, ...] = (
    Stage(name="capture", module="naoshi.capture", takes=(), gives=(Trace,), command="ingest"),
    Stage(name="correct", module="naoshi.signals", takes=(Trace,), gives=(Correction,), command="correct"),
    Stage(
        name="triage",
        module="naoshi.triage",
        takes=(Correction, Trace),
        gives=(TriageProposal, Triage),
        question="is this correction a defect, a judgement, noise or unclear?",
        command="triage",
    ),
    Stage(
        name="signals",
        module="naoshi.signals",
        takes=(Trace, Correction, Triage),
        gives=(Signal, FailureGroup),
        command="signals",
    ),
    Stage(name="mint", module="naoshi.evals", takes=(Correction, Triage), gives=(EvalCase,), command="evals mint"),
    Stage(name="run", module="naoshi.evals", takes=(EvalCase, Version), gives=(EvalRun,), command="evals run"),
    Stage(
        name="diagnose",
        module="naoshi.repair",
        takes=(FailureGroup, Signal, EvalCase, EvalRun),
        gives=(Diagnosis,),
        command="diagnose",
    ),
    Stage(
        name="handoff",
        module="naoshi.repair",
        takes=(Diagnosis, EvalCase, EvalRun),
        gives=(Handoff, Task),
        command="handoff",
    ),
    Stage(
        name="repair",
        module="naoshi.repair",
        takes=(Handoff, Task, EvalRun),
        gives=(Change, Certificate),
        command="repair",
    ),
    Stage(name="gate", module="naoshi.gate", takes=(EvalRun, Baseline), gives=(Verdict,), command="gate"),
    Stage(
        name="review",
        module="naoshi.release",
        takes=(Change, Certificate, Verdict),
        gives=(Review,),
        question="may this change be released?",
        command="review",
    ),
    Stage(
        name="release",
        module="naoshi.release",
        takes=(Review, Change, EvalRun),
        gives=(Release, Version, Baseline, LedgerEntry),
        command="release",
    ),
)
