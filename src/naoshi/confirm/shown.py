"""A question as the person sees it."""

from naoshi.confirm.context import choice_mark, language_of, on_one_line
from naoshi.confirm.context_texts import Language
from naoshi.records.confirmation import Confirmation

_READ_AS = {
    Language.japanese: "返事を「{choice}」と読みました。取り消せないため、番号で答えてください。",
    Language.english: "Your reply was read as “{choice}”. It cannot be undone, so please answer with the number.",
}


def render_question(confirmation: Confirmation, *, language: Language | str | None = None) -> str:
    """Return the question and its numbered choices, as text for the person.

    Control characters and other invisible ones are shown as escapes, line breaks of the question aside, and a choice
    stays on its line. Where a model's reading was put back to the person, that is said first.
    """
    said = confirmation.question + "".join(confirmation.labels)
    spoken = Language(language) if language else language_of(said)
    lines = [on_one_line(line) for line in confirmation.question.split("\n")]
    choices = [
        f"{choice_mark(choice.number, confirmation.style)}. {on_one_line(choice.label)}"
        for choice in confirmation.choices
    ]
    if confirmation.echoed is not None:
        lines.insert(0, _READ_AS[spoken].format(choice=choices[confirmation.echoed - 1]))
    return "\n".join([*lines, *choices])
