"""Runs cases on one version of the agent: a call for each distinct `vars`, a result for each case, none lost."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.errors import SuiteError
from naoshi.evals.agent_pool import AgentCall, AgentPool, AgentWorker, Clock, utc_now
from naoshi.evals.answer import Answer
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.judge import Judge
from naoshi.evals.partial_results import PartialResults
from naoshi.evals.score import SCORER_VERSION, case_result, hash_of, require_known, score_checked
from naoshi.evals.settings import AgentSettings
from naoshi.records.base import canonical_json, content_hash, content_id
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState

_QUEUE_PER_WORKER = 8
_WAIT_SECONDS = 0.1
_OUR_PYTHON = PythonCode()


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One request to the agent, and the places of the cases that its answer decides."""

    case_id: str
    cases: tuple[int, ...]


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
    python: PythonCode = _OUR_PYTHON,
    on_answer: Callable[[Answer], None] | None = None,
    on_result: Callable[[CaseResult], None] | None = None,
    run_id: str | None = None,
    partial_folder: Path | None = None,
) -> EvalRun:
    """Run *cases* on the agent in the checkout *folder* and return a result for every one of them.

    ``environment`` is what the agent's allow list picks from. ``data_root`` is where documents lie (the settings'
    path inside *folder* when None). ``python`` is how assertions in Python are run. The callbacks are called in this
    thread, as answers come: first ``on_answer`` for a call, then ``on_result`` for each case that it decides. Results
    stand in the order of *cases*.

    In ``partial_folder`` results are kept as they come, in ``<run id>.jsonl``. If the run is killed, the next one of
    the same cases, version, settings and *folder* (whose content the caller vouches for) takes up that file: cases
    that it graded are not run again, and the run keeps its identifier. The caller removes the file once the run is
    stored.

    Raises:
        SuiteError: a case cannot be graded, or two cases have one identifier; nothing was run.
        ConfigError: no command is configured.
        MissingProgramError: the command is not on this machine.
        StoreError: partial results cannot be kept, or another process is doing the same run.
    """
    require_sound(cases)
    started = clock()
    hashes = [hash_of(case) for case in cases]
    pinned = settings_hash(judge)
    run_id = run_id or run_identifier(cases, hashes, suite=suite, version=version, pinned=pinned, started=started)
    pool = AgentPool(
        agent=agent, folder=folder, version=version, environment=environment, data_root=data_root, workers=workers,
        clock=clock,
    )  # fmt: skip
    partial = None
    if partial_folder is not None:
        settings = [agent.model_dump(mode="json"), str(folder), str(data_root), version, suite, pinned]
        key = content_id("partial", settings, hashes, [case.case_id for case in cases])
        partial = PartialResults.open(partial_folder, key=key, run_id=run_id, now=started)
        run_id, started = partial.run_id, partial.started_at
    grade = _Grading(cases=cases, hashes=hashes, judge=judge, python=python, on_answer=on_answer, on_result=on_result)
    try:
        results = grade.results(pool, partial)
    finally:
        if partial is not None:
            partial.close()
    return EvalRun(
        run_id=run_id,
        suite=suite,
        version=version,
        started_at=started,
        finished_at=clock(),
        settings_hash=pinned,
        results=tuple(results),
    )


def settings_hash(judge: Judge | None = None, *, runner: str = "native") -> str:
    """Return the hash of all that makes runs comparable besides the cases: how outputs are graded, and by whom."""
    return content_hash({"runner": runner, "scorer": SCORER_VERSION, "judge": judge.pin if judge else None})


def run_identifier(
    cases: Sequence[EvalCase], hashes: Sequence[str], *, suite: str, version: str, pinned: str, started: datetime
) -> str:
    """Return the identifier of the run of *cases* (with their content *hashes*) that began at *started*."""
    tested = [[case.case_id, digest] for case, digest in zip(cases, hashes, strict=True)]
    return content_id("run", suite, version, pinned, tested, started.isoformat())


def require_sound(cases: Sequence[EvalCase]) -> None:
    """Check that every case can be graded and has an identifier of its own.

    Raises:
        SuiteError: one cannot, or two share one.
    """
    seen: set[str] = set()
    for case in cases:
        if case.case_id in seen:
            raise SuiteError(f"two cases are called {case.case_id}")
        seen.add(case.case_id)
        require_known(case)


