"""A small agent with hand-written cases, and runs of it, for tests of what becomes of cases."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.flow.evaluate import ALL_SPLITS
from naoshi.flow.loop import Loop
from naoshi.flow.people import Nobody, People
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import present_version
from naoshi.records import CaseResult, EvalRun, Release, ResultState, content_id
from naoshi.system.git import Git

AGENT = """\
import json, pathlib, sys
words = json.loads(pathlib.Path("harness/words.json").read_text())
for line in sys.stdin:
    request = json.loads(line)
    said = words.get(request["vars"]["say"], "?")
    print(json.dumps({"case_id": request["case_id"], "output": {"said": said}}), flush=True)
"""
WORDS = {f"word {number}": f"answer {number}" for number in range(8)}
CONFIG = """\
[agent]
command = {command}
timeout = 10
[repair]
command = []
editable = ["harness/"]
"""
_STATES = {"+": "pass", "-": "fail", "!": "agent_error"}


def suite_text(numbers: range, *, category: str = "words", split: str = "validate") -> str:
    """Return a suite that asks for the answer to each word."""
    tests = [
        {
            "description": f"what is said to word {number}",
            "vars": {"say": f"word {number}"},
            "assert": [{"type": "equals", "value": f"answer {number}", "transform": "output.said"}],
            "metadata": {"case_id": f"{category}-{number}", "category": category, "split": split},
        }
        for number in numbers
    ]
    return json.dumps({"prompts": ["x"], "providers": ["naoshi"], "tests": tests}, indent=1)


def make_case_shop(folder: Path, *, settings: str = "", holdout: bool = False) -> Path:
    """Make the repository: six cases of words, two of safety, and two of the holdout where they are wanted."""
    (folder / "harness").mkdir(parents=True)
    (folder / "evals").mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "harness" / "words.json").write_text(json.dumps(WORDS))
    (folder / "naoshi.toml").write_text(CONFIG.format(command=json.dumps([sys.executable, "agent.py"])) + settings)
    (folder / ".gitignore").write_text(".naoshi/\n__pycache__/\n")
    (folder / "evals" / "words.yaml").write_text(suite_text(range(6)))
    (folder / "evals" / "safety.yaml").write_text(suite_text(range(6, 8), category="safety"))
    if holdout:
        place = folder / ".naoshi" / "evals" / "holdout.yaml"
        place.parent.mkdir(parents=True)
        place.write_text(suite_text(range(2), category="kept", split="holdout"))
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    Git.at(folder).commit("the agent", paths=["."])
    return folder


class Days:
    """Time that goes on by an hour whenever somebody looks, from a day that a test may set."""

    def __init__(self, start: datetime = datetime(2026, 3, 2, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@contextmanager
def open_case_shop(
    folder: Path, *, people: People | None = None, clock: Callable[[], datetime] | None = None
) -> Generator[Loop]:
    with open_loop(folder, people=people or Nobody(), clock=clock or Days()) as loop:
        yield loop


def kept_run(
    loop: Loop, states: dict[str, str] | None = None, *, version: str = "", commit: str = "", suite: str = ALL_SPLITS
) -> EvalRun:
    """Put a run of all cases into the store in which each passes that *states* does not say otherwise of."""
    marks = states or {}
    now, present = loop.clock(), present_version(loop)
    results = tuple(
        CaseResult(
            case_id=case.case_id,
            content_hash=case.content_hash,
            category=case.category,
            source_key=case.source_key,
            state=(state := ResultState(_STATES[marks.get(case.case_id, "+")])),
            score=float(state is ResultState.pass_),
            latency_ms=5.0,
        )
        for case in judged_cases(loop)
    )
    run = EvalRun(
        run_id=content_id("run", now.isoformat()),
        suite=suite,
        version=version or present.name,
        started_at=now,
        finished_at=now,
        settings_hash="graded alike",
        results=results,
        commit=commit or present.commit,
    )
    loop.store.runs.put(run)
    return run


def flap(loop: Loop, case_id: str, marks: str = "+-+-+-", **more: str) -> None:
    """Put runs into the store in which one case does what *marks* say and all others pass."""
    for mark in marks:
        kept_run(loop, {case_id: mark}, **more)


def release_by_a_coding_agent(loop: Loop) -> str:
    """Let a coding agent's change of the harness become the next version, and return its name."""
    words = loop.git.folder / "harness" / "words.json"
    words.write_text(json.dumps({**json.loads(words.read_text()), "new": str(loop.clock())}))
    loop.git.commit("a change", paths=["harness"])
    version = present_version(loop)
    loop.store.releases.add(
        Release(
            release_id=content_id("release", version.name),
            version=version.name,
            change_id="change_1",
            review_id="review_1",
            verdict_id="verdict_1",
            commit=version.commit,
            baseline_moved=True,
            released_at=loop.clock(),
        )
    )
    return version.name
