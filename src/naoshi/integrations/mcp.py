"""An MCP server through which any agent can ask a person a numbered question: ``ask_person`` and ``pending``.

Run it with ``python -m naoshi.integrations.mcp --store FOLDER``. There is no tool that answers: the person's number
comes through `Confirmations.receive` on the same store, from a channel of theirs (``naoshi confirm chat``, a chat
program, a page), never from the agent.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from naoshi.confirm import Confirmation, Confirmations, ConfirmationStore, FileStore, render_question
from naoshi.errors import NaoshiError

_LOOK_EVERY = 0.2
_LONGEST_WAIT = 55.0
_INSTRUCTIONS = (
    "Ask a person before you do what cannot be undone. `ask_person` keeps a numbered question; show its `text` to the "
    "person where you can, and do nothing until `pending` says that it is settled. A settled choice is final."
)


class Standing(StrEnum):
    """How a question stands; ``gone`` means that it expired, that another replaced it, or that it never was."""

    waiting = "waiting"
    settled = "settled"
    gone = "gone"


class AskedQuestion(BaseModel):
    """A question as an agent sees it. ``text`` is what to show to the person; ``choice`` counts from 1 once settled."""

    standing: Standing
    conversation_id: str
    confirmation_id: str
    text: str = ""
    choice: int | None = None
    label: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    expires_at: datetime | None = None
    warnings: list[str] = Field(default_factory=list)


class PersonDesk:
    """What the tools of the server do.

    Args:
        confirmations: asks, and knows what was settled.
        scope: comes before every conversation that an agent names, so that no agent can see or replace the questions
            of others in the same store.
    """

    def __init__(self, confirmations: Confirmations, *, scope: str = "mcp") -> None:
        self._confirmations = confirmations
        self._scope = scope

    def ask_person(
        self,
        conversation_id: Annotated[str, Field(description="Any name for the conversation; the same one each time.")],
        question: Annotated[str, Field(description="What the person is to decide, complete in itself.")],
        choices: Annotated[list[str], Field(description="The answers, in the order of their numbers from 1.")],
    ) -> AskedQuestion:
        """Ask a person a question with numbered choices. It replaces the one that waits in the conversation."""
        try:
            asked = self._confirmations.ask(self._scoped(conversation_id), question, choices)
        except NaoshiError as error:
            raise ToolError(error.line()) from error
        return self._waiting(conversation_id, asked)

    async def pending(
        self,
        conversation_id: Annotated[str, Field(description="The conversation that was asked.")],
        confirmation_id: Annotated[str, Field(description="The question, as `ask_person` called it.")],
        wait_seconds: Annotated[float, Field(description="Wait so long for an answer.", ge=0, le=_LONGEST_WAIT)] = 0.0,
    ) -> AskedQuestion:
        """Say whether the question still waits, or which choice the person settled on."""
        last = anyio.current_time() + wait_seconds
        while True:
            found = await anyio.to_thread.run_sync(self._standing, conversation_id, confirmation_id)
            if found.standing is not Standing.waiting or anyio.current_time() >= last:
                return found
            await anyio.sleep(_LOOK_EVERY)

    def _standing(self, conversation_id: str, confirmation_id: str) -> AskedQuestion:
        scoped = self._scoped(conversation_id)
        try:
            asked, settled = self._confirmations.pending(scoped), self._confirmations.settled(scoped)
        except NaoshiError as error:
            raise ToolError(error.line()) from error
        if asked is not None and asked.id == confirmation_id:
            return self._waiting(conversation_id, asked)
        if settled is None or settled.confirmation.id != confirmation_id:
            return AskedQuestion(
                standing=Standing.gone, conversation_id=conversation_id, confirmation_id=confirmation_id
            )
        choice = settled.choices[0] if len(settled.choices) == 1 else None
        return AskedQuestion(
            standing=Standing.settled,
            conversation_id=conversation_id,
            confirmation_id=confirmation_id,
            choice=choice,
            label=settled.confirmation.labels[choice - 1] if choice else None,
            decided_by=settled.actor,
            decided_at=settled.at,
        )

    def _waiting(self, conversation_id: str, asked: Confirmation) -> AskedQuestion:
        return AskedQuestion(
            standing=Standing.waiting,
            conversation_id=conversation_id,
            confirmation_id=asked.id,
            text=render_question(asked),
            expires_at=asked.expires_at,
            warnings=list(asked.warnings),
        )

    def _scoped(self, conversation_id: str) -> str:
        return f"{self._scope}:{conversation_id}"


def person_server(
    store: ConfirmationStore, *, confirmations: Confirmations | None = None, scope: str = "mcp"
) -> MCPServer:
    """Return an MCP server with the tools ``ask_person`` and ``pending``.

    Args:
        store: keeps the questions.
        confirmations: asks, on the same *store*; made from it where not given.
        scope: comes before every conversation that an agent names; see `PersonDesk`.
    """
    desk = PersonDesk(confirmations or Confirmations(store), scope=scope)
    server = MCPServer("naoshi", instructions=_INSTRUCTIONS)
    server.add_tool(desk.ask_person)
    server.add_tool(desk.pending)
    return server


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve on standard input and output until the client leaves."""
    parser = argparse.ArgumentParser(
        prog="python -m naoshi.integrations.mcp", description="An MCP server through which an agent asks a person."
    )
    parser.add_argument("--store", type=Path, default=Path(".naoshi/confirmations"), help="folder of questions")
    parser.add_argument("--scope", default="mcp", help="comes before every conversation that the agent names")
    options = parser.parse_args(arguments)
    try:
        store = FileStore(options.store)
    except NaoshiError as error:
        sys.stderr.write(f"{error.line()}\n")
        return error.exit_status
    person_server(store, scope=options.scope).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
