"""Measuring a judge: it grades what people have graded, and the two are held against each other."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from naoshi.errors import JudgeError
from naoshi.evals.judge import Grade
from naoshi.evals.judging.agreement import Graded, kappa, rate
from naoshi.evals.judging.family import families_of
from naoshi.evals.judging.labels import LabelledOutput, Labels
from naoshi.evals.judging.model_judge import ModelJudge
from naoshi.evals.judging.probes import (
    LENGTH,
    POSITION,
    REPEAT,
    Regraded,
    graded_as,
    long_outputs_probe,
    padded,
    regraded_probe,
    self_preference_probe,
)
from naoshi.evals.judging.prompt import Order
from naoshi.evals.judging.told import told
from naoshi.records.base import content_id
from naoshi.records.calibration import Calibration, Estimate, Probe

Tell = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class _Question:
    """One grade to ask for: of the output of ``item``, as it is or as the probe ``name`` changes it."""

    name: str
    item: LabelledOutput
    output: JsonValue
    order: Order = Order.rule_first


def calibrate(
    judge: ModelJudge, labels: Labels, *, now: datetime, probes: bool = True, tell: Tell = lambda done, total: None
) -> Calibration:
    """Return how *judge* agrees with *labels*, after it graded each output once, or up to four times with *probes*.

    Outputs on which two people disagree have no truth: they are counted, graded for the probes, and left out of the
    rates. Outputs without a grade are counted as errors and in no rate. *tell* is told how many grades of how many
    are there.

    Raises:
        JudgeError: the judge gave no grade at all; the message is that of the first.
    """
    questions = [_Question(name="", item=item, output=item.output) for item in labels.outputs]
    if probes:
        questions += _probing(labels.outputs)
    found, first_error = _asked(judge, questions, tell)
    grades = {item.line: grade for item in labels.outputs if (grade := found.get(("", item.line))) is not None}
    if not grades and first_error is not None:
        raise first_error
    settled = [item for item in labels.outputs if not item.disputed]
    pairs = graded_as(settled, grades)
    families, _ = families_of([judge.settings.model], said=judge.settings.family)
    took = judge.record()
    return Calibration(
        calibration_id=content_id("calibration", judge.pin, labels.digest, now.isoformat()),
        pin=judge.pin,
        model=took.model,
        provider=took.provider,
        rubric_version=took.rubric_version,
        families=tuple(sorted(families)),
        measured_at=now,
        labels_hash=labels.digest,
        labels=len(labels.outputs),
        disputed=len(labels.outputs) - len(settled),
        errors=sum(item.line not in grades for item in settled),
        passed_by_people=sum(pair.truth for pair in pairs),
        passed_by_judge=sum(pair.said for pair in pairs),
        true_passes=_share_passed(pairs, truth=True),
        false_passes=_share_passed(pairs, truth=False),
        kappa=kappa(pairs),
        people_kappa=_people_kappa(labels.outputs),
        probes=_probed(labels.outputs, grades, found, families) if probes else (),
        requests=took.requests,
        input_tokens=took.input_tokens,
        output_tokens=took.output_tokens,
        cost=took.cost,
    )


def _probing(outputs: Sequence[LabelledOutput]) -> list[_Question]:
    again = [_Question(name=REPEAT, item=item, output=item.output) for item in outputs]
    turned = [_Question(name=POSITION, item=item, output=item.output, order=Order.output_first) for item in outputs]
    longer = [
        _Question(name=LENGTH, item=item, output=text) for item in outputs if (text := padded(item.output)) is not None
    ]
    return [*again, *turned, *longer]


def _asked(
    judge: ModelJudge, questions: Sequence[_Question], tell: Tell
) -> tuple[dict[tuple[str, int], Grade], JudgeError | None]:
    """Return the grades by the probe's name ("" for the plain question) and line, and the first error."""

    def ask(question: _Question) -> Grade | JudgeError:
        item = question.item
        try:
            return judge.grade(rubric=item.rubric, output=question.output, vars=item.vars, order=question.order)
        except JudgeError as error:
            return error

    found: dict[tuple[str, int], Grade] = {}
    first: JudgeError | None = None
    pool = ThreadPoolExecutor(max_workers=judge.workers, thread_name_prefix="naoshi-calibrate")
    try:
        for done, (question, grade) in enumerate(zip(questions, pool.map(ask, questions), strict=True), start=1):
            if isinstance(grade, JudgeError):
                first = first or grade
            else:
                found[(question.name, question.item.line)] = grade
            tell(done, len(questions))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return found, first


def _share_passed(pairs: Sequence[Graded], *, truth: bool) -> Estimate:
    asked = [pair for pair in pairs if pair.truth is truth]
    return rate([pair.said for pair in asked], [pair.source for pair in asked])


def _people_kappa(outputs: Sequence[LabelledOutput]) -> Estimate | None:
    pairs = [
        Graded(truth=item.passes, said=item.second, source=item.source) for item in outputs if item.second is not None
    ]
    return kappa(pairs) if pairs else None


def _probed(
    outputs: Sequence[LabelledOutput],
    grades: Mapping[int, Grade],
    found: Mapping[tuple[str, int], Grade],
    families: frozenset[str],
) -> tuple[Probe, ...]:
    settled = [item for item in outputs if not item.disputed]
    return (
        regraded_probe(REPEAT, _both(REPEAT, outputs, found)),
        regraded_probe(POSITION, _both(POSITION, outputs, found)),
        regraded_probe(LENGTH, _both(LENGTH, outputs, found), skipped=told("no_text")),
        long_outputs_probe(settled, grades),
        self_preference_probe(settled, grades, families),
    )


def _both(name: str, outputs: Sequence[LabelledOutput], found: Mapping[tuple[str, int], Grade]) -> list[Regraded]:
    return [
        Regraded(plain=plain, changed=changed, source=item.source)
        for item in outputs
        if (plain := found.get(("", item.line))) is not None and (changed := found.get((name, item.line))) is not None
    ]
