"""Traces of the real OpenAI Agents SDK, its model scripted on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from agents import set_trace_processors, set_tracing_disabled
from agents.exceptions import InputGuardrailTripwireTriggered

from naoshi.capture import read_trace_file
from naoshi.errors import StoreError
from naoshi.integrations.openai_agents import setup_tracing
from naoshi.records import Span, SpanKind, SpanStatus, Trace
from tests.conftest import ROOT
from tests.integrations.traced_agent import run, trace_to
from tests.peers.scripted_api.answers import fail, say, use
from tests.peers.scripted_api.server import ScriptedApi

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HALO_KEYS = {
    "trace_id", "span_id", "parent_span_id", "trace_state", "name", "kind", "start_time", "end_time", "status",
    "resource", "scope", "attributes",
}  # fmt: skip


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave the SDK untraced, as the other tests have it."""
    yield
    set_trace_processors([])
    set_tracing_disabled(True)


def read_one(path: Path) -> Trace:
    found = read_trace_file(path, now=NOW)
    assert found.quarantined == ()
    (trace,) = found.traces
    return trace


def spans_of(trace: Trace, kind: SpanKind) -> list[Span]:
    return [span for span in trace.spans if span.kind is kind]


def test_a_run_is_read_back_whole(tmp_path: Path) -> None:
    """Protects what a diagnosis needs: version, texts of the model, tokens, tool input and output, hand-off, guard."""
    file = tmp_path / "traces.jsonl"
    trace_to(str(file))
    script = [use("look_up", who="mari"), use("transfer_to_writer"), say("Mari is at mari@example.com.")]
    with ScriptedApi(script) as api:
        run(api.url, "Who is Mari?", metadata={"naoshi.vars": {"person": "Mari"}, "label": "q1"})
    trace = read_one(file)
    assert (trace.agent, trace.agent_version) == ("desk", "v7")
    assert trace.vars == {"person": "Mari"}
    assert trace.output == "Mari is at mari@example.com."
    assert [span.orphan for span in trace.spans] == [False] * len(trace.spans)
    first, _, last = spans_of(trace, SpanKind.llm)
    assert last.attributes["output.value"] == "Mari is at mari@example.com."
    assert last.attributes["llm.output_messages.0.message.content"] == "Mari is at mari@example.com."
    assert first.attributes["llm.output_messages.0.message.tool_calls.0.tool_call.function.name"] == "look_up"
    assert first.attributes["llm.input_messages.0.message.content"] == "Help."
    assert first.attributes["llm.input_messages.1.message.content"] == "Who is Mari?"
    assert first.attributes["llm.model_name"] == "scripted-1"
    tokens = [first.attributes[f"llm.token_count.{name}"] for name in ("prompt", "completion", "total")]
    assert tokens == [100, 20, 120]
    (tool,) = spans_of(trace, SpanKind.tool)
    assert tool.attributes["tool.name"] == "look_up"
    assert json.loads(str(tool.attributes["input.value"])) == {"who": "mari"}
    assert str(tool.attributes["output.value"]).startswith("mari@example.com")
    handoff = next(span for span in trace.spans if span.name == "handoff.writer")
    assert handoff.attributes["handoff.from_agent"] == "desk"
    (guard,) = spans_of(trace, SpanKind.guardrail)
    assert guard.attributes["guardrail.triggered"] is False
    assert {span.name for span in spans_of(trace, SpanKind.agent)} == {"agent.desk", "agent.writer"}


def test_every_line_is_in_the_flat_format_of_halo(tmp_path: Path, shared_data: Path) -> None:
    """Protects HALO's strict reader: the keys and types of its own example traces, and its projection on each line."""
    file = tmp_path / "traces.jsonl"
    trace_to(str(file))
    with ScriptedApi([use("look_up", who="mari"), say("done")]) as api:
        run(api.url, "Who is Mari?")
    example = json.loads((shared_data / "traces" / "halo_realistic.jsonl").read_text("utf-8").splitlines()[0])
    assert set(example) == HALO_KEYS
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(lines) >= 5
    for line in lines:
        assert set(line) == HALO_KEYS
        assert {key: type(value) for key, value in line.items()} == {key: type(value) for key, value in example.items()}
        assert set(line["status"]) == {"code", "message"} and set(line["scope"]) == {"name", "version"}
        assert line["end_time"].endswith("Z") and line["start_time"] <= line["end_time"]
        assert line["resource"]["attributes"] == {"service.name": "desk", "service.version": "v7"}
        assert line["attributes"]["inference.project_id"] == "proj"
        assert {"inference.observation_kind", "inference.agent_name"} <= set(line["attributes"])


def test_secrets_are_masked_before_they_are_written(tmp_path: Path) -> None:
    """Protects keys and passwords that tools and people say: none reaches the file, wherever it stood."""
    file = tmp_path / "traces.jsonl"
    trace_to(str(file))
    with ScriptedApi([use("look_up", who="mari"), say("Use sk-abcdefghij0123456789abc")]) as api:
        run(api.url, "My token is ghp_0123456789abcdefghijABCDEFGHIJ")
    text = file.read_text("utf-8")
    assert "hunter22" not in text and "sk-abcdefghij" not in text and "ghp_0123" not in text
    assert text.count("[redacted]") >= 3


