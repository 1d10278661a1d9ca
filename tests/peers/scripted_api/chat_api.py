"""OpenAI's Chat Completions API: the answer as one document, and as the server-sent events of a stream."""

import json
from collections.abc import Iterator
from typing import Any

from tests.peers.scripted_api.answers import Answer
from tests.peers.scripted_api.request import Request
from tests.peers.scripted_api.responses_api import error

__all__ = ["document", "error", "events"]


def document(request: Request, answer: Answer, number: int) -> dict[str, Any]:
    """Return the finished completion, as a request without a stream gets it."""
    message = {"role": "assistant", "content": answer.text or None, "refusal": answer.refusal or None}
    if answer.calls:
        message["tool_calls"] = _calls(answer, number)
    elif not answer.refusal:
        message["content"] = answer.text
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer), "logprobs": None}
    return {**_head(request, number, "chat.completion"), "choices": [choice], "usage": _usage(answer)}


def events(request: Request, answer: Answer, number: int) -> Iterator[tuple[None, dict[str, Any]]]:
    """Yield the chunks of a stream; the server writes the closing ``[DONE]``."""
    head = _head(request, number, "chat.completion.chunk")
    delta: dict[str, Any] = {"role": "assistant", "content": answer.text or ("" if not answer.calls else None)}
    if answer.refusal:
        delta["refusal"] = answer.refusal
    if answer.calls:
        delta["tool_calls"] = [{"index": place, **call} for place, call in enumerate(_calls(answer, number))]
    yield None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(answer)}]}
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield None, {**head, "choices": [], "usage": _usage(answer)}


def _calls(answer: Answer, number: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for place, call in enumerate(answer.calls)
    ]


def _finish(answer: Answer) -> str:
    return "tool_calls" if answer.calls else "stop"


def _head(request: Request, number: int, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 1_700_000_000, "model": request.model}


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "prompt_tokens": answer.tokens[0],
        "completion_tokens": answer.tokens[1],
        "total_tokens": sum(answer.tokens),
    }
