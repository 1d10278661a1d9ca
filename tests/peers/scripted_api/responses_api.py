"""OpenAI's Responses API: the answer as one document, and as the server-sent events of a stream."""

import json
from collections.abc import Iterator
from typing import Any

from tests.peers.scripted_api.answers import Answer
from tests.peers.scripted_api.request import Request

Event = tuple[str, dict[str, Any]]


def document(request: Request, answer: Answer, number: int) -> dict[str, Any]:
    """Return the finished response, as a request without a stream gets it."""
    return _response(request, number, status="completed", output=_items(answer, number), tokens=answer.tokens)


def events(request: Request, answer: Answer, number: int) -> Iterator[Event]:
    """Yield the events of a stream: the response, each item of its output, each piece of text, and the end."""
    counter = iter(range(10**9))

    def event(name: str, **more: Any) -> Event:
        return name, {"type": name, "sequence_number": next(counter), **more}

    begun = _response(request, number, status="in_progress", output=[], tokens=None)
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for place, item in enumerate(_items(answer, number)):
        where = {"output_index": place, "item_id": item["id"]}
        yield event("response.output_item.added", output_index=place, item=_empty(item))
        if item["type"] == "message":
            for part_place, part in enumerate(item["content"]):
                inner = {**where, "content_index": part_place}
                kind = "text" if part["type"] == "output_text" else "refusal"
                name = "response.output_text" if kind == "text" else "response.refusal"
                yield event("response.content_part.added", **inner, part={**part, kind: ""})
                yield event(f"{name}.delta", **inner, delta=part[kind])
                yield event(f"{name}.done", **inner, **{kind: part[kind]})
                yield event("response.content_part.done", **inner, part=part)
        else:
            name = "response.function_call_arguments"
            yield event(f"{name}.delta", **where, delta=item["arguments"])
            yield event(f"{name}.done", **where, arguments=item["arguments"])
        yield event("response.output_item.done", output_index=place, item=item)
    yield event("response.completed", response=document(request, answer, number))


def error(answer: Answer) -> dict[str, Any]:
    """Return the body of an HTTP error."""
    kind = answer.error_type or {401: "invalid_request_error", 429: "rate_limit_exceeded"}.get(answer.status, "error")
    code = {401: "invalid_api_key", 429: "rate_limit_exceeded"}.get(answer.status)
    return {"error": {"message": answer.text, "type": kind, "param": None, "code": code}}


def _items(answer: Answer, number: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    if answer.text or not (answer.calls or answer.refusal):
        parts.append({"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []})
    if answer.refusal:
        parts.append({"type": "refusal", "refusal": answer.refusal})
    if parts:
        items.append(
            {"type": "message", "id": f"msg_{number}", "status": "completed", "role": "assistant", "content": parts}
        )
    for place, call in enumerate(answer.calls):
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{number}_{place}",
                "call_id": f"call_{number}_{place}",
                "name": call.name,
                "arguments": json.dumps(call.arguments),
                "status": "completed",
            }
        )
    return items


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    bare = {"content": []} if item["type"] == "message" else {"arguments": ""}
    return {**item, "status": "in_progress", **bare}


def _response(
    request: Request, number: int, *, status: str, output: list[dict[str, Any]], tokens: tuple[int, int] | None
) -> dict[str, Any]:
    usage = None if tokens is None else {
        "input_tokens": tokens[0],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": tokens[1],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sum(tokens),
    }  # fmt: skip
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": request.body.get("instructions"),
        "metadata": {},
        "model": request.model,
        "output": output,
        "parallel_tool_calls": bool(request.body.get("parallel_tool_calls", True)),
        "previous_response_id": None,
        "reasoning": request.body.get("reasoning") or {"effort": None, "summary": None},
        "store": bool(request.body.get("store", False)),
        "temperature": request.body.get("temperature"),
        "text": request.body.get("text") or {"format": {"type": "text"}},
        "tool_choice": request.body.get("tool_choice") or "auto",
        "tools": request.body.get("tools") or [],
        "top_p": request.body.get("top_p"),
        "truncation": "disabled",
        "usage": usage,
    }
