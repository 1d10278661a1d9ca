"""The demo: an agent gets measurably better from corrections, cycle by cycle, with nothing but this machine."""

import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.capture.answer_trace import trace_of_answer
from naoshi.capture.trace_export import trace_to_lines
from naoshi.capture.trace_import import import_traces
from naoshi.demo.generator.write_receipts import write_receipts
from naoshi.demo.people import ScriptedPeople, WrongKind, believing_everything, corrections_of, kept_out
from naoshi.demo.production import Served, serve
from naoshi.demo.receipts import Receipt, read_receipts, score_receipts, set_aside
from naoshi.demo.report.document import CycleRow, DemoReport, HoldoutScore, KeptOut
from naoshi.demo.workspace import DemoWorkspace, furnish, open_workspace
from naoshi.flow.cycle import Workshop, open_workshop
from naoshi.flow.loop import Loop
from naoshi.flow.people import Answer, People, Question
from naoshi.flow.suites import load_cases
from naoshi.flow.versions import present_version
from naoshi.records import Cycle, CycleState, SourceDocument, Trace, Triage, TriageProposal
from naoshi.records.language import Language

_START = datetime(2026, 1, 5, tzinfo=UTC)
_GENERATED = 360


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    """What a demo is started with.

    ``documents`` and ``holdout`` are folders with ``box/*.csv`` and ``key/*.json``; without documents ``generated``
    receipts are made, and without a holdout a third of the documents is set aside by lot. ``noise`` is the share (0–1)
    of wrong corrections, ``deviate`` that of questions in which the scripted people do not follow the proposal.
    """

    workspace: Path
    documents: Path | None = None
    holdout: Path | None = None
    cycles: int = 6
    noise: float = 0.2
    deviate: float = 0.05
    seed: int = 1
    triage: bool = True
    language: Language = "en"
    generated: int = _GENERATED


@dataclass(kw_only=True)
class _TickingClock:
    """Gives the demo's own time: a day for each cycle, a second for each question, the same in every run."""

    now: datetime = _START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def next_day(self) -> None:
        self.now = self.now.replace(hour=9, minute=0, second=0) + timedelta(days=1)


@dataclass(kw_only=True)
class _Seat:
    """Lets each cycle have its own people while the loop knows one."""

    people: People

    def answer(self, question: Question) -> Answer | None:
        return self.people.answer(question)


