"""Confirmations that always resume: ask a numbered question, keep it, and read the reply or leave it to the model.

`Confirmations` asks and takes in replies, `FileStore` and `MemoryStore` keep the state, and `resolve_reply` is the
pure reading of one reply. Nothing here loads more than pydantic.
"""

from naoshi.confirm.confirmation_event import ConfirmationEvent, EventKind
from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.confirmations import Confirmations
from naoshi.confirm.context import render_context
from naoshi.confirm.context_texts import Language
from naoshi.confirm.detectors import Detector, Finding, detect
from naoshi.confirm.escape_words import ESCAPE_WORDS
from naoshi.confirm.file_store import FileStore
from naoshi.confirm.json_lines_events import JsonLinesEvents, read_events
from naoshi.confirm.label_numbers import label_warnings
from naoshi.confirm.memory_store import MemoryStore
from naoshi.confirm.reply import resolve_reply
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

__all__ = [
    "ESCAPE_WORDS",
    "Choice",
    "Confirmation",
    "ConfirmationEvent",
    "ConfirmationStore",
    "Confirmations",
    "ConversationState",
    "Detector",
    "EventKind",
    "FileStore",
    "Finding",
    "JsonLinesEvents",
    "Language",
    "MemoryStore",
    "Outcome",
    "Reason",
    "ReplacedQuestion",
    "Resolution",
    "Settlement",
    "Style",
    "Turn",
    "detect",
    "label_warnings",
    "read_events",
    "render_context",
    "resolve_reply",
]
