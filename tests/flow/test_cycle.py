"""One cycle from corrections to a release, and what may stop it."""

from contextlib import ExitStack
from pathlib import Path

from naoshi.flow.people import Answer, Nobody, Question
from naoshi.flow.versions import present_version
from naoshi.records import CycleState, Split
from naoshi.release.ledger import verify_ledger
from tests.flow.mail_shop import Follower, correct_mails, make_shop, open_shop, record_traces


def test_a_cycle_turns_corrections_into_a_release(tmp_path: Path) -> None:
    """Corrected traces come out as a new version that knows the label people pointed at."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Follower())
        record_traces(folder, loop)
        correct_mails(loop)
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.version, cycle.reasons) == (CycleState.released, "v1", ())
        assert "Your reference:" in (folder / "harness" / "labels.json").read_text()
        assert present_version(loop).name == "v1"
        assert verify_ledger(loop.store.ledger.entries()) == ()
        kinds = [entry.kind for entry in loop.store.ledger.entries()]
        assert kinds.count("release") == 1
        assert loop.git.changed() == ()


def test_a_second_cycle_with_nothing_new_does_nothing(tmp_path: Path) -> None:
    """When every case passes there is nothing to mend, and nobody is asked."""
    folder = make_shop(tmp_path / "shop")
    people = Follower()
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, people)
        record_traces(folder, loop)
        correct_mails(loop)
        workshop.run_cycle()
        asked = len(people.asked)
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.number, len(people.asked)) == (CycleState.nothing_to_do, 2, asked)


def test_the_handoff_holds_nothing_of_other_splits(tmp_path: Path) -> None:
    """No identifier, path or value of a validate or holdout case is in what the coding agent gets."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Follower())
        record_traces(folder, loop)
        correct_mails(loop)
        workshop.run_cycle()
        hidden = [case for case in loop.store.cases.find() if case.split is not Split.diagnose]
        given = "".join(path.read_text() for path in (folder / ".naoshi" / "handoffs").rglob("*.md"))
        assert hidden and given
        for case in hidden:
            assert case.case_id not in given
            assert str(case.vars["mail"]) not in given
            assert str(case.provenance.corrected) not in given


def test_a_cycle_waits_for_people_and_goes_on_when_they_answer(tmp_path: Path) -> None:
    """Without an answer the cycle waits, nothing becomes a case, and the same cycle goes on later."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Nobody())
        record_traces(folder, loop)
        correct_mails(loop)
        waiting = workshop.run_cycle()
        assert waiting.state is CycleState.waiting
        assert loop.store.cases.count() == 0
        again = workshop.run_cycle()
        assert (again.state, again.cycle_id) == (CycleState.waiting, waiting.cycle_id)
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, _OnlyTriage())
        waiting = workshop.run_cycle()
        assert (waiting.state, waiting.stage) == (CycleState.waiting, "review")
        assert not loop.store.releases.count()
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, Follower())
        assert workshop.run_cycle().state is CycleState.released


def test_a_rejected_change_is_not_released(tmp_path: Path) -> None:
    """A reviewer's no ends the cycle and leaves the agent as it was."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, _Rejecting())
        record_traces(folder, loop)
        correct_mails(loop)
        cycle = workshop.run_cycle()
        assert (cycle.state, cycle.reasons) == (CycleState.refused, ("aki rejected the change",))
        assert "Your reference:" not in (folder / "harness" / "labels.json").read_text()


def test_a_reviewer_may_look_first(tmp_path: Path) -> None:
    """Asking for the full diff shows it and asks again; the decision counts once."""
    folder = make_shop(tmp_path / "shop")
    people = _LookingFirst()
    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, people)
        record_traces(folder, loop)
        correct_mails(loop)
        assert workshop.run_cycle().state is CycleState.released
        assert loop.store.reviews.count() == 1
        assert any("+" in text and "Your reference:" in text for text in people.shown)


class _OnlyTriage(Follower):
    def answer(self, question: Question) -> Answer | None:
        return super().answer(question) if question.kind == "triage" else None


class _Rejecting(Follower):
    def answer(self, question: Question) -> Answer | None:
        return Answer(reply="②", actor="aki") if question.kind == "review" else super().answer(question)


class _LookingFirst(Follower):
    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def answer(self, question: Question) -> Answer | None:
        if question.kind == "review":
            self.shown.append(question.shown())
            return Answer(reply="3" if len(self.shown) == 1 else "１", actor="aki")
        return super().answer(question)
