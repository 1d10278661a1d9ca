"""The real Codex, offline: a scripted Responses API on loopback is its model."""

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
from naoshi.repair import AgentEvent, CodexAgent, CodexSettings, Endpoint, Limits, find_sandbox
from tests.peers.mending import LOOK, MEND, runs
from tests.peers.scripted_api.answers import Answer, fail, refuse, say, use
from tests.peers.scripted_api.server import ScriptedApi
from tests.repair.receipts_repository import ReceiptsRepository

KEY = "sk-scripted-key-0123456789"


def agent_for(program: Path, api: ScriptedApi, *, key: str | None = KEY, **limits: float) -> CodexAgent:
    sandbox, reason = find_sandbox("auto")
    if sandbox is None:
        pytest.fail(f"the tests of peers run in a sandbox: {reason}")
    settings = CodexSettings(program=str(program), model="scripted", base_url=f"{api.url}/v1", retries=1)
    return CodexAgent(
        settings=settings,
        key=key,
        limits=Limits(**{"timeout": 60, **limits}),
        # The second one makes the sandbox as it is for a provider at port 443.
        sandbox=replace(sandbox, endpoints=(Endpoint.of(api.url), Endpoint.of("https://localhost/"))),
    )


def test_codex_mends_the_harness(codex: Path, repository: ReceiptsRepository):
    """Protects the whole way to a real program: it reads the task, edits in its sandbox, and its events are told."""
    heard: list[AgentEvent] = []
    with ScriptedApi([use("exec_command", cmd=MEND), say("The label AMOUNT DUE was missing.")]) as api:
        outcome = repository.change_of(agent_for(codex, api), on_event=heard.append)
    assert outcome.change is not None, (outcome.reasons, outcome.log)
    assert outcome.change.files == ("harness/labels.json",) and outcome.change.coding_agent == "codex"
    assert [event.kind for event in heard if event.kind != "problem"] == ["command", "message"]
    assert heard[-1].text == "The label AMOUNT DUE was missing."
    assert outcome.work.tokens == 240
    assert api.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "task.md" in api.requests[0].text and "Done when" in api.requests[1].text
    assert {"exec_command"} <= set(api.requests[0].tools)
    assert list(repository.worktrees.iterdir()) == []


def test_codex_sees_nothing_of_the_user(codex: Path, repository: ReceiptsRepository):
    """Protects keys, documents and the network: what the model may run finds none of them."""
    with ScriptedApi([use("exec_command", cmd=LOOK), say("done")]) as api:
        outcome = repository.change_of(agent_for(codex, api))
    seen = api.requests[1].text
    assert "Process exited" in seen
    assert KEY not in seen and KEY not in outcome.log
    assert "owner.json" not in seen and ".bashrc" not in seen and "root:" not in seen.split("Output:")[-1]
    assert "curl: (7)" in seen or "curl: (28)" in seen or "curl: (6)" in seen or "not found" in seen


@pytest.mark.parametrize(
    ("answers", "error", "final"),
    [
        ([fail(429, "slow down")], CodingAgentRateLimitError, True),
        ([fail(401, "bad key")], CodingAgentCredentialsError, True),
        ([refuse("I cannot help with that")], CodingAgentRefusalError, False),
        ([fail(400, "flagged by our usage policy", error_type="invalid_prompt")], CodingAgentRefusalError, False),
        ([fail(500, "broken")], CodingAgentError, False),
        ([Answer(text="half", cut=True)], CodingAgentError, False),
        ([say("There is nothing to do.")], EmptyChangeError, False),
    ],
    ids=["rate limit", "bad key", "refusal", "flagged", "server error", "cut", "empty diff"],
)
def test_each_failure_of_the_model_is_an_error_of_its_own(
    codex: Path, repository: ReceiptsRepository, answers: list[Answer], error: type[CodingAgentError], final: bool
):
    """Protects the person who reads why, and the attempts: what a person or time has to mend uses none up."""
    with ScriptedApi(answers) as api:
        outcome = repository.change_of(agent_for(codex, api))
    assert outcome.change is None
    assert type(outcome.error) is error, (outcome.error, outcome.log)
    assert outcome.final is final
    assert list(repository.worktrees.iterdir()) == []


def test_without_a_key_or_a_program_nothing_is_asked(codex: Path, repository: ReceiptsRepository):
    """Protects against a session that cannot work: both are seen before the model hears anything."""
    with ScriptedApi([say("done")]) as api:
        keyless = repository.change_of(agent_for(codex, api, key=None))
        nowhere = repository.change_of(agent_for(codex.with_name("no-codex"), api))
    assert type(keyless.error) is CodingAgentCredentialsError and "OPENAI_API_KEY" in keyless.reasons[0]
    assert type(nowhere.error) is MissingProgramError
    assert keyless.final and nowhere.final and api.requests == []


def test_time_and_tokens_are_limited(codex: Path, repository: ReceiptsRepository):
    """Protects the bill and the clock: a session that goes on and on is ended, with all that it started."""
    with ScriptedApi([use("exec_command", cmd="sleep 79", yield_time_ms=30000)]) as api:
        late = repository.change_of(agent_for(codex, api, timeout=4))
    costly_answer = replace(use("exec_command", cmd="sleep 0.3"), tokens=(90_000, 10_000))
    with ScriptedApi(lambda requests: costly_answer) as api:
        costly = repository.change_of(agent_for(codex, api, token_limit=300_000, timeout=50))
    assert type(late.error) is CodingAgentLimitError and "4 seconds" in late.reasons[0]
    assert type(costly.error) is CodingAgentLimitError and "tokens" in costly.reasons[0], costly.log[-2000:]
    assert not runs("sleep", "79")
