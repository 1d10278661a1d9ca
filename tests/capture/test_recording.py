"""Recording a run inside somebody's agent."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.capture import numbered_ids, read_trace_file, record
from naoshi.capture.conventions import SPAN_KINDS
from naoshi.errors import AgentError, StoreError
from naoshi.records import Artifact, SourceDocument, SourceLine, SpanKind, SpanStatus

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Clock:
    """Gives a time that is one millisecond later at each call."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


def lines_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NAOSHI_TRACE_FILE", raising=False)
    monkeypatch.delenv("NAOSHI_AGENT_VERSION", raising=False)


def test_a_run_is_read_back_as_the_trace_that_it_was(tmp_path: Path) -> None:
    """Recorder and reader agree on every fact of a run: this is how traces enter the loop."""
    file = tmp_path / "traces" / "run.jsonl"
    with record(file, agent="receipts", version="v3", vars={"document": "box/1.csv"}, clock=Clock()) as run:
        run.source("box/1.csv", [(2, "TOTAL 12.00"), (4, "THANK YOU")])
        with run.span("answer", kind="LLM", attributes={"llm.model_name": "m"}) as step:
            step.input("question")
            step.output({"total": "12.00"})
        run.output({"total": "12.00"})
        run.artifact("fields", value={"total": "12.00"})
        run.artifact("report", path=Path("out") / "report.md")

    (trace,) = read_trace_file(file, now=NOW).traces
    assert trace.trace_id == run.trace_id
    assert (trace.agent, trace.agent_version) == ("receipts", "v3")
    assert trace.vars == {"document": "box/1.csv"}
    assert trace.output == {"total": "12.00"}
    assert trace.artifacts == (
        Artifact(name="fields", value={"total": "12.00"}),
        Artifact(name="report", path="out/report.md"),
    )
    assert trace.sources == (
        SourceDocument(
            path="box/1.csv", lines=(SourceLine(number=2, text="TOTAL 12.00"), SourceLine(number=4, text="THANK YOU"))
        ),
    )
    root, source, llm = trace.spans
    assert [span.kind for span in trace.spans] == [SpanKind.agent, SpanKind.tool, SpanKind.llm]
    assert root.parent_span_id is None
    assert source.parent_span_id == llm.parent_span_id == root.span_id
    assert llm.attributes["input.value"] == "question"
    assert json.loads(str(llm.attributes["output.value"])) == {"total": "12.00"}
    assert {span.status for span in trace.spans} == {SpanStatus.ok}
    assert trace.started_at < trace.ended_at  # type: ignore[operator]


def test_a_line_has_the_keys_of_the_flat_format(tmp_path: Path, shared_data: Path) -> None:
    """HALO reads our files: the keys are those of its own, down to the status."""
    with record(tmp_path / "t.jsonl", agent="a"):
        pass
    ours = lines_of(tmp_path / "t.jsonl")[0]
    theirs = json.loads((shared_data / "traces" / "halo_realistic.jsonl").read_text().splitlines()[0])
    assert list(ours) == list(theirs)
    assert list(ours["status"]) == list(theirs["status"])
    assert list(ours["scope"]) == list(theirs["scope"])
    assert len(ours["start_time"]) == len(theirs["start_time"])


def test_spans_nest(tmp_path: Path) -> None:
    """A step inside a step has it as parent, and the next one beside it does not."""
    with record(tmp_path / "t.jsonl", agent="a") as run:
        with run.span("outer") as outer, run.span("inner", kind="TOOL") as inner:
            pass
        with run.span("beside") as beside:
            pass
    root = lines_of(tmp_path / "t.jsonl")[-1]["span_id"]
    assert inner.parent_span_id == outer.span_id
    assert outer.parent_span_id == beside.parent_span_id == root


def test_an_exception_marks_what_it_passes_and_goes_on_up(tmp_path: Path) -> None:
    """A failed step is visible as failed, and tracing never swallows an error."""
    with pytest.raises(KeyError, match="missing"), record(tmp_path / "t.jsonl", agent="a") as run:
        with run.span("fine"):
            pass
        with run.span("outer"), run.span("inner"):
            raise KeyError("missing")
    status = {span["name"]: span["status"] for span in lines_of(tmp_path / "t.jsonl")}
    assert status["fine"]["code"] == "STATUS_CODE_OK"
    for name in ("inner", "outer", "a"):
        assert status[name] == {"code": "STATUS_CODE_ERROR", "message": "KeyError: 'missing'"}


