"""Reads a Promptfoo config as cases. What we do not support is refused by name, never passed over."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import yaml
from pydantic import JsonValue, ValidationError

from naoshi.errors import SuiteError
from naoshi.evals.assertion_types import check_assertion, is_graded, is_threshold
from naoshi.evals.settings import EvalSettings
from naoshi.evals.splits import assign_split
from naoshi.evals.template import TemplateError, render
from naoshi.evals.yaml_document import YamlDocument
from naoshi.records.base import content_id
from naoshi.records.eval_case import Assertion, EvalCase, Provenance, Split

_TOP_KEYS = frozenset(
    {"$schema", "commandLineOptions", "description", "env", "evaluateOptions", "outputPath", "prompts", "providers",
     "sharing", "tags", "targets", "tests", "writeLatestResults"}
)  # fmt: skip
_TEST_KEYS = frozenset({"assert", "description", "metadata", "options", "threshold", "vars"})
_ASSERT_KEYS = frozenset({"metric", "threshold", "transform", "type", "value", "weight"})
_NO_EXPANSION = "disableVarExpansion"
_GRADE_WANTED = 0.7


@dataclass(frozen=True, kw_only=True)
class ReadCase:
    """A case and the line (from 1) at which it stands."""

    case: EvalCase
    line: int


def read_cases(data: bytes, *, name: str, stem: str, settings: EvalSettings) -> tuple[ReadCase, ...]:
    """Return the cases of the config *data*. ``name`` is what errors call the file, ``stem`` tells its split.

    Raises:
        SuiteError: it cannot be read, or holds what we do not support; one line with file and line number.
    """
    return _read_once(data, name, stem, settings.model_dump_json(by_alias=True))


@lru_cache(maxsize=16)
def _read_once(data: bytes, name: str, stem: str, settings_json: str) -> tuple[ReadCase, ...]:
    settings = EvalSettings.model_validate_json(settings_json)
    return _Reader(YamlDocument(name=name, data=data), stem=stem, settings=settings).cases()


def file_split(stem: str) -> Split | None:
    """Return the split that a file called *stem* is kept for, or None."""
    return next((split for split in Split if split.value == stem), None)


class _Reader:
    def __init__(self, document: YamlDocument, *, stem: str, settings: EvalSettings) -> None:
        self._document = document
        self._split = file_split(stem)
        self._settings = settings

    def cases(self) -> tuple[ReadCase, ...]:
        top = self._document.fields(self._document.root, "the suite")
        for key, node in top.items():
            if key not in _TOP_KEYS and not key.startswith("x-"):
                raise self._document.error(node, f"`{key[:80]}` at the top of a suite is not supported")
        if "tests" not in top:
            raise self._document.error(self._document.root, "there is no list of `tests`")
        if _is_null(top["tests"]):
            return ()
        return self._distinct([self._case(node) for node in self._document.items(top["tests"], "`tests`")])

    def _distinct(self, read: list[ReadCase]) -> tuple[ReadCase, ...]:
        lines: dict[str, int] = {}
        for item in read:
            earlier = lines.setdefault(item.case.case_id, item.line)
            if earlier != item.line:
                raise SuiteError(
                    f"{self._document.name}, line {item.line}: "
                    f"{item.case.case_id[:80]} stands here and at line {earlier}"
                )
        return tuple(read)

    def _case(self, node: yaml.Node) -> ReadCase:
        fields = self._known(node, "a test", _TEST_KEYS)
        variables = self._vars(fields)
        assertions = tuple(self._assertion(item, variables) for item in self._listed(fields, "assert"))
        metadata = self._mapping(fields, "metadata")
        case_id = self._text(metadata, "case_id") or content_id(
            "case", variables, [item.model_dump(mode="json") for item in assertions]
        )
        source_key = self._text(metadata, "source_key") or content_id("source", variables)
        case = EvalCase(
            case_id=case_id,
            description=self._text(fields, "description") or "",
            vars=variables,
            assertions=assertions,
            category=self._text(metadata, "category") or "general",
            threshold=self._threshold(fields) or _implied_threshold(assertions),
            split=self._split_of(metadata, source_key),
            source_key=source_key,
            provenance=self._provenance(metadata),
        )
        return ReadCase(case=case, line=node.start_mark.line + 1)

    def _vars(self, fields: Mapping[str, yaml.Node]) -> dict[str, JsonValue]:
        options = self._document.value(fields["options"]) if "options" in fields else {}
        if options not in ({}, None, {_NO_EXPANSION: True}, {_NO_EXPANSION: False}):
            raise self._document.error(fields["options"], f"of `options`, only `{_NO_EXPANSION}` is supported")
        expands = not (isinstance(options, dict) and options.get(_NO_EXPANSION))
        variables: dict[str, JsonValue] = {}
        for key, node in self._mapping(fields, "vars").items():
            value = self._document.value(node)
            if expands and isinstance(value, list):
                raise self._document.error(
                    node, f"the list in `vars.{key[:60]}` makes several tests of one; write one test for each value"
                )
            variables[key] = self._rendered(node, value, {})
        return variables

    def _assertion(self, node: yaml.Node, variables: Mapping[str, JsonValue]) -> Assertion:
        fields = self._known(node, "an assertion", _ASSERT_KEYS)
        if "type" not in fields:
            raise self._document.error(node, "the assertion has no `type`")
        value = self._document.value(fields["value"]) if "value" in fields else None
        assertion = Assertion(
            type=self._text(fields, "type") or "",
            value=self._rendered(fields.get("value", node), value, variables),
            threshold=self._threshold(fields),
            weight=1.0 if "weight" not in fields else self._number(fields["weight"], "weight"),
            metric=self._text(fields, "metric"),
            transform=self._text(fields, "transform"),
        )
        try:
            check_assertion(assertion)
        except SuiteError as error:
            raise SuiteError(self._document.error(node, error.message).message, hint=error.advice) from error
        return assertion

    def _rendered(self, node: yaml.Node, value: JsonValue, names: Mapping[str, JsonValue]) -> JsonValue:
        try:
            if isinstance(value, str):
                return render(value, names)
            if isinstance(value, list):
                return [render(item, names) if isinstance(item, str) else item for item in value]
        except TemplateError as error:
            raise self._document.error(node, str(error)) from error
        return value

    def _split_of(self, metadata: Mapping[str, yaml.Node], source_key: str) -> Split:
        told = self._text(metadata, "split")
        if told is None:
            return self._split or assign_split(source_key, self._settings.split_weights, self._settings.split_salt)
        try:
            split = Split(told)
        except ValueError as error:
            known = ", ".join(item.value for item in Split)
            raise self._document.error(metadata["split"], f"{told[:40]!r} is no split ({known})") from error
        if self._split not in (None, split):
            raise self._document.error(
                metadata["split"], f"a case of the split {split.value} must not stand in {self._document.name}"
            )
        return split

    def _provenance(self, metadata: Mapping[str, yaml.Node]) -> Provenance:
        fields = self._mapping(metadata, "provenance")
        values: dict[str, Any] = {key: self._document.value(node) for key, node in fields.items()}
        try:
            return Provenance(**values)
        except ValidationError as error:
            told = error.errors()[0]
            where = ".".join(str(part) for part in told["loc"])
            raise self._document.error(metadata["provenance"], f"`provenance.{where}`: {told['msg']}") from error

    def _known(self, node: yaml.Node, what: str, known: frozenset[str]) -> dict[str, yaml.Node]:
        fields = self._document.fields(node, what)
        for key, value in fields.items():
            if key not in known:
                raise self._document.error(value, f"`{key[:80]}` in {what} is not supported")
        return fields

    def _listed(self, fields: Mapping[str, yaml.Node], key: str) -> list[yaml.Node]:
        node = fields.get(key)
        return [] if node is None or _is_null(node) else self._document.items(node, f"`{key}`")

    def _mapping(self, fields: Mapping[str, yaml.Node], key: str) -> dict[str, yaml.Node]:
        node = fields.get(key)
        return {} if node is None or _is_null(node) else self._document.fields(node, f"`{key}`")

    def _text(self, fields: Mapping[str, yaml.Node], key: str) -> str | None:
        node = fields.get(key)
        value = None if node is None else self._document.value(node)
        if value is None or isinstance(value, str):
            return value or None
        raise self._document.error(node, f"`{key}` must be text; write it in quotes")

    def _threshold(self, fields: Mapping[str, yaml.Node]) -> float | None:
        node = fields.get("threshold")
        if node is None or _is_null(node):
            return None
        value = self._number(node, "threshold")
        if not is_threshold(value):
            raise self._document.error(node, "`threshold` must be above 0 and at most 1")
        return value

    def _number(self, node: yaml.Node, key: str) -> float:
        value = self._document.value(node)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self._document.error(node, f"`{key}` must be a number")
        return float(value)


def _implied_threshold(assertions: tuple[Assertion, ...]) -> float:
    """Return the threshold of a test that gives none, where Promptfoo wants every assertion to pass."""
    total = math.fsum(item.weight for item in assertions)
    wanted = math.fsum(item.weight * _wanted(item) for item in assertions)
    return wanted / total if total > 0 else 1.0


def _wanted(assertion: Assertion) -> float:
    return (assertion.threshold or _GRADE_WANTED) if is_graded(assertion.type) else 1.0


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and str(cast("Any", node).tag).endswith(":null")


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of *data* in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
