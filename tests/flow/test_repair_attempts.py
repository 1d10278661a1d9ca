"""The attempts of a repair in a cycle and outside of one: the best goes on, and what none mends is left to people."""

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.errors import NotFoundError
from naoshi.flow.attempting import repair
from naoshi.flow.certified import certified_change, certified_changes
from naoshi.flow.cycle import Workshop
from naoshi.flow.left_to_people import left_groups, take_up
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import present_run
from naoshi.flow.standing import standing
from naoshi.flow.steps.attempt import refused_by_gate
from naoshi.flow.steps.diagnose import cases_to_mend, failing_cases, present_diagnosis
from naoshi.records import CycleState, RepairState
from naoshi.signals.make_correction import make_correction
from tests.flow.mail_shop import MAILS, Follower, make_shop, open_shop, order_of, record_traces

FIRST_SEEN, SECOND_SEEN = "Your reference:", "Ref no:"
HEAD = """
import json, pathlib
block = json.loads(pathlib.Path("codex_handoff.md").read_text().rpartition("```json\\n")[2].rpartition("\\n```")[0])
place = pathlib.Path("harness/labels.json")
labels = json.loads(place.read_text())
def learn(*names):
    labels["order_number"] += names
    place.write_text(json.dumps(labels, indent=2) + "\\n")
attempt, told = block["attempt"], " ".join(block["previous_failures"])
"""
ONE_LABEL = 'learn("Your reference:")'
BETTER_LATER = 'learn("Your reference:", *(["Ref no:"] if attempt > 1 and "still failing" in told else []))'
WORSE_LATER = 'learn(*(["Your reference:", "Ref no:"][:1] if attempt == 1 else ["Ref no:", "Bye "]))'
HELPLESS = 'raise SystemExit(f"attempt {attempt} had no idea")'


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop of mails with two labels that the agent does not know, and corrections of the first ones."""
    folder = make_shop(tmp_path_factory.mktemp("attempts") / "shop")
    for number in range(1, MAILS, 6):
        mail = folder / "mails" / f"{number:02}.txt"
        mail.write_text(mail.read_text().replace(FIRST_SEEN, SECOND_SEEN))
    with ExitStack() as stack:
        loop, _ = open_shop(stack, folder, Follower())
        loop.git.commit("two labels", paths=["."])
        record_traces(folder, loop)
        correct(loop, range(1, 15, 2))
    return folder


def correct(loop: Loop, numbers: range) -> None:
    """Correct the order number of the mails *numbers*."""
    for trace in loop.store.traces.find():
        number = int(str(trace.vars["mail"])[-6:-4])
        if number in numbers:
            correction = make_correction(
                trace=trace, artifact="fields", field="order_number", corrected=order_of(number),
                practitioner="hana", at=datetime(2026, 1, 5, tzinfo=UTC),
            )  # fmt: skip
            loop.store.corrections.add(correction)


@contextmanager
def shop(source: Path, folder: Path, script: str, settings: str = "") -> Iterator[tuple[Loop, Workshop]]:
    """Open a copy of the shop *source* whose coding agent runs *script*."""
    if not folder.exists():
        shutil.copytree(source, folder)
    mender = folder.with_name("mend.py")
    mender.write_text(HEAD + script)
    config = folder / "naoshi.toml"
    kept = config.read_text().partition("[repair]")[0]
    config.write_text(f"{kept}[repair]\ncommand = {json.dumps([sys.executable, str(mender)])}\n{settings}\n")
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Follower())
        if loop.git.changed():
            loop.git.commit("settings", paths=["."])
        yield loop, workshop


def test_the_first_certified_change_goes_to_review(prepared: Path, tmp_path: Path) -> None:
    """Protects time and tokens: by default nothing better is looked for, though not every target is mended."""
    with shop(prepared, tmp_path / "shop", ONE_LABEL) as (loop, workshop):
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.attempt) == (CycleState.released, 1)
        certificate = loop.store.certificates.find()[0]
        assert certificate.granted and len(certificate.mended) < len(certificate.targets)
        (kept,) = loop.store.repairs.find()
        assert (kept.state, len(kept.attempts)) == (RepairState.certified, 1)
        assert [item.failures for item in loop.store.attempts.find()] == [()]


def test_a_better_change_is_looked_for_where_the_settings_say(prepared: Path, tmp_path: Path) -> None:
    """Protects `best_of`: the next attempt is told what still fails, and a change that mends all ends the search."""
    with shop(prepared, tmp_path / "shop", BETTER_LATER, "best_of = 3") as (loop, workshop):
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.attempt) == (CycleState.released, 2)
        assert SECOND_SEEN in (loop.git.folder / "harness" / "labels.json").read_text()
        first, second = loop.store.certificates.find()
        assert first.granted and second.granted and len(first.mended) < len(second.mended)
        change = loop.store.changes.get(cycle.change_id or "")
        assert change is not None and change.attempt == 2


def test_an_earlier_better_change_goes_on(prepared: Path, tmp_path: Path) -> None:
    """Protects the choice: the last certified change is not taken when the first one mends more."""
    with shop(prepared, tmp_path / "shop", WORSE_LATER, "best_of = 2") as (loop, workshop):
        cycle = workshop.run_cycle()
        change = loop.store.changes.get(cycle.change_id or "")
        assert change is not None and change.attempt == 1
        assert cycle.state is CycleState.released and loop.store.attempts.count() == 2
        assert FIRST_SEEN in (loop.git.folder / "harness" / "labels.json").read_text()


def test_the_best_is_what_the_other_commands_take_up(prepared: Path, tmp_path: Path) -> None:
    """Protects gate, review, release and proposal after a repair of its own: they are about the best, not the last."""
    with shop(prepared, tmp_path / "shop", HELPLESS, "attempts = 1") as (loop, workshop):
        workshop.run_cycle()
        take_up(loop, "all", actor="aki")
        run = present_run(loop)
    with shop(prepared, tmp_path / "shop", WORSE_LATER, "best_of = 2"):
        pass
    with open_loop(tmp_path / "shop", people=Follower()) as loop:
        done = repair(loop, present_diagnosis(loop, run, version=run.version), run)
        assert done.change is not None and done.change.attempt == 1 and len(done.attempts) == 2
        assert [item.change.attempt for item in certified_changes(loop)] == [2, 1]
        assert certified_change(loop).change == done.change
        other = next(item.change for item in certified_changes(loop) if item.change != done.change)
        assert certified_change(loop, other.change_id).change == other


def test_what_no_attempt_mends_needs_a_person(prepared: Path, tmp_path: Path) -> None:
    """Protects people and tokens: all attempts are kept, the next cycle leaves the group alone until told otherwise."""
    folder = tmp_path / "shop"
    with shop(prepared, folder, HELPLESS) as (loop, workshop):
        cycle = workshop.run_cycle()
        assert cycle.state is CycleState.refused
        assert [item.number for item in loop.store.attempts.find()] == [1, 2, 3]
        assert [item.failures[0].rpartition(": ")[2] for item in loop.store.attempts.find()] == [
            f"attempt {number} had no idea" for number in (1, 2, 3)
        ]
        (group,) = left_groups(loop)
        assert (group.name, group.attempts) == ("fields missing_order_number", 3)
        assert [line for line in standing(loop).waiting if "needs a person" in line] == [
            "fields missing_order_number needs a person after 3 attempts: naoshi attempts"
        ]
        again = workshop.run_cycle()
        assert (again.state, again.reasons) == (
            CycleState.nothing_to_do, ("1 groups of failures need a person: naoshi attempts",))  # fmt: skip
        assert loop.store.attempts.count() == 3
        kinds = [entry.kind for entry in loop.store.ledger.entries()]
        assert kinds.count("needs_person") == 1

    with shop(prepared, folder, BETTER_LATER, "best_of = 3") as (loop, workshop):
        with pytest.raises(NotFoundError, match="called 'group_zz'"):
            take_up(loop, "group_zz", actor="aki")
        assert [item.group_id for item in take_up(loop, "all", actor="aki")] == [group.group_id]
        assert left_groups(loop) == ()
        assert loop.store.ledger.entries()[-1].actor == "aki"
        assert workshop.run_cycle().state is CycleState.released
        assert loop.store.attempts.count() == 5, "the failed attempts are kept beside the new ones"
        assert left_groups(loop) == ()


def test_new_evidence_takes_a_group_up_again(prepared: Path, tmp_path: Path) -> None:
    """Protects the loop from giving a group up for good: another failing case in it is tried with all the others."""
    with shop(prepared, tmp_path / "shop", HELPLESS, "attempts = 1") as (loop, workshop):
        workshop.run_cycle()
        (group,) = left_groups(loop)
        known = set(group.cases)
        correct(loop, range(15, MAILS, 2))
        assert workshop.run_cycle().state is CycleState.refused
        (grown,) = left_groups(loop)
        assert known < set(grown.cases) and loop.store.attempts.count() == 2
        assert workshop.run_cycle().state is CycleState.nothing_to_do


def test_a_repair_outside_of_a_cycle_leaves_groups_to_people_too(prepared: Path, tmp_path: Path) -> None:
    """Protects `naoshi repair`: its groups are marked, cycles respect it, and each repair has attempts of its own."""
    with shop(prepared, tmp_path / "shop", HELPLESS, "attempts = 2") as (loop, workshop):
        workshop.run_cycle()
        take_up(loop, "all", actor="aki")
    with open_loop(tmp_path / "shop") as loop:
        run = present_run(loop)
        cases = cases_to_mend(loop, run)
        assert failing_cases(run, cases)
        done = repair(loop, present_diagnosis(loop, run, version=run.version, cases=cases), run)
        assert done.change is None and len(done.attempts) == 2
        assert loop.store.attempts.count() == 4
        assert failing_cases(run, cases_to_mend(loop, run)) == ()
        assert [item.repair_id for item in left_groups(loop)] == [done.repair_id]


def test_what_the_gate_turns_down_makes_room_for_the_next_best(prepared: Path, tmp_path: Path) -> None:
    """Protects certified changes from being lost with the best one, and people from a silent end."""
    settings = "best_of = 2\nattempts = 2"
    with shop(prepared, tmp_path / "shop", WORSE_LATER, settings) as (loop, workshop):
        cycle = workshop.run_cycle().model_copy(update={"stage": "gate", "state": CycleState.running})
        assert [item.granted for item in loop.store.certificates.find()] == [True, True]
        first = loop.store.changes.get(cycle.change_id or "")
        following = refused_by_gate(loop, cycle, "gate: regression in total", reasons=("gate: regression", "1 flip"))
        second = loop.store.changes.get(following.change_id or "")
        assert first is not None and second is not None and {first.attempt, second.attempt} == {1, 2}
        assert following.stage == "gate" and following.handoff_id == second.handoff_id
        again = refused_by_gate(loop, following, "gate: regression in total", reasons=("gate: regression", "2 flips"))
        assert (again.state, again.reasons) == (CycleState.refused, ("gate: regression", "2 flips"))
        assert [item.failures for item in loop.store.attempts.find()] in (
            [("gate: regression", "1 flip"), ("gate: regression", "2 flips")],
            [("gate: regression", "2 flips"), ("gate: regression", "1 flip")],
        )
        (kept,) = loop.store.repairs.find()
        assert kept.state is RepairState.needs_person and kept.certified == ()
