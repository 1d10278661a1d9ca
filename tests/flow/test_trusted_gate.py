"""The gate in the loop: trusted only after its test of itself, and re-runs on clean checkouts that are made once."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from naoshi.errors import GateUntrustedError
from naoshi.flow.loop import Loop
from naoshi.flow.rerun import rerunning
from naoshi.flow.steps.gate import judge_run
from naoshi.flow.steps.mint import mint_cases
from naoshi.flow.steps.run import run_present
from naoshi.flow.steps.triage import triage
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.records import Baseline, CaseResult, CycleState, EvalRun, ResultState, VerdictOutcome
from tests.flow.mail_shop import Follower, correct_mails, make_shop, open_shop, record_traces

OPEN = GatePolicy(default=CategoryTolerance(max_drop=1))


def shop_that_ran(stack: ExitStack, folder: Path) -> tuple[Loop, EvalRun]:
    """A loop whose version in force has been run on its cases."""
    loop, _ = open_shop(stack, make_shop(folder), Follower())
    record_traces(folder, loop)
    correct_mails(loop)
    triage(loop)
    mint_cases(loop)
    return loop, run_present(loop)


def with_gate(loop: Loop, policy: GatePolicy) -> Loop:
    """The same loop under another policy of the gate."""
    object.__setattr__(loop, "settings", loop.settings.model_copy(update={"gate": policy}))
    return loop


def all_in(run: EvalRun, state: ResultState, name: str) -> EvalRun:
    """A run of the same cases that all end in *state*."""
    results = tuple(
        CaseResult(case_id=item.case_id, content_hash=item.content_hash, category=item.category, state=state)
        for item in run.results
    )
    return run.model_copy(update={"results": results, "run_id": name})


def test_a_cycle_has_the_gate_tested_before_its_first_verdict(tmp_path: Path) -> None:
    """Protects point 5 of the issue: the verdict of a release rests on a test that was passed and kept."""
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, make_shop(tmp_path / "shop"), Follower())
        record_traces(tmp_path / "shop", loop)
        correct_mails(loop)
        cycle = workshop.run_cycle()
        assert cycle.state is CycleState.released
        (kept,) = loop.store.self_tests.find()
        assert (kept.passed, kept.run_id, kept.policy) == (True, cycle.before_run_id, "paired")


def test_a_suite_is_tested_once_and_again_when_anything_changes(tmp_path: Path) -> None:
    """Protects time where nothing changed, and trust where the suite or the policy did."""
    with ExitStack() as stack:
        loop, run = shop_that_ran(stack, tmp_path / "shop")
        for _ in range(2):
            judge_run(loop, run, None)
            assert loop.store.self_tests.count() == 1
        judge_run(with_gate(loop, GatePolicy(alpha=0.01)), run, None)
        assert loop.store.self_tests.count() == 2
        fewer = run.model_copy(update={"results": run.results[1:], "run_id": "fewer"})
        judge_run(loop, run, fewer)
        assert loop.store.self_tests.count() == 3


def test_a_gate_that_nothing_can_block_gives_no_verdict(tmp_path: Path) -> None:
    """Protects against a setting that opens the gate: one clear line, and no verdict is kept, however often asked."""
    with ExitStack() as stack:
        loop, run = shop_that_ran(stack, tmp_path / "shop")
        with_gate(loop, OPEN)
        for _ in range(2):
            with pytest.raises(GateUntrustedError, match="failed its test of itself") as refused:
                judge_run(loop, run, None)
            assert (refused.value.exit_status, "\n" in refused.value.line()) == (1, False)
        assert (loop.store.verdicts.count(), loop.store.self_tests.count()) == (0, 1)


def test_a_cycle_stops_at_a_gate_that_cannot_be_trusted_and_goes_on_when_it_can(tmp_path: Path) -> None:
    """Protects a release against an open gate, and the cycle against being lost by it."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Follower())
        with_gate(loop, OPEN)
        record_traces(folder, loop)
        correct_mails(loop)
        with pytest.raises(GateUntrustedError):
            workshop.run_cycle()
        assert (loop.store.releases.count(), loop.store.verdicts.count()) == (0, 0)
        assert loop.store.cycles.find()[-1].stage == "gate"
    with ExitStack() as stack:
        _, workshop = open_shop(stack, folder, Follower())
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.number) == (CycleState.released, 1)


