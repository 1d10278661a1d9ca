"""Asking the person at the terminal."""

import sys
from collections.abc import Callable, Mapping
from typing import Final, TextIO

from naoshi.confirm.reply import resolve_reply
from naoshi.flow.people import Answer, Question
from naoshi.records.confirmation import Reason
from naoshi.records.language import Language
from naoshi.ui.cli.output import Output, visible

_PROMPT: Final[Mapping[Language, str]] = {"en": "Number: ", "ja": "番号: "}
_NOBODY: Final[Mapping[Language, str]] = {
    "en": "No answer; the question stays open.",
    "ja": "回答がないため、この質問は未回答のまま残ります。",
}
_AGAIN: Final[Mapping[Language, Mapping[Reason, str]]] = {
    "en": {
        Reason.resolved: "The question is asked again, as the answer came too late or the question has changed.",
        Reason.empty: "Nothing was typed. Please type the number of a choice.",
        Reason.too_long: "That is too long to be read as a number. Please type the number alone.",
        Reason.out_of_range: "There is no choice with that number. Please type 1 to {last}.",
        Reason.ambiguous: "That can be read in more than one way. Please type one number.",
        Reason.free_text: "That is not the number of a choice. Please type the number alone.",
    },
    "ja": {
        Reason.resolved: "回答が間に合わなかったか質問が変わったため、もう一度お尋ねします。",
        Reason.empty: "何も入力されていません。選択肢の番号を入力してください。",
        Reason.too_long: "長すぎて番号として読めません。番号だけを入力してください。",
        Reason.out_of_range: "その番号の選択肢はありません。1から{last}の番号を入力してください。",
        Reason.ambiguous: "複数の意味に読めます。番号を1つだけ入力してください。",
        Reason.free_text: "選択肢の番号ではありません。番号だけを入力してください。",
    },
}


class TerminalPeople:
    """Puts questions to the person at *stdin* and *stdout* and reads one line for each.

    Args of the constructor: *actor* is the name that stands in the records for what is answered; *language* is that
    of our own words (the question brings its own); *before* is called before anything is written.
    """

    def __init__(
        self,
        *,
        stdin: TextIO,
        stdout: TextIO,
        actor: str,
        language: Language,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._actor = actor
        self._language: Language = language
        self._before = before
        self._last: tuple[Question, str] | None = None
        self._closed = False

    def answer(self, question: Question) -> Answer | None:
        """Show *question* and return the line that was typed, or None at the end of input.

        The question that was just answered, put again, is one whose answer was not settled: the person is told why.
        """
        self._before()
        if self._closed:
            return None
        if self._last and self._last[0].conversation_id == question.conversation_id:
            self._say_why(question, self._last[1])
        if self._last is None or self._last[0] != question:
            self._show(question)
        self._stdout.write(_PROMPT[self._language])
        self._stdout.flush()
        reply = self._read()
        if reply is None:
            self._stdout.write(f"\n{_NOBODY[self._language]}\n")
            self._last, self._closed = None, True
            return None
        self._last = (question, reply)
        return Answer(reply=reply, actor=self._actor)

    def _read(self) -> str | None:
        try:
            line = self._stdin.readline()
        except UnicodeDecodeError:
            return "\N{REPLACEMENT CHARACTER}"
        if not line:
            return None
        return line.removesuffix("\n").encode("utf-8", "replace").decode("utf-8")

    def _say_why(self, question: Question, reply: str) -> None:
        reason = resolve_reply(reply, question.labels).reason
        reasons = _AGAIN[self._language]
        text = reasons.get(reason, reasons[Reason.free_text]).format(last=len(question.labels))
        self._stdout.write(f"{text}\n")

    def _show(self, question: Question) -> None:
        if not self._stdout.isatty():
            self._stdout.write(f"\n{visible(question.shown())}\n\n")
            return
        # Rich is slow to load, and nothing else of the command line needs it.
        from rich.console import Console, Group
        from rich.panel import Panel
        from rich.text import Text

        choices = [
            Text.assemble((f"{number:>3}. ", "bold cyan"), visible(label))
            for number, label in enumerate(question.labels, start=1)
        ]
        Console(file=self._stdout).print(
            Panel(Group(Text(visible(question.text)), Text(), *choices), border_style="cyan"), soft_wrap=False
        )


def terminal_people(out: Output, *, actor: str, language: Language) -> TerminalPeople:
    """Return the person at this process's terminal, asked where *out* puts people's text."""
    return TerminalPeople(stdin=sys.stdin, stdout=out.people, actor=actor, language=language, before=out.clear)
