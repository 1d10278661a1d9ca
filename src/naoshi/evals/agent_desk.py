"""Many calls answered by several agents at the same time, all in the thread of the one who asks."""

import os
import selectors
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from naoshi.evals.agent_process import TICK_SECONDS, AgentProcess, close_all
from naoshi.evals.agent_program import AgentProgram
from naoshi.evals.agent_worker import AgentCall, AgentWorker, Clock, Steps, utc_now
from naoshi.evals.answer import Answer
from naoshi.evals.settings import AgentSettings

_FOUND_AT_ONCE = 256
_ENOUGH = 32
_RINGS_AT_ONCE = 4096


class AgentDesk:
    """Has *workers* processes of *program* answer calls, in turns: each gets its next call when it is free.

    A context manager that ends them all. One thread for all of them costs a third of what a thread for each does,
    since no answer changes hands.
    """

    def __init__(self, *, program: AgentProgram, workers: int, clock: Clock = utc_now) -> None:
        self._program = program
        self._selector = selectors.DefaultSelector()
        self._workers = [AgentWorker(program=program, selector=self._selector, clock=clock) for _ in range(workers)]
        self._idle = list(reversed(self._workers))
        self._at_work: dict[AgentWorker, Steps[Answer]] = {}
        self._waits: dict[AgentWorker, AgentProcess | None] = {}
        self._found: list[Answer] = []
        self._looked = time.monotonic()
        self._bell, self._rope = os.pipe()
        for end in (self._bell, self._rope):
            os.set_blocking(end, False)
        self._selector.register(self._bell, selectors.EVENT_READ, None)

    @classmethod
    def of(
        cls,
        agent: AgentSettings,
        *,
        folder: Path,
        version: str,
        environment: Mapping[str, str],
        data_root: Path | None = None,
        workers: int | None = None,
        clock: Clock = utc_now,
    ) -> Self:
        """Return the desk of *agent* in *folder* as `AgentProgram` runs it, by up to *workers* of it at a time.

        Raises:
            ConfigError: no command is configured.
        """
        program = AgentProgram(
            settings=agent, folder=folder, version=version, environment=environment, data_root=data_root
        )
        return cls(program=program, workers=agent.workers if workers is None else workers, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prepare(self, count: int) -> None:
        """Start the first *count* agents ahead of the first turn, so that they are up when it comes.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        for worker in self._workers[:count]:
            worker.prepare()

    def turn(self, calls: Iterator[AgentCall]) -> list[Answer]:
        """Ask what comes of *calls* where an agent is free, wait a moment at most, and return the answers so far.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        self._ask(calls)
        if not self._found:
            self._listen(TICK_SECONDS)
            # They go on while what they said is graded.
            self._ask(calls)
            # What is there already is taken too: to go to and fro between asking and grading costs more than either.
            while 0 < len(self._found) < _ENOUGH and self._listen(0):
                self._ask(calls)
        found, self._found = self._found, []
        return found

    def ring(self) -> None:
        """Have the turn that is waiting end now. Any thread may ring."""
        with suppress(OSError):
            os.write(self._rope, b"!")

    def hang_up(self) -> None:
        """Say to every agent that no call follows, so that it ends while other work goes on."""
        for worker in self._workers:
            worker.hang_up()

    def close(self) -> None:
        """End every agent, whatever it is doing."""
        self._program.stop()
        for steps in self._at_work.values():
            steps.close()
        close_all([process for worker in self._workers for process in worker.released()])
        self._selector.close()
        os.close(self._bell)
        os.close(self._rope)

    def _ask(self, calls: Iterator[AgentCall]) -> None:
        while self._idle and len(self._found) < _FOUND_AT_ONCE:
            call = next(calls, None)
            if call is None:
                return
            worker = self._idle.pop()
            self._at_work[worker] = worker.answering(call)
            self._go_on(worker)

    def _listen(self, seconds: float) -> bool:
        """Wait at most *seconds* and take in what agents say; return whether one spoke."""
        spoke: set[AgentProcess] = set()
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                os.read(key.fd, _RINGS_AT_ONCE)
                continue
            key.data.take_in(key.fd)
            spoke.add(key.data)
        now = time.monotonic()
        is_time = now - self._looked >= TICK_SECONDS
        if is_time:
            self._looked = now
        for worker in list(self._at_work):
            if is_time or self._waits.get(worker) in spoke:
                self._go_on(worker)
        return bool(spoke)

    def _go_on(self, worker: AgentWorker) -> None:
        try:
            self._waits[worker] = next(self._at_work[worker])
        except StopIteration as told:
            del self._at_work[worker]
            self._waits.pop(worker, None)
            self._idle.append(worker)
            self._found.append(told.value)
