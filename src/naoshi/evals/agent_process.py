"""One running agent: a line of JSON in, a line of JSON out, bounded in time and in output."""

import os
import re
import secrets
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from naoshi.errors import AgentCrashError, AgentProtocolError, AgentTimeoutError
from naoshi.evals.strays import MARK, end_strays
from naoshi.system.process import end, start

_TICK_SECONDS = 0.05
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
    """A started agent. `ask` it, and `close` it whatever happens; nothing that it started outlives that."""

    def __init__(
        self,
        *,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        output_limit: int,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start *command* in *folder*.

        Raises:
            MissingProgramError: the program is not on this machine.
        """
        self._token = secrets.token_hex(16)
        self._limit = output_limit
        self._stopping = stopping
        self._received = bytearray()
        self._answered = 0
        self._waits_for_room = False
        self._stderr = bytearray()
        self._process: subprocess.Popen[bytes] = start(
            command,
            folder=folder,
            environment={**environment, MARK: self._token},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._selector = selectors.DefaultSelector()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                self._selector.register(stream, selectors.EVENT_READ, stream is self._process.stdout)

    def ask(self, request: bytes, *, seconds: float) -> bytes:
        """Send *request* (one line) and return the next line that is not blank.

        Raises:
            AgentCrashError: the agent ended, or closed its output.
            AgentTimeoutError: no line came within *seconds*.
            AgentProtocolError: it printed more than the limit.
        """
        deadline = time.monotonic() + seconds
        pending = memoryview(request)
        while (line := self._next_line()) is None:
            if time.monotonic() > deadline or self._stopping():
                raise AgentTimeoutError(f"no answer within {seconds:g} s{self._last_words()}")
            pending = self._exchange(pending)
        self._answered += 1
        return line

    def ended_quietly(self) -> bool:
        """Return whether the agent answered before, then ended with status 0 (one that serves a single request)."""
        return self._answered > 0 and self._process.poll() == 0 and not self._received

    def close(self) -> None:
        """End the agent: first by the end of its input, then by force, with all that it started."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except OSError:
                self._process.kill()
        self._wait(_CLOSING_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the agent by force, with all that it started."""
        end(self._process)
        end_strays(self._token)
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def _exchange(self, pending: memoryview) -> memoryview:
        """Send and receive what can be without blocking; return what is still to be sent."""
        pending = self._send(pending)
        self._wait_for_room(bool(pending))
        heard = False
        for key, _ in self._selector.select(_TICK_SECONDS):
            heard = True
            if key.data is not None:
                self._receive(key.fd, is_output=key.data)
        if not heard and self._process.poll() is not None:
            self._crashed()
        return pending

    def _wait_for_room(self, wanted: bool) -> None:
        stdin = self._process.stdin
        if stdin is None or wanted == self._waits_for_room:
            return
        self._waits_for_room = wanted
        if wanted:
            self._selector.register(stdin, selectors.EVENT_WRITE, None)
        else:
            self._selector.unregister(stdin)

    def _send(self, pending: memoryview) -> memoryview:
        if not pending or self._process.stdin is None:
            return pending
        try:
            return pending[os.write(self._process.stdin.fileno(), pending[:_CHUNK_BYTES]) :]
        except BlockingIOError:
            return pending
        except OSError:
            # It does not read any more; how it ended shows when its output ends.
            return memoryview(b"")

    def _receive(self, descriptor: int, *, is_output: bool) -> None:
        try:
            data = os.read(descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(descriptor)
            if is_output and self._received.strip():
                self._received += b"\n"
            elif is_output:
                self._crashed()
        elif is_output:
            self._received += data
            if len(self._received) > self._limit:
                raise AgentProtocolError(f"the agent printed more than {self._limit} bytes for one answer")
        else:
            self._stderr = (self._stderr + data)[-_STDERR_KEPT_BYTES:]

    def _next_line(self) -> bytes | None:
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
        self._wait(_TICK_SECONDS)
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
