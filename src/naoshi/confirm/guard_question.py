"""The questions that the guard asks, and what their answers mean for an action."""

import json
import string
from datetime import datetime
from enum import StrEnum
from typing import Final

from naoshi.confirm.context import on_one_line
from naoshi.confirm.context_texts import Language
from naoshi.confirm.guard_texts import GUARD_TEXTS
from naoshi.confirm.guarded_action import GuardedAction
from naoshi.confirm.policy import ConfirmSettings, Ruling
from naoshi.confirm.question import Question
from naoshi.records.base import content_hash
from naoshi.records.confirmation import Claim, Settlement

_SHOWN: Final = 600
_UNKNOWN_OF = "outcome_unknown"


class Verdict(StrEnum):
    """What a person decided about an action: do it, do not, or that it happened already."""

    approved = "approved"
    refused = "refused"
    happened = "happened"


_OF_QUESTION: Final[dict[tuple[int, ...], Verdict]] = {(1,): Verdict.approved, (2,): Verdict.refused}
_OF_FINDING: Final[dict[tuple[int, ...], Verdict]] = {
    (1,): Verdict.happened,
    (2,): Verdict.approved,
    (3,): Verdict.refused,
}


def approval_question(
    action: GuardedAction,
    ruling: Ruling,
    settings: ConfirmSettings,
    *,
    language: Language,
    failed: str | None = None,
) -> Question:
    """Return the question whether *action* may be done.

    Its arguments are always shown in full below the wording, long values cut with their length. Only いいえ, no … may
    stand for a number: a no cannot do harm.

    Args:
        action: what would be done.
        ruling: why it is asked about.
        settings: the wording.
        language: of the words that the settings leave open.
        failed: the kind of error with which the last attempt ended.
    """
    texts = GUARD_TEXTS[language]
    wording = ruling.question or settings.question or texts.question
    lines = [_filled(wording, action, ruling)]
    if failed:
        lines.append(texts.failed.format(error=on_one_line(failed)))
    return Question.checked(
        "\n".join([*lines, *_shown(action, texts.cut)]),
        [settings.yes or texts.yes, settings.no or texts.no],
        action=action.document,
        no=2,
        irreversible=[1],
        rule=ruling.rule,
    )


def finding_question(action: GuardedAction, ruling: Ruling, claim: Claim, *, language: Language) -> Question:
    """Return the question what a person finds about *action*, which began with *claim* and has no known end."""
    texts = GUARD_TEXTS[language]
    asked = texts.unknown.format(tool=on_one_line(action.tool), when=_at(claim.at))
    return Question.checked(
        "\n".join([asked, *_shown(action, texts.cut)]),
        [texts.happened, texts.do_it_now, texts.leave_it],
        action={**action.document, _UNKNOWN_OF: claim.confirmation_id},
        irreversible=[1, 2],
        rule=ruling.rule,
    )


def effect_question(key: str, claim: Claim, *, told: str, language: Language) -> Question:
    """Return the question what a person finds about the effect *key*, which *claim* began and nothing says ended.

    *told* is what the person is told that it is.
    """
    texts = GUARD_TEXTS[language]
    return Question.checked(
        texts.unknown.format(tool=_shortened(on_one_line(told), texts.cut), when=_at(claim.at)),
        [texts.happened, texts.may_be_done],
        action={"effect": key, _UNKNOWN_OF: claim.confirmation_id},
        irreversible=[1, 2],
    )


def verdict_on(action: GuardedAction, settled: Settlement | None) -> Verdict | None:
    """Return what *settled* says about *action*, or None where it is about something else.

    Only a question of the guard's own decides: one that anyone else asked has its own choices and wording.
    """
    if settled is None or settled.confirmation.rule is None or not isinstance(settled.confirmation.action, dict):
        return None
    kept = {name: value for name, value in settled.confirmation.action.items() if name != _UNKNOWN_OF}
    if content_hash(kept) != action.digest:
        return None
    meaning = _OF_QUESTION if finding_about(settled) is None else _OF_FINDING
    return meaning.get(settled.choices)


def finding_about(settled: Settlement) -> str | None:
    """Return the claim (its approval's identifier) whose unknown outcome *settled* is a finding on, or None."""
    action = settled.confirmation.action
    claimed = action.get(_UNKNOWN_OF) if isinstance(action, dict) else None
    return claimed if isinstance(claimed, str) else None


def _filled(wording: str, action: GuardedAction, ruling: Ruling) -> str:
    """Return *wording* with its names filled in; nothing inside a value is filled in again."""
    known = {name: _value(value) for name, value in action.arguments.items()}
    known |= {"tool": on_one_line(action.tool), "rule": on_one_line(ruling.rule)}
    parts = string.Formatter().parse(wording)
    return "".join(text + (known.get(name, "—") if name else "") for text, name, _, _ in parts)


def _shown(action: GuardedAction, cut: str) -> list[str]:
    lines = [f"  {on_one_line(action.tool)}"]
    for name, value in action.arguments.items():
        lines.append(f"    {on_one_line(name)}: {_shortened(_value(value), cut)}")
    return lines


def _shortened(text: str, cut: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + cut.format(count=len(text))


def _value(value: object) -> str:
    return on_one_line(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _at(moment: datetime) -> str:
    return moment.isoformat(sep=" ", timespec="seconds")