def test_a_caught_exception_leaves_the_run_well(tmp_path: Path) -> None:
    """An agent that recovers from a failed tool has not failed."""
    with record(tmp_path / "t.jsonl", agent="a") as run:
        try:
            with run.span("tool", kind="TOOL"):
                raise ValueError
        except ValueError:
            pass
    codes = [span["status"]["code"] for span in lines_of(tmp_path / "t.jsonl")]
    assert codes == ["STATUS_CODE_ERROR", "STATUS_CODE_OK"]


def test_a_span_left_open_is_written_with_an_error(tmp_path: Path) -> None:
    """What a thread or a forgotten block left open when the run ended is not lost, and counts once."""
    with record(tmp_path / "t.jsonl", agent="a") as run:
        left = run.span("left open")
        left.__enter__()
    left.__exit__(None, None, None)
    spans = {span["name"]: span for span in lines_of(tmp_path / "t.jsonl")}
    assert spans["left open"]["status"]["code"] == "STATUS_CODE_ERROR"
    assert len(lines_of(tmp_path / "t.jsonl")) == 2


@pytest.mark.parametrize(
    ("ending", "code"),
    [("raise RuntimeError('boom')", "ERROR"), ("raise SystemExit(3)", "ERROR"), ("raise SystemExit(0)", "OK"),
     ("raise KeyboardInterrupt", "ERROR")],
)  # fmt: skip
def test_a_process_that_dies_by_an_exception_leaves_its_spans(tmp_path: Path, ending: str, code: str) -> None:
    """The run that failed is the one whose trace is wanted most."""
    file = tmp_path / "t.jsonl"
    program = (
        f"from naoshi.capture import record\nwith record(agent='a') as run:\n  with run.span('step'):\n    {ending}\n"
    )
    environment = os.environ | {"NAOSHI_TRACE_FILE": str(file), "NAOSHI_AGENT_VERSION": "v9"}
    subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=60, check=False)
    spans = lines_of(file)
    assert [span["name"] for span in spans] == ["step", "a"]
    assert {span["status"]["code"] for span in spans} == {f"STATUS_CODE_{code}"}
    assert {span["resource"]["attributes"]["service.version"] for span in spans} == {"v9"}


