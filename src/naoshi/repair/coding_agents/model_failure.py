"""What a model's provider said when it did not answer, as one of our errors."""

import re

from naoshi.errors import (
    CodingAgentCredentialsError,
    CodingAgentError,
    CodingAgentRateLimitError,
    CodingAgentRefusalError,
)

# In this order: a spent quota is told with the status 429 or 403, and a refused key may be told with 403.
_KINDS: tuple[tuple[re.Pattern[str], type[CodingAgentError]], ...] = (
    (re.compile(r"\b429\b|rate.?limit|too many requests|quota|usage limit|overloaded|\b529\b", re.IGNORECASE),
     CodingAgentRateLimitError),
    (re.compile(r"\b40[13]\b|unauthori[sz]ed|authenticat|api.?key|missing environment variable|not logged in|"
                r"credential|billing|credit balance", re.IGNORECASE), CodingAgentCredentialsError),
    (re.compile(r"refus|content.?policy|usage polic|\baup\b|flagged|safeguard|invalid_prompt|safety", re.IGNORECASE),
     CodingAgentRefusalError),
)  # fmt: skip


def model_failure(told: str) -> CodingAgentError:
    """Return the error that *told*, a message of the program or of its provider, stands for."""
    text = " ".join(told.split())[:300]
    for pattern, error in _KINDS:
        if pattern.search(text):
            return error(f"its model did not answer: {text}")
    return CodingAgentError(f"it failed: {text}")
