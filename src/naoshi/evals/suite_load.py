"""Suites on disk, read whole."""

from pathlib import Path

from naoshi.errors import MissingPathError, SuiteError
from naoshi.evals.settings import EvalSettings
from naoshi.evals.suite_reader import digest_of, read_cases
from naoshi.records.eval_case import Suite

_SUITE_FIELDS = set(Suite.model_fields)


def load_suite(path: Path, *, root: Path | None = None, settings: EvalSettings | None = None) -> Suite:
    """Return the suite at *path*; its ``path`` is relative to *root* (the repository) where it lies there.

    Raises:
        MissingPathError: there is no such file.
        SuiteError: it cannot be read, or holds what we do not support; one line with file and line number.
    """
    data, name = read_suite(path), suite_name(path, root)
    read = read_cases(data, name=name, stem=path.stem, settings=settings or EvalSettings(), folder=path.parent)
    cases = tuple(item.case for item in read)
    fields = {"schema_version": 1, "name": path.stem, "path": name, "digest": digest_of(data), "cases": cases}
    return Suite.of_checked(_SUITE_FIELDS, fields)


def read_suite(path: Path) -> bytes:
    """Return the content of the suite at *path*.

    Raises:
        MissingPathError: there is no such file.
        SuiteError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise MissingPathError(f"there is no suite {path}") from error
    except OSError as error:
        raise SuiteError(f"cannot read {path}: {error.strerror or error}") from error


def suite_name(path: Path, root: Path | None) -> str:
    """Return what errors call the suite at *path*: its place in *root* where it lies there."""
    if root is not None and path.resolve().is_relative_to(root.resolve()):
        return path.resolve().relative_to(root.resolve()).as_posix()
    return path.as_posix() if root is None else path.name
