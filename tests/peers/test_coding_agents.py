"""The real Codex and the real Claude Code, offline: a scripted API on loopback is their model."""

from collections.abc import Sequence
from dataclasses import replace
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
)
from naoshi.repair import AgentEvent
from tests.peers import coding_agent
from tests.peers.coding_agent import KEY, RealAgent
from tests.peers.mending import LOOK, MEND, runs
from tests.peers.scripted_api.answers import Answer, fail, refuse, say, use
from tests.peers.scripted_api.request import Request
from tests.peers.scripted_api.server import ScriptedApi
from tests.repair.receipts_repository import ReceiptsRepository

FAILURES: list[tuple[str, str, Answer, type[CodingAgentError], bool]] = [
    ("both", "rate limit", fail(429, "slow down"), CodingAgentRateLimitError, True),
    ("both", "bad key", fail(401, "bad key"), CodingAgentCredentialsError, True),
    ("both", "refusal", refuse("I cannot help with that"), CodingAgentRefusalError, False),
    ("both", "empty diff", say("There is nothing to do."), EmptyChangeError, False),
    ("codex", "server error", fail(500, "broken"), CodingAgentError, False),
    ("codex", "cut", Answer(text="half", cut=True), CodingAgentError, False),
    (
        "codex",
        "flagged",
        fail(400, "flagged by our usage policy", error_type="invalid_prompt"),
        CodingAgentRefusalError,
        False,
    ),
    ("claude", "overloaded", fail(529, "overloaded"), CodingAgentRateLimitError, True),
    ("claude", "bad request", fail(400, "broken request"), CodingAgentError, False),
]


@pytest.fixture(params=["codex", "claude"])
def agent(request: pytest.FixtureRequest) -> RealAgent:
    return real_agent(request, request.param)


def real_agent(request: pytest.FixtureRequest, name: str) -> RealAgent:
    program: Path = request.getfixturevalue(name)
    return coding_agent.codex(program) if name == "codex" else coding_agent.claude(program)


def test_it_mends_the_harness(agent: RealAgent, repository: ReceiptsRepository):
    """Protects the whole way to a real program: it reads the task, runs commands unasked, and its events are told."""
    heard: list[AgentEvent] = []
    with ScriptedApi([agent.run(MEND), say("The label AMOUNT DUE was missing.")]) as api:
        outcome = repository.change_of(agent.at(api), on_event=heard.append)
    assert outcome.change is not None, (outcome.reasons, outcome.log)
    assert outcome.change.files == ("harness/labels.json",) and outcome.change.coding_agent == agent.name
    # Codex warns of what it does not find in its empty home.
    told = [event.kind for event in heard if agent.name != "codex" or event.kind != "problem"]
    assert told == ["command", "message"]
    assert heard[-1].text == "The label AMOUNT DUE was missing."
    assert outcome.work.tokens == 240
    header, value = agent.header
    assert api.requests[0].headers[header] == value
    assert "task.md" in api.requests[0].text and "Done when" in api.requests[1].text
    assert agent.tool in api.requests[0].tools
    assert list(repository.worktrees.iterdir()) == []


def test_it_sees_nothing_of_the_user(agent: RealAgent, repository: ReceiptsRepository):
    """Protects keys, documents and the network: what the model may run finds none of them."""
    with ScriptedApi([agent.run(LOOK), say("done")]) as api:
        outcome = repository.change_of(agent.at(api))
    seen = api.requests[1].text
    if agent.name == "codex":
        # Claude Code hands its key on to what it runs, which reaches nothing but the endpoint.
        assert KEY not in seen and "Process exited" in seen
        assert "root:" not in seen.split("Output:")[-1]
    assert KEY not in outcome.log
    assert "owner.json" not in seen and ".bashrc" not in seen and "root:x" not in seen and "root:*" not in seen
    assert "curl: (7)" in seen or "curl: (28)" in seen or "curl: (6)" in seen or "not found" in seen


@pytest.mark.parametrize(
    ("name", "answer", "error", "final"),
    [
        pytest.param(name, answer, error, final, id=f"{name}, {what}")
        for of, what, answer, error, final in FAILURES
        for name in (("codex", "claude") if of == "both" else (of,))
    ],
)
def test_each_failure_of_the_model_is_an_error_of_its_own(
    request: pytest.FixtureRequest,
    repository: ReceiptsRepository,
    name: str,
    answer: Answer,
    error: type[CodingAgentError],
    final: bool,
):
    """Protects the person who reads why, and the attempts: what a person or time has to mend uses none up."""
    agent = real_agent(request, name)
    with ScriptedApi([answer]) as api:
        outcome = repository.change_of(agent.at(api))
    assert outcome.change is None
    assert type(outcome.error) is error, (outcome.error, outcome.log)
    assert outcome.final is final
    assert list(repository.worktrees.iterdir()) == []


def test_without_a_key_or_a_program_nothing_is_asked(agent: RealAgent, repository: ReceiptsRepository):
    """Protects against a session that cannot work: both are seen before the model hears anything."""
    with ScriptedApi([say("done")]) as api:
        keyless = repository.change_of(agent.at(api, key=None))
        nowhere = repository.change_of(agent.at(api, program=agent.program.with_name("no-such-agent")))
    assert type(keyless.error) is CodingAgentCredentialsError and agent.key_variable in keyless.reasons[0]
    assert type(nowhere.error) is MissingProgramError
    assert keyless.final and nowhere.final and api.requests == []


def test_time_and_tokens_are_limited(agent: RealAgent, repository: ReceiptsRepository):
    """Protects the bill and the clock: a session that goes on and on is ended, with all that it started."""
    with ScriptedApi([agent.run("sleep 79", **agent.longest)]) as api:
        late = repository.change_of(agent.at(api, timeout=5))
    costly_answer = replace(agent.run("sleep 0.3"), tokens=(90_000, 10_000))
    with ScriptedApi(lambda requests: costly_answer) as api:
        costly = repository.change_of(agent.at(api, token_limit=300_000, timeout=50))
    assert type(late.error) is CodingAgentLimitError and "5 seconds" in late.reasons[0]
    assert type(costly.error) is CodingAgentLimitError and "tokens" in costly.reasons[0], costly.log[-2000:]
    assert not runs("sleep", "79")


def test_claude_code_edits_files_with_its_own_tools(request: pytest.FixtureRequest, repository: ReceiptsRepository):
    """Protects the tools that need no shell: reading and editing are allowed, and told as edits."""

    def script(requests: Sequence[Request]) -> Answer:
        place = next(line.split(": ", 1)[1] for line in requests[0].text.splitlines() if "orking directory: " in line)
        path = f"{place.strip()}/harness/labels.json"
        new = '"total": [\n  "AMOUNT DUE",'
        return [use("Read", file_path=path), use("Edit", file_path=path, old_string='"total": [', new_string=new),
                say("done")][min(len(requests), 3) - 1]  # fmt: skip

    heard: list[AgentEvent] = []
    with ScriptedApi(script) as api:
        outcome = repository.change_of(real_agent(request, "claude").at(api), on_event=heard.append)
    assert api.faults == []
    assert outcome.change is not None, (outcome.reasons, outcome.log)
    assert [event.kind for event in heard] == ["command", "edit", "message"]
