"""What the practitioners of the demo correct, rightly and wrongly."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from random import Random
from typing import Final

from naoshi.demo.people.practitioner import TEAM, Practitioner
from naoshi.demo.people.second_opinion import second_opinion
from naoshi.demo.people.slip import slip
from naoshi.demo.receipts import FIELDS, Record, right_fields
from naoshi.records.base import content_id
from naoshi.records.correction import Correction
from naoshi.records.field_rule import FieldKind
from naoshi.records.source_document import SourceDocument
from naoshi.records.text_comparison import loosened

KINDS: Final[Mapping[str, FieldKind]] = {
    "company": FieldKind.text,
    "date": FieldKind.date,
    "address": FieldKind.text,
    "total": FieldKind.amount,
}
"""What each field of a receipt holds."""

_SHARE_OF_SLIPS: Final = 0.4
_SHARE_OF_PREFERENCES: Final = 0.175
_SHARE_OF_NEEDLESS: Final = 0.175
_SHARE_OF_DISAGREEMENTS: Final = 0.25
_SHARE_OF_SLIPS_IN_DISAGREEMENTS: Final = 0.3


class WrongKind(StrEnum):
    """In which way a correction is wrong: a slip, a preference of format, or two people disagreeing."""

    slip = "slip"
    preference = "preference"
    disagreement = "disagreement"


@dataclass(frozen=True, kw_only=True)
class PractitionersWork:
    """The corrections of one document, and beside them which are wrong, by ``correction_id``.

    ``wrong`` is for the demo's own statistics. Nothing in a `Correction` tells a wrong one from a right one.
    """

    corrections: tuple[Correction, ...]
    wrong: Mapping[str, WrongKind]


def corrections_of(
    document: SourceDocument,
    output: Record | None,
    truth: Record,
    *,
    trace_id: str,
    noise: float,
    seed: int,
    now: datetime,
    artifact: str = "fields",
) -> PractitionersWork:
    """Return what the team corrects in the agent's *output* for *document*, whose fields should be *truth*.

    They correct every field that is not right (`naoshi.demo.receipts.right_fields`), and *noise* (0 to 1) is the
    expected share of wrong ones among all corrections. What happens to a field depends on *seed*, the document's
    path and the field alone, never on other documents.

    Raises:
        ValueError: *noise* is not between 0 and 1.
    """
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise must be between 0 and 1, not {noise}")
    right = right_fields(truth, output)
    desk = _Desk(
        document=document, output=output or {}, truth=truth, trace_id=trace_id, artifact=artifact, seed=seed, at=now,
        untouched=[name for name in FIELDS if right[name]],
    )  # fmt: skip
    for name in FIELDS:
        if not right[name]:
            fate = _fate(desk.lot("fate", name), noise)
            next(act for act in _ACTS[fate] if act(desk, name))
    return PractitionersWork(corrections=tuple(desk.corrections), wrong=dict(desk.wrong))


@dataclass(kw_only=True)
class _Desk:
    """One document on the team's desk, and the corrections made of it so far."""

    document: SourceDocument
    output: Record
    truth: Record
    trace_id: str
    artifact: str
    seed: int
    at: datetime
    untouched: list[str]
    corrections: list[Correction] = field(default_factory=list[Correction])
    wrong: dict[str, WrongKind] = field(default_factory=dict[str, WrongKind])

    def lot(self, *purpose: str) -> Random:
        """Return the lots of this document for *purpose*, the same on every machine."""
        return Random("|".join(("practitioners", str(self.seed), self.document.path, *purpose)))  # noqa: S311

    @property
    def people(self) -> list[Practitioner]:
        """The team, the person whose document it is first."""
        first = self.lot("person").randrange(len(TEAM))
        return [*TEAM[first:], *TEAM[:first]]

    def never(self, name: str) -> frozenset[str]:
        """Return what a wrong correction of a wrong field may not come to: the truth, and what stood there."""
        return frozenset({loosened(self.truth.get(name)), loosened(self.output.get(name))})

    @property
    def text(self) -> str:
        """All that the document says."""
        return "\n".join(line.text for line in self.document.lines)

    def write(self, name: str, value: str | None, by: Practitioner, *, wrong: WrongKind | None = None) -> None:
        """Keep one correction of the field *name*."""
        submitted = self.output.get(name)
        identifier = content_id("correction", self.trace_id, self.artifact, name, submitted, value, by.name)
        self.corrections.append(
            Correction(
                correction_id=identifier,
                trace_id=self.trace_id,
                artifact=self.artifact,
                field=name,
                submitted=submitted,
                corrected=value,
                practitioner=by.name,
                document=self.document.path,
                at=self.at,
            )
        )
        if wrong:
            self.wrong[identifier] = wrong


