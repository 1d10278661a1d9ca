"""A suite's YAML made into nodes by a process of its own, while this one still loads what it needs to read them.

Nothing depends on it: what that process cannot do is done, and told, where the suite is read.
"""

import marshal
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from naoshi.evals.yaml_nodes import LARGEST_BYTES, Node

_SUFFIXES = (".yaml", ".yml")
_ENDING = (signal.SIGINT, signal.SIGTERM)


class _Composing:
    """The process that is at work, and the pipe that it writes to."""

    def __init__(self, *, child: int, pipe: int) -> None:
        self._child = child
        self._pipe = pipe

    def told(self) -> tuple[bytes, Node] | None:
        """Wait for it, and return what it read and made of it; None where it came to no end, whatever the reason."""
        with os.fdopen(self._pipe, "rb") as pipe:
            told = pipe.read()
        self._wait()
        try:
            # Our own process wrote it.
            return marshal.loads(told)  # noqa: S302
        except (EOFError, ValueError, TypeError):
            return None

    def end(self) -> None:
        """End it, whatever it is doing."""
        os.close(self._pipe)
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        self._wait()

    def _wait(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self._child, 0)


_at_work: list[_Composing] = []


def begin_composing(words: Sequence[str]) -> None:
    """Begin with the suite that the command line *words* names, if they name one and a processor is free for it.

    It forks, so that it has to be called before there is any thread.
    """
    path = _suite_of(words)
    if path is None or not hasattr(os, "fork") or _processors() < 2:
        return
    reading, writing = os.pipe()
    # A signal may not find the child while it still has our ways with signals.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        child = os.fork()
        if child == 0:
            _compose(path, writing)
        _at_work.append(_Composing(child=child, pipe=reading))
    except OSError:
        # No more processes are allowed.
        os.close(reading)
    finally:
        os.close(writing)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def composed_ahead(data: bytes) -> Node | None:
    """Return the nodes of *data*, if just that was begun with and could be composed; once."""
    told = _at_work.pop().told() if _at_work else None
    return told[1] if told is not None and told[0] == data else None


def end_composing() -> None:
    """End what was begun, where nobody asked for it."""
    while _at_work:
        _at_work.pop().end()


def _suite_of(words: Sequence[str]) -> Path | None:
    if list(words[:2]) != ["evals", "run"]:
        return None
    return next((path for path in map(Path, words[2:]) if path.suffix in _SUFFIXES and path.is_file()), None)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _compose(path: Path, pipe: int) -> NoReturn:
    """Write the content of *path* and its nodes to *pipe* and end, without a word whatever happens."""
    try:
        for ending in _ENDING:
            signal.signal(ending, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        # Who waits for the end of our output waits for the command, and not for this.
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        data = path.read_bytes()
        if len(data) <= LARGEST_BYTES:
            # The process that forked needs none of it.
            from naoshi.evals.yaml_composer import compose

            told = marshal.dumps((data, compose(data.decode("utf-8"))))
            with os.fdopen(pipe, "wb") as writing:
                writing.write(told)
    finally:
        os._exit(0)
