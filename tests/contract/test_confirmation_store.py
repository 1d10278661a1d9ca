"""The contract of a store of confirmations, on every store."""

from naoshi.confirm import Confirmations, ConfirmationStore, ConversationState, Settlement
from tests.confirm.kept_states import IDENTIFIERS, NOW, asked, question


def test_what_is_saved_is_got(confirmation_store: ConfirmationStore) -> None:
    """Protects the state from changing on its way through the confirmation_store."""
    assert confirmation_store.get("c") is None
    assert asked(confirmation_store).pending == question()


def test_saving_overwrites(confirmation_store: ConfirmationStore) -> None:
    """Protects against two questions in one conversation."""
    asked(confirmation_store)
    assert asked(confirmation_store, identifier="cf_2").pending == question(identifier="cf_2")


def test_saving_after_another_change_does_nothing(confirmation_store: ConfirmationStore) -> None:
    """Protects a newer state from one that was made out of an older."""
    kept = asked(confirmation_store)
    assert not confirmation_store.save(kept.with_message("m"), after=kept.revision - 1)
    assert confirmation_store.get("c") == kept
    assert confirmation_store.save(kept.with_message("m"), after=kept.revision)
    changed = confirmation_store.get("c")
    assert changed is not None
    assert changed.message_marks == ("m",)
    assert changed.revision > kept.revision
    assert not confirmation_store.save(kept, after=0)


def test_saving_where_nothing_is_kept_counts_as_revision_zero(confirmation_store: ConfirmationStore) -> None:
    """Protects the first question of a conversation from being saved twice."""
    state = ConversationState(conversation_id="c")
    assert not confirmation_store.save(state, after=5)
    assert confirmation_store.get("c") is None
    assert confirmation_store.save(state, after=0)
    assert not confirmation_store.save(state, after=0)


def test_clearing_says_who_cleared(confirmation_store: ConfirmationStore) -> None:
    """Protects the claim: the question can be cleared once."""
    asked(confirmation_store)
    assert not confirmation_store.clear("other")
    assert not confirmation_store.clear("c", confirmation_id="cf_9")
    assert confirmation_store.clear("c", confirmation_id="cf_1")
    assert not confirmation_store.clear("c", confirmation_id="cf_1")
    assert not confirmation_store.clear("c")
    kept = confirmation_store.get("c")
    assert kept is None or kept.pending is None


def test_clearing_keeps_the_decision_in_the_same_act(confirmation_store: ConfirmationStore) -> None:
    """Protects the memory of what was decided, which tells a late reply from a fresh one."""
    asked(confirmation_store)
    settlement = Settlement(confirmation=question(), choices=(2,), actor="a", message_mark="m", at=NOW)
    assert confirmation_store.clear("c", confirmation_id="cf_1", settlement=settlement)
    kept = confirmation_store.get("c")
    assert kept is not None
    assert (kept.settled, kept.message_marks) == (settlement, ("m",))


def test_a_revision_never_comes_twice(confirmation_store: ConfirmationStore) -> None:
    """Protects against mistaking a state that came back for one that never changed."""
    seen: set[int] = set()
    for number in range(4):
        seen.add(asked(confirmation_store, identifier=f"cf_{number}").revision)
        assert confirmation_store.clear("c")
        kept = confirmation_store.get("c")
        seen.add(kept.revision if kept else 0)
    assert len(seen) == 8


def test_any_identifier_is_safe_and_its_own(confirmation_store: ConfirmationStore) -> None:
    """Protects conversations from mixing, and the folder from identifiers that look like paths."""
    for number, identifier in enumerate(IDENTIFIERS):
        asked(confirmation_store, identifier, identifier=f"cf_{number}")
    for number, identifier in enumerate(IDENTIFIERS):
        kept = confirmation_store.get(identifier)
        assert kept is not None
        assert kept.pending == question(identifier, identifier=f"cf_{number}")
    assert confirmation_store.clear("plain")
    kept = confirmation_store.get("Plain")
    assert kept is not None
    assert kept.pending is not None


def test_what_a_caller_does_to_an_action_stays_with_the_caller(confirmation_store: ConfirmationStore) -> None:
    """Protects the action that was asked about from code that alters the copy it was handed."""
    confirmations = Confirmations(confirmation_store)
    asked_now = confirmations.ask("c", "?!", ["送る", "やめる"], action={"to": ["a"]})
    found = confirmations.pending("c")
    assert found is not None
    for held in (asked_now, found):
        assert isinstance(held.action, dict)
        held.action["to"] = ["b"]
    turn = confirmations.receive("c", "1")
    assert turn.confirmation is not None
    assert turn.confirmation.action == {"to": ["a"]}
    assert isinstance(turn.confirmation.action, dict)
    turn.confirmation.action["to"] = ["c"]
    settled = confirmations.settled("c")
    assert settled is not None
    assert settled.confirmation.action == {"to": ["a"]}
