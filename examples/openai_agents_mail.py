"""An agent of the OpenAI Agents SDK that asks before it sends a mail. Stop it at the question, start it again, answer.

Run: python examples/openai_agents_mail.py          with OPENAI_API_KEY set
     python examples/openai_agents_mail.py --scripted    without a model
"""

import asyncio
import sys

from agents import Agent, function_tool
from agents.models.interface import Model

from naoshi.confirm import FileStore
from naoshi.integrations.openai_agents import ConfirmedAgent


@function_tool(needs_approval=True)
def send_mail(to: str, text: str) -> str:
    """Send a mail."""
    print(f"(a mail to {to}: {text})")
    return "sent"


def mail_agent(folder: str, model: Model | str | None = None) -> ConfirmedAgent:
    """Return the agent, with its questions and paused runs below *folder*."""
    agent = Agent(name="mail", instructions="You write and send mails.", tools=[send_mail], model=model)
    return ConfirmedAgent(agent, store=FileStore(folder))


def scripted() -> Model:
    """Return a model that sends one mail, whatever it is told."""
    from agents.testing import ScriptedModel, assistant_message, function_call  # only needed without a model

    call = function_call("send_mail", {"to": "mari@example.com", "text": "Noon?"}, call_id="call_1")
    return ScriptedModel([[call], [assistant_message("It is sent.")]])


async def main() -> None:
    """Talk with the agent until the input ends."""
    confirmed = mail_agent(".mail-agent", scripted() if "--scripted" in sys.argv else None)
    print("What shall be sent?")
    for line in sys.stdin:
        step = await confirmed.take("terminal", line)
        print(step.text)


if __name__ == "__main__":
    asyncio.run(main())
