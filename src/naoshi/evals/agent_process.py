"""One running agent: a line of JSON in, a line of JSON out, bounded in time and in output. It never blocks."""

import os
import re
import secrets
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import cast

from naoshi.errors import AgentCrashError, AgentProtocolError, AgentTimeoutError
from naoshi.evals.strays import MARK, end_strays
from naoshi.system.process import end, start

TICK_SECONDS = 0.05
"""How long an agent may be left alone: its end without a word, and the end of its time, are noticed that late."""

_CLOSING_SECONDS = 1.0
_CHUNK_BYTES = 65536
_STDERR_KEPT_BYTES = 8192
_PASSED_ON = frozenset({"PATH", "HOME", "LANG", "TMPDIR", "TZ"})
_PASSED_ON_PREFIXES = ("LC_", "PYTHON")


def agent_environment(
    inherited: Mapping[str, str], *, version: str, data_root: Path, max_turns: int, own: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of the agent: an allow list of *inherited*, what the contract names, and *own*.

    Nothing else of ours reaches it, so that no secret does. Python's output is unbuffered (a line that waits in a
    buffer looks like an agent that hangs), and it writes no bytecode (a stale one would run another version's code).
    """
    passed = {
        name: value for name, value in inherited.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }
    return {
        **passed,
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **own,
        "NAOSHI_AGENT_VERSION": version,
        "NAOSHI_DATA_ROOT": str(data_root),
        "NAOSHI_MAX_TURNS": str(max_turns),
    }


class AgentProcess:
    """A started agent. `asking` it is done in steps, so that one thread can ask many; `close_all` whatever happens.

    ``selector`` is what tells of its words: to each event of it goes `take_in`. Nothing that the agent started outlives
    it. What it starts carries its ``token`` in the environment.
    """

    def __init__(
        self,
        *,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        output_limit: int,
        selector: selectors.BaseSelector,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start *command* in *folder*.

        Raises:
            MissingProgramError: the program is not on this machine.
        """
        self.token = secrets.token_hex(16)
        self._limit = output_limit
        self._stopping = stopping
        self._received = bytearray()
        self._pending = memoryview(b"")
        self._answered = 0
        self._heard = self._output_ended = self._waits_for_room = self._hung_up = False
        self._stderr = bytearray()
        self._process: subprocess.Popen[bytes] = start(
            command,
            folder=folder,
            environment={**environment, MARK: self.token},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._selector = selector
        stdin, stdout = self._process.stdin, self._process.stdout
        self._input = -1 if stdin is None else stdin.fileno()
        self._output = -1 if stdout is None else stdout.fileno()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, self)

    def asking(self, request: bytes, *, seconds: float) -> Generator["AgentProcess", None, bytes]:
        """Send *request* (one line) and return the next line that is not blank.

        It yields itself where it has to wait: until it has taken something in, or `TICK_SECONDS` have gone by.

        Raises:
            AgentCrashError: the agent ended, or closed its output.
            AgentTimeoutError: no line came within *seconds*.
            AgentProtocolError: it printed more than the limit.
        """
        deadline = time.monotonic() + seconds
        self._pending = memoryview(request)
        self._heard = True
        self._send()
        while (line := self._next_line()) is None:
            self._check(deadline, seconds)
            self._heard = False
            yield self
        self._answered += 1
        return line

    def take_in(self, stream: int) -> None:
        """Send or receive what can be on the descriptor *stream*, one that the selector told of."""
        self._heard = True
        if stream == self._input:
            self._send()
        else:
            self._receive(stream, is_output=stream == self._output)

    def has_ended(self) -> bool:
        """Return whether the program has ended."""
        return self._process.poll() is not None

    def ended_quietly(self) -> bool:
        """Return whether the agent answered before, then ended with status 0 (one that serves a single request)."""
        return self._answered > 0 and self._process.poll() == 0 and not self._received.strip()

    def hang_up(self) -> None:
        """Say that no request follows, which most agents end at."""
        self.forget()
        self._hung_up = True
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except OSError:
                self._process.kill()

    def forget(self) -> None:
        """Have the selector tell no more of this agent."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None and not stream.closed:
                self._unregister(stream.fileno())
        self._waits_for_room = False

    def kill(self) -> None:
        """End the agent by force, with all that it started."""
        self.end_group()
        end_strays([self.token])

    def end_group(self) -> None:
        """End the agent and its process group, the agent by the end of its input if it takes that in time."""
        self.forget()
        if self._hung_up:
            self._wait(_CLOSING_SECONDS)
        end(self._process)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def _check(self, deadline: float, seconds: float) -> None:
        """See that there is an agent to wait for.

        Raises:
            AgentCrashError: there is none any more.
            AgentTimeoutError: it has no time left.
        """
        if self._output_ended or (not self._heard and self.has_ended()):
            self._crashed()
        if time.monotonic() > deadline or self._stopping():
            raise AgentTimeoutError(f"no answer within {seconds:g} s{self._last_words()}")

    def _send(self) -> None:
        stdin = self._process.stdin
        if self._pending and stdin is not None:
            try:
                self._pending = self._pending[os.write(stdin.fileno(), self._pending[:_CHUNK_BYTES]) :]
            except BlockingIOError:
                pass
            except OSError:
                # It does not read any more; how it ended shows when its output ends.
                self._pending = memoryview(b"")
        wanted = bool(self._pending)
        if stdin is None or wanted == self._waits_for_room:
            return
        self._waits_for_room = wanted
        if wanted:
            self._selector.register(stdin, selectors.EVENT_WRITE, self)
        else:
            self._unregister(stdin.fileno())

    def _receive(self, stream: int, *, is_output: bool) -> None:
        try:
            data = os.read(stream, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._unregister(stream)
            if is_output:
                self._output_ended = True
                self._received += b"\n"
        elif is_output:
            self._received += data
            if len(self._received) > self._limit:
                self._unregister(stream)
        else:
            self._stderr = (self._stderr + data)[-_STDERR_KEPT_BYTES:]

    def _unregister(self, stream: int) -> None:
        if stream in self._selector.get_map():
            self._selector.unregister(stream)

    def _next_line(self) -> bytes | None:
        if len(self._received) > self._limit:
            raise AgentProtocolError(f"the agent printed more than {self._limit} bytes for one answer")
        while (place := self._received.find(b"\n")) >= 0:
            line = bytes(self._received[:place]).strip()
            del self._received[: place + 1]
            if line:
                return line
        return None

    def _crashed(self) -> None:
        """Say how the agent ended.

        Raises:
            AgentCrashError: always.
        """
        self._wait(TICK_SECONDS)
        self._drain_stderr()
        status = self._process.poll()
        how = "closed its output" if status is None else f"ended with status {status}"
        raise AgentCrashError(f"the agent {how} before it had answered{self._last_words()}")

    def _drain_stderr(self) -> None:
        stream = self._process.stderr
        if stream is None or stream.closed:
            return
        try:
            while data := os.read(stream.fileno(), _CHUNK_BYTES):
                self._stderr = (self._stderr + data)[-_STDERR_KEPT_BYTES:]
        except OSError:
            return

    def _last_words(self) -> str:
        lines = self._stderr.decode("utf-8", "replace").strip().splitlines()
        told = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", lines[-1]).split()) if lines else ""
        return f": {told[:300]}" if told else ""

    def _wait(self, seconds: float) -> None:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return


def close_all(agents: Sequence[AgentProcess]) -> None:
    """End *agents*: first by the end of their input, then by force, with all that they started.

    Each may take a second, so that they are ended at the same time.
    """
    for agent in agents:
        agent.hang_up()
    threads = [threading.Thread(target=agent.end_group) for agent in agents[1:]]
    for thread in threads:
        thread.start()
    for agent in agents[:1]:
        agent.end_group()
    for thread in threads:
        thread.join()
    end_strays([agent.token for agent in agents])


def take_in(selector: selectors.BaseSelector, *, seconds: float) -> list[AgentProcess]:
    """Wait at most *seconds* for what *selector* tells of, let the agents concerned take it in, and return them."""
    heard: list[AgentProcess] = []
    for key, _ in selector.select(seconds):
        agent = cast("AgentProcess", key.data)
        agent.take_in(key.fd)
        heard.append(agent)
    return heard
