"""Keeping what a store holds apart from what its callers hold."""

from pydantic import JsonValue

from naoshi.records.confirmation import Confirmation, ConversationState


def with_own_actions(state: ConversationState) -> ConversationState:
    """Return *state* with actions of its own, which nobody who holds the other one can alter."""
    pending, settled = state.pending, state.settled
    if pending is not None and _can_be_altered(pending):
        state = state.changed(pending=pending.changed(action=_copied(pending.action)))
    if settled is not None and _can_be_altered(settled.confirmation):
        confirmation = settled.confirmation
        own = confirmation.changed(action=_copied(confirmation.action))
        state = state.changed(settled=settled.changed(confirmation=own))
    return state


def _can_be_altered(confirmation: Confirmation) -> bool:
    return isinstance(confirmation.action, dict | list)


def _copied(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _copied(item) for name, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
