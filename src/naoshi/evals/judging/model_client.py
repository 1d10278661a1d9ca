"""Asking the model, through pydantic-ai: one thread of our own, so many questions at a time, and an end to each."""

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, ToolOutput
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from naoshi.errors import JudgeError
from naoshi.evals.judging.asked import Asked
from naoshi.evals.judging.failures import is_lasting, judge_error
from naoshi.evals.judging.grade_answer import GradeAnswer
from naoshi.evals.judging.prompt import INSTRUCTIONS, GradingPrompt
from naoshi.evals.judging.settings import AnswerForm, JudgeSettings, Provider

_Result = TypeVar("_Result")
_TOOL, _TOOL_MEANING = "give_grade", "Give the grade of the output."
_ON_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


class ModelClient:
    """Asks one model for grades, from any thread. `close` it."""

    def __init__(self, *, settings: JudgeSettings, environment: Mapping[str, str]) -> None:
        """Prepare the model; nothing is sent yet.

        Raises:
            JudgeError: the environment holds no key.
        """
        self._settings = settings
        self._key = _key(settings, environment)
        model = _model(settings, self._key)
        self._agent = Agent(
            model,
            output_type=_output_type(settings.answer_form),
            instructions=INSTRUCTIONS,
            deps_type=str,
            retries=settings.retries,
            model_settings=_model_settings(settings),
        )
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
        return result.output, result.response.model_name or ""

    async def _end(self) -> None:
        asked = asyncio.all_tasks() - {asyncio.current_task()}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await self._agent.__aexit__(None, None, None)

    def _await(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _with_the_mark(context: RunContext[str], answer: GradeAnswer) -> GradeAnswer:
    """Refuse a grade that does not carry the mark of its question."""
    if answer.mark.strip() != context.deps:
        raise ModelRetry("`mark` is not the mark of the two lines around the document; copy it letter by letter")
    return answer


def _output_type(form: AnswerForm) -> Any:
    if form is AnswerForm.schema:
        return NativeOutput(GradeAnswer, name=_TOOL, description=_TOOL_MEANING)
    if form is AnswerForm.text:
        return PromptedOutput(GradeAnswer, name=_TOOL, description=_TOOL_MEANING)
    return ToolOutput(GradeAnswer, name=_TOOL, description=_TOOL_MEANING)


def _model_settings(settings: JudgeSettings) -> ModelSettings:
    chosen = ModelSettings(max_tokens=settings.max_tokens, timeout=settings.timeout, max_retries=settings.retries)
    if settings.temperature != "default":
        chosen["temperature"] = settings.temperature
    return chosen


def _key(settings: JudgeSettings, environment: Mapping[str, str]) -> str:
    """Return the key; an endpoint on this machine needs none."""
    key = environment.get(settings.key_name, "").strip()
    if not key and (urlsplit(settings.address).hostname or "") not in _ON_THIS_MACHINE:
        raise JudgeError(
            f"there is no key for {settings.model}: the variable {settings.key_name} is not set",
            hint=f"set {settings.key_name}, or name another variable as `key_variable` under [judge]",
        )
    return key or "no-key"


def _model(settings: JudgeSettings, key: str) -> Model:
    """Return the model at its address."""
    if settings.provider is Provider.anthropic:
        # Each provider's library takes a second or more to load, and one of them is needed.
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(settings.model, provider=AnthropicProvider(api_key=key, base_url=settings.address))
    if settings.provider is Provider.google:
        # As above.
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(settings.model, provider=GoogleProvider(api_key=key, base_url=settings.address))
    # As above.
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if settings.base_url:
        provider = OpenAICompatibleProvider("openai-compatible", base_url=settings.address, api_key=key)
        return OpenAIChatModel(settings.model, provider=provider)
    return OpenAIChatModel(settings.model, provider=OpenAIProvider(api_key=key, base_url=settings.address))
