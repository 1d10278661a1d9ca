"""A question as the person sees it."""

import re

from naoshi.confirm.context import choice_mark, language_of, on_one_line
from naoshi.confirm.context_texts import Language
from naoshi.confirm.reply_grammar import ENCLOSED, FOLD
from naoshi.records.confirmation import Confirmation, Style

_READ_AS = {
    Language.japanese: "返事を「{choice}」と読みました。取り消せないため、番号で答えてください。",
    Language.english: "Your reply was read as “{choice}”. It cannot be undone, so please answer with the number.",
}
# A mark and what closes it: "1." and "(2)", but neither "1 page" nor "1.5".
_CLOSED = r" ?(?:[.:](?![0-9])|[)、\]】」』〕]|$)"
_MARK = re.compile(rf"[\W_]*(?:(?P<mark>[0-9]{{1,3}}|[A-Za-z])(?={_CLOSED})|(?P<enclosed>[{''.join(ENCLOSED)}]))")


def render_question(confirmation: Confirmation, *, language: Language | str | None = None) -> str:
    """Return the question and its numbered choices, as text for the person.

    Control characters and other invisible ones are shown as escapes, line breaks of the question aside, and a choice
    stays on its line. A line of the question that looks like one of the choices is quoted with ``>``, for it may be
    text of a document or a model. Where a model's reading was put back to the person, that is said first.
    """
    said = confirmation.question + "".join(confirmation.labels)
    spoken = Language(language) if language else language_of(said)
    count = len(confirmation.choices)
    lines = [
        f"> {line}" if _looks_like_a_choice(line, count, confirmation.style) else line
        for line in map(on_one_line, confirmation.question.split("\n"))
    ]
    choices = [
        f"{choice_mark(choice.number, confirmation.style)}. {on_one_line(choice.label)}"
        for choice in confirmation.choices
    ]
    if confirmation.echoed is not None:
        lines.insert(0, _READ_AS[spoken].format(choice=choices[confirmation.echoed - 1]))
    return "\n".join([*lines, *choices])


def _looks_like_a_choice(line: str, count: int, style: Style) -> bool:
    """Return whether *line* begins as one of *count* choices does."""
    match = _MARK.match(line.translate(FOLD))
    if match is None:
        return False
    mark = match.group("mark") or ""
    if style is Style.letters:
        return mark.isalpha() and ord(mark.upper()) - ord("A") < count
    number = int(mark) if mark.isdigit() else ENCLOSED.get(match.group("enclosed"), 0)
    return 1 <= number <= count
