"""Outputs that people have graded, read from a table: what a judge is measured against."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import InputError, MissingPathError
from naoshi.system.files import read_text

REQUIRED = ("output", "rubric", "label")
OPTIONAL = ("input", "label_2", "family", "source")
_PASSES = frozenset({"pass", "passed", "true", "yes", "1", "ok", "合格", "合", "可"})
_FAILS = frozenset({"fail", "failed", "false", "no", "0", "ng", "不合格", "否", "不可"})
_LONGEST_CELL = 16 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class LabelledOutput:
    """One output with what people say of it.

    ``passes`` is the first person's word, ``second`` the other one's (None: nobody else looked). ``family`` is whose
    model made the output ("" where that is not known). Outputs of one ``source`` rise and fall together.
    """

    line: int
    vars: dict[str, JsonValue]
    output: JsonValue
    rubric: str
    passes: bool
    second: bool | None = None
    family: str = ""
    source: str = ""

    @property
    def disputed(self) -> bool:
        """Whether two people disagree, so that there is no truth to hold a judge against."""
        return self.second is not None and self.second is not self.passes


@dataclass(frozen=True, kw_only=True)
class Labels:
    """All labelled outputs of one file; ``digest`` is the SHA-256 of its bytes."""

    outputs: tuple[LabelledOutput, ...]
    digest: str


def read_labels(path: Path) -> Labels:
    """Read the table at *path* (CSV with a header, UTF-8; semicolons or tabs do as well as commas).

    Columns: ``output``, ``rubric`` and ``label`` (pass or fail) must be there; ``input`` (a JSON object is the vars,
    anything else is one text), ``label_2`` (a second person's), ``family`` (whose model made the output) and
    ``source`` (what outputs belong together; else those of one input do, or without an input the same output) may be.
    An output that is a JSON object or list is read as that.

    Raises:
        MissingPathError: there is no such file.
        InputError: it is not such a table; the line is named.
    """
    try:
        text = read_text(path)
    except MissingPathError:
        raise
    except InputError as error:
        raise InputError(error.message, hint="save the table as CSV in UTF-8 and run the command again") from error
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=_delimiter(text))
    try:
        reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or ()]
        _require_columns(path, reader.fieldnames)
        outputs = tuple(_labelled(path, reader.line_num, row) for row in reader)
    except csv.Error as error:
        raise InputError(f"{path.name}, line {reader.line_num}: {error}") from error
    if not outputs:
        raise InputError(f"{path.name} has no labelled output", hint="write one on each line below the header")
    return Labels(outputs=outputs, digest=hashlib.sha256(text.encode("utf-8")).hexdigest())


def _delimiter(text: str) -> str:
    """Return what stands between the columns of the header: a comma, or what other countries' spreadsheets write."""
    head = next(iter(text.splitlines()), "")
    return max(",;\t", key=head.count)


def _require_columns(path: Path, names: Iterable[str]) -> None:
    found = list(names)
    missing = [name for name in REQUIRED if name not in found]
    unknown = [name for name in found if name not in (*REQUIRED, *OPTIONAL)]
    known = f"the columns are {', '.join(REQUIRED)}, and if you like {', '.join(OPTIONAL)}"
    if missing:
        raise InputError(f"{path.name} has no column {', '.join(missing)}", hint=known)
    if unknown:
        raise InputError(f"{path.name} has a column {unknown[0][:80]!r} that means nothing here", hint=known)
    if len(set(found)) != len(found):
        raise InputError(f"{path.name} has one column twice", hint=known)


def _labelled(path: Path, line: int, row: Mapping[str | None, str | list[str] | None]) -> LabelledOutput:
    where = f"{path.name}, line {line}"
    if None in row or any(value is None for value in row.values()):
        raise InputError(f"{where}: the row has not as many cells as the header")
    cells = {str(name): value for name, value in row.items() if isinstance(value, str)}
    rubric = cells["rubric"].strip()
    if not rubric:
        raise InputError(f"{where}: there is no rubric")
    passes = _label(where, cells["label"])
    if passes is None:
        raise InputError(f"{where}: there is no label", hint="write pass or fail")
    given = cells.get("input", "")
    return LabelledOutput(
        line=line,
        vars=_vars(given),
        output=_value(cells["output"]),
        rubric=rubric,
        passes=passes,
        second=_label(where, cells.get("label_2", "")),
        family=cells.get("family", "").strip().lower(),
        source=cells.get("source", "").strip() or given or cells["output"].strip() or f"line {line}",
    )


def _label(where: str, text: str) -> bool | None:
    word = text.strip().lower()
    if not word:
        return None
    if word not in _PASSES | _FAILS:
        raise InputError(f"{where}: {text[:40]!r} is no label", hint="write pass or fail")
    return word in _PASSES


def _vars(text: str) -> dict[str, JsonValue]:
    value = _value(text)
    if isinstance(value, dict):
        return value
    return {"input": text} if text else {}


def _value(text: str) -> JsonValue:
    """Return the object or list that *text* is in JSON, else the text itself."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return value


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")
