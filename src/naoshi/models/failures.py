"""Why a model gave no answer: each failure of an endpoint as one line that says what to do."""

import re
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
)

from naoshi.errors import ModelError
from naoshi.models.model_settings import ModelSettings

_SHOWN = 200
_NO_ANSWER = re.compile("Invalid response from|Failed to decode response|Error code: 3")
_Kinds = type[Exception] | tuple[type[Exception], ...]


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What was asked for, in words: the ``section`` of the settings, the ``wanted`` thing, what to do at a refusal."""

    section: str
    wanted: str
    refused: str = "refused to answer"
    at_refusal: str = "take another model"
    error: type[ModelError] = ModelError


def model_error(error: Exception, settings: ModelSettings, asking: Asking, *, secret: str) -> ModelError:
    """Return *error*, raised while a model was asked, as the error that a person reads, without the *secret*."""
    told, hint = _told(error, settings, asking)
    line = f"{settings.model} at {settings.address} {told}".replace(secret, "***")
    return asking.error(_one_line(line, 2 * _SHOWN), hint=hint)


def is_lasting(error: Exception) -> bool:
    """Return whether *error* comes again until somebody changes something, so that asking again is in vain."""
    return isinstance(error, ModelAuthenticationError | ModelNotFoundError | ModelQuotaExceededError)


def _told(error: Exception, settings: ModelSettings, asking: Asking) -> tuple[str, str | None]:
    """Return what happened and what to do about it."""
    for kinds, told, hint in _table(settings, asking):
        if isinstance(error, kinds):
            return f"{told}{_status(error)}", hint
    if _speaks_otherwise(error):
        return f"does not speak the protocol of {settings.provider.value}: {_reason(error)}", (
            f"check `provider` and `base_url` under [{asking.section}]; something else may answer there"
        )
    if isinstance(error, ModelAPIError):
        return f"refused the request{_status(error)}: {_said(error)}", None
    if isinstance(error, UnexpectedModelBehavior):
        return f"gave no {asking.wanted} that can be read, asked {_times(settings.retries + 1)}: {_reason(error)}", None
    if isinstance(error, AgentRunError):
        return f"gave no {asking.wanted}: {error.message}", None
    return f"could not be asked: {type(error).__name__}: {error}", None


def _table(settings: ModelSettings, asking: Asking) -> tuple[tuple[_Kinds, str, str | None], ...]:
    where = f"under [{asking.section}]"
    longer = f"raise `timeout` {where}, or take a faster model"
    seconds = f"{settings.timeout:g} s"
    fewer = "lower `workers` or " if "workers" in type(settings).model_fields else "wait, or "
    return (
        (ModelAuthenticationError, f"refused the key in {settings.key_name}", f"check {settings.key_name}"),
        (ModelNotFoundError, "is not there", f"check `model` and `base_url` {where}"),
        (ModelQuotaExceededError, "has no credit left", "check the account with the provider"),
        (ModelRateLimitError, "is asked too often", f"{fewer}raise `retries` {where}"),
        ((TimeoutError, ModelRequestTimeout, ModelTimeoutError), f"gave no {asking.wanted} within {seconds}", longer),
        (ModelContextWindowExceededError, "cannot take in so long a text", f"lower `longest_input` {where}"),
        (ContentFilterError, asking.refused, asking.at_refusal),
        (OutputTokenLimitExceeded, "did not come to an end", f"raise `max_tokens` {where}"),
        (ModelConnectionError, "cannot be reached", f"check `base_url` {where} and the network"),
        ((ModelServerError, ModelUnavailableError), "failed", f"try again later, or raise `retries` {where}"),
    )


def _status(error: Exception) -> str:
    return f" ({error.status_code})" if isinstance(error, ModelHTTPError) else ""


def _said(error: ModelAPIError) -> str:
    body = error.body if error.body is not None else error.message
    return _one_line(str(body), _SHOWN)


def _speaks_otherwise(error: Exception) -> bool:
    """Return whether what came back is no answer of such an endpoint at all, such as a page to log in at.

    The libraries have no class for it: they tell it by their words, or trip over what is missing.
    """
    if isinstance(error, IndexError | KeyError | AttributeError | TypeError):
        return True
    if isinstance(error, ModelHTTPError) or not isinstance(error, ModelAPIError | UnexpectedModelBehavior):
        return False
    return bool(_NO_ANSWER.match(error.message))


def _reason(error: Exception) -> str:
    """Return what was wrong with the last answer, which the library keeps as the cause."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        fault = cause.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in fault["loc"]) or "the answer"
        return _one_line(f"{place}: {fault['msg']}", _SHOWN)
    if cause is None and not isinstance(error, UnexpectedModelBehavior | ModelAPIError):
        return _one_line(f"{type(error).__name__}: {error}", _SHOWN)
    return _one_line(str(cause if cause is not None else error), _SHOWN)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _one_line(text: str, most: int) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[: most - 1]}…"
