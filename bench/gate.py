"""How often the gate blocks what is no worse, and how much of what is worse it sees: `paired` beside `literal`.

The agent is a real one with real chance: 50 tasks, run four times each without any change (tau-bench's airline tasks).
Pairs of those runs, and pairs simulated at its rates task by task, differ by chance alone, so that every block is a
false alarm. For power, tasks that usually pass (at least half of the time) are made to fail always. Re-runs of a task
are drawn at its rate, before and after. The peer is the policy `literal`, and for power a one-sided paired permutation
test of SciPy on the same runs.

    python bench/gate.py [PAIRS]      how many pairs to simulate (2000)
"""

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import numpy as np
from scipy.stats import permutation_test

from naoshi.gate import GatePolicy, Rerun, decide, settle
from naoshi.records import CaseResult, EvalRun, ResultState, Verdict, VerdictOutcome

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "tau_airline_rewards.csv"
NOW = datetime(2026, 3, 8, tzinfo=UTC)
PAIRED = GatePolicy(policy="paired")
MOST_FALSE_ALARMS = 0.05
LEAST_POWER = 0.80
REDRAWN = 20


@dataclass(kw_only=True)
class Agent:
    """One version of an agent: how often it solves each task (0–1), and the category that each task counts in."""

    rates: np.ndarray
    categories: Sequence[str]
    chance: np.random.Generator
    calls: int = 0

    def run(self, name: str, *, trials: int = 1, tasks: Sequence[int] | None = None) -> EvalRun:
        """Run *tasks* (all of them when None) *trials* times each."""
        chosen = range(len(self.rates)) if tasks is None else tasks
        self.calls += trials * len(chosen)
        drawn = {task: self.chance.random(trials) < self.rates[task] for task in chosen}
        return run_of(name, drawn, self.categories)


@dataclass(kw_only=True)
class Tally:
    """What became of many pairs of runs."""

    pairs: int = 0
    literal: int = 0
    averages: int = 0
    asked: int = 0
    blocked: int = 0
    refused: int = 0
    peer: int = 0
    covered: int = 0
    reruns: list[int] = field(default_factory=list)

    def line(self, *names: str) -> str:
        """Return the shares called *names* in one line."""
        return ", ".join(f"{name} {getattr(self, name) / self.pairs:.1%}" for name in names)


def run_of(name: str, rewards: dict[int, Sequence[bool]], categories: Sequence[str]) -> EvalRun:
    """Return a run in which each task got *rewards*, trial by trial."""
    results = tuple(
        CaseResult(
            case_id=f"task-{task}",
            content_hash=f"hash of {task}",
            category=categories[task],
            state=ResultState.pass_ if solved else ResultState.fail,
            score=float(solved),
            trial=trial,
        )
        for task, solved_in in rewards.items()
        for trial, solved in enumerate(solved_in)
    )
    return EvalRun(
        run_id=name, suite="airline", version=name, started_at=NOW, finished_at=NOW, settings_hash="s", results=results
    )


def rewards_by_task(path: Path = DATA) -> np.ndarray:
    """Return the rewards (0 or 1), a row for each task and a column for each trial."""
    with path.open(newline="") as file:
        rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    rewards = np.zeros((1 + max(row["task_id"] for row in rows), 1 + max(row["trial"] for row in rows)))
    for row in rows:
        rewards[row["task_id"], row["trial"]] = row["reward"]
    return rewards


def categories_of(tasks: int, many: int) -> list[str]:
    """Return *many* categories dealt out over *tasks*."""
    return [f"part-{task % many}" for task in range(tasks)]


def judge_into(
    tally: Tally, before: EvalRun, after: EvalRun, *, old: Agent, new: Agent, truth: float, peer: bool = False
) -> Verdict:
    """Judge one pair, with and without re-runs, and count what came of it."""
    first = decide(after, before, PAIRED, now=NOW)
    made = old.calls + new.calls

    def run_again(case_ids: Sequence[str]) -> Rerun:
        tasks = [int(case_id.removeprefix("task-")) for case_id in case_ids]
        return Rerun(candidate=new.run("again", tasks=tasks), baseline=old.run("again", tasks=tasks))

    final = settle(after, before, PAIRED, run_again=run_again, now=NOW)
    literal = next(item for item in first.by_policy if item.policy == "literal")
    tally.pairs += 1
    tally.literal += literal.outcome is VerdictOutcome.regression
    tally.averages += first.outcome is VerdictOutcome.regression
    tally.asked += bool(first.rerun)
    tally.blocked += final.outcome is VerdictOutcome.regression
    tally.refused += final.outcome is not VerdictOutcome.pass_
    tally.reruns.append(old.calls + new.calls - made)
    if peer:
        tally.peer += permutation_p(before, after, old.chance) <= PAIRED.alpha
    for category in final.categories[:1]:
        for measured in category.statistics.measures[:1] if category.statistics else ():
            tally.covered += measured.low <= truth <= measured.high
    return final


def permutation_p(before: EvalRun, after: EvalRun, chance: np.random.Generator) -> float:
    """Return SciPy's one-sided paired permutation p-value of "the mean fell" over the tasks' rates."""
    rates = [np.asarray(list(task_rates(run).values())) for run in (after, before)]
    found = permutation_test(
        rates, lambda x, y, axis: (x - y).mean(axis), permutation_type="samples", alternative="less",
        vectorized=True, n_resamples=999, rng=chance,
    )  # fmt: skip
    return float(found.pvalue)