def test_a_guard_that_trips_and_a_failing_model_are_in_the_trace(tmp_path: Path) -> None:
    """Protects the diagnosis of failures: what went wrong stands on the span and on the run."""
    file = tmp_path / "traces.jsonl"
    trace_to(str(file))
    with ScriptedApi([say("late")]) as api, pytest.raises(InputGuardrailTripwireTriggered):
        run(api.url, "forbidden words")
    with ScriptedApi([fail(400, "the model is broken")]) as api, pytest.raises(Exception, match="the model is broken"):
        run(api.url, "Who is Mari?")
    tripped, failed = read_trace_file(file, now=NOW).traces
    (guard,) = spans_of(tripped, SpanKind.guardrail)
    assert guard.attributes["guardrail.triggered"] is True
    runs = [next(span for span in trace.spans if span.parent_span_id is None) for trace in (tripped, failed)]
    assert [span.status for span in runs] == [SpanStatus.error] * 2
    assert runs[0].status_message == "Guardrail tripwire triggered"
    assert "the model is broken" in runs[1].status_message
    (model,) = spans_of(failed, SpanKind.llm)
    assert model.status is SpanStatus.error and "the model is broken" in model.status_message


def test_a_tool_that_raises_is_an_error_in_the_trace(tmp_path: Path) -> None:
    """Protects the words of the exception, on the tool's own span."""
    file = tmp_path / "traces.jsonl"
    trace_to(str(file))
    with ScriptedApi([use("look_up", who="nobody")]) as api, pytest.raises(Exception, match="no such person"):
        run(api.url, "Who is nobody?")
    (tool,) = spans_of(read_one(file), SpanKind.tool)
    assert tool.status is SpanStatus.error and "no such person" in tool.status_message


def in_a_process(api: ScriptedApi, file: Path, how: str) -> int:
    environment = {**os.environ, "OPENAI_AGENTS_DISABLE_TRACING": "0"}
    command = [sys.executable, "-m", "tests.integrations.traced_agent", api.url, str(file), how]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60).returncode


def test_a_killed_process_leaves_what_had_ended(tmp_path: Path) -> None:
    """Protects the evidence of a crash: SIGKILL and os._exit in a tool lose only the spans that were still open."""
    for how, status in (("kill", -9), ("hard", 4)):
        file = tmp_path / f"{how}.jsonl"
        with ScriptedApi([use("look_up", who="mari"), say("done")]) as api:
            assert in_a_process(api, file, how) == status
        trace = read_one(file)
        (model,) = spans_of(trace, SpanKind.llm)
        assert model.attributes["llm.output_messages.0.message.tool_calls.0.tool_call.function.name"] == "look_up"
        assert trace.agent_version == "v7"


def test_an_exit_in_the_middle_of_a_run_writes_all(tmp_path: Path) -> None:
    """Protects the flush on exit: a run that ends by SystemExit has its root, with the status ERROR."""
    file = tmp_path / "exit.jsonl"
    with ScriptedApi([use("look_up", who="mari"), say("done")]) as api:
        assert in_a_process(api, file, "exit") == 3
    trace = read_one(file)
    assert not any(span.orphan for span in trace.spans)
    assert [span.kind for span in trace.spans].count(SpanKind.tool) == 1


def test_an_open_run_is_written_as_failed_at_shutdown(tmp_path: Path) -> None:
    """Protects runs that hang when the process exits: each open span is there, once, as an error."""
    from agents.tracing import agent_span, trace  # only this test opens spans by hand

    file = tmp_path / "open.jsonl"
    processor: Any = trace_to(str(file))
    with trace("Desk"):
        with agent_span("desk"):
            processor.shutdown()
    found = read_one(file)
    assert [(span.status, span.status_message) for span in found.spans] == [
        (SpanStatus.error, "still open when the process ended")
    ] * 2


def test_setting_up_again_changes_the_version_of_what_follows(tmp_path: Path) -> None:
    """Protects L25 in a notebook: a second set-up for the same file writes no span twice, and the new version."""
    file = tmp_path / "traces.jsonl"
    trace_to(str(file))
    with ScriptedApi([say("one")]) as api:
        run(api.url, "first")
        setup_tracing(file, project_id="proj", service_name="desk", service_version="v8")
        run(api.url, "second")
    found = read_trace_file(file, now=NOW)
    assert found.quarantined == ()
    assert [trace.agent_version for trace in found.traces] == ["v7", "v8"]
    assert len({span.span_id for trace in found.traces for span in trace.spans}) == found.lines


def test_a_file_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    """Protects against a run that is traced to nowhere."""
    with pytest.raises(StoreError):
        setup_tracing(tmp_path, project_id="p", service_name="s")


def test_a_file_that_is_lost_on_the_way_does_not_end_the_agent(tmp_path: Path) -> None:
    """Protects the agent at work: one warning, and its answer all the same."""
    folder = tmp_path / "traces"
    trace_to(str(folder / "t.jsonl"))
    (folder / "t.jsonl").unlink()
    folder.rmdir()
    folder.write_text("in the way")
    with ScriptedApi([say("fine")]) as api, pytest.warns(RuntimeWarning, match="not traced any more"):
        assert run(api.url, "hello").final_output == "fine"
