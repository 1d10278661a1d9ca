"""What is on the page, and what is not."""

import pytest

from naoshi.gate.turns import Turn
from naoshi.records import ResultState, Split, VerdictOutcome
from tests.ui.report.examples import FAIL, PASS, case, compiled, result, run, verdict_on

OPEN = [case(f"open_{number}", description=f"case {number}") for number in range(4)]
HELD = [case(f"secret_{number}", split=Split.holdout, description="secret") for number in range(3)]
ALL = [*OPEN, *HELD]


def results(failing: set[str], of: list | None = None) -> list:
    return [result(one, FAIL if one.case_id in failing else PASS, reason="because") for one in of or ALL]


def test_the_holdout_is_in_every_total_and_nowhere_else():
    """Protects the holdout: its cases count, and no identifier, flip, output or reason of one can be read."""
    before, after = run("v1", results({"open_0"})), run("v2", results({"secret_0", "open_1"}), day=1)
    report = compiled([before, after], ALL, judged=(after, before))
    assert [column.cases for column in report.columns] == [7, 7]
    assert report.held_out == 3
    assert report.verdict is not None
    assert {flip.case_id for flip in report.verdict.flips} == {"open_0", "open_1"}
    assert report.verdict.hidden_flips == {Turn.worse: 1, Turn.better: 0, Turn.unknown: 0}
    assert "secret_" not in repr(report)


def test_a_case_that_is_held_out_anywhere_is_held_out():
    """Protects the holdout when a file and the store say different things of a case."""
    twice = [*ALL, case("open_2", split=Split.holdout)]
    report = compiled([run("v1", results(set()))], twice)
    assert report.held_out == 4
    assert "open_2" not in repr(report)


def test_a_case_that_nobody_knows_any_more_is_not_shown():
    """Protects the holdout: a case that left its suite may have been held out, so that it is counted alone."""
    gone = case("gone", description="once there")
    report = compiled([run("v1", results(set(), [*ALL, gone]))], ALL)
    assert (report.gone, report.columns[0].cases) == (1, 8)
    assert "gone" not in repr(report.rows)


@pytest.mark.parametrize("state", list(ResultState))
def test_each_state_is_counted_apart_and_only_a_pass_passes(state: ResultState):
    """Protects every total: five states, none merged, none left out of the denominator."""
    report = compiled([run("v1", [result(OPEN[0], state), result(OPEN[1])])], OPEN)
    (column,) = report.columns
    assert sum(column.states.values()) == column.cases == 2
    assert column.states[state] == (2 if state is PASS else 1)
    assert column.rate.rate == (1.0 if state is PASS else 0.5)
    assert set(column.states) == set(column.category_states["total"]) == set(ResultState)


def test_of_several_trials_the_cell_shows_what_most_say_and_how_many_passed():
    """Protects readers from a flaky case that looks solid."""
    trials = [result(OPEN[0], state, trial=number) for number, state in enumerate((PASS, FAIL, PASS))]
    report = compiled([run("v1", trials)], OPEN)
    (group,) = report.rows
    (row,) = group.failing
    (cell,) = row.cells
    assert cell is not None
    assert (cell.state, cell.passed, cell.trials) == (PASS, 2, 3)
    assert report.columns[0].rate.rate == pytest.approx(2 / 3)


def test_thirty_cases_of_one_document_have_the_interval_of_one():
    """Protects readers from an interval that is too narrow: sources count, not cases."""
    one_source = [case(f"c{number}", source_key="same") for number in range(30)]
    many = [case(f"c{number}", source_key=f"s{number}") for number in range(30)]
    narrow, wide = (compiled([run("v1", results(set(), of))], of).columns[0].rate for of in (many, one_source))
    assert (wide.sources, narrow.sources) == (1, 30)
    assert wide.low < 0.3 < 0.85 < narrow.low
    assert wide.high == narrow.high == 1.0