def task_rates(run: EvalRun) -> dict[str, float]:
    """Return how often each task of *run* was solved."""
    solved: dict[str, list[float]] = {}
    for result in run.results:
        solved.setdefault(result.case_id, []).append(result.score or 0.0)
    return {task: sum(values) / len(values) for task, values in solved.items()}


def real_pairs(rewards: np.ndarray, *, draws: int, many: int = 1, seed: int = 1) -> Tally:
    """Judge every ordered pair of the real trials, *draws* times, each with re-runs of its own."""
    tally, categories, chance = Tally(), categories_of(len(rewards), many), np.random.default_rng(seed)
    agent = Agent(rates=rewards.mean(axis=1), categories=categories, chance=chance)
    for before, after in [*permutations(range(rewards.shape[1]), 2)] * draws:
        runs = [
            run_of(name, {task: [bool(reward)] for task, reward in enumerate(rewards[:, trial])}, categories)
            for name, trial in (("before", before), ("after", after))
        ]
        judge_into(tally, runs[0], runs[1], old=agent, new=agent, truth=0.0)
    return tally


def simulated_pairs(
    rates: np.ndarray, *, pairs: int, trials: int, bad: int = 0, many: int = 1, seed: int = 2, peer: bool = False
) -> Tally:
    """Judge *pairs* drawn at *rates*, with *bad* of the tasks that usually pass made to fail always in the second."""
    tally, chance = Tally(), np.random.default_rng(seed)
    categories, usual = categories_of(len(rates), many), np.flatnonzero(rates >= 0.5)
    for _ in range(pairs):
        broken = rates.copy()
        broken[chance.choice(usual, bad, replace=False)] = 0
        old = Agent(rates=rates, categories=categories, chance=chance)
        new = Agent(rates=broken, categories=categories, chance=chance)
        before, after = old.run("before", trials=trials), new.run("after", trials=trials)
        judge_into(tally, before, after, old=old, new=new, truth=float((broken - rates).mean()), peer=peer)
    return tally


def false_alarms(rewards: np.ndarray, pairs: int) -> bool:
    """Print how often runs that differ by chance alone are blocked, and return whether it is seldom enough."""
    shown, rates = ("literal", "averages", "asked", "blocked", "refused"), rewards.mean(axis=1)
    held = True
    for many in (1, 5):
        tally = real_pairs(rewards, draws=REDRAWN, many=many)
        print(
            f"gate: A/A, {tally.pairs // REDRAWN} pairs of real trials, {REDRAWN} draws of re-runs, {many} categories: "
            f"{tally.line(*shown)}"
        )
        held &= tally.refused / tally.pairs <= MOST_FALSE_ALARMS
        for trials in (1, 3):
            tally = simulated_pairs(rates, pairs=pairs, trials=trials, many=many)
            print(
                f"gate: A/A, {tally.pairs} simulated pairs, k = {trials}, {many} categories: {tally.line(*shown)}; "
                f"{sum(tally.reruns) / tally.pairs:.0f} calls of the agent for re-runs; "
                f"the 95 % interval holds the truth in {tally.covered / tally.pairs:.1%}"
            )
            held &= tally.refused / tally.pairs <= MOST_FALSE_ALARMS
    return held


def power(rewards: np.ndarray, pairs: int) -> bool:
    """Print how much of what broke is seen, and return whether enough is."""
    held = True
    for trials in (1, 3):
        for bad in (5, 10, 15):
            tally = simulated_pairs(rewards.mean(axis=1), pairs=pairs, trials=trials, bad=bad, peer=True)
            print(
                f"gate: {bad} of 50 tasks broken, k = {trials}, {tally.pairs} pairs: "
                f"{tally.line('literal', 'peer', 'averages', 'blocked', 'refused')}; "
                f"{sum(tally.reruns) / tally.pairs:.0f} calls of the agent for re-runs; "
                f"the 95 % interval holds the truth in {tally.covered / tally.pairs:.1%}"
            )
            held &= (trials, bad) != (3, 10) or tally.averages / tally.pairs >= LEAST_POWER
    return held


def collapse() -> bool:
    """Print what becomes of a category that collapses behind a better average, and return whether it blocks."""
    categories = ["A"] * 10 + ["B"] * 10
    chance = np.random.default_rng(3)
    old = Agent(rates=np.asarray([1.0] * 5 + [0.0] * 5 + [1.0] * 10), categories=categories, chance=chance)
    new = Agent(rates=np.asarray([1.0] * 16 + [0.0] * 4), categories=categories, chance=chance)
    final = judge_into(Tally(), old.run("before"), new.run("after"), old=old, new=new, truth=0.1)
    blocking = [item.category for item in final.categories if item.outcome is VerdictOutcome.regression]
    print(f"gate: A 5/10 to 10/10, B 10/10 to 6/10: {final.outcome.value}, blocked by {', '.join(blocking)}")
    return blocking == ["B"] and final.outcome is VerdictOutcome.regression


def main() -> int:
    """Print all figures; return 1 when a mark is missed."""
    if not DATA.is_file():
        print(f"gate: not measured, there is no {DATA.name} beside the repository")
        return 0
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rewards = rewards_by_task()
    held = [false_alarms(rewards, pairs), power(rewards, max(1, pairs // 4)), collapse()]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
