"""Reading trace files: everything that can be read is, everything else is quarantined."""

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.capture import TraceFile, read_trace_file
from naoshi.errors import InputError, MissingPathError
from naoshi.records import SpanKind, SpanStatus

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def flat(span: str = "s1", *, trace: str = "t1", parent: str = "", **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "trace_id": trace,
        "span_id": span,
        "parent_span_id": parent,
        "trace_state": "",
        "name": span,
        "kind": "SPAN_KIND_INTERNAL",
        "start_time": "2026-03-01T00:00:00.000000000Z",
        "end_time": "2026-03-01T00:00:01.000000000Z",
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "resource": {"attributes": {"service.name": "agent", "service.version": "v1"}},
        "scope": {"name": "x", "version": "1"},
        "attributes": {"openinference.span.kind": "AGENT"},
    }
    return made | more


def line(*positional: Any, **more: Any) -> bytes:
    return json.dumps(flat(*positional, **more)).encode()


def read(tmp_path: Path, *lines: bytes) -> TraceFile:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    return read_trace_file(file, now=NOW)


@pytest.mark.parametrize(("name", "traces", "spans"), [("halo_realistic", 3, 58), ("halo_agents_sdk_demo", 1, 7)])
def test_real_traces_are_read_whole(shared_data: Path, name: str, traces: int, spans: int) -> None:
    """Real files of another project come in without one line lost, in order, with kinds, status and parents."""
    read = read_trace_file(shared_data / "traces" / f"{name}.jsonl", now=NOW)
    assert (len(read.traces), read.quarantined, read.lines) == (traces, (), spans)
    for trace in read.traces:
        assert trace.agent in ("halo-openai-agents-demo", "my-agent")
        assert trace.agent_version is None
        assert not any(span.orphan for span in trace.spans)
        assert [span.start_time for span in trace.spans] == sorted(span.start_time for span in trace.spans)
        assert trace.spans[0].name == "custom.task"
        assert {span.kind for span in trace.spans} == {SpanKind.chain, SpanKind.agent, SpanKind.llm, SpanKind.tool}
    failed = [span for trace in read.traces for span in trace.spans if span.status is SpanStatus.error]
    assert len(failed) == (3 if name == "halo_realistic" else 0)


