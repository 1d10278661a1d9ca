"""Runs cases on one version of the agent: a call for each distinct `vars`, a result for each case, none lost."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from naoshi.errors import SuiteError
from naoshi.evals.agent_desk import AgentDesk
from naoshi.evals.agent_worker import AgentCall, Clock, utc_now
from naoshi.evals.answer import Answer
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.grading import Graded, Grading
from naoshi.evals.judge import Judge
from naoshi.evals.partial_results import PartialResults
from naoshi.evals.score import SCORER_VERSION, hash_of, require_known
from naoshi.evals.settings import AgentSettings
from naoshi.records.base import canonical_json, content_hash, content_id
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun

_OUR_PYTHON = PythonCode()
_RUN_FIELDS = set(EvalRun.model_fields)


class Call(NamedTuple):
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
    judged_at_a_time: int = 1,
    python: PythonCode = _OUR_PYTHON,
    on_answer: Callable[[Answer], None] | None = None,
    on_result: Callable[[CaseResult], None] | None = None,
    run_id: str | None = None,
    partial_folder: Path | None = None,
    desk: AgentDesk | None = None,
) -> EvalRun:
    """Run *cases* on the agent in the checkout *folder* and return a result for every one of them.

    ``environment`` is what the agent's allow list picks from. ``data_root`` is where documents lie (the settings'
    path inside *folder* when None). ``python`` is how assertions in Python are run. ``judge`` grades rubrics, and may
    be asked for ``judged_at_a_time`` grades at once, each in a thread. The callbacks are called in this thread, as
    answers come: first ``on_answer`` for a call, then ``on_result`` for each case that it decides. Results stand in
    the order of *cases*.

    In ``partial_folder`` results are kept as they come, in ``<run id>.jsonl``. If the run is killed, the next one of
    the same cases, version, settings and *folder* (whose content the caller vouches for) takes up that file: cases
    that it graded are not run again, and the run keeps its identifier. The caller removes the file once the run is
    stored.

    A ``desk`` of just this agent, folder and version may have been opened ahead, so that agents come up early; whoever
    opened it closes it, and it serves one run.

    Raises:
        SuiteError: a case cannot be graded, or two cases have one identifier; nothing was run.
        ConfigError: no command is configured.
        MissingProgramError: the command is not on this machine.
        StoreError: partial results cannot be kept, or another process is doing the same run.
    """
    require_sound(cases)
    started = clock()
    calls, pinned = calls_of(cases), settings_hash(judge)
    at_a_time = min(workers or agent.workers, len(calls))
    with ExitStack() as closing_all:
        desk = desk or closing_all.enter_context(
            AgentDesk.of(
                agent, folder=folder, version=version, environment=environment, data_root=data_root,
                workers=at_a_time, clock=clock,
            )
        )  # fmt: skip
        if partial_folder is None:
            # They come up while the rest is made ready.
            desk.prepare(at_a_time)
        hashes = [hash_of(case) for case in cases]
        run_id = run_id or run_identifier(cases, hashes, suite=suite, version=version, pinned=pinned, started=started)
        partial = None
        if partial_folder is not None:
            settings = [agent.model_dump(mode="json"), str(folder), str(data_root), version, suite, pinned]
            key = content_id("partial", settings, hashes, [case.case_id for case in cases])
            partial = PartialResults.open(partial_folder, key=key, run_id=run_id, now=started)
            closing_all.callback(partial.close)
            run_id, started = partial.run_id, partial.started_at
        grading = Grading(
            cases=cases, hashes=hashes, judge=judge, python=python,
            threads=max(workers or agent.workers, judged_at_a_time), on_graded=desk.ring,
        )  # fmt: skip
        closing_all.callback(grading.close)
        progress = _Progress(cases=cases, partial=partial, on_answer=on_answer, on_result=on_result)
        results = progress.finish(calls, desk, grading)
        desk.hang_up()
    return EvalRun.of_checked(
        _RUN_FIELDS,
        {
            "schema_version": 1,
            "run_id": run_id,
            "suite": suite,
            "version": version,
            "started_at": started,
            "finished_at": clock(),
            "settings_hash": pinned,
            "results": results,
            "commit": "",
            "judge": None,
        },
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


class _Progress:
    """The results of a run as they come, in the order of its cases: kept, and told to whoever asked."""

    def __init__(
        self,
        *,
        cases: Sequence[EvalCase],
        partial: PartialResults | None,
        on_answer: Callable[[Answer], None] | None,
        on_result: Callable[[CaseResult], None] | None,
    ) -> None:
        self._cases = cases
        self._partial = partial
        self._on_answer = on_answer
        self._on_result = on_result
        self._found: list[CaseResult | None] = [None] * len(cases)

    def finish(self, calls: Sequence[Call], desk: AgentDesk, grading: Grading) -> tuple[CaseResult, ...]:
        """Have *desk* answer what is not known yet of *calls*, and return a result for each case."""
        asked = {call.case_id: call for call in calls if not self._is_known(call)}
        requests = (self._request(call) for call in list(asked.values()))
        while asked or not grading.is_quiet:
            for answer in desk.turn(requests if grading.has_room else iter(())):
                if self._on_answer:
                    self._on_answer(answer)
                for place in asked.pop(answer.case_id).cases:
                    self._keep(grading.grade(place, answer))
            self._keep(grading.graded())
        return tuple(result for result in self._found if result is not None)

    def _request(self, call: Call) -> AgentCall:
        return AgentCall(case_id=call.case_id, vars=dict(self._cases[call.cases[0]].vars))

    def _is_known(self, call: Call) -> bool:
        """Take over what an earlier, killed run found of *call*; return whether that is all of it."""
        earlier = [
            self._partial.done.get(self._cases[place].case_id) if self._partial else None for place in call.cases
        ]
        known = [result for result in earlier if result is not None]
        if len(known) < len(call.cases):
            return False
        for place, result in zip(call.cases, known, strict=True):
            self._found[place] = result
            if self._on_result:
                self._on_result(result)
        return True

    def _keep(self, graded: Iterable[Graded]) -> None:
        for place, result in graded:
            self._found[place] = result
            if self._partial is not None:
                self._partial.add(result)
            if self._on_result:
                self._on_result(result)
