"""A traced run of the Agents SDK in a process of its own: `python -m tests.integrations.traced_agent URL FILE HOW`."""

import asyncio
import os
import signal
import sys
from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    InputGuardrail,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
    set_trace_processors,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from naoshi.integrations.openai_agents import setup_tracing


def traced_agent(client: AsyncOpenAI, *, how: str = "") -> Agent[Any]:
    """An agent that looks up, hands off and is guarded; its model answers through *client*."""
    model = OpenAIResponsesModel(model="scripted-1", openai_client=client)

    @function_tool(failure_error_function=None)
    def look_up(who: str) -> str:
        """Look up an address."""
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit":
            sys.exit(3)
        if how == "hard":
            os._exit(4)
        if who == "nobody":
            raise LookupError("there is no such person")
        return f"{who}@example.com, password=hunter22"

    def guard(context: Any, agent: Any, text: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info={}, tripwire_triggered="forbidden" in str(text))

    writer: Agent[Any] = Agent(name="writer", instructions="Write.", model=model)
    return Agent(
        name="desk",
        instructions="Help.",
        model=model,
        tools=[look_up],
        handoffs=[writer],
        input_guardrails=[InputGuardrail(guardrail_function=guard, name="no_forbidden")],
    )


def trace_to(path: str, *, version: str = "v7") -> Any:
    """Trace to *path* alone: nothing may leave this machine in a test."""
    set_tracing_disabled(False)
    set_trace_processors([])
    return setup_tracing(path, project_id="proj", service_name="desk", service_version=version)


def run(url: str, text: str, *, how: str = "", metadata: dict[str, Any] | None = None) -> Any:
    """Run the agent once on *text*."""
    return asyncio.run(
        _run(url, text, how, RunConfig(workflow_name="Desk", group_id="chat-1", trace_metadata=metadata))
    )


async def _run(url: str, text: str, how: str, config: RunConfig) -> Any:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="sk-local-0123456789abcdef", max_retries=0) as client:
        return await Runner.run(traced_agent(client, how=how), text, run_config=config, max_turns=30)


if __name__ == "__main__":
    trace_to(sys.argv[2])
    run(sys.argv[1], "Who is Mari?", how=sys.argv[3])
