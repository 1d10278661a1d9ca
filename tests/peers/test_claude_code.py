"""The real Claude Code, offline: a scripted Messages API on loopback is its model."""

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
from naoshi.repair import AgentEvent, ClaudeAgent, ClaudeSettings, Endpoint, Limits, find_sandbox
from tests.peers.mending import LOOK, MEND, runs
from tests.peers.scripted_api.answers import Answer, fail, refuse, say, use
from tests.peers.scripted_api.server import ScriptedApi
from tests.repair.receipts_repository import ReceiptsRepository

KEY = "sk-ant-scripted-key-0123456789"


def agent_for(program: Path, api: ScriptedApi, *, key: str | None = KEY, **limits: float) -> ClaudeAgent:
    sandbox, reason = find_sandbox("auto")
    if sandbox is None:
        pytest.fail(f"the tests of peers run in a sandbox: {reason}")
    settings = ClaudeSettings(program=str(program), base_url=api.url, retries=1)
    return ClaudeAgent(
        settings=settings,
        key=key,
        limits=Limits(**{"timeout": 60, **limits}),
        # The second one makes the sandbox as it is for a provider at port 443.
        sandbox=replace(sandbox, endpoints=(Endpoint.of(api.url), Endpoint.of("https://localhost/"))),
    )


def test_claude_code_mends_the_harness(claude: Path, repository: ReceiptsRepository):
    """Protects the whole way to a real program: it reads the task, runs commands unasked, and its events are told."""
    heard: list[AgentEvent] = []
    with ScriptedApi([use("Bash", command=MEND), say("The label AMOUNT DUE was missing.")]) as api:
        outcome = repository.change_of(agent_for(claude, api), on_event=heard.append)
    assert outcome.change is not None, (outcome.reasons, outcome.log)
    assert outcome.change.files == ("harness/labels.json",) and outcome.change.coding_agent == "claude"
    assert [event.kind for event in heard] == ["command", "message"]
    assert heard[-1].text == "The label AMOUNT DUE was missing."
    assert outcome.work.tokens == 240
    assert api.requests[0].headers["x-api-key"] == KEY
    assert "task.md" in api.requests[0].text and "Done when" in api.requests[1].text
    assert list(repository.worktrees.iterdir()) == []


def test_claude_code_edits_files_with_its_own_tools(claude: Path, repository: ReceiptsRepository):
    """Protects the tools that need no shell: reading and editing are allowed, and told as edits."""

    def script(requests):
        place = next(line.split(": ", 1)[1] for line in requests[0].text.splitlines() if "orking directory: " in line)
        path = f"{place.strip()}/harness/labels.json"
        new = '"total": [\n  "AMOUNT DUE",'
        return [use("Read", file_path=path), use("Edit", file_path=path, old_string='"total": [', new_string=new),
                say("done")][min(len(requests), 3) - 1]  # fmt: skip

    heard: list[AgentEvent] = []
    with ScriptedApi(script) as api:
        outcome = repository.change_of(agent_for(claude, api), on_event=heard.append)
    assert api.faults == []
    assert outcome.change is not None, (outcome.reasons, outcome.log)
    assert [event.kind for event in heard] == ["command", "edit", "message"]


def test_claude_code_sees_nothing_of_the_user(claude: Path, repository: ReceiptsRepository):
    """Protects documents and the network: what the model may run finds none of them."""
    with ScriptedApi([use("Bash", command=LOOK), say("done")]) as api:
        outcome = repository.change_of(agent_for(claude, api))
    seen = api.requests[1].text
    assert KEY not in outcome.log
    assert "owner.json" not in seen and ".bashrc" not in seen and "root:x" not in seen and "root:*" not in seen
    assert "curl: (7)" in seen or "curl: (28)" in seen or "curl: (6)" in seen or "not found" in seen


@pytest.mark.parametrize(
    ("answers", "error", "final"),
    [
        ([fail(429, "slow down")], CodingAgentRateLimitError, True),
        ([fail(529, "overloaded")], CodingAgentRateLimitError, True),
        ([fail(401, "bad key")], CodingAgentCredentialsError, True),
        ([refuse("I cannot help with that")], CodingAgentRefusalError, False),
        ([fail(400, "broken request")], CodingAgentError, False),
        ([say("There is nothing to do.")], EmptyChangeError, False),
    ],
    ids=["rate limit", "overloaded", "bad key", "refusal", "bad request", "empty diff"],
)
def test_each_failure_of_the_model_is_an_error_of_its_own(
    claude: Path, repository: ReceiptsRepository, answers: list[Answer], error: type[CodingAgentError], final: bool
):
    """Protects the person who reads why, and the attempts: what a person or time has to mend uses none up."""
    with ScriptedApi(answers) as api:
        outcome = repository.change_of(agent_for(claude, api))
    assert outcome.change is None
    assert type(outcome.error) is error, (outcome.error, outcome.log)
    assert outcome.final is final
    assert list(repository.worktrees.iterdir()) == []


def test_without_a_key_or_a_program_nothing_is_asked(claude: Path, repository: ReceiptsRepository):
    """Protects against a session that cannot work: both are seen before the model hears anything."""
    with ScriptedApi([say("done")]) as api:
        keyless = repository.change_of(agent_for(claude, api, key=None))
        nowhere = repository.change_of(agent_for(claude.with_name("no-claude"), api))
    assert type(keyless.error) is CodingAgentCredentialsError and "ANTHROPIC_API_KEY" in keyless.reasons[0]
    assert type(nowhere.error) is MissingProgramError
    assert keyless.final and nowhere.final and api.requests == []


def test_time_and_tokens_are_limited(claude: Path, repository: ReceiptsRepository):
    """Protects the bill and the clock: a session that goes on and on is ended, with all that it started."""
    with ScriptedApi([use("Bash", command="sleep 79")]) as api:
        late = repository.change_of(agent_for(claude, api, timeout=5))
    costly_answer = replace(use("Bash", command="echo again"), tokens=(90_000, 10_000))
    with ScriptedApi(lambda requests: costly_answer) as api:
        costly = repository.change_of(agent_for(claude, api, token_limit=300_000, timeout=50))
    assert type(late.error) is CodingAgentLimitError and "5 seconds" in late.reasons[0]
    assert type(costly.error) is CodingAgentLimitError and "tokens" in costly.reasons[0], costly.log[-2000:]
    assert not runs("sleep", "79")
