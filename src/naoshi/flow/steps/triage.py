"""People decide which corrections are defects; nothing untriaged goes on."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from naoshi.flow.asking import ask
from naoshi.flow.loop import Loop
from naoshi.flow.people import Question
from naoshi.flow.steps.ending import waiting
from naoshi.records import Correction, Cycle, Decision, Triage, TriageClass, TriageProposal
from naoshi.release.ledger import enter
from naoshi.triage.bundle import bundle
from naoshi.triage.decide import decide
from naoshi.triage.propose import propose
from naoshi.triage.question import TriageDecision, TriageQuestion, questions


@dataclass(frozen=True, kw_only=True)
class Triaged:
    """What became of the corrections: decisions made now, how many questions that took, and those still open."""

    triages: tuple[Triage, ...]
    asked: int
    open: tuple[TriageQuestion, ...]


def proposals_for(loop: Loop) -> tuple[tuple[Correction, ...], tuple[TriageProposal, ...]]:
    """Return the corrections that nobody has triaged, and what the rules make of each."""
    done = {triage.correction_id for triage in loop.store.triages.find()}
    corrections = loop.store.corrections.find()
    fresh = tuple(item for item in corrections if item.correction_id not in done)
    proposals = propose(
        fresh,
        traces=loop.store.traces.get,
        fields=loop.settings.fields,
        known=[item for item in corrections if item.correction_id in done],
        settings=loop.settings.triage,
        language=loop.settings.language,
    )
    return fresh, proposals


def open_questions(loop: Loop) -> tuple[TriageQuestion, ...]:
    """Return the questions that triage has to ask now, alike corrections in one."""
    fresh, proposals = proposals_for(loop)
    settings = loop.settings.triage
    bundles = bundle(proposals, fresh, size=settings.bundle_size)
    return questions(bundles, language=loop.settings.language, longest_shown=settings.longest_shown)


def triage(loop: Loop) -> Triaged:
    """Ask about every untriaged correction, and keep each decision as it comes, in the store and in the ledger."""
    if loop.believe is not None:
        _, proposals = proposals_for(loop)
        believed = tuple(loop.believe(proposals, loop.clock()))
        loop.store.triages.add_all(believed)
        return Triaged(triages=believed, asked=0, open=())
    waiting_line = deque(open_questions(loop))
    made: list[Triage] = []
    unanswered: list[TriageQuestion] = []
    asked = 0
    while waiting_line:
        question = waiting_line.popleft()
        answer = ask(loop, _question(question))
        if answer is None:
            unanswered.append(question)
            continue
        asked += 1
        outcome = question.decisions(answer.choice)
        waiting_line.extendleft(reversed(outcome.questions))
        made += _keep(loop, answer, outcome.decisions)
    return Triaged(triages=tuple(made), asked=asked, open=tuple(unanswered))


def triage_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Triage what came in; the cycle waits while a question is open."""
    done = triage(loop)
    counted = cycle.model_copy(update=counts_so_far(loop, cycle))
    if done.open:
        corrections = sum(len(question.bundle.items) for question in done.open)
        return waiting(counted, f"{len(done.open)} questions about {corrections} corrections wait for an answer")
    told = f"{counted.corrections} corrections, {counted.not_cases} of them no case, {counted.questions} questions"
    loop.report(f"triage: {told}")
    return counted.model_copy(update={"stage": "signals"})


def counts_so_far(loop: Loop, cycle: Cycle) -> dict[str, int]:
    """Return what people decided since the cycle before, counted from the store: a step done again counts the same."""
    triages = loop.store.triages.find()
    earlier = [item for item in loop.store.cycles.find() if item.number < cycle.number]
    return {
        "corrections": len(triages) - sum(item.corrections for item in earlier),
        "not_cases": sum(item.decision is not TriageClass.defect for item in triages)
        - sum(item.not_cases for item in earlier),
        "overridden": sum(item.overridden for item in triages) - sum(item.overridden for item in earlier),
        "questions": loop.store.decisions.count() - sum(item.questions for item in earlier),
    }


def _question(asked: TriageQuestion) -> Question:
    return Question(
        conversation_id=asked.conversation_id,
        kind="triage",
        text=asked.text,
        labels=asked.labels,
        proposed=asked.proposed,
        subjects=tuple(item.correction_id for item in asked.bundle.items),
    )


def _keep(loop: Loop, answer: Decision, decisions: Sequence[TriageDecision]) -> tuple[Triage, ...]:
    triages = tuple(
        decide(
            item.proposal,
            decision=item.decision,
            cause=item.cause,
            decided_by=answer.actor,
            now=answer.decided_at,
            confirmation_id=answer.confirmation_id,
        )
        for item in decisions
    )
    with loop.store.transaction():
        loop.store.triages.add_all(triages)
        if triages:
            enter(
                loop.store,
                kind="triage",
                subject=answer.decision_id,
                actor=answer.actor,
                now=answer.decided_at,
                payload={item.correction_id: item.decision.value for item in triages},
            )
    return triages
