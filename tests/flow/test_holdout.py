"""What the holdout is asked is entered before it is asked, counted, and refused beyond the budget."""

import json
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from naoshi.errors import HoldoutBudgetError, JudgeKinError, LedgerError, MissingProgramError, NaoshiError
from naoshi.evals import Runner
from naoshi.flow.evaluate import ALL_SPLITS, RERUN, evaluate_commit
from naoshi.flow.holdout import enter_holdout_query, holdout_use
from naoshi.flow.loop import Loop
from naoshi.flow.smoke import run_smoke, smoke_suite
from naoshi.flow.steps.run import run_present
from naoshi.flow.suites import judged_cases, of_split
from naoshi.records import Cycle, CycleState, EvalRun, Split
from naoshi.store.ledger_chain import verify_chain
from naoshi.ui.cli.main import run
from tests.flow.case_shop import Days, make_case_shop, open_case_shop


def run_all(loop: Loop, suite: str = ALL_SPLITS) -> EvalRun:
    commit = loop.git.commit_of("HEAD")
    return evaluate_commit(loop, commit, version="v0", cases=judged_cases(loop), suite=suite, why="to see")


def open_cycle(loop: Loop, number: int = 1, state: CycleState = CycleState.running) -> Cycle:
    cycle = Cycle(
        cycle_id=f"cycle_{number}", number=number, state=state, stage="run", base_version="v0", base_commit="c",
        cases=1, started_at=loop.clock(),
    )  # fmt: skip
    loop.store.cycles.put(cycle)
    return cycle


def test_each_evaluation_is_a_line(tmp_path: Path) -> None:
    """Who, when, why, on which commit and of how many cases: the line says it, in the ledger."""
    with open_case_shop(make_case_shop(tmp_path / "shop", holdout=True)) as loop:
        loop.git("config", "user.name", "Hana")
        run_all(loop)
        (query,) = holdout_use(loop).queries
        assert (query.who, query.why, query.cases, query.counted) == ("Hana", "to see", 2, True)
        assert query.commit == loop.git.commit_of("HEAD")
        run_present(loop)
        use = holdout_use(loop)
        assert (len(use.queries), use.in_month) == (2, 2)
        assert verify_chain(loop.store.ledger.entries()) == loop.store.ledger.entries()[-1].sequence


def test_what_does_not_touch_the_holdout_is_no_line(tmp_path: Path) -> None:
    """The smoke suite and the other splits can be run as often as anybody likes."""
    folder = make_case_shop(tmp_path / "shop", holdout=True, settings="[evals]\nholdout_per_month = 0\n")
    with open_case_shop(folder) as loop:
        run = run_smoke(loop, smoke_suite(loop))
        assert run.suite == "smoke"
        assert not {item.case_id for item in run.results} & {"kept-0", "kept-1"}
        cases = of_split(judged_cases(loop), Split.diagnose, Split.validate_)
        evaluate_commit(loop, loop.git.commit_of("HEAD"), version="v0", cases=cases, suite="some")
        assert holdout_use(loop).queries == ()


def test_beyond_the_budget_of_the_month_nothing_runs(tmp_path: Path) -> None:
    """One clear line, no run, no entry; the next month the holdout can be asked again."""
    folder = make_case_shop(tmp_path / "shop", holdout=True, settings="[evals]\nholdout_per_month = 2\n")
    clock = Days()
    with open_case_shop(folder, clock=clock) as loop:
        run_all(loop)
        run_all(loop)
        with pytest.raises(HoldoutBudgetError) as refused:
            run_all(loop)
        assert "2 times in 2026-03" in refused.value.line() and refused.value.exit_status == 1
        assert (loop.store.runs.count(), len(holdout_use(loop).queries)) == (2, 2)
        clock.now = datetime(2026, 4, 1, tzinfo=UTC)
        run_all(loop)
        assert holdout_use(loop).in_month == 1


def test_a_cycle_has_a_budget_of_its_own(tmp_path: Path) -> None:
    """However much the month allows, one cycle asks a bounded number of times; the next one may ask again."""
    folder = make_case_shop(tmp_path / "shop", holdout=True, settings="[evals]\nholdout_per_cycle = 1\n")
    with open_case_shop(folder) as loop:
        open_cycle(loop, state=CycleState.waiting)
        run_all(loop)
        with pytest.raises(HoldoutBudgetError, match="in this cycle"):
            run_all(loop)
        open_cycle(loop, state=CycleState.refused)
        open_cycle(loop, 2)
        run_all(loop)
        assert holdout_use(loop).in_cycle == 1


def test_re_runs_are_lines_and_belong_to_the_query_that_they_settle(tmp_path: Path) -> None:
    """A verdict that takes ten re-runs is one look at the holdout; each re-run is in the log all the same."""
    folder = make_case_shop(tmp_path / "shop", holdout=True, settings="[evals]\nholdout_per_month = 1\n")
    with open_case_shop(folder) as loop:
        run_all(loop)
        run_all(loop, RERUN)
        run_all(loop, RERUN)
        assert [query.counted for query in holdout_use(loop).queries] == [True, False, False]


