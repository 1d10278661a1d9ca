"""Runs cases in the real Promptfoo, on the agent under test."""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import AgentError, MissingProgramError
from naoshi.evals.agent_pool import AgentPool
from naoshi.evals.agent_worker import Clock, utc_now
from naoshi.evals.answer import Answer
from naoshi.evals.assertions.graded import DEFAULT_GRADE_THRESHOLD
from naoshi.evals.judge import Judge
from naoshi.evals.promptfoo.answer_server import AnswerServer
from naoshi.evals.promptfoo.program import Promptfoo
from naoshi.evals.promptfoo.results_reader import read_results
from naoshi.evals.run import require_sound, run_identifier, settings_hash
from naoshi.evals.score import hash_of
from naoshi.evals.settings import AgentSettings
from naoshi.evals.suite_writer import suite_text
from naoshi.records.base import content_id
from naoshi.records.eval_case import Assertion, EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun
from naoshi.system.process import Finished, run

_HERE = Path(__file__).parent
_PROVIDER, _JUDGE = "naoshi_agent.mjs", "naoshi_judge.mjs"
_SOME_TESTS_FAILED = 100
_LONGEST_RUN_SECONDS = 12 * 3600.0


def run_with_promptfoo(
    cases: Sequence[EvalCase],
    *,
    promptfoo: Promptfoo,
    agent: AgentSettings,
    folder: Path,
    version: str,
    suite: str,
    environment: Mapping[str, str],
    data_root: Path | None = None,
    workers: int | None = None,
    clock: Clock = utc_now,
    judge: Judge | None = None,
    python: str = "",
    on_answer: Callable[[Answer], None] | None = None,
    on_result: Callable[[CaseResult], None] | None = None,
    run_id: str | None = None,
    keep: Path | None = None,
) -> EvalRun:
    """Run *cases* as `run_cases` does, but graded by *promptfoo*, and return its results as ours.

    The suite is the one that we would write; a provider beside it has us run the agent, a grader has our judge grade.
    Promptfoo gets a folder of its own, no cache, and none of our environment that could hold a secret. ``python`` is
    the interpreter of assertions in Python ("" is ours). What it wrote is copied to ``keep``, if that is given. An
    empty suite is not given to Promptfoo, which would make up a test and pass it.

    Raises:
        SuiteError: a case cannot be graded or written, or two cases have one identifier.
        ConfigError: no command is configured.
        MissingProgramError: a program is not on this machine, or Promptfoo ended without results.
    """
    require_sound(cases)
    started = clock()
    hashes = [hash_of(case) for case in cases]
    pinned = settings_hash(judge, runner=f"promptfoo {promptfoo.version}")
    pool = AgentPool(
        agent=agent, folder=folder, version=version, environment=environment, data_root=data_root, workers=workers,
        clock=clock,
    )  # fmt: skip
    results: tuple[CaseResult, ...] = ()
    with tempfile.TemporaryDirectory(prefix="naoshi-", ignore_cleanup_errors=True) as place:
        if cases:
            desk = Path(place)
            server = AnswerServer(cases=cases, pool=pool, judge=judge, socket=desk / "s", on_answer=on_answer)
            _write_suite(desk, cases, suite)
            words = [*promptfoo.command, *_arguments(workers or agent.workers)]
            own = promptfoo.environment(environment, folder=desk / "config", python=python or sys.executable)
            with server:
                finished = run(
                    words,
                    folder=desk,
                    environment={**own, "NAOSHI_SOCKET": str(desk / "s")},
                    timeout=_LONGEST_RUN_SECONDS,
                )
            if server.failure is not None and not isinstance(server.failure, AgentError):
                raise server.failure
            document = _document(desk / "results.json", finished)
            results = read_results(document, cases, server.answers)
            if keep is not None:
                keep.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(desk / "results.json", keep)
    for result in results:
        if on_result:
            on_result(result)
    return EvalRun(
        run_id=run_id or run_identifier(cases, hashes, suite=suite, version=version, pinned=pinned, started=started),
        suite=suite,
        version=version,
        started_at=started,
        finished_at=clock(),
        settings_hash=pinned,
        results=results,
    )


def _arguments(workers: int) -> list[str]:
    return [
        "eval", "-c", "suite.yaml", "-r", f"file://{_PROVIDER}", "--grader", f"file://{_JUDGE}", "-o", "results.json",
        "-j", str(workers), "--no-cache", "--no-table", "--no-progress-bar", "--no-share",
    ]  # fmt: skip


def _write_suite(desk: Path, cases: Sequence[EvalCase], suite: str) -> None:
    (desk / "config").mkdir()
    for name in (_PROVIDER, _JUDGE):
        shutil.copyfile(_HERE / name, desk / name)
    written = tuple(_with_code_in(desk, case) for case in cases)
    (desk / "suite.yaml").write_text(suite_text(written, description=suite), encoding="utf-8")


def _with_code_in(desk: Path, case: EvalCase) -> EvalCase:
    """Return *case* as Promptfoo is to read it: code in files of *desk*, and the mark that a rubric asks for said."""
    return case.model_copy(update={"assertions": tuple(_rewritten(desk, item) for item in case.assertions)})


def _rewritten(desk: Path, assertion: Assertion) -> Assertion:
    if assertion.type == "llm-rubric" and assertion.threshold is None:
        return assertion.model_copy(update={"threshold": DEFAULT_GRADE_THRESHOLD})
    if not isinstance(assertion.value, dict) or "code" not in assertion.value or not assertion.type.endswith("python"):
        return assertion
    code = str(assertion.value["code"])
    name = f"{content_id('code', code)}.py"
    (desk / name).write_text(code, encoding="utf-8")
    value: dict[str, JsonValue] = {**assertion.value, "file": name}
    return assertion.model_copy(update={"value": value})


def _document(path: Path, finished: Finished) -> dict[str, Any]:
    if finished.status not in (0, _SOME_TESTS_FAILED) or not path.is_file():
        last = " ".join((finished.stderr.strip() or finished.stdout.strip())[-500:].split())
        raise MissingProgramError(f"Promptfoo ended with status {finished.status} and no results: {last}")
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
