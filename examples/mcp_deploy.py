"""An MCP agent that asks a person before it deploys; the person answers here, through another door of the same store.

Run: python examples/mcp_deploy.py
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters, stdio_client

from naoshi.confirm import Confirmations, FileStore

STORE = ".mcp-questions"
SERVER = StdioServerParameters(command=sys.executable, args=["-m", "naoshi.integrations.mcp", "--store", STORE])


async def main() -> None:
    """Be the agent, and beside it the channel of the person."""
    person = Confirmations(FileStore(STORE))
    async with Client(stdio_client(SERVER)) as client:
        question = {"conversation_id": "deploy", "question": "Deploy version 2?", "choices": ["Deploy it", "Leave it"]}
        asked = (await client.call_tool("ask_person", question)).structured_content
        print(asked["text"])
        for line in sys.stdin:
            person.receive("mcp:deploy", line, actor="terminal")
            look = {"conversation_id": "deploy", "confirmation_id": asked["confirmation_id"]}
            found = (await client.call_tool("pending", look)).structured_content
            if found["standing"] == "settled":
                print(f"The agent sees: {found['choice']}, {found['label']}")
                return
            print(asked["text"])


if __name__ == "__main__":
    asyncio.run(main())
