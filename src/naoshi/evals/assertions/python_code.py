"""Python code that people wrote as an assertion, run in a process of its own, bounded in time, memory and output."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import MissingProgramError, SuiteError

_HARNESS = Path(__file__).with_name("python_harness.py")
_PASSED_ON = frozenset({"PATH", "HOME", "LANG", "TMPDIR", "TZ", "VIRTUAL_ENV"})
_LONGEST_REASON = 300


class GraderError(Exception):
    """The code gave no usable grade; the agent is not to blame."""


@dataclass(frozen=True, kw_only=True)
class PythonCode:
    """How assertions in Python are run: the interpreter ("" is ours), and limits in seconds and bytes.

    Once ``stopping`` says so, nobody wants the grade any more.
    """

    interpreter: str = ""
    timeout: float = 10.0
    memory_limit: int = 4 * 1024**3
    output_limit: int = 1024 * 1024
    stopping: Callable[[], bool] = lambda: False

    def call(self, source: str, function: str, output: JsonValue, context: Mapping[str, JsonValue]) -> Any:
        """Return what *function* of *source* makes of *output* and *context*.

        Raises:
            GraderError: it did not come to an end in time, failed, or returned what JSON cannot say.
        """
        # The agent's process needs none of this, and most suites have no Python.
        from naoshi.system.process import run

        request = {"source": source, "function": function, "output": output, "context": context,
                   "seconds": self.timeout, "memory": self.memory_limit}  # fmt: skip
        try:
            finished = run(
                [self.interpreter or sys.executable, "-B", str(_HARNESS)],
                folder=Path.cwd(),
                environment={name: value for name, value in os.environ.items() if name in _PASSED_ON},
                stdin=json.dumps(request).encode(),
                timeout=self.timeout,
                output_limit=self.output_limit,
                stopping=self.stopping,
            )
        except MissingProgramError as error:
            raise GraderError(error.message) from error
        if finished.timed_out or finished.flooded:
            limit = f"{self.timeout:g} s" if finished.timed_out else f"{self.output_limit} bytes"
            raise GraderError(f"the Python code went beyond {limit}")
        return _told(finished.stdout, finished.status, finished.stderr)


def compiled_source(value: JsonValue) -> tuple[str, str]:
    """Return the source of *value* (an assertion's code) and the name of the function to call.

    One line is an expression, several are the body of a function, both of ``output`` and ``context``. Code from a
    file is a mapping of ``file``, ``function`` and ``code``.

    Raises:
        SuiteError: it is neither, or is no Python.
    """
    if isinstance(value, dict):
        source, function = str(value["code"]), str(value["function"])
    elif not isinstance(value, str) or not value.strip():
        raise SuiteError("`python` needs code, or a `file://` that holds it")
    else:
        source, function = _wrapped(value), "main"
    try:
        compile(source, "<assertion>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SuiteError(f"the code of `python` is no Python: {error}") from error
    return source, function


def _wrapped(code: str) -> str:
    if "\n" not in code:
        return f"import json\n\ndef main(output, context):\n    return {code}\n"
    lines = code.split("\n")
    indented = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip() and line[0].isspace()]
    margin = indented[0] if indented else "    "
    return "import json\n\ndef main(output, context):\n" + "\n".join(margin + line for line in lines) + "\n"


def _told(printed: str, status: int, stderr: str) -> Any:
    try:
        answer: Any = json.loads(printed)
    except (ValueError, RecursionError) as error:
        last = (stderr.strip().splitlines() or [""])[-1]
        raise GraderError(f"the Python code ended with status {status}: {last[:_LONGEST_REASON]}") from error
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    if "value" not in fields:
        raise GraderError(f"the Python code failed: {str(fields.get('error'))[:_LONGEST_REASON]}")
    return fields["value"]