def test_a_step_done_again_after_a_crash_is_the_same_query(tmp_path: Path) -> None:
    """A crash neither uses up the budget nor hides the query: one line, written before the run."""
    with open_case_shop(make_case_shop(tmp_path / "shop", holdout=True)) as loop:
        cycle = open_cycle(loop)
        for _ in range(3):
            enter_holdout_query(loop, judged_cases(loop), commit="c", why="w", once=f"{cycle.cycle_id}:run")
        assert len(holdout_use(loop).queries) == 1
        enter_holdout_query(loop, judged_cases(loop), commit="c", why="by hand")
        assert holdout_use(loop).in_cycle == 2


def test_the_line_is_there_before_the_first_answer(tmp_path: Path) -> None:
    """Whoever stops a run after a glimpse has asked all the same."""
    folder = make_case_shop(tmp_path / "shop", holdout=True)
    agent = folder / "agent.py"
    agent.write_text("import sqlite3, pathlib, sys\nsys.exit(7)\n")
    with open_case_shop(folder) as loop:
        loop.git.commit("an agent that dies", paths=["agent.py"])
        run_all(loop)
        assert len(holdout_use(loop).queries) == 1


RUBRIC = json.dumps(
    {
        "prompts": ["x"],
        "providers": ["naoshi"],
        "tests": [
            {
                "vars": {"say": "word 0"},
                "assert": [{"type": "llm-rubric", "value": "It is polite."}],
                "metadata": {"case_id": "polite", "category": "words", "split": "validate"},
            }
        ],
    }
)
KIN = '[judge]\nmodel = "qwen-judge"\nbase_url = "http://127.0.0.1:9/v1"\n'


@pytest.mark.parametrize(
    ("settings", "runner", "error"),
    [(KIN, Runner.native, JudgeKinError), ("", Runner.promptfoo, MissingProgramError)],
)
def test_what_is_refused_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, runner: Runner, error: type[NaoshiError]
) -> None:
    """A judge of the agent's family, or a runner that is not there: nothing was seen, so that nothing is counted."""
    monkeypatch.setenv("NAOSHI_PEERS", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    folder = make_case_shop(tmp_path / "shop", holdout=True, settings=settings)
    (folder / "evals" / "rubric.yaml").write_text(RUBRIC)
    with open_case_shop(folder) as loop:
        commit, cases = loop.git.commit_of("HEAD"), judged_cases(loop)
        for _ in range(2):
            with pytest.raises(error):
                evaluate_commit(loop, commit, version="v0", cases=cases, suite=ALL_SPLITS, runner=runner)
        assert (holdout_use(loop).queries, loop.store.runs.count()) == ((), 0)


def test_a_suite_of_its_own_that_is_refused_costs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for a copy of the holdout that somebody runs by hand."""
    folder = make_case_shop(tmp_path / "shop", holdout=True, settings=KIN)
    kept = json.loads((folder / ".naoshi" / "evals" / "holdout.yaml").read_text())
    mine = folder / "mine.yaml"
    mine.write_text(json.dumps({**kept, "tests": [*kept["tests"], *json.loads(RUBRIC)["tests"]]}))
    assert run(["evals", "run", str(mine), "-C", str(folder)]) == 1
    assert "naoshi: judge-kin" in capsys.readouterr().err
    with open_case_shop(folder) as loop:
        assert holdout_use(loop).queries == ()


def test_a_deleted_or_altered_line_is_seen(tmp_path: Path) -> None:
    """Even somebody with the database in hand cannot take a query back unseen: the chain breaks."""
    folder = make_case_shop(tmp_path / "shop", holdout=True)
    with open_case_shop(folder) as loop:
        run_all(loop)
        run_all(loop)
        first = next(entry for entry in loop.store.ledger.entries() if entry.kind == "holdout")
    with closing(sqlite3.connect(folder / ".naoshi" / "naoshi.db")) as database:
        database.execute("DROP TRIGGER IF EXISTS ledger_no_delete")
        try:
            database.execute("DELETE FROM ledger WHERE sequence = ?", (first.sequence,))
            database.commit()
        except sqlite3.DatabaseError:
            return
    with open_case_shop(folder) as loop, pytest.raises(LedgerError):
        verify_chain(loop.store.ledger.entries())


@pytest.mark.parametrize("code", ["rm", "settings"])
def test_a_coding_agent_cannot_reset_the_count(tmp_path: Path, code: str) -> None:
    """Removing what it finds of our state, or raising the budget in its checkout, changes nothing."""
    from naoshi.flow.attempting import repair  # loads the coding agents, which only this test needs
    from naoshi.flow.steps.diagnose import diagnose

    attack = {
        "rm": "shutil.rmtree('.naoshi', ignore_errors=True)",
        "settings": "pathlib.Path('naoshi.toml').write_text(pathlib.Path('naoshi.toml').read_text() + "
        "'[evals]\\nholdout_per_month = 9999\\n')",
    }[code]
    mender = tmp_path / "mender.py"
    mender.write_text(f"import pathlib, shutil\n{attack}\n")
    command = json.dumps([sys.executable, str(mender)])
    folder = make_case_shop(tmp_path / "shop", holdout=True)
    config = folder / "naoshi.toml"
    config.write_text(config.read_text().replace("command = []", f'command = {command}\nattempts = 1\nsandbox = "off"'))
    (folder / "harness" / "words.json").write_text("{}")
    with open_case_shop(folder) as loop:
        loop.git.commit("settings", paths=["."])
        run = run_present(loop)
        before = holdout_use(loop)
        done = repair(loop, diagnose(loop, run, version="v0"), run)
        assert done.change is None
        after = holdout_use(loop)
        assert (after.queries, after.per_month) == (before.queries, 200)
