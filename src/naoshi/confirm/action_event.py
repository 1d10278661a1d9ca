"""What the guard said to one action, for logs that `what_if` and `stats` read."""

from pydantic import AwareDatetime, JsonValue

from naoshi.confirm.action_rule import ActionClass
from naoshi.confirm.permit import PermitState
from naoshi.records.base import Record


class ActionEvent(Record):
    """One call of a guarded tool, with its arguments, and what the guard said.

    The arguments may hold what is private; hand the guard a place for these events only where that may be kept.
    ``rule`` is the one that matched, ``unknown`` where none did.
    """

    at: AwareDatetime
    conversation_id: str
    tool: str
    arguments: dict[str, JsonValue]
    rule: str
    action_class: ActionClass | None = None
    why: str = ""
    rules_version: str
    state: PermitState
    confirmation_id: str | None = None
