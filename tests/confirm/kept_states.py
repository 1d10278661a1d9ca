"""States of conversations for the tests of what keeps them."""

from datetime import UTC, datetime, timedelta

from naoshi.confirm import Choice, Confirmation, ConfirmationStore, ConversationState

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
