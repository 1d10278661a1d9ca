"""Ctrl-C reaches the step that is under way, whichever thread does it, and leaves nothing half done."""

import ctypes
import threading
from collections.abc import Generator
from contextlib import contextmanager

_PATIENCE_SECONDS = 10.0


class Stopped(Exception):
    """A person stopped the step.

    DBOS keeps ordinary exceptions as the end of a workflow; an interrupt would leave it to be taken up in the
    background later, where nobody sees it.
    """


class StepUnderWay:
    """Knows which thread does a step, so that it can be stopped from another."""

    def __init__(self) -> None:
        self._thread: int | None = None
        self._idle = threading.Event()
        self._idle.set()

    @contextmanager
    def __call__(self) -> Generator[None]:
        """Mark the step done inside as the one under way.

        Raises:
            Stopped: it was interrupted.
        """
        self._thread = threading.get_ident()
        self._idle.clear()
        try:
            yield
        except KeyboardInterrupt as error:
            raise Stopped from error
        finally:
            self._thread = None
            self._idle.set()

    def stop(self) -> None:
        """Interrupt the step under way, if any, and wait until it has cleaned up."""
        thread = self._thread
        if thread is not None and thread != threading.get_ident():
            # Python delivers signals to the main thread alone; this is its own way to raise in another.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
            self._idle.wait(_PATIENCE_SECONDS)
