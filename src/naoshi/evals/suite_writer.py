"""Writes cases as tests of a Promptfoo config, in block style, so that people can read and edit them."""

import re
from typing import Any, cast

import yaml

from naoshi.errors import SuiteError
from naoshi.evals.written_case import PROMPT, case_as_test
from naoshi.records.eval_case import EvalCase

_WIDE = 2**31 - 1
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


def _dumped(value: Any) -> str:
    try:
        text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDE)
        text.encode("utf-8")
    except (yaml.YAMLError, UnicodeError) as error:
        raise SuiteError(f"a case cannot be written as YAML: {' '.join(str(error).split())}") from error
    return text
