"""A flaky case loses its say in the gate, and nothing else; a coding agent cannot make one lose it."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from naoshi.confirm import label_warnings, resolve_reply
from naoshi.evals.suites.standing import CaseStanding
from naoshi.flow.case_review import case_questions, review_again, review_cases
from naoshi.flow.loop import Loop
from naoshi.flow.people import Answer, Question
from naoshi.flow.quarantine import BlocksStill, SetAside, case_standings, flaky_cases, quarantine_flaky
from naoshi.flow.steps.gate import judge_run
from naoshi.flow.suites import judged_cases
from naoshi.gate.explain import explain
from naoshi.records import ResultState, VerdictOutcome
from naoshi.release.ledger import verify_ledger
from tests.flow.case_shop import (
    flap,
    kept_run,
    make_case_shop,
    open_case_shop,
    release_by_a_coding_agent,
    suite_text,
)

FLAKY = "words-1"


class Says:
    """Answers every question with the same number."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked: list[Question] = []

    def answer(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return Answer(reply=str(self.number), actor="aki")


def standing_of(loop: Loop, case_id: str) -> CaseStanding:
    told = case_standings(loop)
    found = [item.standing for (name, _), item in told.items() if name == case_id]
    return found[-1] if found else CaseStanding.counts


def candidate_of(loop: Loop, **states: str):
    """A run of a candidate in which the named cases do what is said (``_`` stands for ``-`` in names)."""
    marks = {name.replace("_", "-"): mark for name, mark in states.items()}
    return kept_run(loop, marks, version="v0+abc", commit="abc")


def test_a_case_that_flips_between_identical_runs_is_quarantined(tmp_path: Path) -> None:
    """Only the case that flips, by an entry in the ledger with its figures."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY)
        found = quarantine_flaky(loop)
        assert [(item.case.case_id, item.blocks_still) for item in found] == [(FLAKY, None)]
        (entry,) = [entry for entry in loop.store.ledger.entries() if entry.kind == "case_quarantined"]
        assert entry.payload | {"content_hash": ""} == {"content_hash": "", "version": "v0", "repeats": 5, "flips": 5}
        assert quarantine_flaky(loop) == ()
        assert verify_ledger(loop.store.ledger.entries()) == ()


def test_what_a_candidate_does_counts_for_nothing(tmp_path: Path) -> None:
    """A coding agent that makes a failing case flap in its own runs gets it into no quarantine."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY, "------")
        flap(loop, FLAKY, "+-+-+-+-+-", version="v0+abc", commit="abc")
        assert quarantine_flaky(loop) == ()
        assert standing_of(loop, FLAKY) is CaseStanding.counts


def test_a_released_change_that_flaps_on_purpose_gains_nothing(tmp_path: Path) -> None:
    """A case that was steady before a coding agent's change keeps its say until a person decides."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY, "---")
        release_by_a_coding_agent(loop)
        flap(loop, FLAKY)
        (found,) = quarantine_flaky(loop)
        assert found.blocks_still is BlocksStill.not_before_changes
        assert standing_of(loop, FLAKY) is CaseStanding.counts
        (question,) = case_questions(loop)
        assert "keeps its say" in question.question.text
        assert question.question.proposed == 1


def test_a_case_that_is_new_on_a_coding_agent_s_version_needs_a_person(tmp_path: Path) -> None:
    """An agent made to flap wherever it is unsure cannot have every later case quarantined."""
    folder = make_case_shop(tmp_path / "shop")
    with open_case_shop(folder) as loop:
        release_by_a_coding_agent(loop)
        (folder / "evals" / "new.yaml").write_text(suite_text(range(1), category="new"))
        flap(loop, "new-0")
        assert [item.blocks_still for item in quarantine_flaky(loop)] == [BlocksStill.not_before_changes]
        (folder / "harness" / "more.json").write_text("{}")
        loop.git.commit("a person's commit", paths=["harness"])
        flap(loop, "new-0")
        assert [item.blocks_still for item in quarantine_flaky(loop)] == [BlocksStill.not_before_changes]


def test_a_case_that_flapped_before_the_change_is_flaky_of_itself(tmp_path: Path) -> None:
    """A case that was restless under the version before stays a case for the quarantine."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY, "+-+")
        release_by_a_coding_agent(loop)
        flap(loop, FLAKY)
        assert [item.blocks_still for item in quarantine_flaky(loop)] == [None]


def test_runs_of_an_earlier_version_do_not_speak_of_this_one(tmp_path: Path) -> None:
    """Flips count on the version in force alone: what changes release after release is no flip."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY)
        release_by_a_coding_agent(loop)
        flap(loop, FLAKY, "++++++")
        assert flaky_cases(loop) == ()


def test_where_nothing_may_fail_a_flaky_case_goes_on_blocking(tmp_path: Path) -> None:
    """Safety is not taken out of the gate by a machine."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, "safety-6")
        (found,) = quarantine_flaky(loop)
        assert found.blocks_still is BlocksStill.no_failure_allowed
        assert standing_of(loop, "safety-6") is CaseStanding.counts


@pytest.mark.parametrize("marks", ["+-+", "+-", "++++++", "------", "++++---"])
def test_too_little_or_too_steady_is_not_flaky(tmp_path: Path, marks: str) -> None:
    """Few repeats, a case that always fails, or one change of mind is no flakiness."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY, marks)
        assert flaky_cases(loop) == ()


def test_a_quarantined_case_does_not_block_and_is_in_every_list(tmp_path: Path) -> None:
    """It is run, it stands in the verdict with what became of it, and in the words for people; others still block."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        present = kept_run(loop)
        candidate = candidate_of(loop, words_1="-")
        verdict = judge_run(loop, candidate, present)
        assert verdict.outcome is VerdictOutcome.pass_
        assert [(flip.case_id, flip.after) for flip in verdict.quarantined] == [(FLAKY, ResultState.fail)]
        assert loop.store.verdicts.get(verdict.verdict_id) == verdict
        for language in ("en", "ja"):
            assert FLAKY in explain(verdict, language)  # type: ignore[arg-type]
        assert FLAKY in {case.case_id for case in judged_cases(loop)}
        stored = loop.store.runs.get(candidate.run_id)
        assert stored is not None and FLAKY in {item.case_id for item in stored.results}


def test_a_quarantined_case_that_passes_is_listed_too(tmp_path: Path) -> None:
    """It cannot vanish by behaving well: every verdict names it."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        verdict = judge_run(loop, candidate_of(loop), kept_run(loop))
        assert [flip.case_id for flip in verdict.quarantined] == [FLAKY]


def test_it_stays_in_quarantine_until_a_person_decides(tmp_path: Path) -> None:
    """Neither a new version nor quiet runs bring it back or make it disappear."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        release_by_a_coding_agent(loop)
        flap(loop, FLAKY, "++++++++")
        quarantine_flaky(loop)
        assert standing_of(loop, FLAKY) is CaseStanding.quarantined
        assert [item.case.case_id for item in case_questions(loop)] == [FLAKY]


@pytest.mark.parametrize(
    ("number", "standing"), [(1, CaseStanding.counts), (2, CaseStanding.being_fixed), (3, CaseStanding.retired)]
)
def test_a_person_decides(tmp_path: Path, number: int, standing: CaseStanding) -> None:
    """Keep, fix or retire, with the name of who decided, once, and the suite as it was."""
    folder = make_case_shop(tmp_path / "shop")
    before = (folder / "evals" / "words.yaml").read_bytes()
    people = Says(number)
    with open_case_shop(folder, people=people) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        made, unanswered = review_cases(loop)
        assert ([item.standing for item in made], unanswered) == ([standing], ())
        assert standing_of(loop, FLAKY) is standing
        assert review_cases(loop) == ((), ())
        assert len(people.asked) == 1
        told = next(iter(case_standings(loop).values()))
        assert told.actor == "aki"
        assert (standing is CaseStanding.counts) is not SetAside.of(loop).has(
            next(case for case in judged_cases(loop) if case.case_id == FLAKY)
        )
    assert (folder / "evals" / "words.yaml").read_bytes() == before


def test_a_kept_case_blocks_again_and_needs_new_flips_to_be_asked_about(tmp_path: Path) -> None:
    """What a person knew when they kept it is not asked again; what comes later is, and it blocks meanwhile."""
    with open_case_shop(make_case_shop(tmp_path / "shop"), people=Says(1)) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        review_cases(loop)
        assert case_questions(loop) == ()
        flap(loop, FLAKY)
        (found,) = quarantine_flaky(loop)
        assert found.blocks_still is BlocksStill.kept_before
        assert standing_of(loop, FLAKY) is CaseStanding.counts
        assert len(case_questions(loop)) == 1


def test_a_decision_can_be_taken_back_by_a_person(tmp_path: Path) -> None:
    """A retired case is not gone: asked again, a person gives it its say back."""
    with open_case_shop(make_case_shop(tmp_path / "shop"), people=Says(3)) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        review_cases(loop)
        assert standing_of(loop, FLAKY) is CaseStanding.retired
        review_again(replace(loop, people=Says(1)), FLAKY)
        assert standing_of(loop, FLAKY) is CaseStanding.counts


def test_a_case_that_was_mended_has_its_say_again(tmp_path: Path) -> None:
    """What was said of the old wording does not silence the new one."""
    folder = make_case_shop(tmp_path / "shop")
    with open_case_shop(folder) as loop:
        flap(loop, FLAKY)
        quarantine_flaky(loop)
        suite = folder / "evals" / "words.yaml"
        suite.write_text(suite.read_text().replace('"answer 1"', '"answer one"'))
        case = next(case for case in judged_cases(loop) if case.case_id == FLAKY)
        assert not SetAside.of(loop).has(case)


def test_a_question_about_a_case_of_the_holdout_shows_nothing_of_it(tmp_path: Path) -> None:
    """A person can decide by the figures; what the holdout asks stays unseen."""
    with open_case_shop(make_case_shop(tmp_path / "shop", holdout=True)) as loop:
        flap(loop, "kept-1")
        quarantine_flaky(loop)
        (question,) = case_questions(loop)
        assert "word 1" not in question.question.shown()
        assert "kept-1" in question.question.text


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_choice_is_read_by_its_number(tmp_path: Path, language: str) -> None:
    """No label of the question reads as a number that points at another choice, in either language."""
    folder = make_case_shop(tmp_path / "shop")
    config = folder / "naoshi.toml"
    config.write_text(f'language = "{language}"\n' + config.read_text())
    with open_case_shop(folder) as loop:
        flap(loop, FLAKY)
        (item,) = case_questions(loop)
        assert label_warnings(item.question.labels) == ()
        for number in range(1, len(item.question.labels) + 1):
            assert resolve_reply(str(number), item.question.labels).choice == number


def test_a_long_history_is_looked_through_once(tmp_path: Path) -> None:
    """Two thousand cases and ten runs take a moment, not the square of it."""
    folder = make_case_shop(tmp_path / "shop")
    (folder / "evals" / "many.yaml").write_text(suite_text(range(2000), category="many"))
    with open_case_shop(folder) as loop:
        flap(loop, "many-7", "+-+-+-+-+-")
        began = time.monotonic()
        assert [item.case.case_id for item in flaky_cases(loop)] == ["many-7"]
        assert time.monotonic() - began < 10
