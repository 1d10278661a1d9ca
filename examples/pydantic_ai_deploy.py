"""An agent of Pydantic AI that asks before it deploys. Stop it at the question, start it again, answer.

Run: python examples/pydantic_ai_deploy.py openai:gpt-5    with the model that you name
     python examples/pydantic_ai_deploy.py --scripted      without a model
"""

import asyncio
import sys
from typing import Any

from pydantic_ai import Agent

from naoshi.confirm import FileStore
from naoshi.integrations.pydantic_ai import ConfirmedAgent


def deploy(version: str) -> str:
    """Deploy a version to production."""
    print(f"(version {version} is deployed)")
    return "deployed"


def deploy_agent(folder: str, model: Any) -> ConfirmedAgent:
    """Return the agent, with its questions and paused runs below *folder*."""
    agent = Agent(model, instructions="You deploy versions.")
    agent.tool_plain(requires_approval=True)(deploy)
    return ConfirmedAgent(agent, store=FileStore(folder))


def scripted() -> Any:
    """Return a model that deploys version 2 once, whatever it is told."""
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel  # these are only needed without a model

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        if any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts):
            return ModelResponse(parts=[TextPart("Done.")])
        return ModelResponse(parts=[ToolCallPart("deploy", {"version": "2"}, tool_call_id="call_1")])

    return FunctionModel(answer)


async def main() -> None:
    """Talk with the agent until the input ends."""
    named = sys.argv[1] if len(sys.argv) > 1 else "--scripted"
    confirmed = deploy_agent(".deploy-agent", scripted() if named == "--scripted" else named)
    print("What shall be deployed?")
    for line in sys.stdin:
        print((await confirmed.take("terminal", line)).text)


if __name__ == "__main__":
    asyncio.run(main())
