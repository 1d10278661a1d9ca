"""Naoshi and the real Promptfoo, side by side."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from naoshi.errors import JudgeError
from naoshi.evals import Grade, load_suite
from naoshi.evals.promptfoo import Promptfoo, run_with_promptfoo, write_results
from naoshi.evals.run import run_cases
from naoshi.evals.settings import AgentSettings
from naoshi.evals.suite_writer import suite_text
from naoshi.records import Assertion, CaseResult, EvalCase, EvalRun, ResultState
from tests.peers.matrix import HOLES, cells

AGENTS = Path(__file__).parent / "agents"
AGENT = AgentSettings(command=(sys.executable, str(AGENTS / "echo.py")))
CELLS = cells()
CASES = [cell.case(number) for number, cell in enumerate(CELLS)]
TOO_LONG = 600


class ScriptedJudge:
    """Grades as the rubric says."""

    pin = "scripted"

    def grade(self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue]) -> Grade:
        found = re.match(r"grade (-?[\w.]+)", rubric)
        if found is None:
            raise JudgeError("the judge said nothing of use")
        return Grade(score=float(found[1]), reason="because")


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a program made of one cell: passed, score, and for each assertion with weight why it failed."""

    passed: bool
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The matrix run three ways: natively, through Promptfoo and read by us, and what Promptfoo itself wrote."""

    native: EvalRun
    through: EvalRun
    raw: dict[str, dict[str, Any]]


def given(folder: Path) -> dict[str, Any]:
    return {"agent": AGENT, "folder": folder, "version": "v1", "suite": "matrix", "environment": os.environ}


@pytest.fixture(scope="module")
def runs(promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("matrix")
    kept = folder / "kept" / "raw.json"
    through = run_with_promptfoo(CASES, promptfoo=promptfoo, judge=ScriptedJudge(), keep=kept, **given(folder))
    return Runs(
        native=run_cases(CASES, judge=ScriptedJudge(), **given(folder)),
        through=through,
        raw=rows_of(kept),
    )


def rows_of(path: Path) -> dict[str, dict[str, Any]]:
    rows = json.loads(path.read_text(encoding="utf-8"))["results"]["results"]
    return {row["testCase"]["metadata"]["case_id"]: row for row in rows}


def of_native(case: EvalCase, result: CaseResult) -> Found:
    return Found(
        passed=result.state is ResultState.pass_,
        score=result.score or 0.0,
        why=why(case, [(item.state is ResultState.pass_, item.reason) for item in result.assertions], result.reason),
    )


def of_promptfoo(case: EvalCase, row: dict[str, Any]) -> Found:
    components = (row.get("gradingResult") or {}).get("componentResults") or []
    kept = [item for item in components if "assertion" not in item or item["assertion"]["type"] in types(case)]
    told = row.get("error") or (row.get("gradingResult") or {}).get("reason") or ""
    score = row["score"]
    return Found(
        passed=row["success"],
        score=0.0 if score is None else score,
        why=why(case, [(item["pass"], item["reason"]) for item in kept], told),
    )


def types(case: EvalCase) -> set[str]:
    return {item.type for item in case.assertions}


def why(case: EvalCase, components: list[tuple[bool, str]], told: str) -> tuple[str, ...]:
    """Return the class of the whole failure where there is one, else that of each assertion."""
    whole = whole_class(told)
    if whole:
        return (whole,)
    return tuple(
        "" if passed else reason_class(assertion, reason)
        for assertion, (passed, reason) in zip(case.assertions, components, strict=False)
        if assertion.weight > 0
    )


def whole_class(told: str) -> str:
    patterns = {
        "transform": r"Transform (failed|function did)|^\S+: output\S* (is missing|is null|cannot be read)|, not text$",
        "no output": r"^No output|the output is null",
        "cost": r"Cost assertion does not support|did not say what the answer cost",
    }
    return next((name for name, pattern in patterns.items() if re.search(pattern, told)), "")


def reason_class(assertion: Assertion, reason: str) -> str:
    kind = assertion.type.removeprefix("not-")
    if kind in ("python", "llm-rubric"):
        broken = (
            r"Python code execution failed|Error running Python|judge_error|^the (Python code|code returned|grade of"
        )
        broken += r"|judge failed|score .* of the code)"
        return f"{kind} is broken" if re.search(broken, reason) else kind
    if kind in ("is-json", "contains-json"):
        return "schema" if re.search(r"conform|schema", reason) else "json"
    return kind


@pytest.mark.timeout(TOO_LONG)
def test_the_matrix_is_large_and_covers_every_assertion():
    """Protects the comparison itself: at least 200 cells, every kind that we know in them."""
    from naoshi.evals.assertions import KNOWN_TYPES

    assert len(CELLS) >= 200
    assert {name for case in CASES for name in types(case)} == KNOWN_TYPES
    assert {cell.hole for cell in CELLS} - {""} <= set(HOLES)


@pytest.mark.timeout(TOO_LONG)
def test_both_say_the_same_of_every_cell_but_the_holes(runs: Runs):
    """Protects people who trust either: pass, score and reason class agree, and nothing differs unexplained."""
    differing: list[str] = []
    for cell, case, result in zip(CELLS, CASES, runs.native.results, strict=True):
        ours, theirs = of_native(case, result), of_promptfoo(case, runs.raw[case.case_id])
        same = (ours.passed, ours.why) == (theirs.passed, theirs.why) and ours.score == pytest.approx(theirs.score)
        if not same and not cell.hole:
            differing.append(f"{cell.name}\n    ours   {ours} {result.reason}\n    theirs {theirs} {told(runs, case)}")
    assert not differing, f"{len(differing)} of {len(CELLS)} cells differ:\n" + "\n".join(differing)


def told(runs: Runs, case: EvalCase) -> str:
    row = runs.raw[case.case_id]
    return str(row.get("error") or row["gradingResult"]["reason"]).splitlines()[0][:200]


@pytest.mark.timeout(TOO_LONG)
def test_no_hole_passes_natively_nor_through_promptfoo(runs: Runs):
    """Protects the gate: what Promptfoo lets through by mistake passes neither way, and stays in the denominator."""
    for run in (runs.native, runs.through):
        passed = {result.case_id for result in run.results if result.state is ResultState.pass_}
        assert {case.case_id for cell, case in zip(CELLS, CASES, strict=True) if cell.hole} & passed == set()
        assert len(run.results) == len(CASES)


@pytest.mark.timeout(TOO_LONG)
def test_a_run_through_promptfoo_reads_as_the_native_one(runs: Runs):
    """Protects the runner of the user's choice: the five states are the same case by case."""
    ours = {result.case_id: result.state for result in runs.native.results}
    theirs = {result.case_id: result.state for result in runs.through.results}
    names = {case.case_id: cell.name for cell, case in zip(CELLS, CASES, strict=True)}
    assert {names[key]: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]} == {}


