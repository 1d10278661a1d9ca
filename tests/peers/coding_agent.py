"""A real coding agent as the tests drive it: how it is built, how a model has it run a command, and how it fails."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from naoshi.repair import (
    ClaudeAgent,
    ClaudeSettings,
    CodexAgent,
    CodexSettings,
    CodingAgent,
    Endpoint,
    Limits,
    Sandbox,
    find_sandbox,
)
from tests.peers.scripted_api.answers import Answer, use
from tests.peers.scripted_api.server import ScriptedApi

KEY = "sk-ant-scripted-key-0123456789"

Build = Callable[[Path, str, str | None, Limits, Sandbox], CodingAgent]
"""Makes the agent of a program, the address of the scripted model, a key, limits and a sandbox."""


@dataclass(frozen=True, kw_only=True)
class RealAgent:
    """One of the programs. ``told`` are the events of a session with one command, ``header`` carries the ``key``."""

    name: str
    program: Path
    build: Build
    tool: str
    argument: str
    key_variable: str
    header: tuple[str, str]
    longest: Mapping[str, float]

    def run(self, command: str, **more: object) -> Answer:
        """Return the answer of a model that has the agent run *command* in a shell."""
        return use(self.tool, **{self.argument: command, **more})

    def at(
        self, api: ScriptedApi, *, key: str | None = KEY, program: Path | None = None, **limits: float
    ) -> CodingAgent:
        """Return the agent as Naoshi starts it, in its sandbox, with *api* as its model."""
        sandbox, reason = find_sandbox("auto")
        if sandbox is None:
            pytest.fail(f"the tests of peers run in a sandbox: {reason}")
        # The second one makes the sandbox as it is for a provider at port 443.
        shut = replace(sandbox, endpoints=(Endpoint.of(api.url), Endpoint.of("https://localhost/")))
        return self.build(program or self.program, api.url, key, Limits(**{"timeout": 60, **limits}), shut)


def codex(program: Path) -> RealAgent:
    """Return Codex, asked over the Responses API."""
    return RealAgent(
        name="codex",
        program=program,
        build=lambda program, url, key, limits, sandbox: CodexAgent(
            settings=CodexSettings(program=str(program), model="scripted", base_url=f"{url}/v1", retries=1),
            key=key,
            limits=limits,
            sandbox=sandbox,
        ),
        tool="exec_command",
        argument="cmd",
        key_variable="OPENAI_API_KEY",
        header=("authorization", f"Bearer {KEY}"),
        longest={"yield_time_ms": 30_000},
    )


def claude(program: Path) -> RealAgent:
    """Return Claude Code, asked over the Messages API."""
    return RealAgent(
        name="claude",
        program=program,
        build=lambda program, url, key, limits, sandbox: ClaudeAgent(
            settings=ClaudeSettings(program=str(program), base_url=url, retries=1),
            key=key,
            limits=limits,
            sandbox=sandbox,
        ),
        tool="Bash",
        argument="command",
        key_variable="ANTHROPIC_API_KEY",
        header=("x-api-key", KEY),
        longest={},
    )
