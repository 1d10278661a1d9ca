"""A case as it is written in a suite, in plain JSON: a test of a Promptfoo config."""

from pydantic import JsonValue

from naoshi.evals.template import escape
from naoshi.records.eval_case import Assertion, EvalCase

PROMPT = "The agent gets the vars of each test."


def case_as_test(case: EvalCase) -> dict[str, JsonValue]:
    """Return *case* as a test of a Promptfoo config. Texts that Promptfoo would fill in are escaped."""
    test: dict[str, JsonValue] = {"description": case.description} if case.description else {}
    test["vars"] = {key: _variable(value) for key, value in case.vars.items()}
    test["assert"] = [_assertion(item) for item in case.assertions]
    if not case.every:
        test["threshold"] = case.threshold
    if any(isinstance(value, list) for value in case.vars.values()):
        test["options"] = {"disableVarExpansion": True}
    metadata: dict[str, JsonValue] = {
        "case_id": case.case_id,
        "category": case.category,
        "split": case.split.value,
    }
    if case.source_key:
        metadata["source_key"] = case.source_key
    provenance = {name: value for name, value in vars(case.provenance).items() if value is not None}
    del provenance["schema_version"]
    if provenance:
        metadata["provenance"] = provenance
    test["metadata"] = metadata
    return test


def _variable(value: JsonValue) -> JsonValue:
    written = _escaped(value)
    # One line break at the end is lost on the way: Promptfoo takes it off, and so do we when we read.
    return written + "\n" if isinstance(written, str) and written.endswith("\n") else written


def _assertion(assertion: Assertion) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {"type": assertion.type}
    if assertion.value is not None:
        written["value"] = _value(assertion)
    if assertion.transform is not None:
        written["transform"] = assertion.transform
    if assertion.threshold is not None:
        written["threshold"] = assertion.threshold
    if assertion.weight != 1.0:
        written["weight"] = assertion.weight
    if assertion.metric is not None:
        written["metric"] = assertion.metric
    return written


def _value(assertion: Assertion) -> JsonValue:
    if assertion.type in ("python", "not-python") and isinstance(assertion.value, dict):
        return f"file://{assertion.value['file']}:{assertion.value['function']}"
    return _escaped(assertion.value)


def _escaped(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, list):
        return [escape(item) if isinstance(item, str) else item for item in value]
    return value
