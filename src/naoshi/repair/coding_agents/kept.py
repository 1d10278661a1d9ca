"""A program outside of a sandbox, with somebody above it who ends all that it leaves."""

import json
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from naoshi.system.process import end, start

_KEEPER = Path(__file__).with_name("keep_descendants.py")
_PATIENCE_SECONDS = 15.0


def can_keep() -> bool:
    """Return whether this system gives a process the descendants that lost their parents: Linux does."""
    return sys.platform == "linux" and Path("/proc/self/stat").exists()


def kept_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the command that runs *words* with somebody above who ends all that they leave, and tells nobody."""
    return str(Path(sys.executable)), "-I", "-S", str(_KEEPER), "-", *words


class Kept:
    """A program between ``with`` and its end. Nothing below it outlives that, wherever it went and whoever is killed.

    A coding agent that runs as the same user could end its keeper; that is seen, and is an error. Only a sandbox keeps
    one that means harm.
    """

    def __init__(
        self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str], streams: Mapping[str, object]
    ) -> None:
        ours, theirs = socket.socketpair()
        self._channel = ours
        with theirs:
            keeper = [str(Path(sys.executable)), "-I", "-S", str(_KEEPER), str(theirs.fileno())]
            given: dict[str, object] = {**streams, "pass_fds": (theirs.fileno(),)}
            try:
                self.process: subprocess.Popen[bytes] = start(
                    [*keeper, *words], folder=folder, environment=environment, **given
                )
            except BaseException:
                ours.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            # The keeper takes the end of the channel for the order to end everything.
            self._channel.close()
            self.process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        finally:
            end(self.process)

    def report(self) -> tuple[int | None, int, str]:
        """Return the program's exit status, how many processes it left, and why it could not be started.

        The status is None where nothing was told, since the keeper was ended.
        """
        self._channel.settimeout(1.0)
        told = b""
        try:
            while b"\n" not in told and (piece := self._channel.recv(4096)):
                told += piece
            document = cast("dict[str, Any]", json.loads(told.partition(b"\n")[0]))
        except (OSError, ValueError):
            return None, 0, ""
        return document.get("status"), int(document.get("left", 0)), str(document.get("missing", ""))
