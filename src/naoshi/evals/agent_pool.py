"""Agent processes, all alike, that answer whoever asks in whatever thread."""

import queue
import selectors
import time
from collections.abc import Mapping
from pathlib import Path

from naoshi.evals.agent_process import TICK_SECONDS, close_all, take_in
from naoshi.evals.agent_program import AgentProgram
from naoshi.evals.agent_worker import AgentCall, AgentWorker, Clock, utc_now
from naoshi.evals.answer import Answer
from naoshi.evals.settings import AgentSettings


class AgentPool:
    """Starts agents on demand, and ends them all on `close`."""

    def __init__(
        self,
        *,
        agent: AgentSettings,
        folder: Path,
        version: str,
        environment: Mapping[str, str],
        data_root: Path | None = None,
        workers: int | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """Make ready to run *agent* in *folder* as `AgentProgram` does, up to *workers* of it at a time.

        Raises:
            ConfigError: no command is configured.
        """
        self._program = AgentProgram(
            settings=agent, folder=folder, version=version, environment=environment, data_root=data_root
        )
        self._seats: list[tuple[AgentWorker, selectors.BaseSelector]] = []
        self._idle: queue.LifoQueue[tuple[AgentWorker, selectors.BaseSelector]] = queue.LifoQueue()
        for _ in range(workers or agent.workers):
            selector = selectors.DefaultSelector()
            self._seats.append((AgentWorker(program=self._program, selector=selector, clock=clock), selector))
            self._idle.put(self._seats[-1])

    def answer(self, call: AgentCall) -> Answer:
        """Have an idle agent answer *call*; wait for one where all are busy. Any thread may ask.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        worker, selector = seat = self._idle.get()
        try:
            steps = worker.answering(call)
            while True:
                if next(steps) is None:
                    time.sleep(TICK_SECONDS)
                else:
                    take_in(selector, seconds=TICK_SECONDS)
        except StopIteration as told:
            return told.value
        finally:
            self._idle.put(seat)

    def stop(self) -> None:
        """Have agents that are at work give up."""
        self._program.stop()

    def close(self) -> None:
        """End every agent. Nobody may be asking any more."""
        self.stop()
        close_all([process for worker, _ in self._seats for process in worker.released()])
        for _, selector in self._seats:
            selector.close()
