"""Tests of a judge for biases: what changes a grade that should not. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from naoshi.evals.assertions.graded import DEFAULT_GRADE_THRESHOLD
from naoshi.evals.judge import Grade
from naoshi.evals.judging.agreement import Graded, leniency_gap, mean_shift, rate
from naoshi.evals.judging.family import families_said
from naoshi.evals.judging.labels import LabelledOutput
from naoshi.evals.judging.told import told
from naoshi.records.calibration import Probe

PADDING = {
    "en": " This answer was written with care. Every part of it was looked at again before it was handed over, and it "
    "is as complete as it can be. Further details can be given at any time.",
    "ja": "この回答は注意深く作成されました。提出の前にすべての部分を見直しており、"
    "できるかぎり完全なものになっています。さらに詳しい説明が必要であれば、いつでもお伝えします。",
}
REPEAT, POSITION, LENGTH, LONG, SELF = "repeat", "position", "length", "long_outputs", "self_preference"


@dataclass(frozen=True, kw_only=True)
class Regraded:
    """One output graded twice: as it is, and as a probe changes it."""

    plain: Grade
    changed: Grade
    source: str


def padded(output: JsonValue) -> JsonValue:
    """Return *output* with words added that say nothing, in its own language; None where it is no text."""
    if not isinstance(output, str) or not output.strip():
        return None
    japanese = any("\u3040" <= mark <= "\u30ff" for mark in output)
    return output + PADDING["ja" if japanese else "en"]


def regraded_probe(name: str, pairs: Sequence[Regraded], *, skipped: str = "") -> Probe:
    """Return how often a change that means nothing flips a grade, and which way it moves the score."""
    if not pairs:
        return Probe(name=name, skipped=skipped or told("not_both_ways"))
    sources = [pair.source for pair in pairs]
    return Probe(
        name=name,
        flips=rate([verdict(pair.plain) is not verdict(pair.changed) for pair in pairs], sources),
        shift=mean_shift([pair.changed.score - pair.plain.score for pair in pairs], sources),
    )


def long_outputs_probe(items: Sequence[LabelledOutput], grades: Mapping[int, Grade]) -> Probe:
    """Return whether longer outputs are passed more than people pass them, held against shorter ones."""
    known = [item for item in items if item.line in grades]
    lengths = sorted(_length(item) for item in known)
    if not known or lengths[0] == lengths[-1]:
        return Probe(name=LONG, skipped=told("one_length"))
    middle = lengths[len(lengths) // 2]
    longer = [item for item in known if _length(item) >= middle]
    shorter = [item for item in known if _length(item) < middle]
    if not shorter:
        return Probe(name=LONG, skipped=told("mostly_one_length"))
    return Probe(name=LONG, shift=leniency_gap(graded_as(longer, grades), graded_as(shorter, grades)))


def self_preference_probe(
    items: Sequence[LabelledOutput], grades: Mapping[int, Grade], families: frozenset[str]
) -> Probe:
    """Return whether outputs of the judge's own *families* are passed more than people pass them, against others'."""
    if not families:
        return Probe(name=SELF, skipped=told("no_family"))
    known = [item for item in items if item.line in grades and item.family]
    ours = [item for item in known if families_said(item.family) & families]
    others = [item for item in known if not families_said(item.family) & families]
    if not ours:
        return Probe(name=SELF, skipped=told("none_of_ours", families=", ".join(sorted(families))))
    if not others:
        return Probe(name=SELF, skipped=told("none_of_others"))
    return Probe(name=SELF, shift=leniency_gap(graded_as(ours, grades), graded_as(others, grades)))


def graded_as(items: Sequence[LabelledOutput], grades: Mapping[int, Grade]) -> list[Graded]:
    """Return what people and the judge say of those of *items* that have a grade."""
    return [
        Graded(truth=item.passes, said=verdict(grades[item.line]), source=item.source)
        for item in items
        if item.line in grades
    ]


def verdict(grade: Grade) -> bool:
    """Return whether the judge passes an output, as a case without a threshold of its own reads it."""
    return grade.passed and grade.score >= DEFAULT_GRADE_THRESHOLD


def _length(item: LabelledOutput) -> int:
    return len(item.output if isinstance(item.output, str) else str(item.output))
