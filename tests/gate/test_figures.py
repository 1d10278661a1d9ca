"""The figures that the gate is trusted for, on a real agent's chance, with smaller counts than `make bench` takes."""

from pathlib import Path

import numpy as np
import pytest

from bench.gate import collapse, real_pairs, rewards_by_task, simulated_pairs


@pytest.fixture(scope="module")
def rewards(shared_data: Path) -> np.ndarray:
    """50 tasks, four identical trials of one agent."""
    return rewards_by_task(shared_data / "tau_airline_rewards.csv")


@pytest.mark.parametrize("many", [1, 5])
def test_identical_trials_of_a_real_agent_do_not_block(rewards: np.ndarray, many: int):
    """Protects against false alarms: every ordered pair of real trials, which `literal` blocks by the half or all."""
    tally = real_pairs(rewards, draws=2, many=many)
    assert tally.pairs == 24
    assert tally.averages == 0
    assert tally.refused <= 1
    assert tally.literal >= 0.4 * tally.pairs


@pytest.mark.parametrize(("trials", "many"), [(1, 1), (3, 5)])
def test_versions_that_are_no_worse_are_hardly_ever_refused(rewards: np.ndarray, trials: int, many: int):
    """Protects the promise of `alpha`: at most one in twenty, whatever becomes of the re-runs."""
    tally = simulated_pairs(rewards.mean(axis=1), pairs=240 // (trials + 1), trials=trials, many=many)
    assert tally.refused <= 0.05 * tally.pairs
    assert tally.literal >= 0.4 * tally.pairs
    assert tally.covered >= 0.92 * tally.pairs


def test_ten_broken_tasks_of_fifty_are_seen(rewards: np.ndarray):
    """Protects power: by averages alone four times in five with k = 3, and with re-runs nearly always."""
    tally = simulated_pairs(rewards.mean(axis=1), pairs=60, trials=3, bad=10)
    assert tally.averages >= 0.8 * tally.pairs
    assert tally.blocked >= 0.95 * tally.pairs


def test_a_collapse_behind_a_better_average_blocks():
    """Protects L9 on runs made like the others here."""
    assert collapse()
