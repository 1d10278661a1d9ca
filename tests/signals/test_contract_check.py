"""The output contract: what a run must put out, and every hole that a checker of it could have."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from naoshi.errors import ConfigError
from naoshi.records import Artifact, Span, SpanStatus, Trace
from naoshi.signals.contract import check_contract
from naoshi.signals.settings import ArtifactContract, ArtifactKind, ContractSettings

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def run(*artifacts: Artifact, **more: object) -> Trace:
    return Trace(trace_id="t1", agent_version="v1", started_at=AT, artifacts=artifacts, **more)


def wants(**contract: object) -> ContractSettings:
    return ContractSettings(artifacts={"fields": ArtifactContract(**contract)})


def failures(trace: Trace, settings: ContractSettings, root: Path, **more: Path) -> list[str]:
    return [signal.failure_type for signal in check_contract(trace, settings, outputs_root=root, **more)]


def test_a_filled_record_gives_no_signal(tmp_path: Path) -> None:
    """A run that keeps its contract is left alone."""
    assert failures(run(Artifact(name="fields", value={"total": "9.00"})), wants(), tmp_path) == []


def test_a_missing_artifact_is_a_signal_with_its_trace(tmp_path: Path) -> None:
    """What is required and absent is named, with the run that lacks it."""
    (signal,) = check_contract(run(), wants(), outputs_root=tmp_path)
    assert (signal.failure_type, signal.artifact, signal.trace_id) == ("artifact_missing", "fields", "t1")
    assert signal.agent_version == "v1"
    assert signal.evidence[0].trace_id == "t1"


def test_an_optional_artifact_may_be_absent_but_not_empty(tmp_path: Path) -> None:
    """Optional says that it may be missing, not that it may be bad."""
    assert failures(run(), wants(required=False), tmp_path) == []
    assert failures(run(Artifact(name="fields", value={})), wants(required=False), tmp_path) == ["artifact_empty"]


@pytest.mark.parametrize(
    "value", [{}, [], None, "", " \n\t", "{}", "[]", {"a": None, "b": " "}, [[], {}], "\ufeff", "　", {"a": []}]
)
def test_an_empty_record_never_passes(tmp_path: Path, value: object) -> None:
    """Nothing dressed as something is still nothing."""
    assert failures(run(Artifact(name="fields", value=value)), wants(), tmp_path) == ["artifact_empty"]


@pytest.mark.parametrize("value", [0, False, {"a": 0}, [False]])
def test_zero_and_false_are_values(tmp_path: Path, value: object) -> None:
    """A zero is an answer, not an absence."""
    assert "artifact_empty" not in failures(run(Artifact(name="fields", value=value)), wants(), tmp_path)


@pytest.mark.parametrize("text", ["{", "{'a': 1}", '{"a": NaN}', "[" * 5_000, "nonsense"])
def test_text_that_is_no_json_is_said_so(tmp_path: Path, text: str) -> None:
    """Broken JSON, however deep, is a signal and not a crash."""
    assert failures(run(Artifact(name="fields", value=text)), wants(), tmp_path) == ["artifact_invalid_json"]


def test_a_number_is_no_record(tmp_path: Path) -> None:
    """Valid JSON of the wrong kind is not a record."""
    assert failures(run(Artifact(name="fields", value=7)), wants(), tmp_path) == ["artifact_wrong_kind"]


def test_a_schema_violation_names_the_field(tmp_path: Path) -> None:
    """A schema, inline or in a file, is held against the record."""
    schema = {"type": "object", "properties": {"total": {"type": "string"}}, "required": ["total"]}
    (tmp_path / "s.json").write_text('{"type": "object", "properties": {"total": {"type": "string"}}}')
    bad = run(Artifact(name="fields", value={"total": 9}))
    for given in (schema, "s.json"):
        (signal,) = check_contract(bad, wants(json_schema=given), outputs_root=tmp_path)
        assert (signal.failure_type, signal.field) == ("artifact_schema_violation", "total")
    assert failures(run(Artifact(name="fields", value={"x": 1})), wants(json_schema=schema), tmp_path) == [
        "artifact_schema_violation"
    ]
    assert failures(run(Artifact(name="fields", value={"total": "9"})), wants(json_schema=schema), tmp_path) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        "absent.json",
        "../outside.json",
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#/definitions/absent"},
    ],
)
def test_a_bad_schema_is_the_settings_fault_and_nothing_is_fetched(tmp_path: Path, schema: object) -> None:
    """A schema that cannot be used blames the settings, never the run."""
    with pytest.raises(ConfigError):
        failures(run(Artifact(name="fields", value={"total": "9"})), wants(json_schema=schema), tmp_path)


def test_texts_and_tables_need_content(tmp_path: Path) -> None:
    """White space is no text, and a header alone is no table."""
    text, table = wants(kind=ArtifactKind.text), wants(kind=ArtifactKind.table)
    assert failures(run(Artifact(name="fields", value=" \n")), text, tmp_path) == ["artifact_empty"]
    assert failures(run(Artifact(name="fields", value=["a"])), text, tmp_path) == ["artifact_wrong_kind"]
    assert failures(run(Artifact(name="fields", value="fine")), text, tmp_path) == []
    for empty in ("a,b\n", "a,b", "a,b\n , \n", [["a", "b"]], [["a"], [" "]], [{}], []):
        assert failures(run(Artifact(name="fields", value=empty)), table, tmp_path) == ["artifact_empty"], empty
    for good in ("a,b\n1,2\n", [["a"], ["1"]], [{"a": 1}]):
        assert failures(run(Artifact(name="fields", value=good)), table, tmp_path) == [], good
    assert failures(run(Artifact(name="fields", value=[1, 2])), table, tmp_path) == ["artifact_wrong_kind"]


def test_a_file_artifact_must_be_a_real_file_below_the_root(tmp_path: Path) -> None:
    """Folders, pipes, links out, absolute paths and blank files are not the file that was asked for."""
    import os

    root = tmp_path / "outputs"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (root / "good.txt").write_text("content")
    (root / "blank.txt").write_text(" \n\n")
    (root / "latin.txt").write_bytes(b"caf\xe9")
    (root / "folder").mkdir()
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(root / "pipe")
    settings = wants(kind=ArtifactKind.file)
    expected = {
        "good.txt": [],
        "absent.txt": ["file_missing"],
        "blank.txt": ["artifact_empty"],
        "latin.txt": ["file_not_utf8"],
        "folder": ["file_not_a_file"],
        ".": ["file_not_a_file"],
        "": ["file_not_a_file"],
        "pipe": ["file_not_a_file"],
        "link.txt": ["file_outside_root"],
        "/etc/passwd": ["file_outside_root"],
        "../secret.txt": ["file_outside_root"],
        "a\0b": ["file_outside_root"],
        "x" * 5_000: ["file_unreadable"],
    }
    for path, wanted in expected.items():
        assert failures(run(Artifact(name="fields", path=path)), settings, root) == wanted, path[:40]
    binary = wants(kind=ArtifactKind.file, binary=True)
    assert failures(run(Artifact(name="fields", path="latin.txt")), binary, root) == []
    assert failures(run(Artifact(name="fields", value="good.txt")), settings, root) == ["artifact_wrong_kind"]


def test_a_record_in_a_file_is_read_and_checked(tmp_path: Path) -> None:
    """A record may lie in a file; one that is not UTF-8 is a signal, not a crash."""
    (tmp_path / "good.json").write_text('\ufeff{"total": "9.00"}')
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe{")
    (tmp_path / "empty.json").write_text("")
    assert failures(run(Artifact(name="fields", path="good.json")), wants(), tmp_path) == []
    assert failures(run(Artifact(name="fields", path="bad.json")), wants(), tmp_path) == ["file_not_utf8"]
    assert failures(run(Artifact(name="fields", path="empty.json")), wants(), tmp_path) == ["artifact_empty"]


def test_files_that_a_record_names_must_exist(tmp_path: Path) -> None:
    """A referenced file is looked up, in the outputs first and among the data if given."""
    outputs, data = tmp_path / "out", tmp_path / "data"
    outputs.mkdir()
    data.mkdir()
    (outputs / "a.txt").write_text("a")
    (data / "b.txt").write_text("b")
    settings = wants(files=("path",))
    record = run(Artifact(name="fields", value=[{"path": "a.txt"}, {"path": ["a.txt", "b.txt"]}]))
    assert failures(record, settings, outputs) == ["file_missing"]
    assert failures(record, settings, outputs, data_root=data) == []
    for value in ({"x": 1}, {"path": " ", "x": 1}, {"path": 3}):
        assert failures(run(Artifact(name="fields", value=value)), settings, outputs) == ["file_missing"]


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    """A flood on the disk is a signal, not a full memory."""
    (tmp_path / "big.txt").write_text("x" * 2_000)
    settings = ContractSettings(artifacts={"fields": ArtifactContract(kind=ArtifactKind.file)}, largest_file=1_000)
    assert failures(run(Artifact(name="fields", path="big.txt")), settings, tmp_path) == ["file_too_large"]


def test_empty_settings_ask_for_something_and_check_named_files(tmp_path: Path) -> None:
    """Without any settings a run must give something, and a file that it names must be there."""
    assert failures(run(), ContractSettings(), tmp_path) == ["artifact_missing"]
    assert failures(run(output={}), ContractSettings(), tmp_path) == ["artifact_missing"]
    assert failures(run(output="done"), ContractSettings(), tmp_path) == []
    assert failures(run(Artifact(name="x", path="gone.txt")), ContractSettings(), tmp_path) == ["file_missing"]


def test_the_output_may_be_held_to_a_contract_by_name(tmp_path: Path) -> None:
    """`output` is the run's output where no artifact has that name."""
    settings = ContractSettings(artifacts={"output": ArtifactContract()})
    assert failures(run(output={"a": 1}), settings, tmp_path) == []
    assert failures(run(output="not json"), settings, tmp_path) == ["artifact_invalid_json"]
    assert failures(run(), settings, tmp_path) == ["artifact_missing"]


def test_a_run_that_ended_in_an_error_is_a_signal_but_a_handled_tool_error_is_not(tmp_path: Path) -> None:
    """Only the run's own end counts; an agent may recover from a failed tool."""
    tool = Span(trace_id="t1", span_id="b", parent_span_id="a", name="t", start_time=AT, status=SpanStatus.error)
    root = Span(trace_id="t1", span_id="a", name="agent", start_time=AT, status=SpanStatus.ok)
    assert failures(run(output="x", spans=(root, tool)), ContractSettings(), tmp_path) == []
    failed = root.model_copy(update={"status": SpanStatus.error, "status_message": "boom"})
    (signal,) = check_contract(run(output="x", spans=(failed,)), ContractSettings(), outputs_root=tmp_path)
    assert signal.failure_type == "run_failed"
    assert "boom" in signal.message


def test_signals_are_the_same_each_time(tmp_path: Path) -> None:
    """Checking a run again gives the same identifiers, so that a step done twice stores one signal."""
    trace = run(Artifact(name="fields", value={}))
    first = check_contract(trace, wants(), outputs_root=tmp_path)
    assert first == check_contract(trace, wants(), outputs_root=tmp_path)
