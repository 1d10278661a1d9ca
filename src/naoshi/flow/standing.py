"""Where things stand: what there is, what waits, and what to do next. Looking changes nothing."""

from collections import deque
from collections.abc import Iterator

from naoshi.flow.case_review import case_questions
from naoshi.flow.certified import CertifiedChange, certified_changes
from naoshi.flow.left_to_people import left_groups
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import runs_by_version
from naoshi.flow.quarantine import SetAside
from naoshi.flow.steps.triage import open_questions
from naoshi.flow.suites import load_cases
from naoshi.records import Cycle, ResultState, TriageClass
from naoshi.records.base import Record
from naoshi.release.ledger import review_figures
from naoshi.release.versions import current_version
from naoshi.triage.question import TriageQuestion


class Standing(Record):
    """What there is, in numbers, what ``waiting`` for a person, and the ``next_step`` in words.

    ``set_aside`` counts the cases without a say in the gate: in quarantine, being fixed, or retired by a person.
    ``passing`` counts the cases that passed in the last run of the version in force, of the ``run_cases`` that it had:
    it holds what people left as it was besides the ``cases`` (None: it was not run).
    ``cycle_state``, ``cycle_stage`` and ``cycle_reasons`` are those of the latest cycle. ``last_change`` names the
    latest change and says what became of it. ``alarms`` say where decisions look like a formality.
    """

    version: str | None
    releases: int
    traces: int
    quarantined: int
    corrections: int
    untriaged: int
    cases: int
    set_aside: int
    passing: int | None
    run_cases: int | None
    cycles: int
    cycle_state: str | None
    cycle_stage: str | None
    cycle_reasons: tuple[str, ...]
    last_change: str | None
    waiting: tuple[str, ...]
    alarms: tuple[str, ...]
    next_step: str


def unanswered_questions(loop: Loop) -> tuple[TriageQuestion, ...]:
    """Return the triage questions that nobody has answered. Nothing is asked by this."""
    line = deque(open_questions(loop))
    unanswered: list[TriageQuestion] = []
    while line:
        question = line.popleft()
        decision = loop.store.decisions.get(question.conversation_id)
        if decision is None:
            unanswered.append(question)
        else:
            line.extendleft(reversed(question.decisions(decision.choice).questions))
    return tuple(unanswered)


def standing(loop: Loop) -> Standing:
    """Return where things stand.

    Raises:
        SuiteError: a suite cannot be read.
    """
    store = loop.store
    version, cases = current_version(store), load_cases(loop)
    name = version.name if version else None
    runs = [run for run in runs_by_version(loop) if run.version == name]
    states = runs[-1].case_counts() if runs else None
    cycles = store.cycles.find()
    questions = unanswered_questions(loop)
    changes = certified_changes(loop)
    triages = store.triages.find()
    return Standing(
        version=name,
        releases=store.releases.count(),
        traces=store.traces.count(),
        quarantined=store.quarantine.count(),
        corrections=store.corrections.count(),
        untriaged=store.corrections.count() - len({item.correction_id for item in triages}),
        cases=len(cases),
        set_aside=len(cases) - len(SetAside.of(loop).deciding(cases)),
        passing=states[ResultState.pass_] if states is not None else None,
        run_cases=sum(states.values()) if states is not None else None,
        cycles=len(cycles),
        cycle_state=cycles[-1].state.value if cycles else None,
        cycle_stage=cycles[-1].stage if cycles else None,
        cycle_reasons=cycles[-1].reasons if cycles else (),
        last_change=_last_change(loop, changes),
        waiting=(*_waiting(questions, changes), *_left(loop), *_flaky(loop)),
        alarms=review_figures(store.reviews.find(), triages=triages, settings=loop.settings.review).alarms,
        next_step=_next_step(loop, cycles[-1] if cycles else None, len(questions), changes),
    )


def _last_change(loop: Loop, certified: tuple[CertifiedChange, ...]) -> str | None:
    """Return the latest change, what became of it, and the branch that keeps it until it is released."""
    changes = loop.store.changes.find()
    if not changes:
        return None
    change = changes[-1]
    urls = [item.url for item in loop.store.proposals.find(change_id=change.change_id) if item.url]
    proposed = f"; pull request {urls[-1]}" if urls else ""
    found = next((item for item in reversed(certified) if item.change.change_id == change.change_id), None)
    if found is None:
        return f"{change.change_id} was not certified (branch {change.branch})"
    if found.release is not None:
        return f"{change.change_id} is released as {found.release.version}{proposed}"
    if found.review is not None:
        return (
            f"{change.change_id} was {found.review.decision.value} by {found.review.reviewer} "
            f"(branch {change.branch}){proposed}"
        )
    said = found.verdict.outcome.value if found.verdict else "not judged yet"
    return f"{change.change_id} is certified; the gate: {said} (branch {change.branch}){proposed}"


def _waiting(questions: tuple[TriageQuestion, ...], changes: tuple[CertifiedChange, ...]) -> Iterator[str]:
    if questions:
        corrections = sum(len(question.bundle.items) for question in questions)
        yield f"{len(questions)} questions about {corrections} corrections: naoshi triage"
    for item in changes[-1:]:
        if item.waits_for_review:
            yield f"change {item.change.change_id} for a review: naoshi review"
        if item.waits_for_release:
            yield f"change {item.change.change_id} for its release: naoshi release"


def _left(loop: Loop) -> Iterator[str]:
    for item in left_groups(loop):
        yield f"{item.name} needs a person after {item.attempts} attempts: naoshi attempts"


def _flaky(loop: Loop) -> Iterator[str]:
    count = len(case_questions(loop))
    if count:
        yield f"{count} flaky cases for a decision: naoshi cases review"


def _next_step(loop: Loop, cycle: Cycle | None, questions: int, changes: tuple[CertifiedChange, ...]) -> str:
    store, settings = loop.store, loop.settings
    latest = changes[-1] if changes else None
    made = {case.provenance.correction_id for case in load_cases(loop)}
    defects = {item.correction_id for item in store.triages.find(decision=TriageClass.defect)}
    steps = (
        (not settings.agent.command, "write the agent's command under [agent] in naoshi.toml"),
        (not store.traces.count(), "bring in traces: naoshi ingest TRACES.jsonl"),
        (not store.corrections.count(), "bring in corrections: naoshi correct CORRECTIONS.csv"),
        (questions > 0, "answer the questions: naoshi triage"),
        (latest is not None and latest.waits_for_release, "release the approved change: naoshi release"),
        (latest is not None and latest.waits_for_review, "decide on the change: naoshi review"),
        (cycle is not None and not cycle.state.ended, "go on with the cycle: naoshi cycle"),
        (not _has_coding_agent(loop), "write the coding agent's command under [repair] in naoshi.toml"),
        (bool(defects - made), "go round once: naoshi cycle"),
        (bool(left_groups(loop)), "look at what needs a person: naoshi attempts"),
    )
    return next(
        (words for applies, words in steps if applies),
        "bring in what the agent did since: naoshi ingest, naoshi correct, then naoshi cycle",
    )


def _has_coding_agent(loop: Loop) -> bool:
    repair = loop.settings.repair
    return bool(repair.command) or repair.agent != "command" or repair.gepa.use