def test_versions_stand_in_order_with_the_candidate_marked_and_the_latest_run_of_each():
    """Protects the history: oldest first, one column a version, a change on trial is no version."""
    runs = [
        run("v2", results({"open_0"}), day=2, run_id="run_v2_old"),
        run("v1", results(set()), day=0),
        run("v2", results(set()), day=3),
    ]
    candidate = run("change-1", results({"open_3"}), day=4)
    report = compiled(runs, ALL, judged=(candidate, runs[-1]))
    assert [(column.name, column.is_candidate) for column in report.columns] == [
        ("v1", False), ("v2", False), ("change-1", True),
    ]  # fmt: skip
    assert report.columns[1].states[FAIL] == 0
    assert report.latest is report.columns[1]


def test_a_candidate_that_was_released_is_no_column_of_its_own():
    """Protects the history from a version that stands there twice."""
    before, after = run("v1", results(set())), run("v2", results({"open_0"}), day=1)
    as_judged = after.model_copy(update={"version": "v1+3f2a91"})
    later = run("v2", results(set()), day=2, run_id="run_v2_again")
    report = compiled([before, after, later], ALL, judged=(as_judged, before))
    assert [column.name for column in report.columns] == ["v1", "v2"]
    assert report.verdict is not None
    assert (report.verdict.before, report.verdict.after) == ("v1", "v2")
    assert [flip.case_id for flip in report.verdict.flips] == ["open_0"]


def test_what_does_not_compare_is_marked():
    """Protects readers: another judge, or a case that asks for something else, is no change of the agent."""
    edited = OPEN[0].model_copy(update={"threshold": 0.9})
    other = run("v2", [result(edited, FAIL)], day=1, settings_hash="another judge")
    report = compiled([run("v1", [result(OPEN[0])]), other], [edited])
    assert [column.graded_alike for column in report.columns] == [True, False]
    (row,) = report.rows[0].failing
    assert [cell.changed for cell in row.cells if cell] == [False, True]


def test_flips_show_both_outputs_and_the_worst_first():
    """Protects whoever decides: what stopped passing comes before what began to, each with what was put out."""
    before = run("v1", [result(OPEN[0], FAIL, output="wrong"), result(OPEN[1], output="right")])
    after = run("v2", [result(OPEN[0], output="right"), result(OPEN[1], FAIL, output="broken", reason="no")], day=1)
    report = compiled([before, after], OPEN, judged=(after, before))
    assert report.verdict is not None
    assert [(flip.case_id, flip.before.output, flip.after.output) for flip in report.verdict.flips] == [
        ("open_1", "right", "broken"), ("open_0", "wrong", "right"),
    ]  # fmt: skip
    assert report.verdict.flips[0].after.reason == "no"


def test_what_was_not_judged_does_not_push_what_got_worse_away():
    """Protects whoever decides: only so many flips have their outputs, and a failing judge must not fill the page."""
    before = run("v1", results(set()))
    states = {"open_0": ResultState.judge_error, "open_1": ResultState.not_run, "open_2": FAIL}
    after = run("v2", [result(one, states.get(one.case_id, PASS)) for one in ALL], day=1)
    report = compiled([before, after], ALL, judged=(after, before))
    assert report.verdict is not None
    assert [flip.case_id for flip in report.verdict.flips] == ["open_2", "open_0", "open_1"]


def test_a_verdict_whose_runs_are_gone_is_still_told():
    """Protects the report from a store that was trimmed."""
    before, after = run("v1", results(set())), run("v2", results({"open_0"}), day=1)
    from naoshi.ui.report.compile_report import Judged, compile_report

    judged = Judged(verdict=verdict_on(after, before), before=None, after=None)
    report = compile_report(project="x", runs=[before], cases=ALL, judged=judged, language="ja", now=before.started_at)
    assert report.verdict is not None
    assert [(flip.case_id, flip.after.output) for flip in report.verdict.flips] == [("open_0", None)]


def test_no_category_is_called_well_when_the_runs_do_not_compare():
    """The page of an incomparable verdict approves of no category."""
    one = case("one")
    before, after = run("v1", [result(one)]), run("v2", [result(one)], day=1, settings_hash="another judge")
    page = compiled([before, after], [one], judged=(after, before))
    assert page.verdict is not None
    assert [item.outcome for item in page.verdict.categories] == [VerdictOutcome.incomparable]
