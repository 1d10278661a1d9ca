"""The scripted server speaks the wire formats as the vendors' own clients read them."""

import json
import urllib.error
import urllib.request

import openai
import pytest

from tests.peers.scripted_api.answers import fail, refuse, say, use
from tests.peers.scripted_api.server import ScriptedApi


def test_a_script_is_followed_in_both_of_openais_formats_streamed_and_not():
    """Protects every test that stands on it: OpenAI's own client reads text, calls and refusals as they were meant."""
    with ScriptedApi([use("look", path="a"), say("hello"), refuse("I will not"), say("bye")]) as api:
        with openai.OpenAI(base_url=f"{api.url}/v1", api_key="any", max_retries=0) as client:
            first = client.responses.create(model="m", input="go", instructions="be kind")
            (call,) = first.output
            assert call.type == "function_call" and json.loads(call.arguments) == {"path": "a"}
            with client.responses.stream(model="m", input="go on") as stream:
                assert stream.get_final_response().output_text == "hello"
            refused = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "harm"}])
            assert refused.choices[0].message.refusal == "I will not"
            chunks = client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "go"}], stream=True
            )
            assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "bye"
    assert api.requests[0].text == "be kind\ngo"
    assert [request.wire for request in api.requests] == ["responses", "responses", "chat", "chat"]


def test_messages_come_streamed_and_whole():
    """Protects the tests of Claude Code: the events of a stream add up to the message."""
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
    with ScriptedApi(lambda requests: use("Bash", command=f"echo {len(requests)}")) as api:
        whole = json.loads(_post(f"{api.url}/v1/messages?beta=true", body))
        told = _post(f"{api.url}/v1/messages", {**body, "stream": True})
    assert whole["stop_reason"] == "tool_use" and whole["content"][0]["input"] == {"command": "echo 1"}
    events = [json.loads(line.removeprefix("data: ")) for line in told.splitlines() if line.startswith("data: ")]
    assert [event["type"] for event in events][:2] == ["message_start", "content_block_start"]
    assert events[-1]["type"] == "message_stop"
    assert '"echo 2"' in events[2]["delta"]["partial_json"]


def test_failures_are_http_errors_and_a_fault_of_the_script_is_told():
    """Protects the tests of errors: status, headers and message arrive, and a broken script is no silent success."""

    def broken(requests: object) -> None:
        raise RuntimeError("no such answer")

    with ScriptedApi([fail(429, "slow down", retry_after="7")]) as api:
        with pytest.raises(urllib.error.HTTPError) as caught:
            _post(f"{api.url}/v1/responses", {"model": "m"})
        assert caught.value.code == 429 and caught.value.headers["retry-after"] == "7"
        caught.value.close()
    with ScriptedApi(broken) as api:
        with pytest.raises(urllib.error.HTTPError) as caught:
            _post(f"{api.url}/v1/messages", {"model": "m"})
        caught.value.close()
        assert "no such answer" in api.faults[0]


def _post(url: str, body: dict[str, object]) -> str:
    data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - our own loopback address
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        return answer.read().decode()
