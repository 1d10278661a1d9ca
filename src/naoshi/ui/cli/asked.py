"""People for commands that do not ask at a terminal: one who answers one question, and one who only listens."""

from collections.abc import Iterable

from naoshi.errors import InputError, NotFoundError, UsageError
from naoshi.flow.loop import Loop
from naoshi.flow.people import Answer, Question
from naoshi.records import Decision
from naoshi.ui.cli.output import Output


class Listener:
    """Answers nothing and remembers what was asked, in order."""

    def __init__(self) -> None:
        self.heard: list[Question] = []

    def answer(self, question: Question) -> Answer | None:
        """Return None."""
        self.heard.append(question)
        return None


class OneAnswer(Listener):
    """Gives *reply* to the question whose identifier is *question_id*, once, and remembers the others."""

    def __init__(self, *, question_id: str, reply: str, actor: str) -> None:
        super().__init__()
        self.question_id = question_id
        self.reply = reply
        self._actor = actor
        self.given_to: Question | None = None

    def answer(self, question: Question) -> Answer | None:
        """Return the answer where it belongs, else None."""
        if question.conversation_id == self.question_id and self.given_to is None:
            self.given_to = question
            return Answer(reply=self.reply, actor=self._actor)
        return super().answer(question)

    def decision(self, loop: Loop) -> Decision:
        """Return what the answer decided.

        Raises:
            InputError: it was not read as a choice; the question is still open.
        """
        found = loop.store.decisions.get(self.question_id)
        if found is None:
            last = len(self.given_to.labels) if self.given_to else 0
            raise InputError(
                f"the reply {self.reply[:40]!r} is not the number of a choice, and the question stays open",
                hint=f"answer with a number from 1 to {last}",
            )
        return found


def meant_question(loop: Loop, open_ids: Iterable[str], name: str) -> str:
    """Return the one of *open_ids* that begins with *name*.

    Raises:
        UsageError: the question was answered already, or *name* stands for several.
        NotFoundError: there is no such question.
    """
    found = [identifier for identifier in open_ids if name and identifier.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{name} stands for {len(found)} questions", hint="write more of the identifier")
    known = loop.store.decisions.get(name)
    if known is not None:
        raise UsageError(
            f"{known.actor} has answered {name} already, with {known.choice}", hint="`--list` shows what is open"
        )
    raise NotFoundError(f"there is no open question {name}", hint="`--list` shows what is open")


def show_questions(questions: Iterable[Question], out: Output) -> None:
    """Show *questions* with their identifiers, so that they can be answered one by one."""
    for question in questions:
        out.say(f"── {question.conversation_id}", question.shown(), "")