def calls_of(cases: Sequence[EvalCase]) -> list[Call]:
    """Return one call for each distinct `vars`, in the order of *cases*."""
    places: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        places.setdefault(canonical_json(case.vars), []).append(place)
    return [Call(case_id=cases[found[0]].case_id, cases=tuple(found)) for found in places.values()]


@dataclass(kw_only=True)
class _Grading:
    """Turns answers into results."""

    cases: Sequence[EvalCase]
    hashes: Sequence[str]
    judge: Judge | None
    python: PythonCode
    on_answer: Callable[[Answer], None] | None
    on_result: Callable[[CaseResult], None] | None

    def results(self, pool: AgentPool, partial: PartialResults | None) -> list[CaseResult]:
        """Return a result for each case, in order."""
        found: list[CaseResult | None] = [None] * len(self.cases)
        calls = list(self._undone(calls_of(self.cases), found, partial))
        with closing(_answers(calls, self.cases, pool)) as answering:
            for call, answer in answering:
                if self.on_answer:
                    self.on_answer(answer)
                for place in call.cases:
                    found[place] = result = self._result(place, answer)
                    if partial is not None:
                        partial.add(result)
                    if self.on_result:
                        self.on_result(result)
        return [result for result in found if result is not None]

    def _undone(
        self, calls: list[Call], found: list[CaseResult | None], partial: PartialResults | None
    ) -> Iterator[Call]:
        for call in calls:
            earlier = [partial.done.get(self.cases[place].case_id) if partial else None for place in call.cases]
            known = [result for result in earlier if result is not None]
            if len(known) < len(call.cases):
                yield call
                continue
            for place, result in zip(call.cases, known, strict=True):
                found[place] = result
                if self.on_result:
                    self.on_result(result)

    def _result(self, place: int, answer: Answer) -> CaseResult:
        case, digest = self.cases[place], self.hashes[place]
        if answer.error is not None:
            return case_result(
                case,
                ResultState.agent_error,
                output=answer.output,
                reason=answer.error,
                latency_ms=answer.latency_ms,
                digest=digest,
            )
        return score_checked(
            case,
            answer.output,
            judge=self.judge,
            latency_ms=answer.latency_ms,
            cost=answer.cost,
            python=self.python,
            digest=digest,
        )


@dataclass(kw_only=True)
class _Desk:
    """What the workers share: the calls to make, and the answers made, of which only so many wait at a time."""

    waiting: Iterator[Call]
    done: "queue.Queue[tuple[Call, Answer] | BaseException]"
    lock: threading.Lock
    stop: threading.Event

    def next_call(self) -> Call | None:
        with self.lock:
            return None if self.stop.is_set() else next(self.waiting, None)

    def put(self, outcome: "tuple[Call, Answer] | BaseException") -> None:
        while not self.stop.is_set():
            try:
                self.done.put(outcome, timeout=_WAIT_SECONDS)
            except queue.Full:
                continue
            return


def _answers(calls: Sequence[Call], cases: Sequence[EvalCase], pool: AgentPool) -> Generator[tuple[Call, Answer]]:
    workers = pool.workers[: len(calls)]
    desk = _Desk(
        waiting=iter(calls),
        done=queue.Queue(maxsize=_QUEUE_PER_WORKER * max(1, len(workers))),
        lock=threading.Lock(),
        stop=threading.Event(),
    )
    threads = [threading.Thread(target=_serve, args=(worker, desk, cases), daemon=True) for worker in workers]
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
        pool.stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _serve(worker: AgentWorker, desk: _Desk, cases: Sequence[EvalCase]) -> None:
    """Answer calls until none is left or the run is stopped."""
    try:
        while (call := desk.next_call()) is not None:
            request = AgentCall(case_id=call.case_id, vars=dict(cases[call.cases[0]].vars))
            desk.put((call, worker.answer(request)))
    except BaseException as error:  # noqa: BLE001 - it is raised again where the run was asked for
        desk.put(error)
    finally:
        worker.close()
