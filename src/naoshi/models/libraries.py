"""Whether what asks models is installed."""

from importlib.util import find_spec
from typing import Final

from naoshi.errors import MissingExtraError
from naoshi.models.model_settings import Provider

_LIBRARIES: Final = {Provider.openai: "openai", Provider.anthropic: "anthropic", Provider.google: "google.genai"}


def require_libraries(provider: Provider, *, doing: str) -> None:
    """Check that what asks the models of *provider* is installed; *doing* is what it is needed for.

    Raises:
        MissingExtraError: it is not.
    """
    for name in ("pydantic_ai", _LIBRARIES[provider]):
        if not _installed(name):
            hint = "install it: pip install 'naoshi[llm]'"
            raise MissingExtraError(f"{doing} needs {name.partition('.')[0]}, which is not installed", hint=hint)


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
