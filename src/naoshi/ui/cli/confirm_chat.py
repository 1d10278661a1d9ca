"""`naoshi confirm chat`: an agent and the questions of all its conversations at one terminal, live."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Final, TextIO

from naoshi.app.open_confirmations import ListedStore, open_confirmations
from naoshi.confirm import Confirmation, Confirmations, Outcome, Reason, Turn, render_question
from naoshi.confirm.context_texts import Language as Spoken
from naoshi.errors import StoreError
from naoshi.records.language import Language
from naoshi.system.process import end, start
from naoshi.ui.cli.confirm_screen_words import language_here
from naoshi.ui.cli.confirm_show import confirmations_of, who
from naoshi.ui.cli.confirm_words import told
from naoshi.ui.cli.output import Output, visible

_LOOK_SECONDS: Final = 0.2
_OPEN_STATUS: Final = 3
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "question": "── question in {conversation} ──",
        "unread": "{told}, and the agent gets your text.",
        "unsaved": "The state cannot be read or written; nothing was decided.",
        "gone": "That question is no longer open; nothing was decided.",
        "broken": "The state cannot be read: {error}",
    },
    "ja": {
        "question": "── {conversation} の質問 ──",
        "unread": "{told}。発言はエージェントに渡します。",
        "unsaved": "状態を読み書きできません。何も決まっていません。",
        "gone": "その質問はもう開いていません。何も決まっていません。",
        "broken": "状態を読めません: {error}",
    },
}


class ConfirmChat:
    """Shows the open questions of all conversations, one at a time, and takes what the person types.

    Args:
        confirmations: takes the replies in.
        store: names the conversations.
        screen: what the person sees.
        actor: the person's name.
        language: of our own words; a question brings its own.
    """

    def __init__(
        self, *, confirmations: Confirmations, store: ListedStore, screen: TextIO, actor: str, language: Language
    ) -> None:
        self._confirmations = confirmations
        self._store = store
        self._screen = screen
        self._actor = actor
        self._words = _WORDS[language]
        self._language = Spoken(language)
        self._shown: Confirmation | None = None
        self._broken = False
        self.settled: list[Turn] = []

    def look(self) -> bool:
        """Show a question that has come up, and return whether one is open. The one on screen stays until it ends."""
        try:
            pending = self._pending()
        except StoreError as error:
            if not self._broken:
                self._say("broken", error=error)
            self._broken = True
            return self._shown is not None
        self._broken = False
        shown = next((item for item in pending if self._shown and item.id == self._shown.id), None)
        current = shown or (pending[0] if pending else None)
        if current is not None and (self._shown is None or _face(current) != _face(self._shown)):
            self._say("question", conversation=current.conversation_id)
            self._write(render_question(current))
        self._shown = current
        return current is not None

    def take(self, line: str) -> str | None:
        """Take what the person typed: as the answer to the question on screen, else to be handed on to the agent."""
        shown = self._shown
        if shown is None:
            return line
        turn = self._confirmations.receive(shown.conversation_id, line, actor=self._actor, in_reply_to=shown.id)
        if turn.outcome is Outcome.resolved:
            self._write(told(turn, language=self._language))
            self._shown = None
            self.settled.append(turn)
            return None
        if turn.reason is Reason.store_error:
            self._say("unsaved")
            return None
        if turn.outcome is Outcome.nothing_pending or turn.reason is Reason.stale:
            self._say("gone")
            self._shown = None
            return None
        self._say("unread", told=told(turn, language=self._language))
        return line

    def hear(self, line: str) -> None:
        """Show a line that the agent put out."""
        self._write(line)

    def _pending(self) -> list[Confirmation]:
        now = self._confirmations.now()
        found = [state.pending for state in self._store.conversations()]
        pending = [item for item in found if item is not None and not item.is_expired(now=now)]
        return sorted(pending, key=lambda item: (item.created_at, item.id))

    def _say(self, name: str, **facts: object) -> None:
        self._write(self._words[name].format(**facts))

    def _write(self, text: str) -> None:
        self._screen.write(f"{visible(text)}\n")
        self._screen.flush()


def run_chat(state: str, command: Sequence[str], out: Output, *, by: str, language: str | None) -> int:
    """Run *command* beside the person at this terminal, and return the exit status.

    Raises:
        MissingProgramError: the program is not on this machine.
        StoreError: the state cannot be opened.
    """
    place = state if "://" in state else str(Path(state).resolve())
    store = open_confirmations(place, make=True)
    chat = ConfirmChat(
        confirmations=confirmations_of(place, store),
        store=store,
        screen=out.people,
        actor=who(by),
        language="ja" if language_here(language) is Spoken.japanese else "en",
    )
    environment = {**os.environ, "NAOSHI_CONFIRM_STATE": place, "PYTHONUNBUFFERED": "1"}
    process = start(command, folder=Path.cwd(), environment=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    status = converse(chat, process, typed=sys.stdin)
    out.result({"exit_status": status, "settled": chat.settled})
    return status


def converse(chat: ConfirmChat, process: subprocess.Popen[bytes], *, typed: TextIO) -> int:
    """Carry lines between the person, the agent and its questions until both have nothing more to say.

    The agent is ended with all that it started, whatever happens, and its pipes are closed.
    """
    lines: Queue[tuple[str, str | None]] = Queue()
    # A thread that waits for a key cannot be ended; as a daemon it does not hold the program.
    hearing = Thread(target=_read, args=("heard", process.stdout, lines), daemon=True)
    hearing.start()
    Thread(target=_read, args=("typed", typed, lines), daemon=True).start()
    try:
        is_open = _carry(chat, process, lines)
        status = process.wait()
    finally:
        end(process)
        _close(process.stdin)
        hearing.join(_LOOK_SECONDS)
        if not hearing.is_alive():
            _close(process.stdout)
    if is_open:
        return _OPEN_STATUS
    # A program that a signal ended has a negative status, which no program can return.
    return status if status >= 0 else 128 - status


def _carry(chat: ConfirmChat, process: subprocess.Popen[bytes], lines: "Queue[tuple[str, str | None]]") -> bool:
    """Carry lines until the end, and return whether a question is still open."""
    more = {"heard": True, "typed": True}
    is_open = chat.look()
    while more["heard"] or (is_open and more["typed"]):
        try:
            source, line = lines.get(timeout=_LOOK_SECONDS)
        except Empty:
            is_open = chat.look()
            continue
        if line is None:
            more[source] = False
            if source == "typed":
                _close(process.stdin)
        elif source == "heard":
            chat.hear(line)
        else:
            # Without a look first: what the person has not seen yet is not what they are answering.
            _hand_on(process.stdin, chat.take(line))
        is_open = chat.look()
    return is_open


def _read(name: str, stream: IO[bytes] | TextIO | None, lines: "Queue[tuple[str, str | None]]") -> None:
    try:
        for line in stream or ():
            text = line if isinstance(line, str) else line.decode("utf-8", "replace")
            lines.put((name, text.rstrip("\r\n").encode("utf-8", "replace").decode("utf-8")))
    except (ValueError, OSError):
        # The stream was closed under the reader, which is its end.
        lines.put((name, None))
        return
    lines.put((name, None))


def _hand_on(stream: IO[bytes] | None, line: str | None) -> None:
    if stream is None or line is None or stream.closed:
        return
    try:
        stream.write(f"{line}\n".encode())
        stream.flush()
    except OSError:
        _close(stream)


def _close(stream: IO[bytes] | None) -> None:
    if stream is None or stream.closed:
        return
    try:
        stream.close()
    except OSError:
        # What was written last met an agent that had gone.
        return


def _face(question: Confirmation) -> tuple[str, int]:
    return question.id, question.ask_count
