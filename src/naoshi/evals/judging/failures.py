"""Why there is no grade: each failure of an endpoint as one line that says what to do."""

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

from naoshi.errors import JudgeError
from naoshi.evals.judging.settings import JudgeSettings

_SHOWN = 200
_Kinds = type[Exception] | tuple[type[Exception], ...]


def judge_error(error: Exception, settings: JudgeSettings, *, secret: str) -> JudgeError:
    """Return *error*, raised while a grade was asked for, as the error that a person reads, without the *secret*."""
    told, hint = _told(error, settings)
    line = f"{settings.model} at {settings.address} {told}".replace(secret, "***")
    return JudgeError(_one_line(line, 2 * _SHOWN), hint=hint)


def is_lasting(error: Exception) -> bool:
    """Return whether *error* comes again until somebody changes something, so that asking again is in vain."""
    return isinstance(error, ModelAuthenticationError | ModelNotFoundError | ModelQuotaExceededError)


def _told(error: Exception, settings: JudgeSettings) -> tuple[str, str | None]:
    """Return what happened and what to do about it."""
    for kinds, told, hint in _table(settings):
        if isinstance(error, kinds):
            return f"{told}{_status(error)}", hint
    if isinstance(error, ModelAPIError):
        return f"refused the request{_status(error)}: {_said(error)}", None
    if isinstance(error, UnexpectedModelBehavior):
        return f"gave no grade that can be read, asked {_times(settings.retries + 1)}: {_reason(error)}", None
    if isinstance(error, AgentRunError):
        return f"gave no grade: {error.message}", None
    return f"could not be asked: {type(error).__name__}: {error}", None


def _table(settings: JudgeSettings) -> tuple[tuple[_Kinds, str, str | None], ...]:
    longer = "raise `timeout` under [judge], or take a faster model"
    seconds = f"{settings.timeout:g} s"
    return (
        (ModelAuthenticationError, f"refused the key in {settings.key_name}", f"check {settings.key_name}"),
        (ModelNotFoundError, "is not there", "check `model` and `base_url` under [judge]"),
        (ModelQuotaExceededError, "has no credit left", "check the account with the provider"),
        (ModelRateLimitError, "is asked too often", "lower `workers` or raise `retries` under [judge]"),
        ((TimeoutError, ModelRequestTimeout, ModelTimeoutError), f"gave no grade within {seconds}", longer),
        (ModelContextWindowExceededError, "cannot take in so long a text", "lower `longest_input` under [judge]"),
        (ContentFilterError, "refused to grade this output", "look at the case; a person has to grade it"),
        (OutputTokenLimitExceeded, "did not come to an end", "raise `max_tokens` under [judge]"),
        (ModelConnectionError, "cannot be reached", "check `base_url` under [judge] and the network"),
        ((ModelServerError, ModelUnavailableError), "failed", "run the cases again later, or raise `retries`"),
    )


def _status(error: Exception) -> str:
    return f" ({error.status_code})" if isinstance(error, ModelHTTPError) else ""


def _said(error: ModelAPIError) -> str:
    body = error.body if error.body is not None else error.message
    return _one_line(str(body), _SHOWN)


def _reason(error: UnexpectedModelBehavior) -> str:
    """Return what was wrong with the last answer, which the library keeps as the cause."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        fault = cause.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in fault["loc"]) or "the answer"
        return _one_line(f"{place}: {fault['msg']}", _SHOWN)
    return _one_line(str(cause if cause is not None else error.message), _SHOWN)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _one_line(text: str, most: int) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[: most - 1]}…"