BAD = {
    "not JSON": (b"{", "not JSON"),
    "two values": (b"{} {}", "not JSON"),
    "a list": (b"[1]", "not a JSON object but a list"),
    "a text": (b'"x"', "not a JSON object"),
    "not UTF-8": (line(name="x")[:-2] + b"\xff\xfe" + b"}", "not UTF-8"),
    "UTF-16": (line().decode().encode("utf-16"), "not UTF-8"),
    "NaN": (line(attributes={"x": float("nan")}), "NaN is not"),
    "Infinity": (line(attributes={"x": float("-inf")}), "Infinity is not"),
    "too large": (line().replace(b'"x"', b"1e999"), "too large"),
    "too many digits": (line().replace(b'"x"', b"9" * 5000), "too long"),
    "deep": (b"[" * 100_000, "nested deeper"),
    "deeper than we take": (line(attributes={"x": eval("[" * 80 + "]" * 80)}), "nested deeper"),  # noqa: S307
    "repeated key": (line().replace(b'"trace_state"', b'"trace_id"'), "'trace_id' stands twice"),
    "repeated key inside": (line().replace(b'"version"', b'"name"'), "stands twice"),
    "no trace": (json.dumps({k: v for k, v in flat().items() if k != "trace_id"}).encode(), "no trace_id"),
    "empty trace": (line(trace=""), "trace_id is empty"),
    "null span": (line(span_id=None), "no span_id"),
    "number as span": (line(span_id=7), "span_id is not text"),
    "NUL in trace": (line(trace="a\0b"), "trace_id is no identifier"),
    "surrogate in trace": (line(trace="\ud800"), "trace_id is no identifier"),
    "newline in span": (line("a\nb"), "span_id is no identifier"),
    "long trace": (line(trace="x" * 500), "trace_id is no identifier"),
    "parent a list": (line(parent=[]), "parent_span_id is not text"),
    "no name": (line(name=None), "no name"),
    "no start": (line(start_time=None), "no start_time"),
    "empty start": (line(start_time=""), "no start_time"),
    "start a number": (line(start_time=1), "start_time is not text"),
    "start without zone": (line(start_time="2026-03-01T00:00:00"), "start_time is not an RFC 3339 time"),
    "start in words": (line(start_time="yesterday"), "start_time is not an RFC 3339 time"),
    "no such day": (line(start_time="2026-02-30T00:00:00Z"), "start_time is no time that exists"),
    "before time": (line(start_time="0001-01-01T00:00:00+14:00"), "start_time is no time that exists"),
    "end in words": (line(end_time="later"), "end_time is not"),
    "attributes a list": (line(attributes=[]), "attributes is not an object"),
    "resource a text": (line(resource="x"), "resource is not an object"),
    "resource attributes a text": (line(resource={"attributes": "x"}), "attributes is not an object"),
    "scope a number": (line(scope=1), "scope is not an object"),
    "status a text": (line(status="OK"), "status is not an object"),
    "unknown status": (line(status={"code": "FINE"}), "status.code is none"),
    "status true": (line(status={"code": True}), "status.code is none"),
    "status a list": (line(status={"code": []}), "status.code is none"),
    "message a number": (line(status={"code": "OK", "message": 1}), "status.message is not text"),
    "reserved": (line(attributes={"naoshi.otel": {"other": {"trace_id": "evil"}}}), "reserved"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_goes_to_quarantine_and_ends_nothing(tmp_path: Path, name: str) -> None:
    """One line that cannot be read costs that line, with file, number, reason and content kept."""
    bad, reason = BAD[name]
    assert b"\n" not in bad or name == "UTF-16"
    found = read(tmp_path, line("before"), bad.replace(b"\n", b""), line("after"))
    assert [span.span_id for trace in found.traces for span in trace.spans] == ["before", "after"]
    (quarantined,) = found.quarantined
    assert reason in quarantined.reason
    assert (quarantined.line, quarantined.file, quarantined.at) == (2, str(tmp_path / "t.jsonl"), NOW)
    assert quarantined.content[:20] == bad.decode("utf-8", "replace")[:20]
    assert "\n" not in quarantined.reason
    assert len(quarantined.reason) < 200


def test_a_quarantined_line_can_be_stored(tmp_path: Path) -> None:
    """Whatever bytes it holds, the record is plain text."""
    for bad in (b"\x00\xff{", "\ud800".encode("utf-8", "surrogatepass"), b"x" * 200_000):
        (quarantined,) = read(tmp_path, bad).quarantined
        assert len(quarantined.content) <= 64 * 1024
        assert type(quarantined).model_validate_json(quarantined.to_json()) == quarantined


def test_a_secret_in_a_bad_line_is_masked(tmp_path: Path) -> None:
    """Quarantine is kept and shown, so that it is no hole for secrets."""
    (quarantined,) = read(tmp_path, b'{"x": "sk-abcdefghij0123456789"').quarantined
    assert "sk-abc" not in quarantined.content


def test_nanoseconds_are_read_and_kept(tmp_path: Path) -> None:
    """Times are to the microsecond in the record; what is finer is not lost for the export."""
    found = read(tmp_path, line(start_time="2026-03-01T09:00:00.123456789+09:00", end_time="2026-03-01T00:00:01Z"))
    (span,) = found.traces[0].spans
    assert span.start_time == datetime(2026, 3, 1, 0, 0, 0, 123456, tzinfo=UTC)
    assert "123456789" in json.dumps(span.attributes["naoshi.otel"])


def test_spans_of_a_trace_may_stand_anywhere(tmp_path: Path) -> None:
    """Workers write one file at once; each trace is put together, parents first."""
    found = read(
        tmp_path,
        line("c1", trace="t1", parent="r1"),
        line("r2", trace="t2"),
        line("r1", trace="t1"),
        line("c2", trace="t2", parent="r2"),
    )
    assert [[span.span_id for span in trace.spans] for trace in found.traces] == [["r1", "c1"], ["r2", "c2"]]


def test_orphans_are_kept_and_marked(tmp_path: Path) -> None:
    """A span whose parent never came, or that is its own ancestor, is there and says so."""
    found = read(
        tmp_path,
        line("root"),
        line("child", parent="root"),
        line("lost", parent="never came"),
        line("lost2", parent="nevercame"),
        line("below", parent="lost2"),
        line("self", parent="self"),
        line("x", parent="y"),
        line("y", parent="x"),
        line("under", parent="y"),
        line("zeros", parent="0000000000000000"),
    )
    (trace,) = found.traces
    assert len(found.quarantined) == 1
    assert {span.span_id for span in trace.spans if span.orphan} == {"lost2", "self", "x", "y", "under"}


def test_a_span_that_stands_twice_counts_once(tmp_path: Path) -> None:
    """A retried export is one fact; another span under its identifier is quarantined, not merged."""
    found = read(tmp_path, line(), line(), line(name="another"))
    assert len(found.traces[0].spans) == 1
    assert [(bad.line, bad.reason) for bad in found.quarantined] == [
        (3, "another span s1 of trace t1 stands on line 1")
    ]


def test_a_span_that_ends_later_is_completed(tmp_path: Path) -> None:
    """A tracer that writes at the start and at the end gives one span, whatever the order."""
    for lines in ([line(end_time=""), line()], [line(), line(end_time=None)]):
        found = read(tmp_path, *lines)
        (span,) = found.traces[0].spans
        assert span.end_time is not None
        assert found.quarantined == ()


def test_a_run_that_is_still_going_on_has_no_end(tmp_path: Path) -> None:
    """An open root means that more may come."""
    found = read(tmp_path, line("root", end_time=""), line("child", parent="root"))
    assert found.traces[0].ended_at is None


def test_foreign_input_and_output_come_from_the_root(tmp_path: Path) -> None:
    """A trace of OpenInference's says what went in and came out; JSON is read where it is JSON."""

    def attributes(**more: str) -> dict[str, str]:
        return {name.replace("_", "."): value for name, value in more.items()}

    cases = [
        (attributes(input_value='{"document": "d"}', output_value="[1]"), {"document": "d"}, [1]),
        (attributes(input_value="what?", output_value="42"), {"input": "what?"}, "42"),
        (
            {"output.value": "42", "output.mime_type": "application/json", "input.value": "{}"} | {"x": ""},
            {},
            42,
        ),
        ({"output.value": "[1]", "output.mime_type": "text/plain"}, {}, "[1]"),
    ]
    for given_attributes, expected_vars, expected_output in cases:
        (trace,) = read(tmp_path, line(attributes=given_attributes), line("c", parent="s1", attributes={})).traces
        assert (trace.vars, trace.output) == (expected_vars, expected_output)


def test_hostile_attributes_of_ours_are_only_attributes(tmp_path: Path) -> None:
    """What is no artifact, source or object of vars is left where it stands and breaks nothing."""
    found = read(
        tmp_path,
        line(
            attributes={
                "naoshi.vars": "[" * 5000,
                "naoshi.output": "[" * 200 + "]" * 200,
                "naoshi.artifacts": '[1, {"name": 2}, {"name": "ok", "value": 1}, {"evil": 1}]',
                "naoshi.sources": '{"path": 1}',
            }
        ),
        line(
            "tool",
            parent="s1",
            attributes={
                "openinference.span.kind": "TOOL",
                "naoshi.source.path": "../../etc/passwd",
                "naoshi.source.lines": [1, "2", -3],
                "output.value": "a\nb\nc",
            },
        ),
    )
    (trace,) = found.traces
    assert [artifact.name for artifact in trace.artifacts] == ["ok"]
    assert trace.sources == ()
    assert isinstance(trace.vars["input"], str)


def test_a_place_that_a_field_came_from_is_no_source(tmp_path: Path) -> None:
    """A span that names the line of one field does not say that the agent read one line only."""
    tool = {"openinference.span.kind": "TOOL", "naoshi.source.path": "box/1.csv", "naoshi.source.lines": [1, 2]}
    found = read(
        tmp_path,
        line(attributes={"openinference.span.kind": "AGENT", "naoshi.source.path": "box/1.csv", "output.value": "{}"}),
        line("read", parent="s1", attributes=tool | {"output.value": "SHOP\nTOTAL 1"}),
        line("more", parent="s1", attributes=tool | {"output.value": "again\n3", "naoshi.source.lines": [2, 3]}),
        line("field", parent="s1", attributes=tool | {"output.value": "x\ny", "naoshi.field": "total"}),
        line("empty", parent="s1", attributes=tool | {"naoshi.source.path": "e.csv", "output.value": "",
                                                      "naoshi.source.lines": []}),
    )  # fmt: skip
    whole, empty = found.traces[0].sources
    assert [(one.number, one.text) for one in whole.lines] == [(1, "SHOP"), (2, "TOTAL 1"), (3, "3")]
    assert (empty.path, empty.lines) == ("e.csv", ())


def test_kinds_of_other_conventions_are_understood(tmp_path: Path) -> None:
    """OpenTelemetry's own convention for generative AI names operations; an unknown kind is kept as unknown."""
    attributes = [
        {"gen_ai.operation.name": "chat"},
        {"gen_ai.operation.name": "execute_tool"},
        {"openinference.span.kind": "llm"},
        {"openinference.span.kind": "THOUGHT"},
        {"openinference.span.kind": 3},
        {},
    ]
    found = read(tmp_path, *(line(f"s{n}", attributes=one) for n, one in enumerate(attributes)))
    kinds = [span.kind.value for span in found.traces[0].spans]
    assert kinds == ["LLM", "TOOL", "LLM", "UNKNOWN", "UNKNOWN", "UNKNOWN"]


def test_values_with_nul_and_lone_surrogates_are_read(tmp_path: Path) -> None:
    """A tool's output cut in the middle of an emoji is an everyday thing and costs one character."""
    found = read(tmp_path, line(attributes={"output.value": "cut \ud83d", "nul": "a\0b", "k\udc00": 1}))
    attributes = found.traces[0].spans[0].attributes
    assert attributes == {"output.value": "cut \ufffd", "nul": "a\0b", "k\ufffd": 1}
    assert type(found.traces[0]).model_validate_json(found.traces[0].to_json()) == found.traces[0]


def test_blank_lines_marks_and_carriage_returns_are_nothing(tmp_path: Path) -> None:
    """A file that went through Windows is read as it is."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + line("a") + b"\r\n\r\n  \n" + line("b"))
    found = read_trace_file(file, now=NOW)
    assert (found.lines, found.quarantined, len(found.traces[0].spans)) == (2, (), 2)


def test_an_empty_file_is_an_empty_answer(tmp_path: Path) -> None:
    """Nothing recorded yet is no error."""
    (tmp_path / "t.jsonl").write_bytes(b"")
    assert read_trace_file(tmp_path / "t.jsonl", now=NOW).traces == ()


def test_a_wrong_path_is_one_clear_error(tmp_path: Path) -> None:
    """A person's slip in a path never ends in a traceback."""
    with pytest.raises(MissingPathError, match="there is no file"):
        read_trace_file(tmp_path / "nothing.jsonl", now=NOW)
    with pytest.raises(InputError, match="not a file"):
        read_trace_file(tmp_path, now=NOW)
    with pytest.raises(MissingPathError):
        read_trace_file("a\0b", now=NOW)


def test_a_line_of_20_megabytes_is_read_in_proportionate_memory(tmp_path: Path) -> None:
    """A tool that printed a whole repository must not end the import, nor fill the machine."""
    size = 20 * 1024 * 1024
    file = tmp_path / "t.jsonl"
    file.write_bytes(line(attributes={"output.value": "x" * size}) + b"\n")
    tracemalloc.start()
    found = read_trace_file(file, now=NOW)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(str(found.traces[0].spans[0].attributes["output.value"])) == size
    assert peak < 8 * size


def test_a_line_beyond_the_limit_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without line breaks cannot take all memory; the lines after it are read."""
    monkeypatch.setattr("naoshi.capture.trace_file.LONGEST_LINE", 3 * 1024 * 1024)
    found = read(tmp_path, b"x" * 8_000_000, line())
    assert "longer than 3 MiB" in found.quarantined[0].reason
    assert (found.lines, len(found.traces)) == (2, 1)


@given(content=st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([line(), line()[:-9], b"{}"])), max_size=6))
@settings(max_examples=60, deadline=None)
def test_no_bytes_end_a_reading(tmp_path_factory: pytest.TempPathFactory, content: list[bytes]) -> None:
    """Every line that is not blank is a span or is in quarantine, whatever it holds."""
    file = tmp_path_factory.mktemp("file") / "t.jsonl"
    file.write_bytes(b"\n".join(content))
    found = read_trace_file(file, now=NOW)
    good = sum(raw.removeprefix(b"\xef\xbb\xbf").strip() == line() for raw in b"\n".join(content).split(b"\n"))
    assert found.lines == good + len(found.quarantined)
    assert len(found.traces) == (1 if good else 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(key=st.sampled_from(sorted(flat())), value=json_values)
@settings(max_examples=200, deadline=None)
def test_any_value_of_any_key_is_read_or_quarantined(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    """A hostile value under any key never raises; the line has one of two ends."""
    file = tmp_path_factory.mktemp("file") / "t.jsonl"
    file.write_bytes(json.dumps(flat() | {key: value}).encode() + b"\n")
    found = read_trace_file(file, now=NOW)
    assert len(found.traces) + len(found.quarantined) == 1
