"""Answers become results: at once where that takes no time, in threads where code or a judge has to be waited for."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from naoshi.evals.answer import Answer
from naoshi.evals.assertion_types import is_graded
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.judge import Judge
from naoshi.evals.score import case_result, score_checked
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, ResultState

_CLOSING_SECONDS = 2.0
_WAITING_PER_THREAD = 8

Graded = tuple[int, CaseResult]
"""The place of a case in its run, and what became of it."""


@dataclass(kw_only=True)
class Grading:
    """Grades answers to *cases*, whose content hashes are *hashes*.

    Cases with assertions that compute or judge are graded by up to *threads* threads, and *on_graded* is called in
    one of them as each is done; all other cases are graded where `grade` is called.
    """

    cases: Sequence[EvalCase]
    hashes: Sequence[str]
    judge: Judge | None
    python: PythonCode
    threads: int
    on_graded: Callable[[], None]
    _work: "queue.SimpleQueue[tuple[int, Answer] | None]" = field(init=False)
    _done: "deque[Graded | BaseException]" = field(default_factory=deque[Graded | BaseException], init=False)
    _hands: list[threading.Thread] = field(default_factory=list[threading.Thread], init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _pending: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._work = queue.SimpleQueue()
        # Code that runs when all is given up ends at once.
        self.python = replace(self.python, stopping=self._stop.is_set)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is being graded."""
        return self._pending == 0

    @property
    def has_room(self) -> bool:
        """Whether more answers should be got for the threads to grade."""
        return self._pending < _WAITING_PER_THREAD * self.threads

    def grade(self, place: int, answer: Answer) -> list[Graded]:
        """Grade the case at *place* by *answer*; nothing is returned where a thread does it."""
        if answer.error is not None or not self._waits(place):
            return [(place, self._result(place, answer))]
        self._pending += 1
        self._work.put((place, answer))
        if len(self._hands) < min(self.threads, self._pending):
            self._hands.append(threading.Thread(target=self._serve, daemon=True))
            self._hands[-1].start()
        return []

    def graded(self) -> list[Graded]:
        """Return what the threads have graded since this was last called; raise what one of them raised."""
        found: list[Graded] = []
        while self._done:
            item = self._done.popleft()
            if isinstance(item, BaseException):
                raise item
            found.append(item)
            self._pending -= 1
        return found

    def close(self) -> None:
        """End the threads. One that waits for a judge is left to its own end, and what it finds is dropped."""
        self._stop.set()
        for _ in self._hands:
            self._work.put(None)
        for hand in self._hands:
            hand.join(_CLOSING_SECONDS)

    def _waits(self, place: int) -> bool:
        """Return whether grading the case at *place* has to wait for code or for a judge."""
        for assertion in self.cases[place].assertions:
            if is_graded(assertion.type):
                return True
        return False

    def _serve(self) -> None:
        while (item := self._work.get()) is not None and not self._stop.is_set():
            place, answer = item
            try:
                self._done.append((place, self._result(place, answer)))
            except BaseException as error:  # noqa: BLE001 - it is raised again where the grades are asked for
                self._done.append(error)
            self.on_graded()

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
