"""What a span of the OpenAI Agents SDK says, as a kind, a name and OpenInference attributes. Pure."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from agents.tracing import (
    AgentSpanData,
    FunctionSpanData,
    GenerationSpanData,
    GuardrailSpanData,
    HandoffSpanData,
    MCPListToolsSpanData,
    ResponseSpanData,
    SpanData,
)

from naoshi.capture import conventions as names
from naoshi.capture.plain_value import json_text, plain
from naoshi.capture.redaction import Json

Attributes = dict[str, Json]

_SETTINGS: Final = ("temperature", "top_p", "max_output_tokens", "tool_choice", "parallel_tool_calls", "truncation")


@dataclass(frozen=True, kw_only=True)
class SpanWords:
    """One span in OpenInference's terms. ``said`` is what its model was asked and answered, for the run's own span."""

    name: str
    kind: str
    attributes: Attributes
    agent: str = ""
    said: tuple[Json, str] | None = None


def span_words(data: SpanData) -> SpanWords:
    """Return what *data* says; a kind of span that this does not know keeps all that the SDK exports of it."""
    for kind, read in _READERS:
        if isinstance(data, kind):
            return read(data)
    return _other(data)


def text_or_json(prefix: str, value: object) -> Attributes:
    """Return ``PREFIX.value`` and its type: a text as it is (JSON where it is an object or list), else as JSON."""
    if value is None:
        return {}
    if not isinstance(value, str):
        return {f"{prefix}.value": json_text(plain(value)), f"{prefix}.mime_type": names.JSON_TYPE}
    kind = names.JSON_TYPE if _is_json_document(value) else names.TEXT_TYPE
    return {f"{prefix}.value": value, f"{prefix}.mime_type": kind}


def _agent(data: AgentSpanData) -> SpanWords:
    attributes: Attributes = {
        names.AGENT_NAME: data.name,
        "agent.handoffs": json_text(plain(data.handoffs or [])),
        "agent.tools": json_text(plain(data.tools or [])),
        "agent.output_type": data.output_type or "",
    }
    return SpanWords(name=f"agent.{data.name}", kind="AGENT", attributes=attributes, agent=data.name)


def _function(data: FunctionSpanData) -> SpanWords:
    attributes: Attributes = {names.TOOL_NAME: data.name}
    attributes |= text_or_json("input", data.input) | text_or_json("output", data.output)
    if data.mcp_data:
        attributes["mcp.data"] = json_text(plain(data.mcp_data))
    return SpanWords(name=f"function.{data.name}", kind="TOOL", attributes=attributes)


def _mcp_tools(data: MCPListToolsSpanData) -> SpanWords:
    attributes: Attributes = {names.TOOL_NAME: "list_tools", "mcp.server": data.server or ""}
    attributes |= text_or_json("output", data.result)
    return SpanWords(name=f"mcp_tools.{data.server or ''}", kind="TOOL", attributes=attributes)


def _handoff(data: HandoffSpanData) -> SpanWords:
    attributes: Attributes = {"handoff.from_agent": data.from_agent or "", "handoff.to_agent": data.to_agent or ""}
    attributes |= text_or_json("output", data.to_agent)
    return SpanWords(name=f"handoff.{data.to_agent or ''}", kind="CHAIN", attributes=attributes)


def _guardrail(data: GuardrailSpanData) -> SpanWords:
    attributes: Attributes = {"guardrail.name": data.name, "guardrail.triggered": data.triggered}
    attributes |= text_or_json("output", "triggered" if data.triggered else "passed")
    return SpanWords(name=f"guardrail.{data.name}", kind="GUARDRAIL", attributes=attributes)


def _response(data: ResponseSpanData) -> SpanWords:
    response = data.response
    given = _items(data.input)
    asked = _messages(given)
    answered = [] if response is None else _messages(_items(cast("Sequence[object]", response.output)))
    attributes: Attributes = {"llm.provider": "openai"}
    if response is not None:
        if isinstance(response.instructions, str) and response.instructions:
            asked.insert(0, {"role": "system", "content": response.instructions})
        settings = {name: plain(getattr(response, name, None)) for name in _SETTINGS}
        chosen = {name: value for name, value in settings.items() if value is not None}
        attributes |= _model_names(response.model) | {"llm.invocation_parameters": json_text(cast("Json", chosen))}
        attributes["llm.response.id"] = response.id
    attributes |= _tokens(data.usage or (plain(response.usage) if response is not None else None))
    return _spoken("response", attributes, given=given, asked=asked, answered=answered)


def _generation(data: GenerationSpanData) -> SpanWords:
    given = _items(data.input)
    attributes = _model_names(data.model or "")
    if data.model_config:
        attributes["llm.invocation_parameters"] = json_text(plain(data.model_config))
    attributes |= _tokens(data.usage)
    return _spoken(
        "generation", attributes, given=given, asked=_messages(given), answered=_messages(_items(data.output))
    )


def _other(data: SpanData) -> SpanWords:
    exported = cast("dict[str, object]", plain(data.export()))
    attributes: Attributes = {"sdk.span.type": str(exported.get("type", data.type))}
    inner = exported.get("data")
    told = cast("dict[str, object]", inner) if isinstance(inner, dict) else exported
    attributes |= {f"sdk.data.{key}": _scalar(value) for key, value in told.items() if key != "type"}
    label = str(exported.get("name") or "")
    name = data.type if label in ("", data.type) else f"{data.type}.{label}"
    return SpanWords(name=name, kind="CHAIN", attributes=attributes)


# Each reader is called with the kind that it stands beside, which a table cannot tell a type checker.
_READERS: Final = cast(
    "Sequence[tuple[type[SpanData], Callable[[SpanData], SpanWords]]]",
    (
        (AgentSpanData, _agent),
        (FunctionSpanData, _function),
        (GenerationSpanData, _generation),
        (ResponseSpanData, _response),
        (HandoffSpanData, _handoff),
        (GuardrailSpanData, _guardrail),
        (MCPListToolsSpanData, _mcp_tools),
    ),
)


def _spoken(
    name: str, attributes: Attributes, *, given: Json, asked: Sequence[Attributes], answered: Sequence[Attributes]
) -> SpanWords:
    text = "\n".join(str(item["content"]) for item in answered if item["role"] == "assistant" and item.get("content"))
    calls = any(item.get("tool_calls") for item in answered)
    attributes = dict(attributes)
    attributes |= text_or_json("input", _question(asked) if len(asked) <= 2 else given)
    attributes |= text_or_json("output", list(answered) if calls or not text else text)
    attributes |= _flattened("llm.input_messages", asked) | _flattened("llm.output_messages", answered)
    return SpanWords(name=name, kind="LLM", attributes=attributes, said=(_question(asked), text))


def _question(asked: Sequence[Attributes]) -> Json:
    """Return what the person said last, or all of the conversation where nobody did."""
    said = [item.get("content") for item in asked if item["role"] == "user"]
    return said[-1] if said else list(asked)


def _messages(items: Json) -> list[Attributes]:
    return [_message(item) for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _message(item: Mapping[str, Json]) -> Attributes:
    kind = item.get("type")
    if kind == "function_call":
        call: Json = {"id": item.get("call_id"), "name": item.get("name"), "arguments": item.get("arguments")}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
    if kind in ("function_call_output", "tool_result"):
        return {"role": "tool", "content": _text(item.get("output")), "tool_call_id": item.get("call_id")}
    if kind == "reasoning":
        return {"role": "reasoning", "content": _text(item.get("summary"))}
    if "role" not in item:
        return {"role": str(kind or "item"), "content": json_text(dict(item))}
    message: Attributes = {"role": item["role"], "content": _text(item.get("content"))}
    if item.get("refusal"):
        message["content"] = _text(item["refusal"])
    calls = item.get("tool_calls")
    if isinstance(calls, list) and calls:
        message["tool_calls"] = [_chat_call(call) for call in calls if isinstance(call, dict)]
    if item.get("tool_call_id"):
        message["tool_call_id"] = item["tool_call_id"]
    return message


def _chat_call(call: Mapping[str, Json]) -> Json:
    function = call.get("function")
    inner = function if isinstance(function, dict) else {}
    return {"id": call.get("id"), "name": inner.get("name"), "arguments": inner.get("arguments")}


def _text(content: Json) -> str:
    """Return the text of a message's content: its own, that of its parts, or its JSON where there is none."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [_part(part) for part in content]
        return "\n".join(part for part in parts if part)
    return json_text(content)