def test_runs_that_say_nothing_are_judged_and_never_pass(tmp_path: Path) -> None:
    """Protects against a judge that is down being taken for a gate that is broken."""
    with ExitStack() as stack:
        loop, run = shop_that_ran(stack, tmp_path / "shop")
        silent = all_in(run, ResultState.judge_error, "silent")
        assert judge_run(loop, silent, silent).outcome is VerdictOutcome.inconclusive
        assert loop.store.self_tests.count() == 0


def test_folders_are_made_once_and_are_clean_in_each_round(tmp_path: Path) -> None:
    """Protects time, and re-runs against what an earlier round left: a cache would make every flip look certain."""
    folder = tmp_path / "shop"
    with ExitStack() as stack:
        loop, run = shop_that_ran(stack, folder)
        case_ids = [item.case_id for item in run.results[:2]]
        with rerunning(loop, run, None) as run_again:
            again = run_again(case_ids)
            (place,) = [path for path in loop.worktrees.iterdir() if path.name.startswith("rerun-")]
            made, checkout = place.stat().st_ino, place / "checkout"
            (checkout / "answers.cache").write_text("what was said")
            (checkout / "agent.py").write_text("raise SystemExit(1)")
            second = run_again(case_ids)
            assert place.stat().st_ino == made
            assert not (checkout / "answers.cache").exists() and not (checkout / ".git").exists()
        assert [item.state for item in again.candidate.results] == [item.state for item in second.candidate.results]
        assert [item.case_id for item in second.candidate.results] == case_ids
        assert not place.exists()
        assert again.baseline is None


def test_a_case_that_is_gone_is_not_run_again(tmp_path: Path) -> None:
    """Protects a verdict on an old run: what is not in the suites any more is left out, and ends as inconclusive."""
    with ExitStack() as stack:
        loop, run = shop_that_ran(stack, tmp_path / "shop")
        gone = run.results[0].model_copy(update={"case_id": "gone", "state": ResultState.pass_, "score": 1.0})
        before = run.model_copy(update={"results": (*run.results, gone), "run_id": "before"})
        fallen = gone.model_copy(update={"state": ResultState.fail, "score": 0.0})
        after = run.model_copy(update={"results": (*run.results, fallen), "run_id": "after"})
        found = judge_run(loop, after, before)
        assert found.outcome is VerdictOutcome.inconclusive


def test_what_is_worse_than_the_baseline_is_not_called_unclear(tmp_path: Path) -> None:
    """Protects the sterner word: where the version in force says nothing, the older baseline still says "worse"."""
    with ExitStack() as stack:
        loop, run = shop_that_ran(stack, tmp_path / "shop")
        with_gate(loop, GatePolicy(policy="literal"))
        good, unclear, worse = (
            all_in(run, state, name)
            for state, name in (
                (ResultState.pass_, "good"), (ResultState.judge_error, "unclear"), (ResultState.fail, "worse"),
            )
        )  # fmt: skip
        loop.store.runs.put(good)
        loop.store.baselines.put(
            Baseline(baseline_id="old", run_id="good", version="v0", set_at=loop.clock(), reason="the first")
        )
        assert judge_run(loop, worse, unclear).outcome is VerdictOutcome.regression
        assert judge_run(loop, unclear, unclear).outcome is VerdictOutcome.inconclusive


def test_with_several_trials_a_cycle_runs_judges_and_releases_by_cases(tmp_path: Path) -> None:
    """Protects k > 1 end to end: each case three times on both versions, counted once, and nothing left on the disk."""
    folder = make_shop(tmp_path / "shop")
    reports: list[str] = []
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Follower())
        evals = loop.settings.evals.model_copy(update={"trials": 3})
        object.__setattr__(loop, "settings", loop.settings.model_copy(update={"evals": evals}))
        object.__setattr__(loop, "report", reports.append)
        record_traces(folder, loop)
        correct_mails(loop)
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.reasons) == (CycleState.released, ())
        for name in (cycle.before_run_id, cycle.after_run_id):
            run = loop.store.runs.get(name or "")
            assert run is not None
            assert len(run.results) == 3 * len(run.case_states())
            assert {item.trial for item in run.results} == {0, 1, 2}
            told = f"{run.case_counts()[ResultState.pass_]} of {len(run.case_states())} cases pass"
            assert name == cycle.after_run_id or any(told in line for line in reports)
        verdict = loop.store.verdicts.get(cycle.verdict_id or "")
        assert verdict is not None
        assert {item.statistics.trials for item in verdict.categories if item.statistics} == {3}
        assert list((loop.state / "runs").rglob("*.jsonl")) == []