@pytest.mark.timeout(TOO_LONG)
def test_the_holes_are_real(promptfoo: Promptfoo, runs: Runs, tmp_path: Path):
    """Protects the list of differences: each hole is seen in Promptfoo, so that one that was mended is noticed."""
    judged = [
        (cell, case) for cell, case in zip(CELLS, CASES, strict=True) if cell.hole and "llm-rubric" in types(case)
    ]
    raw = {**runs.raw, **run_raw(promptfoo, tmp_path, [case for _, case in judged])}
    seen = {cell.hole for cell, case in zip(CELLS, CASES, strict=True) if cell.hole and raw[case.case_id]["success"]}
    assert seen == set(HOLES)


@pytest.mark.timeout(TOO_LONG)
def test_an_empty_suite_is_a_success_in_promptfoo_and_never_here(promptfoo: Promptfoo, tmp_path: Path):
    """Protects the gate: Promptfoo ends with status 0; we give no result at all, which the gate refuses."""
    status, document = raw_results(promptfoo, tmp_path, [])
    assert (status, document["results"]["results"]) == (0, [])
    assert run_with_promptfoo([], promptfoo=promptfoo, **given(tmp_path)).results == ()
    assert run_cases([], **given(tmp_path)).results == ()


def run_raw(promptfoo: Promptfoo, folder: Path, cases: list[EvalCase]) -> dict[str, dict[str, Any]]:
    rows = raw_results(promptfoo, folder, cases)[1]["results"]["results"]
    return {row["testCase"]["metadata"]["case_id"]: row for row in rows}


def raw_results(promptfoo: Promptfoo, folder: Path, cases: list[EvalCase]) -> tuple[int, dict[str, Any]]:
    """Run a suite that we wrote with `promptfoo eval` alone: no provider and no judge of ours."""
    (folder / "suite.yaml").write_text(suite_text(tuple(cases), description="raw"), encoding="utf-8")
    return promptfoo_alone(promptfoo, folder, "suite.yaml")