def _part(part: Json) -> str:
    if not isinstance(part, dict):
        return _text(part)
    for key in ("text", "refusal", "transcript"):
        found = part.get(key)
        if isinstance(found, str):
            return found
    return json_text(part)


def _flattened(prefix: str, messages: Sequence[Attributes]) -> Attributes:
    found: Attributes = {}
    for number, message in enumerate(messages):
        head = f"{prefix}.{number}.message"
        found[f"{head}.role"] = message["role"]
        found[f"{head}.content"] = message.get("content", "")
        if message.get("tool_call_id"):
            found[f"{head}.tool_call_id"] = message["tool_call_id"]
        calls = message.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else []):
            if isinstance(call, dict):
                inner = f"{head}.tool_calls.{place}.tool_call"
                found[f"{inner}.id"] = call.get("id")
                found[f"{inner}.function.name"] = call.get("name")
                found[f"{inner}.function.arguments"] = call.get("arguments")
    return found


def _model_names(model: object) -> Attributes:
    return {"llm.model_name": str(model), "gen_ai.request.model": str(model)} if model else {}


def _tokens(usage: object) -> Attributes:
    if not isinstance(usage, Mapping):
        return {}
    told = cast("Mapping[str, object]", usage)
    counts: tuple[tuple[str, Iterable[str]], ...] = (
        ("llm.token_count.prompt", ("input_tokens", "prompt_tokens")),
        ("llm.token_count.completion", ("output_tokens", "completion_tokens")),
        ("llm.token_count.total", ("total_tokens",)),
        ("llm.token_count.prompt_details.cache_read", ("input_tokens_details.cached_tokens", "cached_input_tokens")),
        ("llm.token_count.completion_details.reasoning", ("output_tokens_details.reasoning_tokens",)),
    )
    found: Attributes = {}
    for name, keys in counts:
        count = next((value for key in keys if (value := _count(told, key)) is not None), None)
        if count is not None:
            found[name] = count
    if "llm.token_count.total" not in found and len(found) >= 2:
        both = [found.get("llm.token_count.prompt"), found.get("llm.token_count.completion")]
        found["llm.token_count.total"] = sum(count for count in both if isinstance(count, int))
    return found


def _count(usage: Mapping[str, object], key: str) -> int | None:
    value: object = usage
    for part in key.split("."):
        value = cast("object", value.get(part)) if isinstance(value, Mapping) else None  # pyright: ignore[reportUnknownMemberType]
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _items(value: object) -> Json:
    """Return the items of a conversation as JSON; a plain text is what the person said."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    found = plain(value) if value is not None else []
    return found if isinstance(found, list) else [found]


def _scalar(value: object) -> Json:
    found = plain(value)
    return json_text(found) if isinstance(found, dict | list) else found


def _is_json_document(text: str) -> bool:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict | list)
