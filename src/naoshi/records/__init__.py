"""Frozen records, one noun a file. A name here is a term of the glossary.

Each is loaded when it is first used, so that `naoshi.confirm` loads its own records alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from naoshi.records.base import Record, canonical_json, content_hash, content_id
    from naoshi.records.change import Attempt, Certificate, CertificateCheck, Change
    from naoshi.records.confirmation import (
        Choice,
        Confirmation,
        ConversationState,
        Outcome,
        Reason,
        ReplacedQuestion,
        Resolution,
        Settlement,
        Style,
        Turn,
    )
    from naoshi.records.correction import Cause, Correction, Triage, TriageClass, TriageProposal
    from naoshi.records.cycle import Cycle, CycleState
    from naoshi.records.decision import Decision
    from naoshi.records.diagnosis import (
        CitedTrace,
        ConfirmedCase,
        Defect,
        Diagnosis,
        Handoff,
        HandoffCase,
        Layer,
        Recommendation,
        StruckCitation,
        Task,
    )
    from naoshi.records.eval_case import Assertion, EvalCase, Provenance, Split, Suite
    from naoshi.records.eval_run import (
        AssertionResult,
        Baseline,
        CaseResult,
        CategoryVerdict,
        EvalRun,
        Flip,
        ResultState,
        Verdict,
        VerdictOutcome,
    )
    from naoshi.records.evidence import Evidence
    from naoshi.records.field_rule import FieldKind, FieldRule, FieldRules
    from naoshi.records.release import LedgerEntry, Release, Review, ReviewDecision, Version
    from naoshi.records.signal import FailureGroup, Signal, SignalSource
    from naoshi.records.source_document import SourceDocument, SourceLine
    from naoshi.records.text_comparison import Comparison, as_text, loosened
    from naoshi.records.trace import Artifact, QuarantinedLine, Span, SpanKind, SpanStatus, Trace

__all__ = [
    "Artifact",
    "Assertion",
    "AssertionResult",
    "Attempt",
    "Baseline",
    "CaseResult",
    "CategoryVerdict",
    "Cause",
    "Certificate",
    "CertificateCheck",
    "Change",
    "Choice",
    "CitedTrace",
    "Comparison",
    "Confirmation",
    "ConfirmedCase",
    "ConversationState",
    "Correction",
    "Cycle",
    "CycleState",
    "Decision",
    "Defect",
    "Diagnosis",
    "EvalCase",
    "EvalRun",
    "Evidence",
    "FailureGroup",
    "FieldKind",
    "FieldRule",
    "FieldRules",
    "Flip",
    "Handoff",
    "HandoffCase",
    "Layer",
    "LedgerEntry",
    "Outcome",
    "Provenance",
    "QuarantinedLine",
    "Reason",
    "Recommendation",
    "Record",
    "Release",
    "ReplacedQuestion",
    "Resolution",
    "ResultState",
    "Review",
    "ReviewDecision",
    "Settlement",
    "Signal",
    "SignalSource",
    "SourceDocument",
    "SourceLine",
    "Span",
    "SpanKind",
    "SpanStatus",
    "Split",
    "StruckCitation",
    "Style",
    "Suite",
    "Task",
    "Trace",
    "Triage",
    "TriageClass",
    "TriageProposal",
    "Turn",
    "Verdict",
    "VerdictOutcome",
    "Version",
    "as_text",
    "canonical_json",
    "content_hash",
    "content_id",
    "loosened",
]

_HOME = {
    "Artifact": "trace",
    "Assertion": "eval_case",
    "AssertionResult": "eval_run",
    "Attempt": "change",
    "Baseline": "eval_run",
    "CaseResult": "eval_run",
    "CategoryVerdict": "eval_run",
    "Cause": "correction",
    "Certificate": "change",
    "CertificateCheck": "change",
    "Change": "change",
    "Choice": "confirmation",
    "CitedTrace": "diagnosis",
    "Comparison": "text_comparison",
    "Confirmation": "confirmation",
    "ConfirmedCase": "diagnosis",
    "ConversationState": "confirmation",
    "Correction": "correction",
    "Cycle": "cycle",
    "CycleState": "cycle",
    "Decision": "decision",
    "Defect": "diagnosis",
    "Diagnosis": "diagnosis",
    "EvalCase": "eval_case",
    "EvalRun": "eval_run",
    "Evidence": "evidence",
    "FailureGroup": "signal",
    "FieldKind": "field_rule",
    "FieldRule": "field_rule",
    "FieldRules": "field_rule",
    "Flip": "eval_run",
    "Handoff": "diagnosis",
    "HandoffCase": "diagnosis",
    "Layer": "diagnosis",
    "LedgerEntry": "release",
    "Outcome": "confirmation",
    "Provenance": "eval_case",
    "QuarantinedLine": "trace",
    "Reason": "confirmation",
    "Recommendation": "diagnosis",
    "Record": "base",
    "Release": "release",
    "ReplacedQuestion": "confirmation",
    "Resolution": "confirmation",
    "ResultState": "eval_run",
    "Review": "release",
    "ReviewDecision": "release",
    "Settlement": "confirmation",
    "Signal": "signal",
    "SignalSource": "signal",
    "SourceDocument": "source_document",
    "SourceLine": "source_document",
    "Span": "trace",
    "SpanKind": "trace",
    "SpanStatus": "trace",
    "Split": "eval_case",
    "StruckCitation": "diagnosis",
    "Style": "confirmation",
    "Suite": "eval_case",
    "Task": "diagnosis",
    "Trace": "trace",
    "Triage": "correction",
    "TriageClass": "correction",
    "TriageProposal": "correction",
    "Turn": "confirmation",
    "Verdict": "eval_run",
    "VerdictOutcome": "eval_run",
    "Version": "release",
    "as_text": "text_comparison",
    "canonical_json": "base",
    "content_hash": "base",
    "content_id": "base",
    "loosened": "text_comparison",
}


def __getattr__(name: str) -> Any:
    """Load the record's file at its first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'naoshi.records' has no attribute {name!r}")
    value = getattr(import_module(f"naoshi.records.{home}"), name)
    globals()[name] = value
    return value
