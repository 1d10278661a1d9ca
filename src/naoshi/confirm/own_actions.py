"""Keeping what a store holds apart from what its callers hold."""

from copy import deepcopy

from naoshi.records.confirmation import Confirmation, ConversationState


def with_own_actions(state: ConversationState) -> ConversationState:
    """Return *state* with actions of its own, which nobody who holds the other one can alter."""
    pending, settled = state.pending, state.settled
    update: dict[str, object] = {}
    if pending is not None and _can_be_altered(pending):
        update["pending"] = pending.model_copy(update={"action": deepcopy(pending.action)})
    if settled is not None and _can_be_altered(settled.confirmation):
        confirmation = settled.confirmation.model_copy(update={"action": deepcopy(settled.confirmation.action)})
        update["settled"] = settled.model_copy(update={"confirmation": confirmation})
    return state.model_copy(update=update) if update else state


def _can_be_altered(confirmation: Confirmation) -> bool:
    return isinstance(confirmation.action, dict | list)