@dataclass(kw_only=True)
class _Demo:
    settings: DemoSettings
    workspace: DemoWorkspace
    loop: Loop
    workshop: Workshop
    clock: _TickingClock
    seat: _Seat
    holdout: "Holdout"
    people_for: Callable[[int], People]
    wrong: dict[str, WrongKind] = field(default_factory=dict[str, WrongKind])

    def row(self, number: int, cycle: Cycle | None, batch: int, began: float, kept: KeptOut | None) -> CycleRow:
        version, suite = present_version(self.loop).name, load_cases(self.loop)
        return CycleRow(
            cycle=number,
            version=version,
            released=cycle is not None and cycle.state is CycleState.released,
            reason="; ".join(cycle.reasons) if cycle is not None else "",
            holdout=self.holdout.score(version),
            cases=len(suite),
            questions=cycle.questions if cycle is not None else 0,
            overridden=cycle.overridden if cycle is not None else 0,
            corrections=cycle.corrections if cycle is not None else 0,
            refused_corrections=cycle.not_cases if cycle is not None else 0,
            kept_out=kept,
            wrong_cases=sum(case.provenance.correction_id in self.wrong for case in suite),
            seconds=time.monotonic() - began,
        )

    def go_round(self, number: int, batch: Sequence[Receipt]) -> CycleRow:
        """Do one cycle: serve *batch*, have it corrected, and let the loop do the rest."""
        began = time.monotonic()
        self.clock.next_day()
        self.seat.people = self.people_for(number)
        traces = self._serve(number, batch)
        self._correct(batch, traces)
        known = {triage.triage_id for triage in self.loop.store.triages.find()}
        cycle = self.workshop.run_cycle()
        fresh = [triage for triage in self.loop.store.triages.find() if triage.triage_id not in known]
        return self.row(number, cycle, len(batch), began, kept_out(fresh, self.wrong))

    def _serve(self, number: int, batch: Sequence[Receipt]) -> Mapping[str, Trace]:
        version = present_version(self.loop).name
        served = serve(
            self.workspace.agent,
            documents=[receipt.document for receipt in batch],
            data_root=self.workspace.documents,
            version=version,
        )
        file = self.workspace.inbox / f"cycle-{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        now = self.clock()
        recorded = (
            trace_of_answer(
                case_id=name,
                vars={"document": name},
                output=dict(answer.output) if answer.output is not None else None,
                artifacts=dict(answer.artifacts),
                spans=answer.spans,
                agent="receipts",
                version=version,
                started_at=now,
                ended_at=now,
                source=str(file),
            ).trace
            for name, answer in served.items()
        )
        lines = [f"{line}\n" for trace in recorded for line in trace_to_lines(trace)]
        file.write_text("".join(lines), encoding="utf-8")
        import_traces(self.loop.store, [file], now=now)
        traces = self.loop.store.traces.find(agent_version=version)
        return {str(trace.vars.get("document")): trace for trace in traces}

    def _correct(self, batch: Sequence[Receipt], traces: Mapping[str, Trace]) -> None:
        for receipt in batch:
            trace = traces.get(receipt.document)
            if trace is None:
                continue
            work = corrections_of(
                trace.sources[0] if trace.sources else SourceDocument(path=receipt.document, lines=()),
                _fields_of(trace),
                receipt.truth,
                trace_id=trace.trace_id,
                noise=self.settings.noise,
                seed=self.settings.seed,
                now=self.clock(),
            )
            self.loop.store.corrections.add_all(work.corrections)
            self.wrong.update(work.wrong)


@dataclass(kw_only=True)
class Holdout:
    """Documents that are only ever scored, each version once. Nothing of them reaches the loop."""

    folder: Path
    receipts: Sequence[Receipt]
    agent: Path
    known: dict[str, HoldoutScore] = field(default_factory=dict[str, HoldoutScore])

    def score(self, version: str) -> HoldoutScore:
        """Return how the agent, which is at *version* now, does."""
        if version not in self.known:
            self.known[version] = HoldoutScore.of(score_receipts(self._answers(version)))
        return self.known[version]

    def _answers(self, version: str) -> list[tuple[Mapping[str, str | None], Mapping[str, str | None] | None]]:
        documents = [receipt.document for receipt in self.receipts]
        if not documents:
            return []
        served: Mapping[str, Served] = serve(self.agent, documents=documents, data_root=self.folder, version=version)
        return [(receipt.truth, served[receipt.document].output) for receipt in self.receipts]


def run_demo(
    settings: DemoSettings,
    *,
    people_for: Callable[[int], People] | None = None,
    on_row: Callable[[CycleRow], None],
    report: Callable[[str], None],
) -> tuple[CycleRow, ...]:
    """Run the demo in its workspace and return a row for each cycle, the state before the first included.

    *people_for* gives the people of a cycle by its number (scripted ones if None). *on_row* hears of each row as it
    comes, *report* of each thing that happens in between.

    Raises:
        InputError: the documents or the workspace cannot be used.
    """
    rows: list[CycleRow] = []

    def keep(row: CycleRow) -> None:
        rows.append(row)
        on_row(row)

    with _opened(settings, people_for or _scripted(settings), report) as (demo, working):
        keep(demo.row(0, None, 0, time.monotonic(), None))
        for number in range(1, settings.cycles + 1):
            batch = working[number - 1 :: settings.cycles]
            report(f"cycle {number}: {len(batch)} new documents")
            keep(demo.go_round(number, batch))
    return tuple(rows)


