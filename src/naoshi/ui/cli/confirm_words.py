"""What `naoshi confirm` says to the person about their reply, in the language of the question or of their choice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from naoshi.confirm import Outcome, Reason, Turn
from naoshi.confirm.context import choice_mark, language_of
from naoshi.confirm.context_texts import Language


@dataclass(frozen=True, kw_only=True)
class ConfirmWords:
    """One language's sentences. ``why`` has one for each reason for which nothing was settled."""

    settled: str
    stays_open: str
    by: str
    someone: str
    why: Mapping[Reason, str]


WORDS: Final = {
    Language.english: ConfirmWords(
        settled="settled: {chosen}",
        stays_open="{why}; the question stays open",
        by="{why}, by {who} at {when}",
        someone="a person",
        why={
            Reason.escape: "a word for stopping; it chose nothing",
            Reason.empty: "nothing was typed",
            Reason.too_long: "too long to be read as a choice",
            Reason.out_of_range: "there is no such choice",
            Reason.ambiguous: "not clearly one of the choices",
            Reason.free_text: "not read as a choice",
            Reason.stale: "it answers an earlier question",
            Reason.duplicate: "this message was taken in before",
            Reason.expired: "the question has expired",
            Reason.nothing_pending: "no question is open",
            Reason.already_resolved: "it was settled before, in the same way",
            Reason.conflict: "it was settled before, otherwise",
            Reason.store_error: "the state cannot be read or written, and nothing was decided",
        },
    ),
    Language.japanese: ConfirmWords(
        settled="確定: {chosen}",
        stays_open="{why}。質問は開いたままです",
        by="{why}（{who}、{when}）",
        someone="人",
        why={
            Reason.escape: "止める言葉です。何も選ばれていません",
            Reason.empty: "何も入力されていません",
            Reason.too_long: "選択として読むには長すぎます",
            Reason.out_of_range: "その選択肢はありません",
            Reason.ambiguous: "一つの選択とは読めません",
            Reason.free_text: "選択とは読めません",
            Reason.stale: "前の質問への返事です",
            Reason.duplicate: "この発言はすでに受け取っています",
            Reason.expired: "質問の期限が切れています",
            Reason.nothing_pending: "開いている質問はありません",
            Reason.already_resolved: "すでに同じ選択で決まっています",
            Reason.conflict: "すでに別の選択で決まっています",
            Reason.store_error: "状態を読み書きできません。何も決まっていません",
        },
    ),
}


def told(turn: Turn, *, when: str = "", language: Language | None = None) -> str:
    """Return what *turn* did, in one line.

    Args:
        turn: how the message was taken in.
        when: the time of the decision that the turn names, if it names one.
        language: of the line; by the question's own language where not given.
    """
    words = WORDS[language or _spoken(turn)]
    if turn.outcome is Outcome.resolved:
        return words.settled.format(chosen=chosen(turn))
    why = words.why.get(turn.reason, turn.reason.value)
    if turn.settlement is not None:
        why = words.by.format(why=why, who=turn.settlement.actor or words.someone, when=when)
    return words.stays_open.format(why=why) if turn.outcome is Outcome.unresolved else why


def chosen(turn: Turn) -> str:
    """Return the choices that *turn* settled, as they are marked on screen."""
    style = turn.confirmation.style if turn.confirmation else None
    return ", ".join(
        f"{choice_mark(choice.number, style) if style else choice.number}. {choice.label}" for choice in turn.selected
    )


def _spoken(turn: Turn) -> Language:
    question = turn.confirmation
    return language_of(question.question + "".join(question.labels)) if question else language_of(turn.reply)
