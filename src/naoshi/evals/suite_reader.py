"""Reads a Promptfoo config as cases. What we do not support is refused by name, never passed over."""

import codecs
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.assertions.json_text import parse_json
from naoshi.evals.case_reader import CaseReader
from naoshi.evals.plain_document import Document, PlainDocument
from naoshi.evals.settings import EvalSettings
from naoshi.evals.suite_references import REFERENCE, first_reference
from naoshi.evals.suite_source import ReadsOtherFilesError, SuiteSource, bytes_of
from naoshi.evals.yaml_document import YamlDocument
from naoshi.evals.yaml_nodes import Node, is_list, is_null, is_text
from naoshi.records.eval_case import EvalCase, Split

_TOP_KEYS = frozenset(
    {"$schema", "commandLineOptions", "defaultTest", "description", "env", "evaluateOptions", "outputPath", "prompts",
     "providers", "sharing", "tags", "targets", "tests", "writeLatestResults"}
)  # fmt: skip
_MAY_REFER = REFERENCE.encode()


class ReadCase(NamedTuple):
    """A case and where it stands: the file and the line (from 1).

    ``item`` is its test's place in the suite's own list, from 0; None for a case from another file.
    """

    case: EvalCase
    file: str
    line: int
    item: int | None


def read_cases(
    data: bytes, *, name: str, stem: str, settings: EvalSettings, folder: Path | None = None
) -> tuple[ReadCase, ...]:
    """Return the cases of the config *data*. ``name`` is what errors call the file, ``stem`` tells its split.

    ``folder`` is where the files that it refers to lie; None where it may refer to none.

    Raises:
        SuiteError: it cannot be read, or holds what we do not support; one line with file and line number.
    """
    try:
        return _read_once(data, name, stem, settings)
    except ReadsOtherFilesError as error:
        if folder is None:
            raise SuiteError(f"{name} refers to other files, which cannot be read from here") from error
    return _Reader(data=data, name=name, stem=stem, settings=settings, source=SuiteSource(folder)).cases()


@lru_cache(maxsize=16)
def _read_once(data: bytes, name: str, stem: str, settings: EvalSettings) -> tuple[ReadCase, ...]:
    return _Reader(data=data, name=name, stem=stem, settings=settings, source=SuiteSource(None)).cases()


def file_split(stem: str) -> Split | None:
    """Return the split that a file called *stem* is kept for, or None."""
    return next((split for split in Split if split.value == stem), None)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of *data* in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _require_no_reference(document: Document, node: Any) -> None:
    target = first_reference(node)
    if target is not None:
        raise document.error(target, f"`{REFERENCE}` is not supported; write out what it stands for")