def report_of(settings: DemoSettings, rows: Sequence[CycleRow], naive: Sequence[CycleRow] | None) -> DemoReport:
    """Return the demo's document: its rows, and where its files are."""
    workspace = DemoWorkspace(folder=settings.workspace)
    handoffs = sorted((workspace.agent / ".naoshi" / "handoffs").glob("*/codex_handoff.md"), key=os.path.getmtime)
    found = {
        "handoff": handoffs[-1] if handoffs else None,
        "diagnose_suite": workspace.agent / "evals" / "diagnose.yaml",
        "validate_suite": workspace.agent / "evals" / "validate.yaml",
        "agent": workspace.agent,
        "report": settings.workspace / "report.html",
    }
    return DemoReport(
        cycles=tuple(rows),
        naive=tuple(naive) if naive is not None else None,
        artifacts={name: str(path) for name, path in found.items() if path is not None},
        settings={
            "documents": str(settings.documents) if settings.documents else "generated",
            "noise": settings.noise,
            "deviate": settings.deviate,
            "cycles": settings.cycles,
            "seed": settings.seed,
            "triage": settings.triage,
        },
        language=settings.language,
    )


def _scripted(settings: DemoSettings) -> Callable[[int], People]:
    return lambda number: ScriptedPeople(
        seed=settings.seed, deviate=settings.deviate, turn=number, language=settings.language
    )


@dataclass(frozen=True, kw_only=True)
class _Sources:
    """The receipts to work on and those to hold out, and the folders that they lie in."""

    folder: Path
    working: Sequence[Receipt]
    held_folder: Path
    held: Sequence[Receipt]


def _sources(settings: DemoSettings) -> tuple[DemoWorkspace, _Sources]:
    """Return the emptied workspace and the receipts; what was asked for is looked at before anything is emptied."""
    given = read_receipts(settings.documents) if settings.documents is not None else None
    held = read_receipts(settings.holdout) if settings.holdout is not None else None
    workspace = open_workspace(settings.workspace)
    folder = settings.documents or workspace.folder / "receipts"
    receipts = given or write_receipts(folder, count=settings.generated, seed=settings.seed)
    working, aside = set_aside(receipts, seed=settings.seed, share=1 / 3 if held is None else 0.0)
    return workspace, _Sources(
        folder=folder,
        working=working,
        held_folder=settings.holdout or folder,
        held=aside if held is None else held,
    )


@contextmanager
def _opened(
    settings: DemoSettings, people_for: Callable[[int], People], report: Callable[[str], None]
) -> Generator[tuple[_Demo, Sequence[Receipt]]]:
    clock = _TickingClock()
    workspace, sources = _sources(settings)
    furnish(
        workspace,
        source=sources.folder,
        working=sources.working,
        language=settings.language,
        believe=not settings.triage,
        now=clock(),
    )
    seat = _Seat(people=people_for(0))
    believe = None if settings.triage else _believe
    with (
        open_loop(workspace.agent, people=seat, report=report, clock=clock, believe=believe) as loop,
        open_workshop(loop) as workshop,
    ):
        holdout = Holdout(folder=sources.held_folder, receipts=sources.held, agent=workspace.agent)
        demo = _Demo(
            settings=settings,
            workspace=workspace,
            loop=loop,
            workshop=workshop,
            clock=clock,
            seat=seat,
            holdout=holdout,
            people_for=people_for,
        )
        yield demo, sources.working


def _believe(proposals: Sequence[TriageProposal], now: datetime) -> Sequence[Triage]:
    return believing_everything(proposals, now=now)


def _fields_of(trace: Trace) -> Mapping[str, str | None] | None:
    output = trace.output
    if not isinstance(output, dict):
        return None
    return {name: value if isinstance(value, str) else None for name, value in output.items()}
