"""Writes cases as tests of a Promptfoo config, in block style, so that people can read and edit them."""

import re
from typing import Any, cast

import yaml
from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.template import escape
from naoshi.records.eval_case import Assertion, EvalCase

_WIDE = 2**31 - 1
PROMPT = "The agent gets the vars of each test."
_MAYBE_NUMBER = re.compile(r"[-+.\d~<]")
# Quoted singly, these would be folded as line breaks are.
_ODD_BREAK = re.compile("[\r\x85\u2028\u2029]")
_LITERAL_BLOCK = re.compile(r"[^\s](?:[^\n]*[^\s])?(?:\n+[^\s](?:[^\n]*[^\s])?)*\n?\Z")


class _Dumper(yaml.SafeDumper):
    """Block style, indented lists, no aliases; what any reader might take for something else is quoted."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if _ODD_BREAK.search(text):
        style = '"'
    elif "\n" in text:
        style = "|" if _LITERAL_BLOCK.match(text) else '"'
    elif _MAYBE_NUMBER.match(text):
        style = "'"
    return cast("Any", dumper).represent_scalar("tag:yaml.org,2002:str", text, style=style)


cast("Any", _Dumper).add_representer(str, _quoted)


def suite_text(cases: tuple[EvalCase, ...], *, description: str) -> str:
    """Return a fresh suite that holds *cases*.

    Raises:
        SuiteError: a case holds text that no file can hold.
    """
    head = _dumped({"description": description, "prompts": [PROMPT], "providers": ["naoshi"]})
    return head + ("tests:\n" + case_items(cases, indent=2) if cases else "tests: []\n")


def case_items(cases: tuple[EvalCase, ...], *, indent: int, line_break: str = "\n") -> str:
    """Return *cases* as items of a block list, indented by *indent* spaces.

    Raises:
        SuiteError: a case holds text that no file can hold.
    """
    prefix = " " * indent
    lines = _dumped([case_as_test(case) for case in cases]).split("\n")
    return line_break.join(prefix + line if line else line for line in lines)


def case_as_test(case: EvalCase) -> dict[str, JsonValue]:
    """Return *case* as a test of a Promptfoo config. Texts that Promptfoo would fill in are escaped."""
    test: dict[str, JsonValue] = {"description": case.description} if case.description else {}
    test["vars"] = {key: _escaped(value) for key, value in case.vars.items()}
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


def _dumped(value: Any) -> str:
    try:
        text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDE)
        text.encode("utf-8")
    except (yaml.YAMLError, UnicodeError) as error:
        raise SuiteError(f"a case cannot be written as YAML: {' '.join(str(error).split())}") from error
    return text
