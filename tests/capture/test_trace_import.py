"""Importing trace files into a store, and writing stored traces out again."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.capture import import_traces, read_trace_file, record, trace_of_answer, trace_to_lines
from naoshi.errors import InputError, MissingPathError, StoreError
from naoshi.records import Artifact, SourceDocument, SourceLine, Span, SpanKind, Trace
from naoshi.store import MemoryStore, Store
from naoshi.store.sql import SqlStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SqlStore.open(tmp_path / "naoshi.db")
    yield made
    made.close()


def flat(span: str, *, trace: str = "t1", parent: str = "", second: int = 0, **more: Any) -> str:
    made: dict[str, Any] = {
        "trace_id": trace,
        "span_id": span,
        "parent_span_id": parent,
        "name": span,
        "start_time": f"2026-03-01T00:00:{second:02}.000000000Z",
        "end_time": f"2026-03-01T00:01:{second:02}.000000000Z",
        "status": {"code": "STATUS_CODE_OK"},
        "resource": {"attributes": {"service.name": "agent", "service.version": "v1"}},
        "attributes": {"openinference.span.kind": "AGENT" if not parent else "TOOL"},
    }
    return json.dumps(made | more)


def write(folder: Path, name: str, *lines: str) -> Path:
    file = folder / name
    file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return file


def everything(store: Store) -> tuple[object, object]:
    return list(store.traces.find()), list(store.quarantine.find())


def test_importing_twice_adds_nothing(store: Store, shared_data: Path) -> None:
    """People import the same folder every day; the store must not grow from that."""
    folder = shared_data / "traces"
    first = import_traces(store, [folder], now=NOW)
    before = everything(store)
    second = import_traces(store, [folder / "halo_realistic.jsonl", folder], now=LATER)
    assert (first.files, first.lines, first.traces_added, first.spans_added) == (2, 65, 4, 65)
    assert (second.traces_added, second.traces_extended, second.spans_added, second.quarantined) == (0, 0, 0, 0)
    assert second.trace_ids == ()
    assert everything(store) == before


def test_bad_lines_are_quarantined_once(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bad line is kept with its place, and importing again, by whatever path, does not repeat it."""
    write(tmp_path, "t.jsonl", flat("root"), "{broken", flat("child", parent="root"))
    first = import_traces(store, [tmp_path / "t.jsonl"], now=NOW)
    monkeypatch.chdir(tmp_path)
    second = import_traces(store, ["./t.jsonl", tmp_path / ".." / tmp_path.name / "t.jsonl"], now=LATER)
    assert (first.traces_added, first.spans_added, first.quarantined) == (1, 2, 1)
    assert first.reasons == (f"{tmp_path / 't.jsonl'}:2: {store.quarantine.find()[0].reason}",)
    assert second.quarantined == 0
    (kept,) = store.quarantine.find(file=str(tmp_path / "t.jsonl"))
    assert (kept.line, kept.content, kept.at) == (2, "{broken", NOW)


def test_a_later_file_extends_a_known_trace(store: Store, tmp_path: Path) -> None:
    """Spans that come late join their trace, and orphans get their parents then."""
    first = import_traces(store, [write(tmp_path, "a.jsonl", flat("c1", parent="root", second=2))], now=NOW)
    assert (first.orphans, store.traces.find()[0].spans[0].orphan) == (1, True)
    root = flat("root", attributes={"openinference.span.kind": "AGENT", "naoshi.output": '"done"'})
    later = write(tmp_path, "b.jsonl", flat("c1", parent="root", second=2), root, flat("c2", parent="root", second=3))
    second = import_traces(store, [later], now=LATER)
    (trace,) = store.traces.find()
    assert [(span.span_id, span.orphan) for span in trace.spans] == [("root", False), ("c1", False), ("c2", False)]
    assert (second.traces_added, second.traces_extended, second.spans_added, second.orphans) == (0, 1, 2, 0)
    assert (trace.output, trace.source) == ("done", str(tmp_path / "a.jsonl"))
    assert second.trace_ids == ("t1",)