def promptfoo_alone(promptfoo: Promptfoo, folder: Path, suite: str) -> tuple[int, dict[str, Any]]:
    """Return the exit status of Promptfoo on *suite* in *folder*, and what it wrote."""
    for name in ("echo.mjs", "raw_grader.mjs"):
        shutil.copyfile(AGENTS / name, folder / name)
    words = [*promptfoo.command, "eval", "-c", suite, "-r", "file://echo.mjs", "--grader", "file://raw_grader.mjs",
             "-o", "out.json", "--no-cache", "--no-table", "--no-progress-bar", "--no-share"]  # fmt: skip
    environment = promptfoo.environment(os.environ, folder=folder / "config", python=sys.executable)
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, timeout=300, check=False)
    return done.returncode, json.loads((folder / "out.json").read_text(encoding="utf-8"))


@pytest.mark.timeout(TOO_LONG)
def test_text_reaches_the_agent_and_the_judge_byte_for_byte(runs: Runs):
    """Protects values with braces, quotes, colons, line breaks, Japanese and emoji, in outputs and in rubrics."""
    for case, native, through in zip(CASES, runs.native.results, runs.through.results, strict=True):
        if native.state is not ResultState.agent_error:
            assert native.output == through.output == case.vars["output"]


@pytest.mark.timeout(TOO_LONG)
def test_suites_that_people_wrote_mean_the_same_in_both(promptfoo: Promptfoo, tmp_path: Path):
    """Protects a move from Promptfoo: defaultTest, lists of vars, tables and files are read as Promptfoo reads them."""
    folder = tmp_path / "suite"
    shutil.copytree(AGENTS.parent / "suites", folder)
    suite = load_suite(folder / "ours.yaml")
    native = run_cases(suite.cases, **given(tmp_path))
    rows = promptfoo_alone(promptfoo, folder, "ours.yaml")[1]["results"]["results"]
    rows.sort(key=lambda row: row["testIdx"])
    for case, item, row in zip(suite.cases, native.results, rows, strict=True):
        # What it fills in, Promptfoo shows as it was written; there the assertions tell.
        if "{{" not in str(row["vars"]) and "file://" not in str(row["vars"]):
            assert plain(case.vars) == plain(row["vars"])
        assert (item.state is ResultState.pass_, item.score) == (row["success"], pytest.approx(row["score"])), case.vars


def plain(variables: dict[str, Any]) -> dict[str, Any]:
    """Return *variables* with texts that are JSON written as Promptfoo writes them, without spare space."""
    found: dict[str, Any] = {}
    for key, value in variables.items():
        try:
            found[key] = json.dumps(json.loads(value), separators=(",", ":")) if isinstance(value, str) else value
        except ValueError:
            found[key] = value
    return found


@pytest.mark.timeout(TOO_LONG)
def test_our_results_have_the_shape_of_promptfoos(promptfoo: Promptfoo, runs: Runs, tmp_path: Path):
    """Protects tools that read Promptfoo's results: every key that they may look for is in ours, of the same kind."""
    write_results(tmp_path / "ours.json", runs.native, CASES)
    ours = json.loads((tmp_path / "ours.json").read_text(encoding="utf-8"))
    _, theirs = raw_results(promptfoo, tmp_path, CASES[:3])
    assert set(theirs) <= set(ours)
    assert set(theirs["results"]) <= set(ours["results"])
    assert set(theirs["results"]["stats"]) <= set(ours["results"]["stats"])
    own = {row["testCase"]["metadata"]["case_id"]: row for row in ours["results"]["results"]}
    for row in theirs["results"]["results"]:
        same_shape(row, own[row["testCase"]["metadata"]["case_id"]], "row")
    assert [row["success"] for row in own.values()] == [
        result.state is ResultState.pass_ for result in runs.native.results
    ]


FREE = {"metadata", "options", "vars", "namedScores", "config", "response"}


def same_shape(theirs: Any, ours: Any, where: str) -> None:
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), where
        for key, value in theirs.items():
            if key not in FREE:
                assert key in ours, f"{where}.{key}"
                same_shape(value, ours[key], f"{where}.{key}")
    elif isinstance(theirs, bool) or isinstance(theirs, str):
        assert isinstance(ours, type(theirs)), where
    elif isinstance(theirs, list) and theirs:
        same_shape(theirs[0], ours[0], f"{where}[0]")
