"""Numbered questions for Pydantic AI: tools that require approval ask a person, and the run goes on with the reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.capabilities import AbstractCapability, WrapToolExecuteHandler
from pydantic_ai.conversation import Conversation, ConversationTypeAdapter
from pydantic_ai.conversation_store import ConversationStore
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import RunContext, ToolDefinition

from naoshi.confirm import Confirmations, ConfirmationStore, Effects, Turn
from naoshi.confirm.context import language_of
from naoshi.errors import StoreError
from naoshi.integrations.confirmed_conversation import ConfirmedConversation, Finished, Stopped
from naoshi.integrations.paused_runs import PausedRun
from naoshi.integrations.tool_call import ENGLISH, ToolCall, Wording, arguments_of


class ConfirmedAgent(ConfirmedConversation):
    """An agent of Pydantic AI whose tools that require approval ask a person by number.

    ``await confirmed.take(conversation_id, text)`` takes in every message of a person. The first approval that a run
    waits for is asked about; the framework's ``Conversation``, with all its deferred requests, is kept in *store* and
    goes on when the last one is decided, in this process or in another. A message that does not answer is put to the
    agent's model without any tool, so that it can explain and change nothing.

    Each approved tool runs under a claim, once, though the kept conversation be restored twice; see `Effects`. A
    run that waits for external calls or for content, not for approval, is left to the caller: its
    ``DeferredToolRequests`` are in ``Step.output``, and nothing is asked.

    Args:
        agent: the agent. It is not changed; ``DeferredToolRequests`` need not be among its output types.
        store: keeps the questions, the paused conversations and the claims.
        confirmations: asks and takes in replies, on the same *store*; made from it where not given.
        wording: of the questions.
        conversations: the framework's store of conversations, which is the memory from run to run.
        deps: given to every run.
        taken_up_for: how long one process may take to go on with a run; see `ConfirmedConversation`.
    """

    def __init__(
        self,
        agent: Agent[Any, Any],
        *,
        store: ConfirmationStore,
        confirmations: Confirmations | None = None,
        wording: Wording = ENGLISH,
        conversations: ConversationStore | None = None,
        deps: Any = None,
        taken_up_for: timedelta = timedelta(minutes=15),
    ) -> None:
        runs = _PydanticRuns(
            agent=agent,
            effects=Effects(store, language=language_of(wording.question)),
            conversations=conversations,
            deps=deps,
            wording=wording,
        )
        super().__init__(runs, store=store, confirmations=confirmations, wording=wording, taken_up_for=taken_up_for)


@dataclass(kw_only=True)
class ClaimedTools(AbstractCapability[Any]):
    """Runs each approved tool of one paused run under a claim, once."""

    effects: Effects
    run: PausedRun

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Run the tool, or return what it gave when it was run before."""
        approved = self.run.approved(call.tool_call_id)
        if approved is None or not ctx.tool_call_approved:
            return await handler(args)
        key = self.run.effect_key(call.tool_call_id)
        return await self.effects.run_async(key, lambda: handler(args), told=approved.told)


class _PydanticRuns:
    """Runs the agent for `ConfirmedConversation`."""

    def __init__(
        self,
        *,
        agent: Agent[Any, Any],
        effects: Effects,
        conversations: ConversationStore | None,
        deps: Any,
        wording: Wording,
    ) -> None:
        self._agent = agent
        self._effects = effects
        self._conversations = conversations
        self._deps = deps
        self._wording = wording
        outputs: Any = agent.output_type
        listed: list[Any] = [*outputs] if isinstance(outputs, Sequence) else [outputs]
        self._outputs: Any = listed if DeferredToolRequests in listed else [*listed, DeferredToolRequests]

    async def begin(self, turn: Turn) -> Finished | Stopped:
        conversation = await self._conversations.load(turn.conversation_id) if self._conversations else None
        result: AgentRunResult[Any] = await self._agent.run(
            turn.reply,
            conversation=conversation or Conversation(conversation_id=turn.conversation_id),
            output_type=self._outputs,
            instructions=turn.context or None,
            deps=self._deps,
        )
        return await self._came(result)

    async def go_on(self, turn: Turn, run: PausedRun) -> Finished | Stopped:
        try:
            conversation = ConversationTypeAdapter.validate_json(run.state)
        except ValueError as error:
            raise StoreError("the paused conversation cannot be read") from error
        refused = ToolDenied(self._wording.refused)
        approvals: dict[str, Any] = {call_id: True if runs else refused for call_id, runs in run.decisions.items()}
        result: AgentRunResult[Any] = await self._agent.run(
            conversation=conversation,
            deferred_tool_results=DeferredToolResults(approvals=approvals),
            output_type=self._outputs,
            deps=self._deps,
            capabilities=[ClaimedTools(effects=self._effects, run=run)],
        )
        return await self._came(result)

    async def explain(self, turn: Turn) -> str:
        with self._agent.override(tools=[], toolsets=[], native_tools=[]):
            result = await self._agent.run(
                turn.reply, output_type=str, instructions=turn.context or None, deps=self._deps
            )
        return result.output

    async def _came(self, result: AgentRunResult[Any]) -> Finished | Stopped:
        output = result.output
        if not isinstance(output, DeferredToolRequests):
            if self._conversations:
                await self._conversations.save(result.conversation)
            return Finished(output=output, text=str(output))
        if output.calls:
            return Finished(output=output, text="")
        state = ConversationTypeAdapter.dump_json(result.conversation).decode()
        return Stopped(state=state, calls=tuple(map(_call, output.approvals)))


def _call(part: ToolCallPart) -> ToolCall:
    written = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return ToolCall(call_id=part.tool_call_id, tool=part.tool_name, arguments=arguments_of(written))
