"""The loop of attempts: what each is told, when it ends, and which change comes out."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from naoshi.errors import InputError
from naoshi.records import Attempt, Certificate, Change, EvalRun, Handoff
from naoshi.repair import judge_change, remove_unknown_branches, repair, verify_certificate
from naoshi.repair.attempts import best_certified, is_enough
from naoshi.repair.settings import RepairSettings
from tests.repair.receipts_repository import HONEST, NOW, ReceiptsRepository, all_cases, evaluate

LEARNING = """
import json, pathlib
handoff = pathlib.Path("codex_handoff.md").read_text()
block = json.loads(handoff.rpartition("```json\\n")[2].rpartition("\\n```")[0])
labels = pathlib.Path("harness/labels.json")
known = json.loads(labels.read_text())
reasons = " ".join(block["previous_failures"])
if block["attempt"] == 1:
    known["total"] = ["AMOUNT DUE"]
elif block["attempt"] == 2 and "worse: case_001_total (field total)" in reasons:
    raise SystemExit("I give up")
elif "I give up" in reasons:
    known["total"] = ["TOTAL", "AMOUNT DUE"]
labels.write_text(json.dumps(known))
"""


def run_repair(repository: ReceiptsRepository, script: str, *, told: list[Attempt] | None = None, **settings: object):
    """Repair with a coding agent that runs *script*; attempts are put into *told* as they end."""

    def handoff_for(number: int, failures: Sequence[str]) -> Handoff:
        return repository.handoff(attempt=number, failures=failures)

    return repair(
        repository.workshop(script, **settings),
        base=repository.base,
        before=repository.before,
        evidence=repository.evidence(),
        handoff_for=handoff_for,
        on_attempt=None if told is None else told.append,
    )


def test_the_first_granted_change_ends_it(repository: ReceiptsRepository):
    """Protects time and tokens: a certified change needs no second attempt."""
    outcome = run_repair(repository, HONEST)
    assert len(outcome.attempts) == 1 and outcome.reasons == ()
    assert outcome.best is not None and outcome.best.certificate.granted
    assert outcome.best.certificate.mended == ("case_003_total", "case_004_total")
    assert verify_certificate(outcome.best.certificate, before=repository.before, after=outcome.best.run) == ()
    assert set(outcome.best.certificate.protected) == {
        "evals/diagnose.yaml", "evals/validate.yaml", "naoshi.toml", "tests/test_agent.py"}  # fmt: skip
    assert list(repository.worktrees.iterdir()) == []


def test_each_attempt_is_told_why_the_last_one_failed(repository: ReceiptsRepository):
    """Protects learning within a repair: worse cases by name, hidden ones by count, then what the program said."""
    told: list[Attempt] = []
    outcome = run_repair(repository, LEARNING, told=told)
    assert [item.number for item in told] == [1, 2, 3]
    assert told[0].failures == ("worse: case_001_total (field total)",)
    assert "I give up" in told[1].failures[0]
    assert told[2].failures == () and outcome.best is not None and outcome.best.change.attempt == 3
    assert len(outcome.changes) == 2 and len({item.attempt_id for item in told}) == 3


def test_without_a_granted_change_there_are_reasons_and_at_most_three_attempts(repository: ReceiptsRepository):
    """Protects the person who takes over: every reason once, every attempt kept."""
    outcome = run_repair(repository, "raise SystemExit('no idea')")
    assert len(outcome.attempts) == 3 and outcome.best is None and outcome.changes == ()
    assert outcome.reasons == ("the coding agent failed: it ended with status 1: no idea",)
    assert len(run_repair(repository, "pass", attempts=1).attempts) == 1


def test_a_harness_that_breaks_the_agent_is_refused(repository: ReceiptsRepository):
    """Protects against a change after which the agent does not start."""
    outcome = run_repair(repository, "open('harness/labels.json', 'w').write('{')", attempts=1)
    assert outcome.best is None
    assert any("no_new_errors" in reason for reason in outcome.reasons)


def test_the_evals_that_judge_are_those_of_the_base(repository: ReceiptsRepository):
    """Protects judging from the changed agent: what it writes over evals while it runs is seen."""
    outcome = repository.change_by(HONEST)
    assert outcome.change is not None

    def sly(checkout: Path, commit: str) -> EvalRun:
        assert (checkout / "evals" / "validate.yaml").read_text() == "tests: [hidden]\n"
        assert not (checkout / ".git").exists() and not (checkout / "codex_handoff.md").exists()
        (checkout / "evals" / "validate.yaml").write_text("tests: []\n")
        return evaluate(checkout, commit)

    judgement = judge_change(
        repository.git, outcome.change, targets=[case.case_id for case in repository.handoff().cases],
        before=repository.before, cases=all_cases(),
        evaluate=sly, settings=RepairSettings(), worktrees=repository.worktrees, now=NOW,
    )  # fmt: skip
    assert not judgement.certificate.granted
    assert judgement.failures == ("protected_kept: the changed agent altered protected files while it ran",)
    assert list(repository.worktrees.iterdir()) == []


def test_a_run_that_does_not_cover_the_cases_is_an_error_not_a_verdict(repository: ReceiptsRepository):
    """Protects against comparing with half a run."""
    before = repository.before
    with pytest.raises(InputError, match="lacks"):
        repair(
            repository.workshop(HONEST), base=repository.base, evidence=repository.evidence(),
            before=before.model_copy(update={"results": before.results[:3]}),
            handoff_for=lambda number, failures: repository.handoff(),
        )  # fmt: skip


def test_branches_that_no_record_knows_are_removed(repository: ReceiptsRepository):
    """Protects the list of branches: what a kill between git and the store left goes, what is known stays."""
    first, second = repository.change_by(HONEST).change, repository.change_by(
        HONEST.replace("AMOUNT DUE", "AMOUNT")).change  # fmt: skip
    assert first is not None and second is not None
    assert remove_unknown_branches(repository.git, known=[first.change_id]) == (second.change_id,)
    assert repository.git("branch", "--list", "naoshi/*").strip() == first.branch


def pair(mended: int, worse: int, lines: int, attempt: int, *, targets: int = 5) -> tuple[Change, Certificate]:
    """A certified change that mends, breaks and changes so much."""
    diff = "--- a/x\n+++ b/x\n" + "+line\n" * lines
    change = Change(
        change_id=f"change_{attempt}", handoff_id="handoff", attempt=attempt, coding_agent="command",
        base_version="v0", base_commit="a", commit="b", tree="c", branch="d", files=(), diff=diff, made_at=NOW,
    )  # fmt: skip
    names = tuple(f"case_{number}" for number in range(targets))
    certificate = Certificate(
        certificate_id=f"certificate_{attempt}", change_id=change.change_id, before_run_id="1", after_run_id="2",
        targets=names, mended=names[:mended], worse=tuple(f"other_{number}" for number in range(worse)), checks=(),
        granted=True, digest="", made_at=NOW,
    )  # fmt: skip
    return change, certificate


@pytest.mark.parametrize(
    ("pairs", "best"),
    [
        ([pair(2, 0, 9, 1), pair(3, 0, 99, 2)], 2),
        ([pair(4, 2, 9, 1), pair(3, 0, 9, 2)], 2),
        ([pair(4, 1, 9, 1), pair(3, 0, 9, 2)], 2),
        ([pair(3, 0, 9, 1), pair(3, 0, 8, 2)], 2),
        ([pair(3, 0, 9, 1), pair(3, 0, 9, 2)], 1),
    ],
    ids=["more mended", "fewer worse", "equal gain, fewer worse", "smaller diff", "the earlier one"],
)
def test_the_best_certified_change(pairs: list[tuple[Change, Certificate]], best: int):
    """Protects the choice of what people review, whatever order the attempts came in."""
    for order in (pairs, pairs[::-1]):
        found = best_certified(order)
        assert found is not None and found[0].attempt == best
    assert best_certified([]) is None


def test_when_a_search_has_enough():
    """Protects the bill: so many certified changes as asked for, or one that leaves nothing to wish."""
    (_, some), (_, whole), (_, costly) = pair(3, 0, 1, 1), pair(5, 0, 1, 2), pair(5, 1, 1, 3)
    assert is_enough([some], best_of=1) and not is_enough([some], best_of=2)
    assert is_enough([some, whole], best_of=3) and is_enough([whole], best_of=3)
    assert not is_enough([costly], best_of=2), "what makes something worse can be bettered"
    assert not is_enough([], best_of=1)


def test_nothing_better_is_looked_for_than_a_change_that_mends_all(repository: ReceiptsRepository):
    """Protects the bill with `best_of` above 1."""
    told: list[Attempt] = []
    outcome = run_repair(repository, HONEST, told=told, best_of=3)
    assert [item.number for item in told] == [1], "it mends every target"
    assert outcome.best is not None and outcome.best.change.attempt == 1
