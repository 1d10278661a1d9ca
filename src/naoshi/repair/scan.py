"""Looks through a change for what an honest one does not hold. Every finding has a name and a reason."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from naoshi.records import EvalCase, FieldRules
from naoshi.repair.protect import is_within, named
from naoshi.repair.scan_answers import find_answers
from naoshi.repair.scan_copies import find_copies
from naoshi.repair.scan_decoded import decode_added
from naoshi.repair.scan_lines import broken_rules
from naoshi.repair.scan_network import new_network_calls
from naoshi.repair.tree_diff import (
    EXECUTABLE_MODE,
    LINK_MODE,
    NO_MODE,
    SUBMODULE_MODE,
    FileDiff,
    TreeDiff,
)

_LOADED_UNASKED = re.compile(r"(?i)(conftest|sitecustomize|usercustomize)\.py|.*\.(pth|egg-link)")
# Names that, in a folder that programs are started from, come before the libraries that graders and agents load.
_OUR_LIBRARIES = frozenset(
    (
        "anthropic", "dbos", "httpx", "jinja2", "jsonschema", "naoshi", "numpy", "openai", "promptfoo", "pydantic",
        "pydantic_ai", "pydantic_core", "pytest", "requests", "rich", "ruamel", "scipy", "sqlalchemy", "typer", "yaml",
    )
)  # fmt: skip
_SHADOWED = sys.stdlib_module_names | _OUR_LIBRARIES


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
    documents: Mapping[str, str] | None = None,
    network: Callable[[], frozenset[str]] = frozenset,
) -> tuple[Finding, ...]:
    """Return all that is wrong with *diff*, in the order of the checks; nothing when it is clean.

    *cases* are all accepted cases of every split, since copying a hidden one is no better; *other_names* are further
    identifiers (traces, corrections) that must not be written into a harness. *documents* are the texts of their
    sources, of which no long passage may be copied. *network* returns the modules and programs by which the agent
    called over the network before; it is asked only if need be.
    """
    findings: list[Finding] = []
    for item in diff.files:
        findings += _place(item, editable, protected)
        findings += [finding for check in _FILE_CHECKS if (finding := check(item)) is not None]
        findings += _lines(item, "")
        findings += [_open("new_network_call", reason) for reason in new_network_calls(item, already=network)]
    rules = fields or FieldRules()
    written = find_answers(diff, cases=cases, fields=rules, other_names=other_names)
    written += find_copies(diff, documents=documents or {})
    findings += [Finding(name=item.name, reason=item.reason, told=item.told) for item in written]
    findings += _disguised(diff, cases, rules, other_names)
    return tuple({(finding.name, finding.reason): finding for finding in findings}.values())


def _disguised(
    diff: TreeDiff, cases: Sequence[EvalCase], fields: FieldRules, other_names: Sequence[str]
) -> Iterator[Finding]:
    """Look once more, at what the added lines hold in base64, character codes and the like."""
    unveiled: list[FileDiff] = []
    for item in diff.files:
        if item.is_text:
            decoded = decode_added(item)
            unveiled.append(replace(item, added=decoded.lines))
            if not decoded.is_all:
                yield _open(
                    "too_much_encoded", f"{named([item.path])} holds more encoded text than can be looked through"
                )
    for item in unveiled:
        yield from _lines(item, ", once it is decoded")
    for item in find_answers(TreeDiff(files=tuple(unveiled)), cases=cases, fields=fields, other_names=other_names):
        yield Finding(
            name=item.name, reason=f"{item.reason}, once it is decoded", told=f"{item.told}, once it is decoded"
        )


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


def _shadows_module(item: FileDiff) -> Finding | None:
    if item.old_mode != NO_MODE or item.new_mode == NO_MODE:
        return None
    path = PurePosixPath(item.path)
    if path.suffix not in (".py", ".pyc", ".pyi", ".so"):
        return None
    names = {path.name.split(".")[0], *((path.parent.name,) if path.stem == "__init__" else ())}
    found = sorted(names & _SHADOWED - {"__init__", "__main__"})
    told = f"{named([item.path])} would be loaded in place of the module {found[0] if found else ''}; name it otherwise"
    return _open("shadows_module", told) if found else None


def _odd_name(item: FileDiff) -> Finding | None:
    found = item.new_mode != NO_MODE and (not item.path.isprintable() or "\ufffd" in item.path)
    return _open("odd_name", f"the name {item.path!a} has characters that cannot be seen or read") if found else None


_FILE_CHECKS: Final[tuple[Callable[[FileDiff], Finding | None], ...]] = (
    _link,
    _submodule,
    _executable,
    _binary,
    _loaded_unasked,
    _shadows_module,
    _odd_name,
)


def _lines(item: FileDiff, how: str) -> list[Finding]:
    return [
        _open(rule.name, f"{named([item.path])} line {line.number} {rule.what}{how}")
        for line in item.added
        for rule in broken_rules(line.text, before=item.before)
    ]


def _open(name: str, reason: str) -> Finding:
    return Finding(name=name, reason=reason, told=reason)
