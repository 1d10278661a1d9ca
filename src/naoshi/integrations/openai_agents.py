"""Numbered questions for the OpenAI Agents SDK: ``needs_approval`` asks a person, and the reply lets the run go on."""

import dataclasses
from collections.abc import Callable
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner, RunState, Session
from agents.exceptions import UserError
from agents.items import ToolApprovalItem, TResponseInputItem
from agents.result import RunResult
from agents.tool_context import ToolContext

from naoshi.confirm import Confirmations, ConfirmationStore, Effects, Turn
from naoshi.confirm.context import language_of
from naoshi.errors import EffectError
from naoshi.integrations.agents_tracing import setup_tracing as setup_tracing
from naoshi.integrations.confirmed_conversation import ConfirmedConversation, Finished, Stopped
from naoshi.integrations.paused_runs import PausedRun
from naoshi.integrations.tool_call import ENGLISH, ToolCall, Wording, arguments_of

_RUN: ContextVar[PausedRun | None] = ContextVar("naoshi_paused_run", default=None)


class ConfirmedAgent(ConfirmedConversation):
    """An agent of the OpenAI Agents SDK whose tools with ``needs_approval`` ask a person by number.

    ``await confirmed.take(conversation_id, text)`` takes in every message of a person. The first approval that a run
    waits for is asked about; the ``RunState`` is kept in *store* and restored when the last one is decided, in this
    process or in another. A message that does not answer is put to the agent's model without any tool, so that it
    can explain and change nothing.

    A saved state may be restored twice, by a crash or by two processes. So each approved function tool runs under a
    claim, once; see `Effects`. That covers the tools of *agent* and of agents in its ``handoffs``, not what hosted
    tools do elsewhere, and not what an agent inside ``Agent.as_tool`` does.

    Args:
        agent: the agent. It is not changed.
        store: keeps the questions, the run states and the claims.
        confirmations: asks and takes in replies, on the same *store*; made from it where not given.
        wording: of the questions.
        session: gives the SDK's session of a conversation, which is its memory from run to run.
        run_config: for every run.
        context: given to every run, as the SDK's ``context``.
        max_turns: of one run.
        taken_up_for: how long one process may take to go on with a run; see `ConfirmedConversation`.
    """

    def __init__(
        self,
        agent: Agent[Any],
        *,
        store: ConfirmationStore,
        confirmations: Confirmations | None = None,
        wording: Wording = ENGLISH,
        session: Callable[[str], Session] | None = None,
        run_config: RunConfig | None = None,
        context: Any = None,
        max_turns: int = 30,
        taken_up_for: timedelta = timedelta(minutes=15),
    ) -> None:
        runs = _OpenAIRuns(
            agent=with_claims(agent, effects=Effects(store, language=language_of(wording.question))),
            session=session,
            run_config=run_config,
            context=context,
            max_turns=max_turns,
            wording=wording,
        )
        super().__init__(runs, store=store, confirmations=confirmations, wording=wording, taken_up_for=taken_up_for)


def with_claims(agent: Agent[Any], *, effects: Effects) -> Agent[Any]:
    """Return a copy of *agent*, and of the agents in its handoffs, whose approved function tools run once."""
    return _copied(agent, effects, {})


def _copied(agent: Agent[Any], effects: Effects, copies: dict[int, Agent[Any]]) -> Agent[Any]:
    if id(agent) not in copies:
        tools = [_claimed(tool, effects) if isinstance(tool, FunctionTool) else tool for tool in agent.tools]
        copies[id(agent)] = copied = agent.clone(tools=tools)
        copied.handoffs = [
            _copied(other, effects, copies) if isinstance(other, Agent) else other for other in agent.handoffs
        ]
    return copies[id(agent)]


def _claimed(tool: FunctionTool, effects: Effects) -> FunctionTool:
    if tool.needs_approval is False:
        return tool

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        run = _RUN.get()
        call = run.approved(context.tool_call_id) if run else None
        if run is None or call is None:
            return await tool.on_invoke_tool(context, arguments)
        key = run.effect_key(call.call_id)
        return await effects.run_async(key, lambda: tool.on_invoke_tool(context, arguments), told=call.told)

    return dataclasses.replace(tool, on_invoke_tool=invoke)


class _OpenAIRuns:
    """Runs the agent for `ConfirmedConversation`."""

    def __init__(
        self,
        *,
        agent: Agent[Any],
        session: Callable[[str], Session] | None,
        run_config: RunConfig | None,
        context: Any,
        max_turns: int,
        wording: Wording,
    ) -> None:
        self._agent = agent
        self._session = session
        self._run_config = run_config
        self._context = context
        self._max_turns = max_turns
        self._wording = wording

    async def begin(self, turn: Turn) -> Finished | Stopped:
        return await self._run(turn.conversation_id, _messages(turn))

    async def go_on(self, turn: Turn, run: PausedRun) -> Finished | Stopped:
        state: RunState[Any, Agent[Any]] = await RunState.from_string(
            self._agent, run.state, context_override=self._context
        )
        for item in state.get_interruptions():
            if run.decisions[_call(item).call_id]:
                state.approve(item)
            else:
                state.reject(item, rejection_message=self._wording.refused)
        token = _RUN.set(run)
        try:
            return await self._run(turn.conversation_id, state)
        except UserError as error:
            if isinstance(error.__cause__, EffectError):
                raise error.__cause__ from error
            raise
        finally:
            _RUN.reset(token)

    async def explain(self, turn: Turn) -> str:
        silent = self._agent.clone(tools=[], handoffs=[], mcp_servers=[], output_type=None)
        result = await Runner.run(
            silent, _messages(turn), max_turns=1, run_config=self._run_config, context=self._context
        )
        return str(result.final_output)

    async def _run(self, conversation_id: str, given: Any) -> Finished | Stopped:
        session = self._session(conversation_id) if self._session else None
        result: RunResult = await Runner.run(
            self._agent,
            given,
            session=session,
            max_turns=self._max_turns,
            run_config=self._run_config,
            context=self._context,
        )
        if not result.interruptions:
            return Finished(output=result.final_output, text=str(result.final_output))
        state = result.to_state()
        return Stopped(state=state.to_string(), calls=tuple(map(_call, state.get_interruptions())))


def _messages(turn: Turn) -> list[TResponseInputItem]:
    said: list[TResponseInputItem] = [{"role": "user", "content": turn.reply}]
    return [{"role": "system", "content": turn.context}, *said] if turn.context else said


def _call(item: ToolApprovalItem) -> ToolCall:
    return ToolCall(call_id=item.call_id or "", tool=item.tool_name or "", arguments=arguments_of(item.arguments))
