"""Files of results, ours or Promptfoo's, read as runs that the gate can hold against each other.

Such a file may come from any pipeline. What the agent can write into it (outputs, and the metadata that its provider
returns) never decides what became of a case.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from naoshi.errors import InputError
from naoshi.records.base import content_hash, content_id
from naoshi.records.eval_run import AssertionResult, CaseResult, EvalRun, ResultState
from naoshi.system.files import read_text

_OURS = "naoshi"
_ERRED = 2
_LONGEST_REASON = 300
_LONGEST_NAME = 60
_BROKEN_CODE = ("Custom function threw error", "Python code execution failed", "Error running Python script")
_GRADED_BY_MODELS = (
    "llm-rubric", "model-graded", "factuality", "g-eval", "answer-relevance", "context-", "select-best", "pi",
    "similar", "classifier", "moderation", "conversation-relevance", "trajectory:goal-success", "search-rubric",
)  # fmt: skip
# What names a case, and what grades it, is no part of what it asks.
_NOT_ASKED = frozenset({"assert", "description", "metadata", "provider", "providers", "options"})
_GRADING_OPTIONS = frozenset({"provider", "rubricPrompt", "factuality"})


@dataclass(frozen=True, kw_only=True)
class ResultsFile:
    """One file of results. ``graders`` are hashes of the models and prompts that graded, by case, where any did."""

    run: EvalRun
    graders: Mapping[str, str] = field(default_factory=dict[str, str])

    def graded_as(self, other: "ResultsFile") -> EvalRun:
        """Return the run, with the settings hash of *other* if no case that both have was graded differently."""
        alike = self.run.settings_hash == other.run.settings_hash and all(
            other.graders.get(case_id, grader) == grader for case_id, grader in self.graders.items()
        )
        told = other.run.settings_hash if alike else f"{self.run.settings_hash} graded differently"
        return self.run.model_copy(update={"settings_hash": told})


def read_results_file(path: Path) -> ResultsFile:
    """Return the run in the file at *path*: Promptfoo's ``--output``, ours in that shape, or what ``--json`` printed.

    A test without ``metadata.case_id`` is named by its description or vars. The same test again is one more trial. Of
    several prompts or providers each makes cases of its own, which are one source. A result that Promptfoo passed
    passes only if something was asserted and all scores are 0–1.

    Raises:
        MissingPathError: there is no such file.
        InputError: it is no JSON, or no results.
    """
    document = _json(path)
    rows = _rows(path, document)
    try:
        if rows is None:
            return ResultsFile(run=EvalRun.model_validate(document))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise InputError(f"{path} holds no results: {place}: {fault['msg']}") from error
    told = _inner(document, "metadata")
    ours = told.get("runner") == _OURS
    read = [_Row.of(row, ours=ours) for row in rows]
    tools = {} if ours else {"promptfoo": told.get("promptfooVersion")}
    now = _moment(_inner(document, "results").get("timestamp"))
    run = EvalRun(
        run_id=str(document.get("evalId") or content_id("run", [row.key for row in read])),
        suite=str(_inner(document, "config").get("description") or path.stem),
        version=str(told.get("version") or path.stem) if ours else path.stem,
        started_at=now,
        finished_at=now,
        settings_hash=str(told.get("settingsHash") or "") if ours else content_hash({"runner": "promptfoo"}),
        results=tuple(_results(read)),
    )
    graders = {row.case_id: content_hash([tools, row.grader]) for row in read if row.grader is not None}
    return ResultsFile(run=run, graders=graders)


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One result as Promptfoo writes it. ``column`` is its place among prompts and providers."""

    fields: Mapping[str, Any]
    test: Mapping[str, Any]
    ours: bool
    asked: str
    name: str
    column: int

    @classmethod
    def of(cls, fields: Mapping[str, Any], *, ours: bool) -> "_Row":
        test = _inner(fields, "testCase")
        asserted = [_without(item, _GRADING_OPTIONS) for item in _listed(test.get("assert"))]
        asked = content_hash(
            [_without(test, _NOT_ASKED), asserted, _without(_inner(test, "options"), _GRADING_OPTIONS)]
        )
        told = _inner(test, "metadata").get("case_id")
        description = test.get("description") or json.dumps(test.get("vars") or {}, ensure_ascii=False)
        shown = " ".join(str(description).split())[:_LONGEST_NAME]
        column = fields.get("promptIdx")
        return cls(
            fields=fields,
            test=test,
            ours=ours,
            asked=asked,
            name=told if isinstance(told, str) and told else f"{shown} ({asked[:8]})",
            column=column if isinstance(column, int) else 0,
        )

    @property
    def case_id(self) -> str:
        return f"{self.name} @{self.column + 1}" if self.column else self.name

    @property
    def key(self) -> tuple[str, str]:
        return self.case_id, self.asked

    @property
    def grader(self) -> Any:
        """What a model that graded this result was told by the test, None where none did."""
        if self.ours or not self._graded_by_model:
            return None
        told = (_inner(self.test, "options"), *_listed(self.test.get("assert")))
        return [{key: value for key, value in item.items() if key in _GRADING_OPTIONS} for item in told]

    @property
    def _graded_by_model(self) -> bool:
        kinds = (str(item.get("type")).removeprefix("not-") for item in _listed(self.test.get("assert")))
        return any(kind.startswith(_GRADED_BY_MODELS) for kind in kinds)

    @property
    def _components(self) -> list[Mapping[str, Any]]:
        return _listed(_inner(self.fields, "gradingResult").get("componentResults"))

    def result(self, *, trial: int) -> CaseResult:
        metadata = _inner(self.test, "metadata")
        category, source = metadata.get("category"), metadata.get("source_key")
        assertions = tuple(self._assertion(item) for item in self._components)
        state, score = self._state(assertions)
        latency = self.fields.get("latencyMs")
        return CaseResult(
            case_id=self.case_id,
            content_hash=self.asked,
            category=category if isinstance(category, str) and category else "general",
            source_key=source if isinstance(source, str) and source else self.name,
            state=state,
            score=score,
            output=_inner(self.fields, "response").get("output"),
            reason="" if state is ResultState.pass_ else self._told(),
            assertions=assertions,
            latency_ms=float(cast("float", latency)) if _is_number(latency) else None,
            trial=trial,
        )

    def _state(self, assertions: Sequence[AssertionResult]) -> tuple[ResultState, float | None]:
        score = self.fields.get("score")
        share = float(cast("float", score)) if _is_share(score) else None
        if self.ours:
            return self._our_state(share)
        if self.fields.get("failureReason") == _ERRED or (self.fields.get("error") and not self._graded):
            return ResultState.agent_error, None
        states = {item.state for item in assertions}
        if not assertions:
            return ResultState.fail, 0.0
        if ResultState.judge_error in states or share is None:
            return ResultState.judge_error, None
        passed = self.fields.get("success") is True and _inner(self.fields, "gradingResult").get("pass") is True
        passed = passed and ResultState.pass_ in states
        return (ResultState.pass_ if passed else ResultState.fail), share

    def _our_state(self, share: float | None) -> tuple[ResultState, float | None]:
        """Return what our own file says; its rows take nothing from the agent's metadata."""
        told = _inner(self.fields, "metadata").get("state")
        state = ResultState(told) if told in set(ResultState) else ResultState.judge_error
        if state is ResultState.pass_ and (self.fields.get("success") is not True or share is None):
            return ResultState.judge_error, None
        return state, share if state in (ResultState.pass_, ResultState.fail) else None

    @property
    def _graded(self) -> bool:
        return bool(_inner(self.fields, "gradingResult"))

    def _assertion(self, component: Mapping[str, Any]) -> AssertionResult:
        assertion, reason = _inner(component, "assertion"), str(component.get("reason") or "")
        score, passed = component.get("score"), component.get("pass")
        kind = str(assertion.get("type") or "unknown")
        # A grader that failed leaves out which assertion it was, or says so in the metadata of its own.
        lost = not assertion and passed is not True and self._graded_by_model
        broken = lost or _inner(component, "metadata").get("graderError") is True or reason.startswith(_BROKEN_CODE)
        if not self.ours and (broken or not isinstance(passed, bool) or not _is_share(score)):
            told = reason[:_LONGEST_REASON]
            return AssertionResult(type=kind, state=ResultState.judge_error, reason=told)
        share = float(cast("float", score)) if _is_share(score) else None
        # Promptfoo calls an assertion without weight passed whatever it found.
        held = passed is True and (assertion.get("weight") != 0 or bool(share))
        state = ResultState.pass_ if held else ResultState.fail
        kept = "" if held else reason[:_LONGEST_REASON]
        return AssertionResult(type=kind, state=state, score=share, reason=kept)

    def _told(self) -> str:
        if not self._components and not self.fields.get("error"):
            return "nothing was asserted"
        text = self.fields.get("error") or _inner(self.fields, "gradingResult").get("reason") or "no reason was given"
        return str(text).splitlines()[0][:_LONGEST_REASON] if str(text).strip() else ""


