"""Runs cases on one version of the agent: a call for each distinct `vars`, a result for each case, none lost."""

import json
import queue
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import AgentCrashError, AgentError, ConfigError, SuiteError
from naoshi.evals.agent_process import AgentProcess, agent_environment
from naoshi.evals.answer import Answer, AnswerLine, read_answer
from naoshi.evals.judge import Judge
from naoshi.evals.score import SCORER_VERSION, case_result, require_known, score
from naoshi.evals.settings import AgentSettings
from naoshi.records.base import canonical_json, content_hash, content_id
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState
from naoshi.system.process import command_words

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class _Call:
    """One request to the agent, and the places of the cases that its answer decides."""

    case_id: str
    vars: dict[str, JsonValue]
    cases: tuple[int, ...]

    def line(self) -> bytes:
        return json.dumps({"case_id": self.case_id, "vars": self.vars}).encode() + b"\n"


@dataclass(kw_only=True)
class _Desk:
    """What the workers share: the calls to make, the answers made, and how often the agent died since it last spoke."""

    waiting: "queue.SimpleQueue[_Call]" = field(default_factory=queue.SimpleQueue["_Call"])
    done: "queue.SimpleQueue[tuple[_Call, Answer] | BaseException]" = field(
        default_factory=queue.SimpleQueue["tuple[_Call, Answer] | BaseException"]
    )
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    silent_ends: int = 0

    def count_end(self) -> None:
        with self.lock:
            self.silent_ends += 1

    def count_answer(self) -> None:
        with self.lock:
            self.silent_ends = 0


def run_cases(
    cases: Sequence[EvalCase],
    *,
    agent: AgentSettings,
    folder: Path,
    version: str,
    suite: str,
    environment: Mapping[str, str],
    data_root: Path | None = None,
    workers: int | None = None,
    clock: Clock = utc_now,
    judge: Judge | None = None,
    on_answer: Callable[[Answer], None] | None = None,
    on_result: Callable[[CaseResult], None] | None = None,
    run_id: str | None = None,
) -> EvalRun:
    """Run *cases* on the agent in the checkout *folder* and return a result for every one of them.

    ``environment`` is what the agent's allow list picks from. ``data_root`` is where documents lie (the settings'
    path inside *folder* when None). The callbacks are called in this thread, as answers come: first ``on_answer``
    for a call, then ``on_result`` for each case that it decides. Results stand in the order of *cases*.

    Raises:
        SuiteError: a case cannot be graded, or two cases have one identifier; nothing was run.
        ConfigError: no command is configured.
        MissingProgramError: the command is not on this machine.
    """
    _require_sound(cases)
    started = clock()
    desk, calls = _Desk(), _calls(cases)
    starter = _Starter(agent=agent, folder=folder, version=version, environment=environment, data_root=data_root)
    results: list[CaseResult | None] = [None] * len(cases)
    answering = _answers(calls, starter=starter, desk=desk, workers=workers or agent.workers, clock=clock)
    with closing(answering):
        for call, answer in answering:
            if on_answer:
                on_answer(answer)
            for place in call.cases:
                results[place] = result = _result(cases[place], answer, judge)
                if on_result:
                    on_result(result)
    pinned = settings_hash(judge)
    return EvalRun(
        run_id=run_id or _run_id(cases, suite=suite, version=version, pinned=pinned, started=started),
        suite=suite,
        version=version,
        started_at=started,
        finished_at=clock(),
        settings_hash=pinned,
        results=tuple(result for result in results if result is not None),
    )


def settings_hash(judge: Judge | None = None) -> str:
    """Return the hash of all that makes runs comparable besides the cases: how outputs are graded, and by whom."""
    return content_hash({"runner": "native", "scorer": SCORER_VERSION, "judge": judge.pin if judge else None})


def _run_id(cases: Sequence[EvalCase], *, suite: str, version: str, pinned: str, started: datetime) -> str:
    tested = [[case.case_id, case.content_hash] for case in cases]
    return content_id("run", suite, version, pinned, tested, started.isoformat())


def _require_sound(cases: Sequence[EvalCase]) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.case_id in seen:
            raise SuiteError(f"two cases are called {case.case_id}")
        seen.add(case.case_id)
        require_known(case)


def _calls(cases: Sequence[EvalCase]) -> list[_Call]:
    places: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        places.setdefault(canonical_json(case.vars), []).append(place)
    return [
        _Call(case_id=cases[found[0]].case_id, vars=dict(cases[found[0]].vars), cases=tuple(found))
        for found in places.values()
    ]


