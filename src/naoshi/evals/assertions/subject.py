"""What an assertion looks at, and what it finds."""

from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.javascript import as_output_text
from naoshi.evals.judge import Judge
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import ResultState

_OUR_PYTHON = PythonCode()


@dataclass(kw_only=True)
class Subject:
    """One output under one assertion. ``value`` is the output after the transform.

    ``latency_ms`` is milliseconds for the answer, ``cost`` US dollars, each None where nobody measured it.
    """

    case: EvalCase
    value: JsonValue
    latency_ms: float | None = None
    cost: float | None = None
    judge: Judge | None = None
    python: PythonCode = _OUR_PYTHON

    @property
    def text(self) -> str:
        """The value as Promptfoo's text assertions see it."""
        return self.value if isinstance(self.value, str) else self._value_as_text

    @cached_property
    def _value_as_text(self) -> str:
        return as_output_text(self.value)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a grading assertion made of a subject. ``score`` is 0–1, None where there is none to give."""

    state: ResultState
    score: float | None
    reason: str = ""


class FirmFailure(Exception):
    """The assertion fails, in its plain and in its `not-` form; the message says why."""


class WholeFailure(Exception):
    """The case fails whatever its other assertions find, as in Promptfoo when one of them throws."""
