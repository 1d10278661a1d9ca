"""One agent that answers calls one after another, started again when it has ended."""

import json
import selectors
import threading
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from naoshi.errors import AgentCrashError, AgentError
from naoshi.evals.agent_process import AgentProcess
from naoshi.evals.agent_program import AgentProgram
from naoshi.evals.answer import Answer, AnswerLine, read_answer

T = TypeVar("T")
Clock = Callable[[], datetime]
Steps = Generator[AgentProcess | None, None, T]
"""Work that yields the agent that it waits for, or None while it waits for something else."""

_NOTHING_SAID = AnswerLine(output=None, artifacts={}, spans=(), error=None)


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class AgentCall(NamedTuple):
    """One request to the agent."""

    case_id: str
    vars: dict[str, JsonValue]

    def line(self) -> bytes:
        """Return the request as the agent reads it."""
        return json.dumps({"case_id": self.case_id, "vars": self.vars}).encode() + b"\n"


class AgentWorker:
    """Has one process of *program* of its own answer calls; *selector* tells of what that process says."""

    def __init__(self, *, program: AgentProgram, selector: selectors.BaseSelector, clock: Clock = utc_now) -> None:
        self._program = program
        self._selector = selector
        self._clock = clock
        self._process: AgentProcess | None = None
        self._is_fresh = False

    def prepare(self) -> AgentProcess:
        """Return the process, started if there is none, as may be done ahead of the first call.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        if self._process is None:
            self._process, self._is_fresh = self._program.start(self._selector), True
        return self._process

    def answering(self, call: AgentCall) -> Steps[Answer]:
        """Return the agent's answer to *call*; what goes wrong with the agent is its ``error``.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        started, begun = self._clock(), time.monotonic()
        line, error = _NOTHING_SAID, None
        try:
            line = yield from self._line(call)
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

    def hang_up(self) -> None:
        """Say to the agent that no call follows."""
        if self._process is not None:
            self._process.hang_up()

    def released(self) -> list[AgentProcess]:
        """Give the process away, for `close_all`; there is one at most."""
        process, self._process = self._process, None
        return [] if process is None else [process]

    def _line(self, call: AgentCall) -> Steps[AnswerLine]:
        self._program.require_life()
        try:
            line = read_answer((yield from self._asked(call)), call.case_id)
        except AgentError:
            yield from self._dropping()
            self._program.count_end()
            raise
        self._program.count_answer()
        return line

    def _asked(self, call: AgentCall) -> Steps[bytes]:
        try:
            return (yield from self._ask(call))
        except AgentCrashError:
            if self._process is None or not self._process.ended_quietly():
                raise
            yield from self._dropping()
            return (yield from self._ask(call))

    def _ask(self, call: AgentCall) -> Steps[bytes]:
        process, settings = self.prepare(), self._program.settings
        seconds = settings.timeout + (settings.start_timeout if self._is_fresh else 0)
        self._is_fresh = False
        return (yield from process.asking(call.line(), seconds=seconds))

    def _dropping(self) -> Steps[None]:
        """End the process by force; that may take half a second, in which other agents are waited for."""
        process = self._process
        if process is None:
            return
        process.forget()
        if process.has_ended():
            process.kill()
        else:
            ending = threading.Thread(target=process.kill)
            ending.start()
            try:
                while ending.is_alive():
                    yield None
            finally:
                ending.join()
        self._process = None
