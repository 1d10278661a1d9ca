"""Reads the tests of one file as cases."""

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import Any, cast

from pydantic import JsonValue, ValidationError

from naoshi.errors import SuiteError
from naoshi.evals.assertion_types import check_assertion, is_graded, is_threshold, known_kind
from naoshi.evals.assertions.json_document import schema_from_text
from naoshi.evals.plain_document import Document
from naoshi.evals.settings import EvalSettings
from naoshi.evals.splits import assign_split
from naoshi.evals.suite_source import SuiteSource
from naoshi.evals.template import TemplateError, render
from naoshi.evals.transform import joined_transform
from naoshi.evals.var_templates import rendered_vars
from naoshi.evals.yaml_nodes import is_null
from naoshi.records.base import content_id
from naoshi.records.eval_case import Assertion, EvalCase, Provenance, Split

_TEST_KEYS = frozenset({"assert", "description", "metadata", "options", "threshold", "vars"})
_OPTIONS = frozenset({"disableDefaultAsserts", "disableVarExpansion", "transform"})
_ASSERT_KEYS = frozenset({"metric", "threshold", "transform", "type", "value", "weight"})
_JSON_KINDS = frozenset({"is-json", "contains-json", "not-is-json", "not-contains-json"})
_GRADE_WANTED = 0.7
_MOST_COMBINATIONS = 100_000

Fields = dict[str, Any]


