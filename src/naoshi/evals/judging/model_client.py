"""Asking the model, through pydantic-ai: one thread of our own, so many questions at a time, and an end to each."""

import asyncio
import re
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RunUsage

from naoshi.errors import JudgeError
from naoshi.evals.judging.asked import Asked
from naoshi.evals.judging.failures import judge_error
from naoshi.evals.judging.grade_answer import GradeAnswer
from naoshi.evals.judging.prompt import INSTRUCTIONS, GradingPrompt
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.models.failures import is_lasting
from naoshi.models.model_key import key_of
from naoshi.models.open_model import answer_of, open_model, request_settings

_Result = TypeVar("_Result")
# In a text within JSON the quotes have a stroke before them, so that only a grade's own member is found.
_GRADE = re.compile(r'"pass"\s*:')
_TOOL, _TOOL_MEANING = "give_grade", "Give the grade of the output."


class ModelClient:
    """Asks one model for grades, from any thread. `close` it."""

    def __init__(self, *, settings: JudgeSettings, environment: Mapping[str, str]) -> None:
        """Prepare the model; nothing is sent yet.

        Raises:
            JudgeError: the environment holds no key.
        """
        self._settings = settings
        self._key = key_of(settings, environment, section="judge", error=JudgeError)
        model = open_model(settings, self._key)
        self._agent = Agent(
            model,
            output_type=answer_of(GradeAnswer, form=settings.answer_form, name=_TOOL, meaning=_TOOL_MEANING),
            instructions=INSTRUCTIONS,
            deps_type=str,
            retries=settings.retries,
            model_settings=request_settings(settings),
        )
        self._agent.output_validator(_the_only_one)
        self._agent.output_validator(_with_the_mark)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="naoshi-judge")
        self._thread.start()
        self._turns = asyncio.Semaphore(settings.workers)
        self._await(self._agent.__aenter__())

    def ask(self, prompt: GradingPrompt) -> Asked:
        """Return the grade, or why there is none, and what it took."""
        usage = RunUsage()
        grade: GradeAnswer | JudgeError
        served, lasting = "", False
        try:
            grade, served = self._await(self._grade(prompt, usage))
        except CancelledError:
            grade = JudgeError("the run was given up before the grade came", hint="run it again")
        except Exception as error:  # noqa: BLE001 - the libraries of three providers raise what they like
            grade, lasting = judge_error(error, self._settings, secret=self._key), is_lasting(error)
        return Asked(
            grade=grade,
            lasting=lasting,
            requests=usage.requests,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost=None if usage.cost is None else float(usage.cost),
            served_by=served,
        )

    def close(self) -> None:
        """Let go of the connections and end the thread."""
        if self._loop.is_closed():
            return
        try:
            self._await(self._end())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _grade(self, prompt: GradingPrompt, usage: RunUsage) -> tuple[GradeAnswer, str]:
        async with self._turns:
            async with asyncio.timeout(self._settings.timeout):
                result = await self._agent.run(prompt.text, deps=prompt.mark, usage=usage)
        grade = result.output
        # What graded knows the key, and its reason is kept and shown.
        told = grade.model_copy(update={"reason": grade.reason.replace(self._key, "***")})
        return told, result.response.model_name or ""

    async def _end(self) -> None:
        asked = asyncio.all_tasks() - {asyncio.current_task()}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await self._agent.__aexit__(None, None, None)

    def _await(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _the_only_one(context: RunContext[str], answer: GradeAnswer) -> GradeAnswer:
    """Refuse an answer that holds several grades, of which the library would take one."""
    response = next(message for message in reversed(context.messages) if isinstance(message, ModelResponse))
    calls = [call.args_as_json_str() for call in response.tool_calls if call.tool_name == _TOOL]
    if len(_GRADE.findall("\n".join(calls) or response.text or "")) > 1:
        raise ModelRetry("there is more than one grade; give one")
    return answer


def _with_the_mark(context: RunContext[str], answer: GradeAnswer) -> GradeAnswer:
    """Refuse a grade that does not carry the mark of its question."""
    if answer.mark.strip() != context.deps:
        raise ModelRetry("`mark` is not the mark of the two lines around the document; copy it letter by letter")
    return answer