def test_another_span_under_a_stored_identifier_is_quarantined(store: Store, tmp_path: Path) -> None:
    """A stored span is never replaced by another, and the other is not lost."""
    import_traces(store, [write(tmp_path, "a.jsonl", flat("root"))], now=NOW)
    again = write(tmp_path, "b.jsonl", flat("new", parent="root"), flat("root", name="another"))
    report = import_traces(store, [again], now=NOW)
    assert (report.spans_added, report.quarantined) == (1, 1)
    assert report.reasons[0].endswith("b.jsonl:2: another span root of trace t1 is stored already")
    assert json.loads(store.quarantine.find()[0].content)["name"] == "another"
    assert [span.name for span in store.traces.find()[0].spans] == ["root", "new"]
    assert import_traces(store, [again], now=LATER).quarantined == 0


def test_the_same_run_recorded_again_is_the_same_run(store: Store, tmp_path: Path) -> None:
    """An agent with deterministic identifiers runs twice at different times: one trace, and no noise."""
    import_traces(store, [write(tmp_path, "a.jsonl", flat("root", second=1))], now=NOW)
    report = import_traces(store, [write(tmp_path, "b.jsonl", flat("root", second=9))], now=NOW)
    assert (report.traces_extended, report.quarantined, store.traces.count()) == (0, 0, 1)


def test_what_came_through_the_contract_stays_when_spans_come(store: Store, tmp_path: Path) -> None:
    """Output and artifacts that no span says are not lost when a file extends the trace."""
    store.traces.add(
        Trace(
            trace_id="t1",
            agent="agent",
            started_at=NOW,
            vars={"document": "d"},
            output={"total": "1"},
            artifacts=(Artifact(name="fields", value={"total": "1"}),),
        )
    )
    import_traces(store, [write(tmp_path, "a.jsonl", flat("root"))], now=NOW)
    (trace,) = store.traces.find()
    assert (trace.vars, trace.output, len(trace.artifacts)) == ({"document": "d"}, {"total": "1"}, 1)
    assert trace.agent_version == "v1"


def test_a_missing_file_imports_nothing_at_all(store: Store, tmp_path: Path) -> None:
    """A slip in the second path must not leave the first half imported."""
    good = write(tmp_path, "a.jsonl", flat("root"))
    with pytest.raises(MissingPathError, match="nothing"):
        import_traces(store, [good, tmp_path / "nothing.jsonl"], now=NOW)
    assert store.traces.count() == 0


def test_a_folder_stands_for_its_trace_files(store: Store, tmp_path: Path) -> None:
    """Sorted, below it too; HALO's index beside them is none; a folder without any is a clear error."""
    with pytest.raises(InputError, match="no trace file"):
        import_traces(store, [tmp_path], now=NOW)
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep", "b.jsonl", flat("root", trace="t2"))
    write(tmp_path, "a.jsonl", flat("root"))
    write(tmp_path, "a.jsonl.engine-index.jsonl", '{"trace_id": "t1"}')
    write(tmp_path, "notes.txt", "nothing")
    report = import_traces(store, [tmp_path], now=NOW)
    assert (report.files, report.quarantined) == (2, 0)
    assert report.trace_ids == ("t1", "t2")


def test_a_store_that_fails_keeps_nothing_of_the_file(tmp_path: Path) -> None:
    """One file is one transaction: traces without their quarantine would look like a clean import."""

    class FailingStore(MemoryStore):
        def __init__(self) -> None:
            super().__init__()
            self.quarantine = Failing()  # type: ignore[assignment]

    class Failing:
        def get(self, identifier: str) -> None:
            raise StoreError("the disk is full")

    store = FailingStore()
    with pytest.raises(StoreError):
        import_traces(store, [write(tmp_path, "a.jsonl", flat("root"), "bad")], now=NOW)
    assert store.traces.count() == 0


def test_secrets_of_foreign_traces_are_masked_on_the_way_in(store: Store, tmp_path: Path) -> None:
    """Others' tracers mask nothing; our store and the handoffs made from it must hold no keys."""
    key = "ghp_abcdefghij0123456789"
    line = flat("root", name=f"call {key}", status={"code": "ERROR", "message": key}, attributes={"a": [{"b": key}]})
    import_traces(store, [write(tmp_path, "a.jsonl", line)], now=NOW)
    assert key not in store.traces.find()[0].to_json()