class CaseReader:
    """Makes cases of the tests in *document*. ``split`` is what the file is kept for, ``defaults`` the defaultTest."""

    def __init__(
        self,
        *,
        document: Document,
        source: SuiteSource,
        split: Split | None,
        settings: EvalSettings,
        defaults: JsonValue = None,
    ) -> None:
        self._document = document
        self._source = source
        self._split = split
        self._settings = settings
        self._defaults: Fields = {} if defaults is None else self._known(defaults, "`defaultTest`", _TEST_KEYS)

    def cases(self, node: Any, fields: Fields) -> Iterator[EvalCase]:
        """Yield the cases of the test *node* with these *fields*: one for each combination of the lists in its `vars`.

        Raises:
            SuiteError: it holds what we do not support; one line with file and line number.
        """
        self._require_known(fields, "a test", _TEST_KEYS)
        options = {**self._default_options, **self._options(fields)}
        combinations = self._combinations(node, fields, expands=options.get("disableVarExpansion") is not True)
        for number, variables in enumerate(combinations, start=1):
            yield self._case(node, fields, options, variables, number if len(combinations) > 1 else None)

    def _case(
        self,
        node: Any,
        fields: Fields,
        options: Mapping[str, JsonValue],
        variables: dict[str, JsonValue],
        number: int | None,
    ) -> EvalCase:
        try:
            variables = rendered_vars(variables)
        except TemplateError as error:
            raise self._document.error(fields.get("vars", node), str(error)) from error
        outer = options.get("transform")
        assertions = tuple(
            self._assertion(item, variables, None if outer is None else str(outer))
            for item in self._assertions(fields, options)
        )
        metadata = {**self._default_metadata, **self._mapping(fields, "metadata")}
        told = self._text(metadata, "case_id")
        case_id = told or content_id("case", variables, [item.model_dump(mode="json") for item in assertions])
        source_key = self._text(metadata, "source_key") or content_id("source", variables)
        threshold = self._threshold(fields) or self._threshold(self._defaults)
        return EvalCase.of_checked(
            _CASE_FIELDS,
            {
                "schema_version": 1,
                "case_id": case_id if number is None or told is None else f"{case_id}-{number}",
                "description": self._text(fields if "description" in fields else self._defaults, "description") or "",
                "vars": variables,
                "assertions": assertions,
                "category": self._text(metadata, "category") or "general",
                "threshold": threshold or _implied_threshold(assertions),
                "every": threshold is None and any(is_graded(item.type) for item in assertions),
                "split": self._split_of(metadata, source_key),
                "source_key": source_key,
                "provenance": self._provenance(metadata),
            },
        )

    @cached_property
    def _default_options(self) -> dict[str, JsonValue]:
        return self._options(self._defaults)

    @cached_property
    def _default_metadata(self) -> Fields:
        return self._mapping(self._defaults, "metadata")

    @cached_property
    def _default_vars(self) -> Fields:
        return self._mapping(self._defaults, "vars")

    def _combinations(self, node: Any, fields: Fields, *, expands: bool) -> list[dict[str, JsonValue]]:
        values: dict[str, list[JsonValue]] = {}
        for key, item in {**self._default_vars, **self._mapping(fields, "vars")}.items():
            value = self._document.value(item)
            # Promptfoo takes a list for alternatives when it begins with a text, and for one value otherwise.
            alternatives = expands and isinstance(value, list) and bool(value) and isinstance(value[0], str)
            found = cast("list[JsonValue]", value) if alternatives else [value]
            values[key] = [self._variable(item, each) for each in found]
        if all(len(found) == 1 for found in values.values()):
            return [{key: found[0] for key, found in values.items()}]
        if math.prod(len(found) for found in values.values()) > _MOST_COMBINATIONS:
            raise self._document.error(node, f"the lists in `vars` make more than {_MOST_COMBINATIONS} tests of one")
        return [dict(zip(values, found, strict=True)) for found in product(*values.values())]

    def _variable(self, node: Any, value: JsonValue) -> JsonValue:
        if not isinstance(value, str):
            return value
        if not value.startswith("file://"):
            # Promptfoo takes one line break off, and a case that we write has one more.
            return value.removesuffix("\n")
        try:
            return self._source.variable(value)
        except SuiteError as error:
            raise self._at(node, error) from error

    def _assertions(self, fields: Fields, options: Mapping[str, JsonValue]) -> list[Any]:
        defaults = [] if options.get("disableDefaultAsserts") is True else self._listed(self._defaults, "assert")
        return [*defaults, *self._listed(fields, "assert")]

    def _assertion(self, node: Any, variables: Mapping[str, JsonValue], outer: str | None) -> Assertion:
        fields = self._document.fields(node, "an assertion")
        if "type" not in fields:
            raise self._document.error(node, "the assertion has no `type`")
        name = self._text(fields, "type") or ""
        try:
            # An assertion that we do not know has keys that we do not know, and is better named by its type.
            known_kind(name)
            self._require_known(fields, "an assertion", _ASSERT_KEYS)
            assertion = Assertion.of_checked(
                _ASSERTION_FIELDS,
                {
                    "schema_version": 1,
                    "type": name,
                    "value": self._value(name, fields.get("value"), variables),
                    "threshold": self._amount(fields, "threshold"),
                    "weight": 1.0 if "weight" not in fields else self._number(fields["weight"], "weight"),
                    "metric": self._metric(fields, variables),
                    "transform": joined_transform(outer, self._text(fields, "transform")),
                },
            )
            check_assertion(assertion)
        except SuiteError as error:
            raise self._at(node, error) from error
        return assertion

    def _value(self, name: str, node: Any | None, variables: Mapping[str, JsonValue]) -> JsonValue:
        if node is None:
            return None
        value = self._document.value(node)
        if isinstance(value, str) and value.startswith("file://"):
            return self._referred(name, value)
        value = self._rendered(node, value, variables)
        if name in _JSON_KINDS and isinstance(value, str):
            return schema_from_text(value)
        return value

    def _referred(self, name: str, reference: str) -> JsonValue:
        """Return the value that stands in another file; code keeps the name of its file and of its function."""
        if name not in ("python", "not-python"):
            return self._source.value(reference)
        file, _, function = reference.removeprefix("file://").partition(":")
        if not file.endswith(".py"):
            raise SuiteError(f"{reference[:200]!r} is no file of Python code")
        return {"file": file, "function": function or "get_assert", "code": self._source.text(file)}

    def _rendered(self, node: Any, value: JsonValue, names: Mapping[str, JsonValue]) -> JsonValue:
        try:
            if isinstance(value, str):
                return render(value, names)
            if isinstance(value, list):
                return [render(item, names) if isinstance(item, str) else item for item in value]
        except TemplateError as error:
            raise self._document.error(node, str(error)) from error
        return value

    def _metric(self, fields: Fields, variables: Mapping[str, JsonValue]) -> str | None:
        text = self._text(fields, "metric")
        return None if text is None else str(self._rendered(fields["metric"], text, variables))

    def _options(self, fields: Fields) -> dict[str, JsonValue]:
        found = self._mapping(fields, "options")
        if not found:
            return {}
        for key, node in found.items():
            if key not in _OPTIONS:
                judge = "; the judge is set in naoshi.toml" if key in ("provider", "rubricPrompt") else ""
                raise self._document.error(node, f"`{key[:80]}` in `options` is not supported{judge}")
        values = {key: self._document.value(node) for key, node in found.items()}
        transform = values.get("transform")
        if transform is not None and not isinstance(transform, str):
            raise self._document.error(found["transform"], "`transform` must be text")
        return values

    def _split_of(self, metadata: Mapping[str, Any], source_key: str) -> Split:
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

    def _provenance(self, metadata: Mapping[str, Any]) -> Provenance:
        fields = self._mapping(metadata, "provenance")
        if not fields:
            return _BY_HAND
        values: dict[str, Any] = {key: self._document.value(node) for key, node in fields.items()}
        if values.keys() <= _TOLD_BY.keys() and set(map(type, values.values())) == {str}:
            # As nearly all are; texts are right for each of these fields.
            return Provenance.of_checked(_PROVENANCE_FIELDS, {"schema_version": 1, **_TOLD_BY, **values})
        try:
            return Provenance(**values)
        except ValidationError as error:
            told = error.errors()[0]
            where = ".".join(str(part) for part in told["loc"])
            raise self._document.error(metadata["provenance"], f"`provenance.{where}`: {told['msg']}") from error

    def _known(self, node: Any, what: str, known: frozenset[str]) -> Fields:
        fields = self._document.fields(node, what)
        self._require_known(fields, what, known)
        return fields

    def _require_known(self, fields: Fields, what: str, known: frozenset[str]) -> None:
        if not fields.keys() <= known:
            key, value = next((key, value) for key, value in fields.items() if key not in known)
            raise self._document.error(value, f"`{key[:80]}` in {what} is not supported")

    def _listed(self, fields: Mapping[str, Any], key: str) -> list[Any]:
        node = fields.get(key)
        return [] if node is None or is_null(node) else self._document.items(node, f"`{key}`")

    def _mapping(self, fields: Mapping[str, Any], key: str) -> Fields:
        node = fields.get(key)
        return {} if node is None or is_null(node) else self._document.fields(node, f"`{key}`")

    def _text(self, fields: Mapping[str, Any], key: str) -> str | None:
        node = fields.get(key)
        if node is None:
            return None
        value = self._document.value(node)
        if value is None or isinstance(value, str):
            return value or None
        raise self._document.error(node, f"`{key}` must be text; write it in quotes")

    def _threshold(self, fields: Mapping[str, Any]) -> float | None:
        value = self._amount(fields, "threshold")
        if value is not None and not is_threshold(value):
            raise self._document.error(fields["threshold"], "`threshold` must be above 0 and at most 1")
        return value

    def _amount(self, fields: Mapping[str, Any], key: str) -> float | None:
        node = fields.get(key)
        return None if node is None or is_null(node) else self._number(node, key)

    def _number(self, node: Any, key: str) -> float:
        value = self._document.value(node)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self._document.error(node, f"`{key}` must be a number")
        return float(value)

    def _at(self, node: Any, error: SuiteError) -> SuiteError:
        """Return *error* with the place of *node*, if it does not tell its own place already."""
        if error.message.startswith(f"{self._document.name}, line "):
            return error
        return SuiteError(self._document.error(node, error.message).message, hint=error.advice)


_BY_HAND = Provenance()
_PROVENANCE_FIELDS = set(Provenance.model_fields)
_TOLD_BY = {name: None for name in Provenance.model_fields if name != "schema_version"}
_CASE_FIELDS = set(EvalCase.model_fields)
_ASSERTION_FIELDS = set(Assertion.model_fields)


def _implied_threshold(assertions: tuple[Assertion, ...]) -> float:
    """Return the threshold of a test that gives none, where Promptfoo wants every assertion to pass."""
    total = math.fsum(item.weight for item in assertions)
    wanted = math.fsum(item.weight * _wanted(item) for item in assertions)
    return wanted / total if total > 0 else 1.0


def _wanted(assertion: Assertion) -> float:
    return (assertion.threshold or _GRADE_WANTED) if is_graded(assertion.type) else 1.0