def test_a_killed_process_leaves_the_steps_that_had_ended(tmp_path: Path) -> None:
    """SIGKILL loses the run's own span and nothing that had ended; the reader keeps the rest as orphans."""
    file = tmp_path / "t.jsonl"
    program = (
        "import os, signal\nfrom naoshi.capture import record\n"
        f"with record({str(file)!r}, agent='a') as run:\n"
        "  with run.span('ended'): pass\n  os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=False)
    (trace,) = read_trace_file(file, now=NOW).traces
    assert [(span.name, span.orphan) for span in trace.spans] == [("ended", True)]


def test_processes_that_write_one_file_never_mix_lines(tmp_path: Path) -> None:
    """Two workers of one agent share a trace file."""
    file = tmp_path / "t.jsonl"
    program = (
        "import sys\nfrom naoshi.capture import record\nfor n in range(40):\n"
        f"  with record({str(file)!r}, agent=sys.argv[1], vars={{'n': n}}) as run:\n"
        "    with run.span('step', attributes={'output.value': 'x' * 20000}): pass\n"
    )
    workers = [subprocess.Popen([sys.executable, "-c", program, f"w{number}"]) for number in range(3)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    read = read_trace_file(file, now=NOW)
    assert (len(read.traces), read.lines, read.quarantined) == (120, 240, ())


def test_a_torn_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    """What a machine that lost power left half written costs that line alone."""
    file = tmp_path / "t.jsonl"
    file.write_text('{"trace_id": "torn')
    with record(file, agent="a"):
        pass
    read = read_trace_file(file, now=NOW)
    assert len(read.traces) == 1
    assert [line.line for line in read.quarantined] == [1]


def test_threads_and_tasks_nest_for_themselves(tmp_path: Path) -> None:
    """Steps that run at once never become each other's parents."""

    async def step(number: int) -> None:
        with run.span(f"outer {number}"):
            await asyncio.sleep(0.001 * (5 - number))
            with run.span(f"inner {number}"):
                await asyncio.sleep(0.001)

    async def all_steps() -> None:
        with run.span("group"):
            await asyncio.gather(*(step(number) for number in range(5)))

    def in_thread(number: int) -> None:
        with run.span(f"outer {number}"), run.span(f"inner {number}"):
            pass

    with record(tmp_path / "t.jsonl", agent="a") as run:
        asyncio.run(all_steps())
        threads = [Thread(target=in_thread, args=(number,)) for number in range(5, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    (trace,) = read_trace_file(tmp_path / "t.jsonl", now=NOW).traces
    by_name = {span.name: span for span in trace.spans}
    for number in range(9):
        assert by_name[f"inner {number}"].parent_span_id == by_name[f"outer {number}"].span_id
        parent = by_name["group" if number < 5 else "a"].span_id
        assert by_name[f"outer {number}"].parent_span_id == parent


def test_a_run_inside_a_run_is_its_own(tmp_path: Path) -> None:
    """An agent that calls another traced agent in the same process mixes no spans, and goes on with its own."""
    with record(agent="outer") as outer, outer.span("call"):
        with record(agent="inner") as inner, inner.span("step"):
            pass
        with outer.span("after") as after:
            pass
    inner_ids = {span["span_id"] for span in inner.spans()}
    assert {span["trace_id"] for span in inner.spans()} == {inner.trace_id}
    assert [span["parent_span_id"] in inner_ids for span in inner.spans()] == [True, False]
    assert after.parent_span_id == next(span["span_id"] for span in outer.spans() if span["name"] == "call")


def test_a_block_left_in_another_context_breaks_nothing() -> None:
    """A generator that holds a span open may be closed anywhere."""

    def steps() -> Iterator[int]:
        with run.span("generator"):
            yield 1

    with record(agent="a") as run:
        generator = steps()
        next(generator)
        Thread(target=generator.close).start()
        generator.close() if False else None
        with run.span("next"):
            pass
    assert "next" in {span["name"] for span in run.spans()}


def test_the_same_run_gives_the_same_spans() -> None:
    """An agent that names its trace and numbers its spans gives the same bytes for the same run."""

    def spans() -> list[dict[str, Any]]:
        with record(agent="a", trace_id="t1", ids=numbered_ids("t1"), clock=Clock()) as run, run.span("step"):
            pass
        return run.spans()

    assert spans() == spans()
    assert spans()[0]["trace_id"] == "t1"


def test_an_identifier_given_twice_is_refused() -> None:
    """Two spans of one name would become one at the reader."""
    with record(agent="a", ids=lambda: "same") as run, pytest.raises(ValueError, match="same"), run.span("step"):
        pass


def test_the_turns_of_a_run_are_limited() -> None:
    """L25: an agent that goes round in circles ends with a clear error; other spans do not count."""
    with pytest.raises(AgentError, match="limit of 2 turns"), record(agent="a", max_turns=2) as run:
        for _ in range(5):
            with run.span("tool", kind="TOOL"):
                pass
        for _ in range(3):
            with run.span("turn", kind="LLM"):
                pass
    assert [span["name"] for span in run.spans()].count("turn") == 2


def test_thirty_turns_are_the_default() -> None:
    """L25 names the number."""
    with record(agent="a") as run:
        for _ in range(30):
            with run.span("turn", kind="LLM"):
                pass
        with pytest.raises(AgentError), run.span("turn", kind="LLM"):
            pass


def test_a_path_that_cannot_be_written_is_said_before_the_run(tmp_path: Path) -> None:
    """A wrong setting must not cost the work of a whole run."""
    (tmp_path / "file").write_text("")
    began = False
    for path in (tmp_path, tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match="cannot write the trace file"), record(path, agent="a"):
            began = True
    assert not began


def test_a_disk_that_fails_during_the_run_does_not_end_it(tmp_path: Path) -> None:
    """The agent's work is worth more than its trace: it is warned, and the spans are still in memory."""
    file = tmp_path / "t.jsonl"
    with record(file, agent="a") as run:
        file.unlink()
        file.mkdir()
        with pytest.warns(RuntimeWarning, match="not traced"), run.span("step"):
            pass
    assert [span["name"] for span in run.spans()] == ["step", "a"]


def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that prints its spans in its answer leaves no file behind."""
    monkeypatch.chdir(tmp_path)
    with record(agent="a") as run:
        run.output("x")
    assert list(tmp_path.iterdir()) == []
    assert run.spans()[0]["attributes"]["naoshi.output"] == '"x"'


def test_a_span_outside_its_run_is_refused() -> None:
    """A span after the end could never be written; that is a mistake in the agent and is said."""
    run = record(agent="a")
    with pytest.raises(RuntimeError, match="inside"), run.span("early"):
        pass
    with run:
        pass
    with pytest.raises(RuntimeError, match="inside"), run.span("late"):
        pass
    with pytest.raises(ValueError, match="no kind"):
        run.span("x", kind="THOUGHT")


def test_the_kinds_are_those_of_the_record() -> None:
    """The recorder does not load the records; a test holds both lists together."""
    assert {kind.value for kind in SpanKind} - {"UNKNOWN"} == SPAN_KINDS


def test_what_is_said_later_changes_nothing_said_before() -> None:
    """An agent goes on using its lists and dicts after it has handed them over."""
    values, given = {"total": "1"}, {"document": "d"}
    with record(agent="a", vars=given) as run:
        given["document"] = "changed"
        run.artifact("fields", value=values)
        values["total"] = "changed"
    attributes = run.spans()[0]["attributes"]
    assert "changed" not in json.dumps(attributes)


def test_an_artifact_named_again_is_replaced() -> None:
    """A second draft of one output replaces the first."""
    with record(agent="a") as run:
        run.artifact("draft", value=1)
        run.artifact("draft", value=2)
    assert run.spans()[0]["attributes"]["naoshi.artifacts"] == '[{"name":"draft","value":2}]'


def test_secrets_are_masked_before_they_are_written(tmp_path: Path) -> None:
    """No key or password reaches the disk by any way into a span."""
    key = "sk-proj-abcdefghij1234567890"
    file = tmp_path / "t.jsonl"
    with pytest.raises(ValueError), record(file, agent="a", vars={"text": key, "nested": [{"password": "x"}]}) as run:
        run.output({"answer": f"use {key}"})
        run.artifact("answer", value=key)
        run.source("notes.txt", [f"key: {key}"])
        with run.span(f"call {key}", attributes={"http.authorization": "Basic abc", "a": [key]}):
            raise ValueError(f"refused: {key}")
    text = file.read_text()
    assert key not in text
    assert "Basic abc" not in text
    (trace,) = read_trace_file(file, now=NOW).traces
    assert trace.vars == {"text": "[redacted]", "nested": [{"password": "[redacted]"}]}


def test_a_redactor_of_ones_own_is_used_and_its_failure_shows_nothing(tmp_path: Path) -> None:
    """A user's rule replaces ours; where it fails, nothing unmasked is written."""

    def own(value: Any, /, *, name: str = "") -> Any:
        if name == "naoshi.vars":
            raise RuntimeError
        return "OWN" if name == "x" else value

    with record(agent="a", vars={"secret": "value"}, redact=own) as run, run.span("s", attributes={"x": 1}):
        pass
    step, root = run.spans()
    assert step["attributes"]["x"] == "OWN"
    assert root["attributes"]["naoshi.vars"] == '"[redacted]"'


class Awkward:
    def __str__(self) -> str:
        raise RuntimeError


endless: list[Any] = []
endless.append(endless)


@pytest.mark.parametrize(
    "value",
    [object(), Awkward(), endless, float("nan"), b"\xff", {1: {2}}, "\ud800", "\0", 10**5000, {"k\udfff": 1}, NOW, ...],
    ids=range(12),
)
def test_no_value_breaks_a_run(tmp_path: Path, value: object) -> None:
    """Tracing takes whatever an agent holds, and the file stays readable."""
    file = tmp_path / "t.jsonl"
    with record(file, agent="a", vars={"v": value}) as run:
        with run.span("s", attributes={"v": value}) as step:
            step.output(value)
        run.output(value)
        run.artifact("v", value=value)
    assert read_trace_file(file, now=NOW).quarantined == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=json_values, texts=st.lists(st.text(), max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_json_value_comes_through(tmp_path_factory: pytest.TempPathFactory, value: Any, texts: list[str]) -> None:
    """Output and artifacts are read as they were given, and sources line by line."""
    file = tmp_path_factory.mktemp("run") / "t.jsonl"
    with record(file, agent="a", vars={"v": value}, redact=lambda value, /, name="": value) as run:
        run.output(value)
        run.artifact("v", value=value)
        run.source("s.txt", texts)
    (trace,) = read_trace_file(file, now=NOW, redact=lambda value, /, name="": value).traces
    assert trace.vars == {"v": value}
    assert trace.output == value
    assert trace.artifact("v") == Artifact(name="v", value=value)
    (source,) = trace.sources
    expected = [text.replace("\r\n", " ").replace("\n", " ") for text in texts]
    assert [line.text for line in source.lines] == expected
    assert [line.number for line in source.lines] == list(range(1, len(texts) + 1))


def test_recording_loads_the_standard_library_only() -> None:
    """It runs inside other people's agents; their start-up must not pay for ours."""
    program = (
        "import sys\nfrom naoshi.capture import record\nwith record(agent='a'): pass\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'pydantic', 'sqlalchemy', 'dbos', 'rich', 'typer', 'yaml'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
