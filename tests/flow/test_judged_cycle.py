"""A whole cycle whose suite has rubrics, judged by a model's API on loopback."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from naoshi.errors import JudgeKinError
from naoshi.evals.judging.calibrate import calibrate
from naoshi.evals.judging.calibrations import keep_calibration
from naoshi.evals.judging.labels import read_labels
from naoshi.evals.judging.model_judge import ModelJudge
from naoshi.flow.cycle import Workshop
from naoshi.flow.holdout import holdout_use
from naoshi.flow.left_to_people import left_groups
from naoshi.flow.loop import Loop
from naoshi.records import CycleState, EvalRun, RepairState, ResultState, VerdictOutcome
from naoshi.system.git import Git
from tests.flow.mail_shop import Follower, correct_mails, make_shop, open_shop, record_traces
from tests.peers.scripted_api.answers import Answer, fail, use
from tests.peers.scripted_api.request import Request
from tests.peers.scripted_api.server import ScriptedApi

RULE = "The order number is the one that stands in the mail."
RUBRICS = {"told-diagnose": ("01", "diagnose"), "told-validate": ("03", "validate"), "told-known": ("00", "diagnose")}
"""The cases with a rubric: the mail and the split of each. The agent knows the label of the last one already."""

LABELS = "input,output,rubric,label\n" + "".join(
    f'mail {number},"{{""order_number"": {number if number % 2 else "null"}}}",'
    f"{RULE},{'pass' if number % 2 else 'fail'}\n"
    for number in range(40)
)


def make_judged_shop(folder: Path, api: ScriptedApi, *, agent: str = "none", attempts: int = 1) -> Path:
    """Make a shop of mails with rubrics in its suites and a judge at *api*."""
    make_shop(folder)
    config = folder / "naoshi.toml"
    judge = f'[judge]\nmodel = "qwen-judge"\nbase_url = "{api.url}/v1"\nretries = 0\n'
    text = config.read_text().replace("[agent]\n", f'[agent]\nmodel = "{agent}"\n') + judge
    config.write_text(text.replace("[repair]\n", f"[repair]\nattempts = {attempts}\n"))
    tests = [
        {
            "vars": {"mail": f"mails/{mail}.txt"},
            "assert": [{"type": "llm-rubric", "value": RULE}],
            "metadata": {"case_id": name, "category": "told", "split": split},
        }
        for name, (mail, split) in RUBRICS.items()
    ]
    (folder / "evals").mkdir()
    suite = {"prompts": ["x"], "providers": ["naoshi"], "tests": tests}
    (folder / "evals" / "told.yaml").write_text(json.dumps(suite, indent=1))
    Git.at(folder).commit("rubrics", paths=["."])
    return folder


def document_in(request: Request) -> dict[str, Any]:
    """Return what is to be graded, from the question."""
    lines = request.text.split("\n")
    begin = next(number for number, line in enumerate(lines) if line.startswith("BEGIN DOCUMENT "))
    return json.loads(lines[begin + 1])


def graded(request: Request, *, passed: bool) -> Answer:
    mark = re.search(r"with the mark ([0-9a-f]{16})\.", request.text)
    assert mark is not None
    return use("give_grade", reason="as it stands", score=float(passed), mark=mark[1], **{"pass": passed})


def honest(requests: Sequence[Request]) -> Answer:
    """Pass what has an order number."""
    output = document_in(requests[-1])["output"]
    output = json.loads(output) if isinstance(output, str) else output
    return graded(requests[-1], passed=output["order_number"] is not None)


def measure(loop: Loop, folder: Path) -> None:
    """Have the judge measured against people's labels, so that it decides."""
    labels = folder.with_name("labels.csv")
    labels.write_text(LABELS)
    with ModelJudge(settings=loop.settings.judge, environment={}) as judge:
        found = calibrate(judge, read_labels(labels), now=datetime(2026, 1, 5, tzinfo=UTC), probes=False)
    keep_calibration(folder / loop.settings.judge.calibrations, found)


def prepared(stack: ExitStack, folder: Path) -> tuple[Loop, Workshop]:
    """Open the shop with its traces and corrections in."""
    loop, workshop = open_shop(stack, folder, Follower())
    record_traces(folder, loop)
    correct_mails(loop)
    return loop, workshop


def told(run: EvalRun) -> dict[str, ResultState]:
    return {name: state for name, state in run.case_states().items() if name in RUBRICS}


def run_of(loop: Loop, run_id: str | None) -> EvalRun:
    run = loop.store.runs.get(run_id or "")
    assert run is not None
    return run


