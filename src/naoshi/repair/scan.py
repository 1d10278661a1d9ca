"""Looks through a change for what an honest one does not hold. Every finding has a name and a reason."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from naoshi.records import EvalCase, FieldRules
from naoshi.repair.protect import is_within, named
from naoshi.repair.scan_answers import find_answers
from naoshi.repair.tree_diff import (
    EXECUTABLE_MODE,
    LINK_MODE,
    NO_MODE,
    SUBMODULE_MODE,
    FileDiff,
    TreeDiff,
)

_LOADED_UNASKED = re.compile(r"(?i)(conftest|sitecustomize|usercustomize)\.py|.*\.(pth|egg-link)")
_AIMED_AT_GRADER = re.compile(
    r"(?i)\b(grader|judge|evaluator)\b[^\n]{0,40}\b(return|give|score|mark|answer|output)\b[^\n]{0,20}\b(pass|full|1\.0)\b"
    r"|ignore (all |any )?(the )?(previous|above|earlier) instructions"
)
_REACHES_NAOSHI = re.compile(
    r"(?i)\.naoshi\b|\bNAOSHI_DATABASE_URL\b|\bevals[/\\]|\bholdout\.ya?ml\b|\bcodex_handoff\.md\b"
)
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bsk-[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}"
)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something in a change that refuses it. ``name`` is stable; ``reason`` is for the reviewer.

    ``told`` is what the coding agent hears: it never names a case or document that is kept from it.
    """

    name: str
    reason: str
    told: str


def scan(
    diff: TreeDiff,
    *,
    cases: Sequence[EvalCase],
    editable: Sequence[str],
    protected: Sequence[str],
    fields: FieldRules | None = None,
    other_names: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """Return all that is wrong with *diff*, in the order of the checks; nothing when it is clean.

    *cases* are all accepted cases of every split, since copying a hidden one is no better; *other_names* are further
    identifiers (traces, corrections) that must not be written into a harness.
    """
    findings: list[Finding] = []
    for item in diff.files:
        findings += _place(item, editable, protected)
        findings += [finding for check in _FILE_CHECKS if (finding := check(item)) is not None]
        findings += _lines(item)
    written = find_answers(diff, cases=cases, fields=fields or FieldRules(), other_names=other_names)
    findings += [Finding(name=item.name, reason=item.reason, told=item.told) for item in written]
    return tuple({(finding.name, finding.reason): finding for finding in findings}.values())


def _place(item: FileDiff, editable: Sequence[str], protected: Sequence[str]) -> list[Finding]:
    shown = named([item.path])
    if is_within(item.path, protected):
        verb = {NO_MODE: "removes or renames"}.get(item.new_mode, "adds" if item.old_mode == NO_MODE else "alters")
        return [_open("protected_path", f"it {verb} the protected path {shown}")]
    if not is_within(item.path, editable):
        return [_open("outside_editable", f"it touches {shown}, which is not among the editable paths")]
    return []


def _link(item: FileDiff) -> Finding | None:
    found = item.new_mode == LINK_MODE
    return _open("symbolic_link", f"{named([item.path])} is a symbolic link") if found else None


def _submodule(item: FileDiff) -> Finding | None:
    found = item.new_mode == SUBMODULE_MODE
    return _open("submodule", f"{named([item.path])} is a git repository inside the harness") if found else None


def _executable(item: FileDiff) -> Finding | None:
    found = item.new_mode == EXECUTABLE_MODE != item.old_mode
    return _open("made_executable", f"{named([item.path])} was made executable") if found else None


def _binary(item: FileDiff) -> Finding | None:
    found = not item.is_text
    return _open("not_text", f"{named([item.path])} is not UTF-8 text, so nobody can review it") if found else None


def _loaded_unasked(item: FileDiff) -> Finding | None:
    name = PurePosixPath(item.path).name
    found = item.new_mode != NO_MODE and _LOADED_UNASKED.fullmatch(name) is not None
    return _open("loaded_unasked", f"{named([item.path])} would be loaded without being asked for") if found else None


def _odd_name(item: FileDiff) -> Finding | None:
    found = item.new_mode != NO_MODE and (not item.path.isprintable() or "\ufffd" in item.path)
    return _open("odd_name", f"the name {item.path!a} has characters that cannot be seen or read") if found else None


_FILE_CHECKS: Final[tuple[Callable[[FileDiff], Finding | None], ...]] = (
    _link,
    _submodule,
    _executable,
    _binary,
    _loaded_unasked,
    _odd_name,
)

_LINE_CHECKS: Final = (
    ("aimed_at_grader", _AIMED_AT_GRADER, "speaks to a grader or gives it instructions"),
    ("reaches_naoshi", _REACHES_NAOSHI, "names files of Naoshi or of the evals"),
    ("secret", _SECRET, "looks like a secret key"),
)


def _lines(item: FileDiff) -> list[Finding]:
    return [
        _open(name, f"{named([item.path])} line {line.number} {what}")
        for name, pattern, what in _LINE_CHECKS
        for line in item.added
        if pattern.search(line.text)
    ]


def _open(name: str, reason: str) -> Finding:
    return Finding(name=name, reason=reason, told=reason)
