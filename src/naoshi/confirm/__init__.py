"""Confirmations that always resume: ask a numbered question, keep it, and read the reply or leave it to the model.

`Confirmations` asks and takes in replies, `FileStore` and `MemoryStore` keep the state, `resolve_reply` is the pure
reading of one reply, `Guard` stands before actions that cannot be undone, and `Effects` does once what needs no asking
of its own. Nothing here loads more than pydantic, and each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from naoshi.confirm.action_event import ActionEvent
    from naoshi.confirm.action_rule import ActionClass, ActionRule, ArgumentTest
    from naoshi.confirm.confirmation_event import ConfirmationEvent, EventKind
    from naoshi.confirm.confirmation_stats import ConfirmationStats, RuleStats, count_events
    from naoshi.confirm.confirmation_store import ConfirmationStore
    from naoshi.confirm.confirmations import Confirmations
    from naoshi.confirm.context import render_context
    from naoshi.confirm.context_texts import Language
    from naoshi.confirm.detectors import Detector, Finding, detect
    from naoshi.confirm.effects import Effects
    from naoshi.confirm.escape_words import ESCAPE_WORDS
    from naoshi.confirm.file_store import FileStore
    from naoshi.confirm.guard import Guard
    from naoshi.confirm.json_lines_events import JsonLinesEvents, read_actions, read_events, read_turns
    from naoshi.confirm.label_numbers import label_warnings
    from naoshi.confirm.memory_store import MemoryStore
    from naoshi.confirm.mined_rows import MinedRow, ReplyRow, mine_rows, read_reply_rows
    from naoshi.confirm.permit import Permit, PermitState
    from naoshi.confirm.policy import ConfirmSettings, Policy, Ruling
    from naoshi.confirm.replayed_rules import WhatIf, what_if
    from naoshi.confirm.reply import resolve_reply
    from naoshi.confirm.rules_file import RulesFile, read_policy
    from naoshi.confirm.shown import render_question
    from naoshi.errors import NotPermittedError
    from naoshi.records.confirmation import (
        Choice,
        Claim,
        ClaimState,
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

__all__ = [
    "ESCAPE_WORDS",
    "ActionClass",
    "ActionEvent",
    "ActionRule",
    "ArgumentTest",
    "Choice",
    "Claim",
    "ClaimState",
    "ConfirmSettings",
    "Confirmation",
    "ConfirmationEvent",
    "ConfirmationStats",
    "ConfirmationStore",
    "Confirmations",
    "ConversationState",
    "Detector",
    "Effects",
    "EventKind",
    "FileStore",
    "Finding",
    "Guard",
    "JsonLinesEvents",
    "Language",
    "MemoryStore",
    "MinedRow",
    "NotPermittedError",
    "Outcome",
    "Permit",
    "PermitState",
    "Policy",
    "Reason",
    "ReplacedQuestion",
    "ReplyRow",
    "Resolution",
    "RuleStats",
    "RulesFile",
    "Ruling",
    "Settlement",
    "Style",
    "Turn",
    "WhatIf",
    "count_events",
    "detect",
    "label_warnings",
    "mine_rows",
    "read_actions",
    "read_events",
    "read_policy",
    "read_reply_rows",
    "read_turns",
    "render_context",
    "render_question",
    "resolve_reply",
    "what_if",
]

_HOME = {
    "ESCAPE_WORDS": "confirm.escape_words",
    "ActionClass": "confirm.action_rule",
    "ActionEvent": "confirm.action_event",
    "ActionRule": "confirm.action_rule",
    "ArgumentTest": "confirm.action_rule",
    "Choice": "records.confirmation",
    "Claim": "records.confirmation",
    "ClaimState": "records.confirmation",
    "ConfirmSettings": "confirm.policy",
    "Confirmation": "records.confirmation",
    "ConfirmationEvent": "confirm.confirmation_event",
    "ConfirmationStats": "confirm.confirmation_stats",
    "ConfirmationStore": "confirm.confirmation_store",
    "Confirmations": "confirm.confirmations",
    "ConversationState": "records.confirmation",
    "Detector": "confirm.detectors",
    "Effects": "confirm.effects",
    "EventKind": "confirm.confirmation_event",
    "FileStore": "confirm.file_store",
    "Finding": "confirm.detectors",
    "Guard": "confirm.guard",
    "JsonLinesEvents": "confirm.json_lines_events",
    "Language": "confirm.context_texts",
    "MemoryStore": "confirm.memory_store",
    "MinedRow": "confirm.mined_rows",
    "NotPermittedError": "errors",
    "Outcome": "records.confirmation",
    "Permit": "confirm.permit",
    "PermitState": "confirm.permit",
    "Policy": "confirm.policy",
    "Reason": "records.confirmation",
    "ReplacedQuestion": "records.confirmation",
    "ReplyRow": "confirm.mined_rows",
    "Resolution": "records.confirmation",
    "RuleStats": "confirm.confirmation_stats",
    "RulesFile": "confirm.rules_file",
    "Ruling": "confirm.policy",
    "Settlement": "records.confirmation",
    "Style": "records.confirmation",
    "Turn": "records.confirmation",
    "WhatIf": "confirm.replayed_rules",
    "count_events": "confirm.confirmation_stats",
    "detect": "confirm.detectors",
    "label_warnings": "confirm.label_numbers",
    "mine_rows": "confirm.mined_rows",
    "read_actions": "confirm.json_lines_events",
    "read_events": "confirm.json_lines_events",
    "read_policy": "confirm.rules_file",
    "read_reply_rows": "confirm.mined_rows",
    "read_turns": "confirm.json_lines_events",
    "render_context": "confirm.context",
    "render_question": "confirm.shown",
    "resolve_reply": "confirm.reply",
    "what_if": "confirm.replayed_rules",
}


def __getattr__(name: str) -> Any:
    """Load what is called *name* at its first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'naoshi.confirm' has no attribute {name!r}")
    value = getattr(import_module(f"naoshi.{home}"), name)
    globals()[name] = value
    return value
