"""Agent processes, all alike, each answering one request at a time."""

import json
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import AgentCrashError, AgentError, ConfigError
from naoshi.evals.agent_process import AgentProcess, agent_environment
from naoshi.evals.answer import Answer, AnswerLine, read_answer
from naoshi.evals.settings import AgentSettings
from naoshi.system.process import command_words

Clock = Callable[[], datetime]
_NOTHING_SAID = AnswerLine(output=None, artifacts={}, spans=(), error=None)


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class AgentCall:
    """One request to the agent."""

    case_id: str
    vars: dict[str, JsonValue]

    def line(self) -> bytes:
        """Return the request as the agent reads it."""
        return json.dumps({"case_id": self.case_id, "vars": self.vars}).encode() + b"\n"


@dataclass(kw_only=True)
class _Fate:
    """What the workers share: whether to stop, and how often the agent died since it last spoke."""

    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    silent_ends: int = 0

    def count_end(self) -> None:
        with self.lock:
            self.silent_ends += 1

    def count_answer(self) -> None:
        if self.silent_ends:
            with self.lock:
                self.silent_ends = 0


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
        """Make ready to run *agent* in the checkout *folder*, up to *workers* of it at a time.

        ``environment`` is what the agent's allow list picks from. ``data_root`` is where documents lie (the settings'
        path inside *folder* when None).

        Raises:
            ConfigError: no command is configured.
        """
        self._agent = agent
        self._folder = folder
        self._words = _words(agent)
        self._environment = agent_environment(
            environment,
            version=version,
            data_root=(data_root or folder / agent.data_root).resolve(),
            max_turns=agent.max_turns,
            own=agent.environment,
        )
        self._fate = _Fate()
        self.workers = [AgentWorker(pool=self, fate=self._fate, clock=clock) for _ in range(workers or agent.workers)]
        self._idle: queue.LifoQueue[AgentWorker] = queue.LifoQueue()
        for worker in self.workers:
            self._idle.put(worker)

    @property
    def settings(self) -> AgentSettings:
        """The settings that the agents are run with."""
        return self._agent

    def start(self) -> AgentProcess:
        """Start one more agent.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        return AgentProcess(
            command=self._words,
            folder=self._folder,
            environment=self._environment,
            output_limit=self._agent.output_limit,
            stopping=self._fate.stop.is_set,
        )

    def answer(self, call: AgentCall) -> Answer:
        """Have an idle agent answer *call*; wait for one where all are busy. Any thread may ask."""
        worker = self._idle.get()
        try:
            return worker.answer(call)
        finally:
            self._idle.put(worker)

    def stop(self) -> None:
        """Have agents that are at work give up."""
        self._fate.stop.set()

    def close(self) -> None:
        """End every agent. No worker may be at work."""
        self.stop()
        for worker in self.workers:
            worker.close()


class AgentWorker:
    """Has one agent process of its own answer calls, one after another."""

    def __init__(self, *, pool: AgentPool, fate: _Fate, clock: Clock) -> None:
        self._pool = pool
        self._fate = fate
        self._clock = clock
        self._process: AgentProcess | None = None

    def answer(self, call: AgentCall) -> Answer:
        """Return the agent's answer to *call*; what goes wrong with the agent is its ``error``.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        started, begun = self._clock(), time.monotonic()
        line, error = _NOTHING_SAID, None
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
            cost=line.cost,
            error=error,
        )

    def close(self) -> None:
        """End the agent by the end of its input, then by force."""
        self._drop(politely=True)

    def _line(self, call: AgentCall) -> AnswerLine:
        most = self._pool.settings.max_restarts
        if self._fate.silent_ends >= most:
            raise AgentCrashError(f"not asked: the agent ended {most} times in a row without an answer")
        try:
            line = read_answer(self._asked(call), call.case_id)
        except AgentError:
            self._drop(politely=False)
            self._fate.count_end()
            raise
        self._fate.count_answer()
        return line

    def _asked(self, call: AgentCall) -> bytes:
        try:
            return self._ask(call)
        except AgentCrashError:
            if self._process is None or not self._process.ended_quietly():
                raise
            self._drop(politely=False)
            return self._ask(call)

    def _ask(self, call: AgentCall) -> bytes:
        seconds = self._pool.settings.timeout
        if self._process is None:
            self._process = self._pool.start()
            seconds += self._pool.settings.start_timeout
        return self._process.ask(call.line(), seconds=seconds)

    def _drop(self, *, politely: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if politely:
            process.close()
        else:
            process.kill()


def _words(agent: AgentSettings) -> list[str]:
    try:
        words = command_words(agent.command)
    except ValueError as error:
        raise ConfigError(f"the agent's command cannot be split into words: {error}") from error
    if not words:
        raise ConfigError("no command is configured for the agent", hint="set `command` under [agent]")
    return words