def test_the_export_of_real_traces_is_the_import(shared_data: Path) -> None:
    """HALO reads our export as it read its own file: every line has the same content."""
    for name in ("halo_realistic", "halo_agents_sdk_demo"):
        file = shared_data / "traces" / f"{name}.jsonl"
        written = [line for trace in read_trace_file(file, now=NOW).traces for line in trace_to_lines(trace)]
        original = file.read_text(encoding="utf-8").splitlines()
        assert sorted(_canonical(written)) == sorted(_canonical(original))


def _canonical(lines: list[str]) -> list[str]:
    return [json.dumps(json.loads(line), sort_keys=True) for line in lines]


def test_what_the_record_does_not_hold_comes_back_too(tmp_path: Path) -> None:
    """Nanoseconds, zones, span kinds, trace state, events and links survive a round trip."""
    line = flat(
        "root",
        start_time="2026-03-01T09:00:00.123456789+09:00",
        kind="SPAN_KIND_SERVER",
        trace_state="a=b",
        events=[{"name": "e"}],
        links=[],
        scope={"name": "s", "attributes": {"x": 1}},
    )
    (trace,) = read_trace_file(write(tmp_path, "a.jsonl", line), now=NOW).traces
    (exported,) = trace_to_lines(trace)
    expected = json.loads(line) | {"status": {"code": "STATUS_CODE_OK", "message": ""}}
    assert json.loads(exported) == expected


def again(tmp_path: Path, trace: Trace) -> Trace:
    file = write(tmp_path, "export.jsonl", *trace_to_lines(trace))
    (back,) = read_trace_file(file, now=NOW).traces
    return back.model_copy(update={"source": trace.source})


def test_our_own_traces_come_back_equal(tmp_path: Path) -> None:
    """Recording, reading, exporting and reading again gives the same record."""
    with record(tmp_path / "t.jsonl", agent="a", version="v1", vars={"d": 1}) as run:
        run.source("s.txt", ["one", "two"])
        run.artifact("x", value=[1])
        run.output("text")
    (trace,) = read_trace_file(tmp_path / "t.jsonl", now=NOW).traces
    assert again(tmp_path, trace) == trace


@pytest.mark.parametrize("rooted", [True, False])
def test_facts_that_no_span_says_are_exported(tmp_path: Path, rooted: bool) -> None:
    """A trace that came through the agent contract is whole in the file that a coding agent gets."""
    child = Span(trace_id="t", span_id="c", parent_span_id="gone", name="c", start_time=NOW, kind=SpanKind.tool)
    root = Span(trace_id="t", span_id="r", name="r", start_time=NOW, end_time=LATER)
    trace = Trace(
        trace_id="t",
        agent="agent",
        agent_version="v7",
        started_at=NOW,
        ended_at=LATER,
        vars={"document": "box/1.csv"},
        output={"total": "1"},
        artifacts=(Artifact(name="fields", value={"total": "1"}), Artifact(name="file", path="a.md")),
        sources=(SourceDocument(path="box/1.csv", lines=(SourceLine(number=3, text="TOTAL 1"),)),),
        spans=(root, child) if rooted else (child,),
    )
    back = again(tmp_path, trace)
    names = ("agent", "agent_version", "vars", "output", "artifacts", "sources", "started_at")
    assert {name: getattr(back, name) for name in names} == {name: getattr(trace, name) for name in names}
    assert [span.span_id for span in back.spans if span.orphan] == ["c"]
    assert again(tmp_path, back) == back


