"""Suites on disk, edited so that only what changed is touched."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from naoshi.errors import NotFoundError, SuiteError
from naoshi.evals.score import require_known
from naoshi.evals.settings import EvalSettings
from naoshi.evals.suite_layout import Item, SuiteLayout, suite_layout
from naoshi.evals.suite_load import read_suite, suite_name
from naoshi.evals.suite_reader import ReadCase, file_split, read_cases
from naoshi.evals.suite_writer import case_items, suite_text
from naoshi.records.base import JsonValue
from naoshi.records.eval_case import EvalCase
from naoshi.system.files import write_durably

_LINE_REST = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_BY_HAND = "edit the file by hand"


class SuiteFile:
    """A suite that is being edited. Nothing reaches the disk before `save`."""

    def __init__(self, *, path: Path, data: bytes | None, settings: EvalSettings) -> None:
        self._path = path
        self._settings = settings
        self._on_disk = data
        fresh = suite_text((), description=f"Cases of the split {path.stem}, from corrections of the agent's work")
        self._data = fresh.encode() if data is None else data
        self._cases = self._parsed(self._data)

    @classmethod
    def open(cls, path: Path, *, settings: EvalSettings | None = None) -> "SuiteFile":
        """Open the suite at *path*, or a fresh one where there is no file.

        Raises:
            SuiteError: the file cannot be read, or holds what we do not support.
        """
        data = read_suite(path) if path.exists() else None
        return cls(path=path, data=data, settings=settings or EvalSettings())

    @property
    def cases(self) -> tuple[EvalCase, ...]:
        """The cases as they would be saved, in order."""
        return self._cases

    def add(self, cases: Iterable[EvalCase]) -> "SuiteFile":
        """Append *cases*; those that are there already, equal in what they test, are left out.

        Raises:
            SuiteError: a case is of another split, cannot be graded or written, or contradicts one that has its
                identifier; nothing was added.
        """
        fresh = self._fresh(cases)
        if fresh:
            self._change(_added(self._text(), self._layout(), fresh, self._name), (*self._cases, *fresh))
        return self

    def remove(self, case_ids: Collection[str]) -> "SuiteFile":
        """Take the cases called *case_ids* out.

        Raises:
            NotFoundError: there is no such case.
            SuiteError: the list is written in a way that cannot be cut safely, or a case is one of several that one
                test makes, or stands in another file.
        """
        wanted = set(case_ids)
        unknown = sorted(wanted - {case.case_id for case in self._cases})
        if unknown:
            raise NotFoundError(f"{self._name} has no case {unknown[0]}")
        if wanted:
            layout = self._layout()
            if layout.flow:
                raise self._not_editable("its tests are written in brackets")
            gone = [layout.items[place] for place in sorted(self._places(wanted))]
            kept = tuple(case for case in self._cases if case.case_id not in wanted)
            self._change(_removed(self._text(), gone), kept)
        return self

    def save(self) -> bool:
        """Write the file if it changed; return whether it did.

        Raises:
            SuiteError: someone else changed the file since it was opened; it is left as it is.
            StoreError: the disk or the rights do not allow it.
        """
        if self._data == self._on_disk:
            return False
        present = read_suite(self._path) if self._path.exists() else None
        if present != self._on_disk:
            raise SuiteError(f"{self._name} was changed while it was being edited", hint="run the command again")
        write_durably(self._path, self._data)
        self._on_disk = self._data
        return True

    @property
    def _name(self) -> str:
        return suite_name(self._path, None)

    def _text(self) -> str:
        return self._data.decode("utf-8").removeprefix("\ufeff")

    def _parsed(self, data: bytes) -> tuple[EvalCase, ...]:
        return tuple(item.case for item in self._read(data))

    def _read(self, data: bytes) -> tuple[ReadCase, ...]:
        stem, folder = self._path.stem, self._path.parent
        return read_cases(data, name=self._name, stem=stem, settings=self._settings, folder=folder)

    def _layout(self) -> SuiteLayout:
        layout = suite_layout(self._text())
        if layout is None:
            raise self._not_editable("it is written in brackets")
        return layout

    def _places(self, wanted: set[str]) -> set[int]:
        """Return the places, in the file's own list, of the tests that make the cases called *wanted*."""
        places: set[int] = set()
        for item in self._read(self._data):
            if item.case.case_id in wanted:
                if item.item is None:
                    raise self._not_editable(f"{item.case.case_id} stands in another file")
                places.add(item.item)
        return places

    def _fresh(self, cases: Iterable[EvalCase]) -> tuple[EvalCase, ...]:
        known, split = {case.case_id: case for case in self._cases}, file_split(self._path.stem)
        fresh: list[EvalCase] = []
        for case in cases:
            require_known(case)
            if split is not None and case.split is not split:
                raise SuiteError(f"{case.case_id} is of the split {case.split.value}; it must not enter {self._name}")
            earlier = known.get(case.case_id)
            if earlier is None:
                fresh.append(case)
                known[case.case_id] = case
            elif earlier.content_hash != case.content_hash:
                raise SuiteError(f"{self._name} has a case {case.case_id} that asks for something else")
        return tuple(fresh)

    def _change(self, text: str, expected: tuple[EvalCase, ...]) -> None:
        """Take *text* over, but only if it reads back as what it should hold."""
        data = (b"\xef\xbb\xbf" if self._data.startswith(b"\xef\xbb\xbf") else b"") + text.encode("utf-8")
        try:
            found = self._parsed(data)
        except SuiteError as error:
            raise self._not_editable(f"the change would leave {error.message}") from error
        if [_tested(case) for case in found] != [_tested(case) for case in expected]:
            raise self._not_editable("the change would alter other tests")
        self._data, self._cases = data, found

    def _not_editable(self, reason: str) -> SuiteError:
        return SuiteError(f"{self._name} cannot be edited safely: {reason}", hint=_BY_HAND)


def _tested(case: EvalCase) -> list[JsonValue]:
    provenance = case.provenance.model_dump(mode="json")
    return [case.case_id, case.content_hash, case.description, case.category, case.split.value, provenance]


def _added(text: str, layout: SuiteLayout, cases: tuple[EvalCase, ...], name: str) -> str:
    line_break = "\r\n" if "\r\n" in text else "\n"
    items = case_items(cases, indent=layout.column if layout.items else 2, line_break=line_break)
    if not layout.items:
        head, tail = text[: layout.key_end], text[layout.value_end :]
        if layout.value_start == layout.value_end:
            tail = text[layout.key_end :]
        text, place = head + tail, _line_end(head + tail, len(head))
    elif layout.flow:
        raise SuiteError(f"{name} cannot be edited safely: its tests are written in brackets", hint=_BY_HAND)
    else:
        place = _line_end(text, layout.items[-1].end)
    before = text[:place]
    if before and not before.endswith(("\n", "\r")):
        before += line_break
    return before + items + text[place:]


def _removed(text: str, gone: list[Item]) -> str:
    for item in reversed(gone):
        text = text[: _line_start(text, item.start)] + text[_line_end(text, item.end) :]
    return text


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _line_end(text: str, place: int) -> int:
    """Return the start of the line after *place*, or *place* itself where a line starts there."""
    if place > 0 and text[place - 1] in "\r\n":
        return place
    found = _LINE_REST.match(text, place)
    return found.end() if found else place
