"""The contract of a store, on every store."""

from datetime import UTC, datetime, timedelta

from naoshi.confirm import Choice, Confirmation, ConfirmationStore, ConversationState, Settlement

NOW = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
IDENTIFIERS = [
    "plain", "Plain", "PLAIN", "../../etc", "../../etc/passwd", "/", ".", "..", "", " ", "a/b\\c", "x" * 300,
    "é" * 300, "\0", "a\0b", "😀", "CON", "con", "nul.txt", "-rf", "*", "a\nb", "\ud800", "naïve",
    "nai\u0308ve", "%2e%2e",
]  # fmt: skip


def question(conversation_id: str = "c", *, identifier: str = "cf_1", text: str = "送りますか？") -> Confirmation:
    return Confirmation(
        id=identifier,
        conversation_id=conversation_id,
        question=text,
        choices=(Choice(number=1, label="送る"), Choice(number=2, label="やめる")),
        action={"tool": "send", "args": {"to": "a", "n": [1, 2.5, None]}},
        fingerprint="f",
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + timedelta(hours=1),
    )


def asked(store: ConfirmationStore, conversation_id: str = "c", *, identifier: str = "cf_1") -> ConversationState:
    state = ConversationState(conversation_id=conversation_id).with_question(
        question(conversation_id, identifier=identifier), now=NOW
    )
    assert store.save(state)
    kept = store.get(conversation_id)
    assert kept is not None
    return kept


def test_what_is_saved_is_got(store: ConfirmationStore) -> None:
    """Protects the state from changing on its way through the store."""
    assert store.get("c") is None
    assert asked(store).pending == question()


def test_saving_overwrites(store: ConfirmationStore) -> None:
    """Protects against two questions in one conversation."""
    asked(store)
    assert asked(store, identifier="cf_2").pending == question(identifier="cf_2")


def test_saving_after_another_change_does_nothing(store: ConfirmationStore) -> None:
    """Protects a newer state from one that was made out of an older."""
    kept = asked(store)
    assert not store.save(kept.with_message("m"), after=kept.revision - 1)
    assert store.get("c") == kept
    assert store.save(kept.with_message("m"), after=kept.revision)
    changed = store.get("c")
    assert changed is not None
    assert changed.message_marks == ("m",)
    assert changed.revision > kept.revision
    assert not store.save(kept, after=0)


def test_saving_where_nothing_is_kept_counts_as_revision_zero(store: ConfirmationStore) -> None:
    """Protects the first question of a conversation from being saved twice."""
    state = ConversationState(conversation_id="c")
    assert not store.save(state, after=5)
    assert store.get("c") is None
    assert store.save(state, after=0)
    assert not store.save(state, after=0)


def test_clearing_says_who_cleared(store: ConfirmationStore) -> None:
    """Protects the claim: the question can be cleared once."""
    asked(store)
    assert not store.clear("other")
    assert not store.clear("c", confirmation_id="cf_9")
    assert store.clear("c", confirmation_id="cf_1")
    assert not store.clear("c", confirmation_id="cf_1")
    assert not store.clear("c")
    kept = store.get("c")
    assert kept is None or kept.pending is None


def test_clearing_keeps_the_decision_in_the_same_act(store: ConfirmationStore) -> None:
    """Protects the memory of what was decided, which tells a late reply from a fresh one."""
    asked(store)
    settlement = Settlement(confirmation=question(), choices=(2,), actor="a", message_mark="m", at=NOW)
    assert store.clear("c", confirmation_id="cf_1", settlement=settlement)
    kept = store.get("c")
    assert kept is not None
    assert (kept.settled, kept.message_marks) == (settlement, ("m",))


def test_a_revision_never_comes_twice(store: ConfirmationStore) -> None:
    """Protects against mistaking a state that came back for one that never changed."""
    seen: set[int] = set()
    for number in range(4):
        seen.add(asked(store, identifier=f"cf_{number}").revision)
        assert store.clear("c")
        kept = store.get("c")
        seen.add(kept.revision if kept else 0)
    assert len(seen) == 8


def test_any_identifier_is_safe_and_its_own(store: ConfirmationStore) -> None:
    """Protects conversations from mixing, and the folder from identifiers that look like paths."""
    for number, identifier in enumerate(IDENTIFIERS):
        asked(store, identifier, identifier=f"cf_{number}")
    for number, identifier in enumerate(IDENTIFIERS):
        kept = store.get(identifier)
        assert kept is not None
        assert kept.pending == question(identifier, identifier=f"cf_{number}")
    assert store.clear("plain")
    kept = store.get("Plain")
    assert kept is not None
    assert kept.pending is not None
