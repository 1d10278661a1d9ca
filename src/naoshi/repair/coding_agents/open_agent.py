"""The coding agent that the settings name."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from naoshi.repair.coding_agents.base import CodingAgent
from naoshi.repair.coding_agents.claude import ClaudeAgent
from naoshi.repair.coding_agents.codex import CodexAgent
from naoshi.repair.coding_agents.command import CommandAgent
from naoshi.repair.coding_agents.program_run import Limits
from naoshi.repair.sandbox import Sandbox, find_sandbox, require_named
from naoshi.repair.sandbox_doors import Endpoint
from naoshi.repair.settings import RepairSettings


def open_coding_agent(
    settings: RepairSettings,
    *,
    environment: Mapping[str, str],
    report: Callable[[str], None],
    starting: bool = True,
) -> CodingAgent:
    """Return the coding agent of *settings*; keys are taken from *environment*, and *report* hears of a lack.

    With ``starting`` false no sandbox is looked for: the agent is only to tell its command.

    Raises:
        MissingSandboxError: a sandbox is required and cannot be had.
        ConfigError: the model's address is none, or cannot be reached from a sandbox.
    """
    sandbox = _sandbox(settings, report) if starting else None
    reachable = {"codex": (settings.codex.base_url,), "claude": (settings.claude.base_url,)}
    endpoints = tuple(Endpoint.of(url) for url in reachable.get(settings.agent, settings.reachable))
    if sandbox is not None:
        sandbox = replace(sandbox, endpoints=() if settings.network else require_named(endpoints))
    limits = Limits(
        timeout=settings.timeout, output_limit=settings.output_limit, token_limit=settings.token_limit
    )  # fmt: skip
    match settings.agent:
        case "codex":
            return CodexAgent(
                settings=settings.codex,
                key=environment.get(settings.codex.key_variable),
                limits=limits,
                environment=settings.environment,
                sandbox=sandbox,
                network=settings.network,
            )
        case "claude":
            return ClaudeAgent(
                settings=settings.claude,
                key=environment.get(settings.claude.key_variable),
                limits=limits,
                environment=settings.environment,
                sandbox=sandbox,
            )
        case "command":
            return CommandAgent(
                command=settings.command, limits=limits, environment=settings.environment, sandbox=sandbox
            )


def _sandbox(settings: RepairSettings, report: Callable[[str], None]) -> Sandbox | None:
    sandbox, reason = find_sandbox(settings.sandbox)
    if sandbox is None and settings.sandbox == "off":
        return None
    if sandbox is None:
        report(f"the coding agent runs without a sandbox: {reason}; it can read what you can read")
        return None
    # A script of the user's lies outside of what the sandbox shows: the file that the command names is shown, alone.
    scripts = (Path(word) for word in settings.command if Path(word).is_absolute() and Path(word).is_file())
    readable = tuple(Path(place).expanduser() for place in settings.readable)
    return replace(sandbox, readable=(*readable, *scripts), network=settings.network)
