"""Our results in the shape of Promptfoo's results, so that tools which read those read ours."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from naoshi.errors import InputError, StoreError
from naoshi.evals.written_case import PROMPT, case_as_test
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import AssertionResult, CaseResult, EvalRun, ResultState
from naoshi.system.files import sync_folder

_RESULTS_VERSION = 3
_BUFFER_BYTES = 1024 * 1024
_PASSED, _FAILED, _ERRED = 0, 1, 2
_FAILURE_REASON = {ResultState.pass_: _PASSED, ResultState.fail: _FAILED}
_NO_TOKENS = {"total": 0, "prompt": 0, "completion": 0, "cached": 0, "numRequests": 0}
_PROMPT_ID = hashlib.sha256(PROMPT.encode()).hexdigest()


def write_results(path: Path, run: EvalRun, cases: Sequence[EvalCase]) -> None:
    """Write *run* of *cases* to *path*: one JSON document, or with the ending ``.jsonl`` a result a line.

    A result that is no verdict on the agent (``agent_error``, ``judge_error``, ``not_run``) is an error in
    Promptfoo's words; ``metadata.state`` says which, and ``stats.states`` counts all five.

    Raises:
        InputError: *path* has another ending, or the run has a case that is not among *cases*.
        StoreError: the disk or the rights do not allow it; an old file is untouched.
    """
    if path.suffix not in (".json", ".jsonl"):
        raise InputError(f"results are written to a .json or a .jsonl file, not to {path.name}")
    known = {case.case_id: case for case in cases}
    unknown = next((result.case_id for result in run.results if result.case_id not in known), None)
    if unknown is not None:
        raise InputError(f"the run has a case {unknown} that is not in the suite")
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb", buffering=_BUFFER_BYTES) as file:
                for part in _lines(run, known) if path.suffix == ".jsonl" else _document(run, known):
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def _common(*, provider: str) -> dict[str, Any]:
    return {
        "cost": 0,
        "prompt": {"raw": PROMPT, "label": PROMPT, "config": {}},
        "promptId": _PROMPT_ID,
        "promptIdx": 0,
        "provider": {"id": provider, "label": ""},
    }


def _own(result: CaseResult, case: EvalCase, *, place: int) -> dict[str, Any]:
    """Return what only this result has, as Promptfoo writes it; ``place`` is its number in the run, from 0."""
    test = case_as_test(case)
    reason = result.reason or ("All assertions passed" if result.state is ResultState.pass_ else result.state.value)
    score = result.score or 0.0
    error = {} if result.state is ResultState.pass_ else {"error": reason}
    components = [_component(found, written) for found, written in zip(result.assertions, _written(test), strict=False)]
    named = _named_scores(case, result)
    return {
        **error,
        "gradingResult": {
            "pass": result.state is ResultState.pass_,
            "score": score,
            "reason": reason,
            "namedScores": named,
            "tokensUsed": _NO_TOKENS,
            "componentResults": components,
        },
        "id": f"{result.case_id}-{place}",
        "latencyMs": round(result.latency_ms or 0.0, 3),
        "namedScores": named,
        "response": {"output": result.output},
        "score": score,
        "success": result.state is ResultState.pass_,
        "testCase": test,
        "testIdx": place,
        "vars": case.vars,
        "metadata": {"case_id": result.case_id, "category": result.category, "state": result.state.value},
        "failureReason": _FAILURE_REASON.get(result.state, _ERRED),
    }


def _document(run: EvalRun, known: Mapping[str, EvalCase]) -> Iterator[bytes]:
    """Yield the text of the document piece by piece, so that a large run is never in memory twice."""
    head = {"evalId": run.run_id}
    opened = {
        "version": _RESULTS_VERSION,
        "timestamp": _time(run),
        "prompts": [{"id": _PROMPT_ID, "raw": PROMPT, "label": PROMPT, "provider": "naoshi", "metrics": _metrics(run)}],
    }
    yield (json.dumps(head)[:-1] + ', "results": ' + json.dumps(opened)[:-1] + ', "results": [').encode()
    separator = b"\n"
    for row in _rows(run, known):
        yield separator + row
        separator = b",\n"
    yield ('\n], "stats": ' + json.dumps(_stats(run)) + "}, ").encode()
    tail: dict[str, Any] = {
        "config": {"description": run.suite, "prompts": [PROMPT], "providers": ["naoshi"]},
        "shareableUrl": None,
        "metadata": {"runner": "naoshi", "version": run.version, "settingsHash": run.settings_hash},
    }
    yield _text(tail)[1:] + b"\n"


def _lines(run: EvalRun, known: Mapping[str, EvalCase]) -> Iterator[bytes]:
    return (row + b"\n" for row in _rows(run, known))


def _rows(run: EvalRun, known: Mapping[str, EvalCase]) -> Iterator[bytes]:
    # What all rows have in common is made into text once.
    common = b"," + _text(_common(provider="naoshi"))[1:]
    for place, result in enumerate(run.results):
        yield _text(_own(result, known[result.case_id], place=place))[:-1] + common


def _text(value: Mapping[str, Any]) -> bytes:
    try:
        return to_json(value, inf_nan_mode="constants")
    except PydanticSerializationError:
        # Half a character, which the file then shows as an escape.
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _written(test: Mapping[str, Any]) -> list[Any]:
    return list(test["assert"])


def _component(found: AssertionResult, written: Any) -> dict[str, Any]:
    passed = found.state is ResultState.pass_
    return {
        "pass": passed,
        "score": found.score or 0.0,
        "reason": found.reason or ("Assertion passed" if passed else found.state.value),
        "assertion": written,
    }


def _named_scores(case: EvalCase, result: CaseResult) -> dict[str, float]:
    """Return the mean score of each metric by weight; an assertion without a grade counts nothing for it."""
    sums: dict[str, list[float]] = {}
    for assertion, found in zip(case.assertions, result.assertions, strict=False):
        if assertion.metric is not None and assertion.weight > 0:
            entry = sums.setdefault(assertion.metric, [0.0, 0.0])
            entry[0] += (found.score or 0.0) * assertion.weight
            entry[1] += assertion.weight
    return {name: total / weight for name, (total, weight) in sums.items()}


def _stats(run: EvalRun) -> dict[str, Any]:
    counts = run.counts()
    passed, failed = counts[ResultState.pass_], counts[ResultState.fail]
    took = (run.finished_at - run.started_at).total_seconds() * 1000
    return {
        "successes": passed,
        "failures": failed,
        "errors": len(run.results) - passed - failed,
        "states": {state.value: count for state, count in counts.items()},
        "tokenUsage": _NO_TOKENS,
        "durationMs": round(took),
        "evaluationDurationMs": round(took),
    }


def _metrics(run: EvalRun) -> dict[str, Any]:
    counts = run.counts()
    passed, failed = counts[ResultState.pass_], counts[ResultState.fail]
    parts = [found for result in run.results for found in result.assertions]
    asserted = sum(found.state is ResultState.pass_ for found in parts)
    return {
        "score": sum(result.score or 0.0 for result in run.results),
        "testPassCount": passed,
        "testFailCount": failed,
        "testErrorCount": len(run.results) - passed - failed,
        "assertPassCount": asserted,
        "assertFailCount": len(parts) - asserted,
        "totalLatencyMs": round(sum(result.latency_ms or 0.0 for result in run.results)),
        "tokenUsage": _NO_TOKENS,
        "namedScores": {},
        "namedScoresCount": {},
        "cost": 0,
    }


def _time(run: EvalRun) -> str:
    return run.started_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
