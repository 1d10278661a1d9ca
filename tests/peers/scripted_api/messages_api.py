"""Anthropic's Messages API: the answer as one document, and as the server-sent events of a stream."""

import json
from collections.abc import Iterator
from typing import Any

from tests.peers.scripted_api.answers import Answer
from tests.peers.scripted_api.request import Request

Event = tuple[str, dict[str, Any]]

_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
           429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}  # fmt: skip


def document(request: Request, answer: Answer, number: int) -> dict[str, Any]:
    """Return the finished message, as a request without a stream gets it."""
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": _blocks(answer, number),
        "stop_reason": _stop(answer),
        "stop_sequence": None,
        "usage": {"input_tokens": answer.tokens[0], "output_tokens": answer.tokens[1]},
    }


def events(request: Request, answer: Answer, number: int) -> Iterator[Event]:
    """Yield the events of a stream: the message, each block, and the end."""

    def event(name: str, **more: Any) -> Event:
        return name, {"type": name, **more}

    whole = document(request, answer, number)
    begun = {**whole, "content": [], "stop_reason": None, "usage": {"input_tokens": answer.tokens[0],
                                                                    "output_tokens": 1}}  # fmt: skip
    yield event("message_start", message=begun)
    for place, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        yield event("content_block_start", index=place, content_block=start)
        yield event("content_block_delta", index=place, delta=delta)
        yield event("content_block_stop", index=place)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ending, usage={"output_tokens": answer.tokens[1]})
    yield event("message_stop")


def error(answer: Answer) -> dict[str, Any]:
    """Return the body of an HTTP error."""
    kind = answer.error_type or _ERRORS.get(answer.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": answer.text}, "request_id": "req_1"}


def _stop(answer: Answer) -> str:
    if answer.refusal:
        return "refusal"
    return "tool_use" if answer.calls else "end_turn"


def _blocks(answer: Answer, number: int) -> list[dict[str, Any]]:
    text = answer.text or answer.refusal
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text or not answer.calls else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": call.name, "input": call.arguments}
        for place, call in enumerate(answer.calls)
    ]
    return blocks
