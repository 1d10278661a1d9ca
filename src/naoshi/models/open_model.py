"""A model of the settings as pydantic-ai's."""

from typing import Any

from pydantic import BaseModel
from pydantic_ai import ModelSettings as RequestSettings
from pydantic_ai import NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models import Model

from naoshi.models.model_settings import AnswerForm, ModelSettings, Provider


def open_model(settings: ModelSettings, key: str) -> Model:
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


def request_settings(settings: ModelSettings) -> RequestSettings:
    """Return what goes with every request."""
    chosen = RequestSettings(max_tokens=settings.max_tokens, timeout=settings.timeout, max_retries=settings.retries)
    if settings.temperature != "default":
        chosen["temperature"] = settings.temperature
    return chosen


def answer_of(kind: type[BaseModel], *, form: AnswerForm, name: str, meaning: str) -> Any:
    """Return how pydantic-ai is told to ask for a *kind* in *form*; *name* and *meaning* are what the model reads."""
    if form is AnswerForm.schema:
        return NativeOutput(kind, name=name, description=meaning)
    if form is AnswerForm.text:
        return PromptedOutput(kind, name=name, description=meaning)
    return ToolOutput(kind, name=name, description=meaning)
