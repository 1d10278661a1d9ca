"""The results of a run that is not finished, kept on disk so that a killed run goes on where it was."""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from pydantic import AwareDatetime, BaseModel, ValidationError

from naoshi.errors import StoreError
from naoshi.records.eval_run import CaseResult, ResultState
from naoshi.system.files import sync_folder

_BATCH = 256
_BATCH_SECONDS = 1.0
_OLDEST = timedelta(hours=24)
_GRADED = frozenset({ResultState.pass_, ResultState.fail})


class _Head(BaseModel, defer_build=True):
    """The first line of the file: what was run, and when that was begun."""

    key: str
    run_id: str
    started_at: AwareDatetime


class PartialResults:
    """One file, ``<run id>.jsonl``: a head, then a line for each result. Written in batches, each one fsynced.

    ``done`` holds the graded results of an earlier, killed run of the same; errors in it are run again.
    """

    def __init__(self, *, path: Path, head: _Head, done: Mapping[str, CaseResult], descriptor: int) -> None:
        self.path = path
        self.run_id = head.run_id
        self.started_at = head.started_at
        self.done = done
        self._file = os.fdopen(descriptor, "ab", buffering=1024 * 1024)
        self._pending = 0
        self._synced = time.monotonic()

    @classmethod
    def open(cls, folder: Path, *, key: str, run_id: str, now: datetime) -> "PartialResults":
        """Take up the unfinished run of *key* in *folder*, if there is one of the last day, or begin one.

        Those that are older are removed.

        Raises:
            StoreError: the disk or the rights do not allow it, or another process is running the same.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in sorted(folder.glob("*.jsonl")):
                head = _head(path)
                if head is None:
                    continue
                if now - head.started_at > _OLDEST:
                    _remove(path)
                elif head.key == key:
                    return cls._taken_up(path, head)
            return cls._begun(folder, _Head(key=key, run_id=run_id, started_at=now))
        except OSError as error:
            raise StoreError(f"cannot keep partial results in {folder}: {error.strerror or error}") from error

    def add(self, result: CaseResult) -> None:
        """Keep *result*.

        Raises:
            StoreError: the disk does not allow it.
        """
        try:
            self._file.write(result.model_dump_json().encode("utf-8", "surrogatepass") + b"\n")
            self._pending += 1
            if self._pending >= _BATCH or time.monotonic() - self._synced > _BATCH_SECONDS:
                self._sync()
        except OSError as error:
            raise StoreError(f"cannot write {self.path}: {error.strerror or error}") from error

    def close(self) -> None:
        """Make all that was added durable, and let go of the file."""
        self._sync()
        self._file.close()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._pending, self._synced = 0, time.monotonic()

    @classmethod
    def _begun(cls, folder: Path, head: _Head) -> "PartialResults":
        path = folder / f"{head.run_id}.jsonl"
        descriptor = _locked(path)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, head.model_dump_json().encode() + b"\n")
        os.fsync(descriptor)
        sync_folder(folder)
        return cls(path=path, head=head, done={}, descriptor=descriptor)

    @classmethod
    def _taken_up(cls, path: Path, head: _Head) -> "PartialResults":
        descriptor = _locked(path)
        done, length = _whole_lines(path)
        # What a crash cut in the middle goes, so that the next line does not join it.
        os.ftruncate(descriptor, length)
        return cls(path=path, head=head, done=done, descriptor=descriptor)


def _remove(path: Path) -> None:
    """Remove *path*, which no run takes up any more, unless one is at work on it for all that."""
    with suppress(StoreError):
        descriptor = _locked(path)
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise StoreError(
            f"another process is doing the run {path.stem}", hint="wait for it, or end it first"
        ) from error
    return descriptor


def _head(path: Path) -> _Head | None:
    try:
        with path.open("rb") as lines:
            return _Head.model_validate_json(lines.readline(10_000))
    except (OSError, ValidationError):
        return None


def _whole_lines(path: Path) -> tuple[dict[str, CaseResult], int]:
    """Return the graded results in *path* and how many bytes its whole lines have."""
    done: dict[str, CaseResult] = {}
    length = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines):
            if not line.endswith(b"\n"):
                break
            if number:
                result = _result(line)
                if result is None:
                    break
                if result.state in _GRADED:
                    done[result.case_id] = result
            length += len(line)
    return done, length


def _result(line: bytes) -> CaseResult | None:
    try:
        fields = cast("dict[str, Any]", json.loads(line))
        return CaseResult.model_validate(fields)
    except (ValueError, RecursionError):
        return None