def _fate(lot: Random, noise: float) -> str:
    """Draw what becomes of one wrong field.

    Needless corrections and disagreements come on top of a right correction. With ``w`` the chance that something
    wrong comes of a field and ``e`` the share of those two in it, the share of wrong ones among all corrections is
    ``w / (1 + e w)``. Solved for ``w`` that is ``noise / (1 - e noise)``; ``e`` is kept small enough for ``w <= 1``.
    """
    if noise <= 0:
        return "right"
    usual = _SHARE_OF_NEEDLESS + _SHARE_OF_DISAGREEMENTS
    on_top = min(usual, (1 - noise) / noise)
    chance = noise / (1 - on_top * noise)
    if lot.random() >= chance:
        return "right"
    weights = (
        _SHARE_OF_SLIPS * (1 - on_top) / (1 - usual),
        _SHARE_OF_PREFERENCES * (1 - on_top) / (1 - usual),
        _SHARE_OF_NEEDLESS * on_top / usual,
        _SHARE_OF_DISAGREEMENTS * on_top / usual,
    )
    return lot.choices(("slip", "preference", "needless", "disagreement"), weights)[0]


def _right(desk: _Desk, name: str) -> bool:
    """Correct the field as it should be."""
    desk.write(name, desk.truth.get(name), desk.people[0])
    return True


def _slip(desk: _Desk, name: str) -> bool:
    """Mean the right value and mistype it."""
    slipped = slip(desk.truth.get(name) or "", lot=desk.lot("slip", name), never=desk.never(name))
    if slipped is None:
        return False
    desk.write(name, slipped, desk.people[0], wrong=WrongKind.slip)
    return True


def _prefer(desk: _Desk, name: str) -> bool:
    """Write the right value in one's own format, so that it is no longer what the document says."""
    truth, never = desk.truth.get(name) or "", desk.never(name)
    for person, written in _by_habit(desk, name, truth):
        if loosened(written) and loosened(written) not in never:
            desk.write(name, written, person, wrong=WrongKind.preference)
            return True
    return False


def _rewrite_needlessly(desk: _Desk, name: str) -> bool:
    """Correct the field, and rewrite in one's own format another one that needed no correction."""
    for other in desk.lot("needless", name).sample(desk.untouched, len(desk.untouched)):
        submitted = desk.output.get(other) or ""
        for person, written in _by_habit(desk, other, submitted):
            if written != submitted:
                desk.untouched.remove(other)
                desk.write(other, written, person, wrong=WrongKind.preference)
                return _right(desk, name)
    return False


def _disagree(desk: _Desk, name: str) -> bool:
    """Correct the field twice, by two people and differently; the order tells nothing of who is right."""
    lot, truth, never = desk.lot("disagreement", name), desk.truth.get(name), desk.never(name)
    other = second_opinion(desk.document, KINDS[name], truth or "", lot=lot, never=never)
    if other is None or lot.random() < _SHARE_OF_SLIPS_IN_DISAGREEMENTS:
        other = slip(truth or "", lot=lot, never=never) or other
    if other is None:
        return False
    values: list[tuple[str | None, WrongKind | None]] = [(truth, None), (other, WrongKind.disagreement)]
    lot.shuffle(values)
    for person, (value, wrong) in zip(lot.sample(TEAM, 2), values, strict=True):
        desk.write(name, value, person, wrong=wrong)
    return True


def _by_habit(desk: _Desk, name: str, value: str) -> Iterator[tuple[Practitioner, str]]:
    """Yield who of the team writes *value* in their own way, and how."""
    for person in desk.people:
        for habit in person.habits.get(KINDS[name], ()):
            written = habit(value, desk.text)
            if written:
                yield person, written


# For each fate what is done, and what instead where the document does not allow it.
_ACTS: Final[Mapping[str, tuple[Callable[[_Desk, str], bool], ...]]] = {
    "right": (_right,),
    "slip": (_slip, _disagree, _right),
    "preference": (_prefer, _slip, _disagree, _right),
    "needless": (_rewrite_needlessly, _disagree, _right),
    "disagreement": (_disagree, _right),
}