class _Reader:
    def __init__(self, *, data: bytes, name: str, stem: str, settings: EvalSettings, source: SuiteSource) -> None:
        self._document = YamlDocument(name=name, data=data)
        if _MAY_REFER in data:
            _require_no_reference(self._document, self._document.root)
        self._split = file_split(stem)
        self._settings = settings
        self._source = source
        self._defaults: JsonValue = None

    def cases(self) -> tuple[ReadCase, ...]:
        top = self._document.fields(self._document.root, "the suite")
        for key, node in top.items():
            if key not in _TOP_KEYS and not key.startswith("x-"):
                raise self._document.error(node, f"`{key[:80]}` at the top of a suite is not supported")
        if "tests" not in top:
            raise self._document.error(self._document.root, "there is no list of `tests`")
        self._check_prompts(top.get("prompts"))
        self._defaults = self._default_test(top.get("defaultTest"))
        if is_null(top["tests"]):
            return ()
        return self._distinct(list(self._tests(top["tests"])))

    def _check_prompts(self, node: Node | None) -> None:
        if is_list(node) and len(self._document.items(node, "`prompts`")) > 1:
            raise self._document.error(
                node, "several `prompts` make several runs of each test; the agent under test has one of its own"
            )

    def _default_test(self, node: Node | None) -> JsonValue:
        if node is None or is_null(node):
            return None
        self._document.plain_line = self._document.line_of(node)
        if not is_text(node):
            return self._document.value(node)
        try:
            return self._source.value(str(node[1]))
        except SuiteError as error:
            raise self._document.error(node, error.message) from error

    def _tests(self, node: Node) -> Iterator[ReadCase]:
        if is_text(node):
            yield from self._of_files(node)
            return
        own = self._reader(self._document)
        for place, item in enumerate(self._document.items(node, "`tests`")):
            if is_text(item):
                yield from self._of_files(item)
                continue
            fields = self._document.fields(item, "a test")
            if "path" in fields:
                yield from self._of_files(self._path(item, fields))
                continue
            for case in own.cases(item, fields):
                yield ReadCase(case=case, file=self._document.name, line=self._document.line_of(item), item=place)

    def _path(self, node: Node, fields: dict[str, Any]) -> Node:
        """Return the reference to a file of tests that the test *node* is."""
        path = fields["path"]
        if len(fields) > 1 or not is_text(path):
            raise self._document.error(node, "`path` to a file of tests stands alone; its `config` is not supported")
        return path

    def _of_files(self, node: Node) -> Iterator[ReadCase]:
        try:
            paths = self._source.found(str(node[1]))
        except SuiteError as error:
            raise self._document.error(node, error.message) from error
        for path in paths:
            read = _FILE_READERS.get(path.suffix.lower())
            if read is None:
                raise self._document.error(node, f"tests from {path.name[:120]!r} are not supported")
            for document, tests in read(path):
                reader = self._reader(document)
                for test in tests:
                    for case in reader.cases(test, document.fields(test, "a test")):
                        yield ReadCase(case=case, file=document.name, line=document.line_of(test), item=None)

    def _reader(self, document: Document) -> CaseReader:
        return CaseReader(
            document=document,
            source=self._source,
            split=self._split,
            settings=self._settings,
            defaults=self._defaults,
        )

    def _distinct(self, read: list[ReadCase]) -> tuple[ReadCase, ...]:
        seen: dict[str, ReadCase] = {}
        for item in read:
            earlier = seen.setdefault(item.case.case_id, item)
            if earlier is not item:
                raise SuiteError(
                    f"{item.file}, line {item.line}: {item.case.case_id[:80]} stands here and at "
                    f"{'' if earlier.file == item.file else earlier.file + ', '}line {earlier.line}",
                    hint="leave one of them out, or give each a `case_id` of its own under `metadata`",
                )
        return tuple(read)


_Read = Iterator[tuple[Document, Iterable[Any]]]


def _yaml_tests(path: Path) -> _Read:
    data = bytes_of(path)
    document = YamlDocument(name=path.name, data=data)
    if _MAY_REFER in data:
        _require_no_reference(document, document.root)
    many = is_list(document.root)
    yield document, document.items(document.root, "the tests") if many else [document.root]


def _jsonl_tests(path: Path) -> _Read:
    document = PlainDocument(name=path.name)
    yield document, _json_lines(path, document)


def _json_lines(path: Path, document: PlainDocument) -> Iterator[Any]:
    for number, line in enumerate(bytes_of(path).split(b"\n"), start=1):
        document.line = number
        if line.strip():
            value, fault = parse_json(_text_of(line, document))
            if fault is not None:
                raise document.error(None, fault)
            if _MAY_REFER in line:
                _require_no_reference(document, document.value(value))
            yield value


def _text_of(data: bytes, document: PlainDocument) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise document.error(None, "not UTF-8 text") from error


def _csv_tests(path: Path) -> _Read:
    document = PlainDocument(name=path.name)
    yield document, _rows(path, document)


def _rows(path: Path, document: PlainDocument) -> Iterator[Any]:
    # Few suites have tables, and all would load what reads them.
    from naoshi.evals.csv_tests import csv_tests

    data = bytes_of(path).removeprefix(codecs.BOM_UTF8)
    document.line = _last_readable_line(data)
    for line, test in csv_tests(_text_of(data, document), name=document.name):
        document.line = line
        yield test


def _last_readable_line(data: bytes) -> int:
    """Return the number of the line (from 1) at which *data* is no UTF-8 any more, else of its last line."""
    try:
        return data.decode("utf-8").count("\n") + 1
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1


_FILE_READERS = {
    ".yaml": _yaml_tests,
    ".yml": _yaml_tests,
    ".json": _yaml_tests,
    ".jsonl": _jsonl_tests,
    ".csv": _csv_tests,
}
