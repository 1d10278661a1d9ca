"""What the processes of the crash tests do."""

from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection

from naoshi.confirm import Choice, Confirmation, ConversationState, FileStore

NOW = datetime(2026, 10, 1, tzinfo=UTC)


def alternate(folder: str, done: Connection) -> None:
    """Save and clear one conversation's question for ever, and say so after each act that is done."""
    store = FileStore(folder)
    for act in range(1_000_000):
        if act % 2 == 0:
            state = store.get("c") or ConversationState(conversation_id="c")
            store.save(state.with_question(numbered(act), now=NOW), after=act)
        else:
            store.clear("c", confirmation_id=f"cf_{act - 1}")
        done.send_bytes(b".")


def ask_afresh(folder: str, done: Connection) -> None:
    """Ask a question in one new conversation after another, for ever, and say so after each that is asked."""
    store = FileStore(folder)
    for act in range(1_000_000):
        conversation = f"c{act}"
        asked = numbered(act).model_copy(update={"conversation_id": conversation, "question": "?"})
        store.save(ConversationState(conversation_id=conversation).with_question(asked, now=NOW), after=0)
        done.send_bytes(b".")


def numbered(act: int) -> Confirmation:
    """Return the question that act *act* saves; it is long, so that its writing takes a while."""
    return Confirmation(
        id=f"cf_{act}",
        conversation_id="c",
        question=f"{act} " * 2000,
        choices=(Choice(number=1, label="はい"),),
        fingerprint=str(act),
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + timedelta(days=1),
    )