def test_a_rubric_is_mended_proven_and_released(tmp_path: Path) -> None:
    """Protects rubrics on the whole way: they fail, are handed over, pass after the change, and bear the release."""
    with ExitStack() as stack:
        api = stack.enter_context(ScriptedApi(honest))
        folder = make_judged_shop(tmp_path / "shop", api)
        loop, workshop = prepared(stack, folder)
        measure(loop, folder)
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.reasons) == (CycleState.released, ())
        before, after = run_of(loop, cycle.before_run_id), run_of(loop, cycle.after_run_id)
        assert told(before) == {
            "told-diagnose": ResultState.fail,
            "told-validate": ResultState.fail,
            "told-known": ResultState.pass_,
        }
        assert set(told(after).values()) == {ResultState.pass_}
        assert before.judge is not None and after.judge is not None
        assert before.judge.decides and after.judge.grades == len(RUBRICS) and not after.judge.errors
        certificate = loop.store.certificates.get(cycle.certificate_id or "")
        assert certificate is not None and "told-diagnose" in certificate.mended
        handed = "".join(path.read_text() for path in (folder / ".naoshi" / "handoffs").rglob("codex_handoff.md"))
        assert "told-diagnose" in handed and "told-validate" not in handed
        assert api.faults == []


def worse_later(requests: Sequence[Request]) -> Answer:
    """Grade labels as is right, pass the first run of the agent, and fail every later one."""
    seen = sum(is_of_the_agent(request) for request in requests)
    return graded(requests[-1], passed=seen <= len(RUBRICS)) if is_of_the_agent(requests[-1]) else honest(requests)


def broken(requests: Sequence[Request]) -> Answer:
    """Grade labels as is right, and give no grade of what the agent put out."""
    return fail(500) if is_of_the_agent(requests[-1]) else honest(requests)


def is_of_the_agent(request: Request) -> bool:
    return "quantity" in json.dumps(document_in(request)["output"])


@pytest.mark.parametrize(
    ("script", "measured", "state", "reason"),
    [
        (worse_later, True, ResultState.fail, "worse: told-known"),
        (broken, True, ResultState.judge_error, "told: 3 of 3 cases were not run or not judged"),
        (honest, False, ResultState.judge_error, "told: 3 of 3 cases were not run or not judged"),
    ],
    ids=["worse", "broken", "not measured"],
)
def test_nothing_is_released_on_a_bad_or_missing_grade(
    tmp_path: Path, script: Callable[[Sequence[Request]], Answer], measured: bool, state: ResultState, reason: str
) -> None:
    """Protects everybody: worse by a rubric is refused, and a judge that fails or only advises leaves it open."""
    with ExitStack() as stack:
        api = stack.enter_context(ScriptedApi(script))
        folder = make_judged_shop(tmp_path / "shop", api)
        loop, workshop = prepared(stack, folder)
        if measured:
            measure(loop, folder)
        cycle = workshop.run_cycle()
        assert cycle.state is CycleState.refused and reason in " ".join(cycle.reasons)
        (after,) = (run for run in loop.store.runs.find() if run.version != cycle.base_version)
        assert set(told(after).values()) == {state}
        judged = [verdict.outcome for verdict in loop.store.verdicts.find()]
        assert judged == ([] if script is worse_later else [VerdictOutcome.inconclusive])
        assert not loop.store.releases.count()
        assert "Your reference:" not in (folder / "harness" / "labels.json").read_text()
        assert api.faults == []


def test_without_grades_no_attempt_is_spent_and_the_next_cycle_tries_again(tmp_path: Path) -> None:
    """Protects the bill and the groups: no other change could be judged either, and none of them is unmendable."""
    with ExitStack() as stack:
        api = stack.enter_context(ScriptedApi(honest))
        folder = make_judged_shop(tmp_path / "shop", api, attempts=3)
        loop, workshop = prepared(stack, folder)
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.attempt) == (CycleState.refused, 1)
        assert "another change could not be judged either" in cycle.reasons[-1]
        assert [repair.state for repair in loop.store.repairs.find()] == [RepairState.abandoned]
        assert loop.store.handoffs.count() == 1 and left_groups(loop) == ()
        measure(loop, folder)
        again = workshop.run_cycle()
        assert (again.state, again.reasons) == (CycleState.released, ())
        assert api.faults == []


def test_kin_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    """Protects the grades, the holdout and the bill: no question, no query, no cycle that goes on."""
    with ExitStack() as stack:
        api = stack.enter_context(ScriptedApi(honest))
        folder = make_judged_shop(tmp_path / "shop", api, agent="qwen3-8b")
        loop, workshop = prepared(stack, folder)
        with pytest.raises(JudgeKinError, match="both of the family qwen"):
            workshop.run_cycle()
        assert (api.requests, holdout_use(loop).queries, loop.store.runs.count()) == ([], (), 0)