def test_a_trace_without_spans_is_exported(tmp_path: Path) -> None:
    """An agent that prints no spans still has a run to show."""
    back = again(tmp_path, Trace(trace_id="t", agent="agent", started_at=NOW, output="x"))
    assert (back.agent, back.output, len(back.spans)) == ("agent", "x", 1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=6,
)
spans = st.lists(
    st.builds(
        Span,
        trace_id=st.just("t"),
        span_id=st.sampled_from("abcdef"),
        parent_span_id=st.none() | st.sampled_from("abcdefgh"),
        name=st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        kind=st.sampled_from(SpanKind),
        start_time=(st.integers(0, 3) | st.integers(0, 10**10)).map(lambda ms: NOW + timedelta(milliseconds=ms)),
        end_time=st.none() | st.just(LATER),
        attributes=st.dictionaries(
            st.sampled_from(["x", "output.value", "input.value", "naoshi.output", "naoshi.vars"]),
            json_values,
            max_size=3,
        ),
        resource=st.just({"service.name": "agent"}),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda span: span.span_id,
)


@given(spans=spans)
@settings(max_examples=100, deadline=None)
def test_any_trace_survives_the_round_trip(tmp_path_factory: pytest.TempPathFactory, spans: list[Span]) -> None:
    """Whatever spans hold and however they hang together, the second reading equals the first."""
    folder = tmp_path_factory.mktemp("trip")
    hand_made = Trace(trace_id="t", agent="agent", started_at=NOW, spans=tuple(spans), output={"made": "by hand"})
    once = again(folder, hand_made)
    assert once.output == hand_made.output
    assert {span.span_id for span in spans} <= {span.span_id for span in once.spans}
    assert again(folder, once) == once


def answer(**more: Any) -> Any:
    given = {
        "case_id": "c1",
        "vars": {"document": "d"},
        "output": {"total": "1"},
        "artifacts": {"fields": {"total": "1"}},
        "spans": [],
        "agent": "agent",
        "version": "v2",
        "started_at": NOW,
        "ended_at": LATER,
        "source": "eval",
    }
    return trace_of_answer(**(given | more))


def test_an_answer_with_spans_is_their_trace() -> None:
    """The identifiers are those that the agent gave; vars, output and artifacts are the contract's."""
    with record(agent="own name", version="v1", vars={"x": 0}) as run:
        run.source("s.txt", ["one"])
    made = answer(spans=run.spans())
    assert made.faults == ()
    assert made.trace.trace_id == run.trace_id
    assert (made.trace.agent, made.trace.agent_version) == ("own name", "v2")
    assert (made.trace.vars, made.trace.output) == ({"document": "d"}, {"total": "1"})
    assert made.trace.artifacts == (Artifact(name="fields", value={"total": "1"}),)
    assert made.trace.sources[0].path == "s.txt"


def test_an_answer_without_spans_is_a_trace_named_by_its_content() -> None:
    """The same answer again is the same trace; another answer is another."""
    first, again_, other = answer(), answer(started_at=LATER), answer(output={"total": "2"})
    assert first.trace.trace_id == again_.trace.trace_id != other.trace.trace_id
    (root,) = first.trace.spans
    assert (root.kind, first.trace.started_at, first.trace.ended_at) == (SpanKind.agent, NOW, LATER)


def test_spans_that_are_none_do_not_lose_the_answer() -> None:
    """An agent may print anything as spans; what is no span is reported and the run kept."""
    good = json.loads(flat("child", parent="gone"))
    made = answer(spans=[good, 1, None, {"x": 1}, good | {"trace_id": "t2"}, {"\ud800": [float("nan")]}, good])
    assert [span.span_id for span in made.trace.spans if span.orphan] == ["child"]
    assert made.trace.trace_id == "t1"
    assert len(made.faults) == 5
    assert Trace.model_validate_json(made.trace.to_json()) == made.trace


def test_an_answer_of_hostile_values_is_stored_as_plain_ones(store: Store) -> None:
    """NaN, lone surrogates and secrets in an answer reach neither the store nor a crash."""
    made = answer(output={"a": float("nan"), "b": "\ud800", "c": "sk-abcdefghij0123456789"}, case_id="\ud800")
    assert made.trace.output == {"a": "nan", "b": "\ufffd", "c": "[redacted]"}
    assert store.traces.add(made.trace)
    assert store.traces.get(made.trace.trace_id) == made.trace
