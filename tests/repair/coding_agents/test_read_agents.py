"""Reading Codex and Claude Code: what they tell and how they fail, from programs that print as they do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from naoshi.errors import (
    CodingAgentCredentialsError,
    CodingAgentError,
    CodingAgentLimitError,
    CodingAgentRateLimitError,
    CodingAgentRefusalError,
    EmptyChangeError,
    MissingProgramError,
    UnusableChangeError,
)
from naoshi.repair import AgentEvent, RepairSettings
from tests.repair.coding_agents.scripted_program import Claude, Codex, Step, write_program
from tests.repair.receipts_repository import ReceiptsRepository

Dialect = Codex | Claude
Script = Callable[[Dialect], list[Step]]
MENDED: Step = ("edit", ("total", "AMOUNT DUE"))


@pytest.fixture(params=[Codex, Claude], ids=["codex", "claude"])
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return request.param()


def test_what_it_does_is_told_and_its_change_is_taken(
    dialect: Dialect, repository: ReceiptsRepository, tmp_path: Path
) -> None:
    """Protects the whole way: events in order, tokens, the change, and no key in anything."""
    steps = [
        dialect.says("I will look."), dialect.ran("ls harness", "labels.json sk-of-a-test", 0), MENDED,
        dialect.ran("pytest", "1 failed", 1), dialect.says("The label AMOUNT DUE was missing."),
        *dialect.ends(tokens=240),
    ]  # fmt: skip
    heard: list[AgentEvent] = []
    agent = dialect.agent(write_program(tmp_path / "bin" / "agent", steps))
    outcome = repository.change_of(agent, on_event=heard.append)
    assert outcome.change is not None and outcome.change.files == ("harness/labels.json",), outcome.reasons
    assert [(event.kind, event.text) for event in heard] == [
        ("message", "I will look."), ("command", "ls harness"), ("command", "pytest"),
        ("message", "The label AMOUNT DUE was missing."),
    ]  # fmt: skip
    assert [event.status for event in heard if event.kind == "command"] == [0, 1]
    assert outcome.work.tokens == 240
    assert "sk-of-a-test" not in outcome.log + "".join(event.output for event in heard)


FAILURES: dict[str, tuple[Script, type[CodingAgentError], bool]] = {
    "rate limit": (lambda to: to.fails("429 Too Many Requests"), CodingAgentRateLimitError, True),
    "overloaded": (lambda to: [MENDED, *to.fails("529 overloaded_error")], CodingAgentRateLimitError, True),
    "spent quota": (lambda to: to.fails("You exceeded your current quota"), CodingAgentRateLimitError, True),
    "bad key": (lambda to: to.fails("401 Unauthorized: invalid x-api-key"), CodingAgentCredentialsError, True),
    "no credit": (lambda to: to.fails("Your credit balance is too low"), CodingAgentCredentialsError, True),
    "refusal": (lambda to: [MENDED, *to.refuses()], CodingAgentRefusalError, False),
    "provider broken": (lambda to: to.fails("500 Internal Server Error"), CodingAgentError, False),
    "empty diff": (lambda to: [to.says("Nothing to do."), *to.ends()], EmptyChangeError, False),
    "no diff of the base": (lambda to: [("replace", 1), to.says("ok"), *to.ends()], UnusableChangeError, False),
    "too much": (lambda to: [("write", "harness/x.txt"), to.says("ok"), *to.ends()], UnusableChangeError, False),
    "cut in the middle": (lambda to: [to.says("I begin"), MENDED], CodingAgentError, False),
    "broken JSON": (
        lambda to: [("line", '{"type": "turn.completed", "usa'), ("line", "[[[["), ("line", "\x00{}"), MENDED],
        CodingAgentError, False),
    "status alone": (lambda to: [("complain", "segmentation fault"), ("exit", 139)], CodingAgentError, False),
}  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES)
def test_each_failure_is_an_error_of_its_own(
    failure: str, dialect: Dialect, repository: ReceiptsRepository, tmp_path: Path
) -> None:
    """Protects who reads why, and the attempts: what a person or time has to mend uses none up. Nothing is left."""
    script, error, final = FAILURES[failure]
    agent = dialect.agent(write_program(tmp_path / "bin" / "agent", script(dialect)))
    outcome = repository.change_of(agent, RepairSettings(change_limit=100_000))
    assert outcome.change is None
    assert (type(outcome.error), outcome.final) == (error, final), (outcome.error, outcome.log)
    assert list(repository.worktrees.iterdir()) == []
    assert repository.git("branch", "--list", "naoshi/*") == "" and repository.git.changed() == ()


def test_broken_lines_do_not_hide_the_others(dialect: Dialect, repository: ReceiptsRepository, tmp_path: Path) -> None:
    """Protects a good change from a line that is no event, a very long one, events without parts, and a retry."""
    odd = ['{"type": "item.completed"}', '{"type": "assistant", "message": 7}', '{"type": "result", "usage": []}']
    steps: list[Step] = [
        ("line", "warning: not JSON"), ("line", "9" * 3_000_000), ("line", "[" * 100_000),
        *(("line", text) for text in odd[:2]), dialect.tries_again("429 slow down"), MENDED,
        dialect.says("done"), *dialect.ends(),
    ]  # fmt: skip
    outcome = repository.change_of(dialect.agent(write_program(tmp_path / "bin" / "agent", steps)))
    assert outcome.change is not None, outcome.reasons
    assert [event.kind for event in outcome.work.events] == ["problem", "message"]


@pytest.mark.parametrize(
    ("steps", "limits", "told"),
    [
        (lambda to: [("sleep", 20)], {"timeout": 1.0}, "did not end within 1 seconds"),
        (lambda to: to.burns(5000), {"token_limit": 4000}, "used 5000 tokens"),
        (lambda to: [("flood", 2000), ("sleep", 20)], {"output_limit": 100_000}, "printed more than 100000 bytes"),
    ],
    ids=["time", "tokens", "output"],
)
def test_limits_end_it(
    steps: Script,
    limits: dict[str, float],
    told: str,
    dialect: Dialect,
    repository: ReceiptsRepository,
    tmp_path: Path,
) -> None:
    """Protects the clock and the bill: which limit it was stands in the error, and another attempt may be made."""
    agent = dialect.agent(write_program(tmp_path / "bin" / "agent", steps(dialect)), **limits)
    outcome = repository.change_of(agent)
    assert type(outcome.error) is CodingAgentLimitError and told in outcome.reasons[0]
    assert not outcome.final and outcome.work.seconds < 15


def test_without_a_key_or_a_program_it_is_not_begun(
    dialect: Dialect, repository: ReceiptsRepository, tmp_path: Path
) -> None:
    """Protects an attempt from being used up where a person has something to do first."""
    program = write_program(tmp_path / "bin" / "agent", [MENDED, *dialect.ends()])
    keyless = repository.change_of(dialect.agent(program, key=None))
    nowhere = repository.change_of(dialect.agent(program.with_name("gone")))
    assert type(keyless.error) is CodingAgentCredentialsError and dialect.variable in keyless.reasons[0]
    assert type(nowhere.error) is MissingProgramError
    assert keyless.final and nowhere.final