def _result(case: EvalCase, answer: Answer, judge: Judge | None) -> CaseResult:
    if answer.error is not None:
        return case_result(
            case,
            ResultState.agent_error,
            output=answer.output,
            reason=answer.error,
            latency_ms=answer.latency_ms,
        )
    return score(case, answer.output, judge=judge, latency_ms=answer.latency_ms)


class _Starter:
    """Starts agent processes, all alike."""

    def __init__(
        self,
        *,
        agent: AgentSettings,
        folder: Path,
        version: str,
        environment: Mapping[str, str],
        data_root: Path | None,
    ) -> None:
        self.agent = agent
        self._folder = folder
        try:
            self._words = command_words(agent.command)
        except ValueError as error:
            raise ConfigError(f"the agent's command cannot be split into words: {error}") from error
        if not self._words:
            raise ConfigError("no command is configured for the agent", hint="set `command` under [agent]")
        self._environment = agent_environment(
            environment,
            version=version,
            data_root=(data_root or folder / agent.data_root).resolve(),
            max_turns=agent.max_turns,
            own=agent.environment,
        )

    def __call__(self, stop: threading.Event) -> AgentProcess:
        return AgentProcess(
            command=self._words,
            folder=self._folder,
            environment=self._environment,
            output_limit=self.agent.output_limit,
            stopping=stop.is_set,
        )


def _answers(
    calls: Sequence[_Call], *, starter: _Starter, desk: _Desk, workers: int, clock: Clock
) -> Generator[tuple[_Call, Answer]]:
    for call in calls:
        desk.waiting.put(call)
    threads = [
        threading.Thread(target=_Worker(starter=starter, desk=desk, clock=clock).serve, daemon=True)
        for _ in range(min(workers, len(calls)))
    ]
    try:
        for thread in threads:
            thread.start()
        for _ in calls:
            outcome = desk.done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
    finally:
        desk.stop.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


class _Worker:
    """Takes calls from the desk and has its own agent process answer them."""

    def __init__(self, *, starter: _Starter, desk: _Desk, clock: Clock) -> None:
        self._starter = starter
        self._desk = desk
        self._clock = clock
        self._process: AgentProcess | None = None

    def serve(self) -> None:
        """Answer calls until none is left or the run is stopped."""
        try:
            while not self._desk.stop.is_set():
                try:
                    call = self._desk.waiting.get_nowait()
                except queue.Empty:
                    return
                self._desk.done.put((call, self._answer(call)))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the run was asked for
            self._desk.done.put(error)
        finally:
            self._drop(politely=True)

    def _answer(self, call: _Call) -> Answer:
        started, begun = self._clock(), time.monotonic()
        line = AnswerLine(output=None, artifacts={}, spans=(), error=None)
        error: str | None = None
        try:
            line = self._line(call)
            error = None if line.error is None else f"the agent says: {line.error}"
        except AgentError as failure:
            error = failure.message
        return Answer(
            case_id=call.case_id,
            vars=call.vars,
            started_at=started,
            ended_at=self._clock(),
            latency_ms=(time.monotonic() - begun) * 1000,
            output=line.output,
            artifacts=line.artifacts,
            spans=line.spans,
            error=error,
        )

    def _line(self, call: _Call) -> AnswerLine:
        most = self._starter.agent.max_restarts
        if self._desk.silent_ends >= most:
            raise AgentCrashError(f"not asked: the agent ended {most} times in a row without an answer")
        try:
            line = read_answer(self._asked(call), call.case_id)
        except AgentError:
            self._drop(politely=False)
            self._desk.count_end()
            raise
        self._desk.count_answer()
        return line

    def _asked(self, call: _Call) -> bytes:
        try:
            return self._ask(call)
        except AgentCrashError:
            if self._process is None or not self._process.ended_quietly():
                raise
            self._drop(politely=False)
            return self._ask(call)

    def _ask(self, call: _Call) -> bytes:
        settings, seconds = self._starter.agent, self._starter.agent.timeout
        if self._process is None:
            self._process = self._starter(self._desk.stop)
            seconds += settings.start_timeout
        return self._process.ask(call.line(), seconds=seconds)

    def _drop(self, *, politely: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if politely:
            process.close()
        else:
            process.kill()