def _results(rows: Sequence[_Row]) -> Iterator[CaseResult]:
    trials: Counter[tuple[str, str]] = Counter()
    for row in rows:
        yield row.result(trial=trials[row.key])
        trials[row.key] += 1


def _json(path: Path) -> dict[str, Any]:
    try:
        document: Any = json.loads(read_text(path), parse_constant=str, parse_float=_finite)
    except (json.JSONDecodeError, RecursionError) as error:
        told = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "nested too deep"
        hint = "give the .json that `--output` wrote; .jsonl does not say how results were graded"
        raise InputError(f"{path} is not one JSON document ({told})", hint=hint) from error
    if not isinstance(document, dict):
        raise InputError(f"{path} holds no results: it is a list or a bare value")
    return cast("dict[str, Any]", document)


def _finite(text: str) -> float | str:
    """Return the number that *text* is; one that is too large stays a text, as NaN does, and so is no score."""
    value = float(text)
    return value if math.isfinite(value) else text


def _rows(path: Path, document: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the rows of a file in Promptfoo's shape, None of another one."""
    found: Any = _inner(document, "results").get("results")
    if not isinstance(found, list):
        return None
    rows = cast("list[Any]", found)
    broken = next((number for number, row in enumerate(rows) if not isinstance(row, dict)), None)
    if broken is not None:
        raise InputError(f"{path} holds no results: results.results.{broken} is no JSON object")
    return rows


def _listed(value: object) -> list[Mapping[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _inner(fields: Mapping[str, Any], key: str) -> dict[str, Any]:
    value: Any = fields.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _without(fields: Mapping[str, Any], left_out: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in left_out}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_share(value: object) -> bool:
    return _is_number(value) and 0 <= cast("float", value) <= 1


def _moment(told: object) -> datetime:
    try:
        found = datetime.fromisoformat(str(told))
    except ValueError:
        return datetime.fromtimestamp(0, tz=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
