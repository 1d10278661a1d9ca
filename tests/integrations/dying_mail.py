"""A process that is killed in the middle of an approved tool: python -m tests.integrations.dying_mail FOLDER."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from agents import Agent, function_tool
from agents.testing import ScriptedModel, function_call

from naoshi.confirm import FileStore
from naoshi.integrations.openai_agents import ConfirmedAgent


def mail_tool(sent: Path, *, dies: bool) -> Any:
    """Return a tool that writes to *sent* and, where it *dies*, takes the process with it."""

    @function_tool(needs_approval=True)
    def send_mail(to: str) -> str:
        """Send a mail."""
        with sent.open("a") as file:
            file.write(f"{to}\n")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"sent to {to}"

    return send_mail


def main(folder: Path) -> None:
    """Ask, be answered, and die."""
    model = ScriptedModel([[function_call("send_mail", {"to": "a@example.com"}, call_id="call_1")]])
    agent = Agent(name="mail", model=model, tools=[mail_tool(folder / "sent", dies=True)])
    confirmed = ConfirmedAgent(agent, store=FileStore(folder / "state"))

    async def conversation() -> None:
        await confirmed.take("c", "Send it")
        await confirmed.take("c", "1")

    asyncio.run(conversation())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
