"""HALO as a program: what it is given, and what becomes of how it ends. A small program of ours stands in for it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from naoshi.capture import keep_everything, read_trace_file, redact
from naoshi.errors import HaloError, InputError, MissingProgramError, ModelError
from naoshi.records import Evidence, Split
from naoshi.repair import HaloEngine, HaloProgram, HaloSettings, checked
from naoshi.repair.engines.halo import version_name
from naoshi.repair.engines.halo_export import halo_export
from tests.repair.engines.failing_receipts import HARNESS, failing, lookup
from tests.repair.engines.halo_reports import WHOLE
from tests.repair.receipts_repository import NOW, all_cases

STAND_IN = """\
#!{python}
import json, os, pathlib, sys, time
request = json.load(sys.stdin)
told = {{"environment": dict(os.environ), "request": request, "words": sys.argv[1:]}}
told["harness"] = sorted(str(p) for p in pathlib.Path(request["repository"] or ".").rglob("*.json"))
pathlib.Path({told!r}).write_text(json.dumps(told))
print("root: thinking", file=sys.stderr)
{act}
"""
WRITE = "pathlib.Path(request['report']).write_text({report!r})"


def engine(tmp_path: Path, act: str, **settings: Any) -> HaloEngine:
    """Return the engine with a program that does *act*."""
    folder = tmp_path / "halo"
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "python"
    program.write_text(STAND_IN.format(python=sys.executable, act=act, told=str(tmp_path / "told.json")))
    program.chmod(0o755)
    (folder / ".installed").write_text("0.3.5\n")
    given = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "folder": str(folder), **settings}
    environment = {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-key-0123456789abcdef", "OUR_DATABASE": "secret"}
    halo = HaloProgram(settings=HaloSettings(**given), environment=environment)
    return HaloEngine(program=halo, kept=tmp_path / "kept", mask=redact)


def test_a_report_becomes_a_diagnosis(tmp_path: Path) -> None:
    """Protects the way through: export, program, report, citations that hold; all three files are kept."""
    found = checked(engine(tmp_path, WRITE.format(report=WHOLE)).diagnose(failing(), now=NOW), lookup(tmp_path))
    (item,) = found.recommendations
    assert item.title == "Read the value beside AMOUNT DUE" and len(item.evidence) == 4
    assert len(found.dropped) == 1 and found.engine == "halo"
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        "v0-halo.jsonl", "v0-halo.report.md", "v0-halo.report.log",
    }  # fmt: skip


def test_halo_gets_its_key_and_a_copy_of_the_harness_and_nothing_of_ours(tmp_path: Path) -> None:
    """Protects the database, the repository and the user's home: HALO is a stranger."""
    engine(tmp_path, WRITE.format(report=WHOLE)).diagnose(failing(), now=NOW)
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["environment"]["OPENAI_API_KEY"] == "sk-key-0123456789abcdef"
    assert told["environment"]["OPENAI_AGENTS_DISABLE_TRACING"] == "1"
    assert "OUR_DATABASE" not in told["environment"] and str(Path.home()) != told["environment"]["HOME"]
    assert told["words"][0] == "-I" and told["words"][1].endswith("halo_driver.py")
    if told["request"]["repository"]:
        assert [Path(path).relative_to(told["request"]["repository"]).as_posix() for path in told["harness"]] == [
            *HARNESS
        ]
    assert not Path(told["environment"]["HOME"]).exists()


@pytest.mark.parametrize(
    ("act", "told", "settings"),
    [
        ("print('the model said no', file=sys.stderr); sys.exit(1)", "the model said no", {}),
        ("sys.exit(0)", "without a report", {}),
        (WRITE.format(report="   "), "without a report", {}),
        (WRITE.format(report="All is well."), "neither layout", {}),
        ("time.sleep(30)", "did not end within 0.6 s", {"timeout": 0.6}),
    ],
    ids=["error", "silent", "blank", "no sections", "late"],
)
def test_however_it_fails_it_is_one_line_and_the_log_is_kept(
    tmp_path: Path, act: str, told: str, settings: dict[str, Any]
) -> None:
    """Protects the person: why there is no diagnosis, what to do, and the evidence of it."""
    with pytest.raises(HaloError, match=told) as failed:
        engine(tmp_path, act, **settings).diagnose(failing(), now=NOW)
    assert failed.value.exit_status == 3 and "\n" not in failed.value.line()
    assert "root: thinking" in (tmp_path / "kept" / "v0-halo.report.log").read_text()


def test_a_report_of_old_is_never_taken_for_a_new_one(tmp_path: Path) -> None:
    """Protects against yesterday's diagnosis: a run without a report is an error, whatever lies there."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "v0-halo.report.md").write_text(WHOLE)
    with pytest.raises(HaloError, match="without a report"):
        engine(tmp_path, "sys.exit(0)").diagnose(failing(), now=NOW)


def test_what_is_missing_is_said_before_anything_runs(tmp_path: Path) -> None:
    """Protects against a long wait for nothing: no program, no model, no key, no interpreter."""
    bare = HaloProgram(
        settings=HaloSettings(model="m", folder=str(tmp_path / "none")), environment={"OPENAI_API_KEY": "k"}
    )
    with pytest.raises(MissingProgramError, match="not installed") as missing:
        HaloEngine(program=bare, kept=tmp_path).diagnose(failing(), now=NOW)
    assert "naoshi halo install" in missing.value.advice
    for settings, told in ((HaloSettings(), "no model"), (HaloSettings(model="m"), "no key for HALO")):
        program = HaloProgram(settings=settings, environment={})
        with pytest.raises(ModelError, match=told):
            HaloEngine(program=program, kept=tmp_path).diagnose(failing(), now=NOW)
    nowhere = HaloSettings(folder=str(tmp_path / "x"), python="no-such-python")
    with pytest.raises(MissingProgramError, match="no such interpreter"):
        HaloProgram(settings=nowhere, environment={"PATH": "/usr/bin", "PYENV_ROOT": "/nowhere"}).install(report=print)


def test_the_export_is_flat_lines_that_our_reader_reads_too(tmp_path: Path) -> None:
    """Protects HALO's strict reader and ours: every line whole, feedback and results on the run that they are about."""
    export = halo_export(failing())
    file = tmp_path / "export.jsonl"
    file.write_text("".join(f"{line}\n" for line in export.lines))
    read = read_trace_file(file, now=NOW, redact=keep_everything)
    assert read.quarantined == () and read.lines == len(export.lines)
    traces = {trace.trace_id: trace for trace in read.traces}
    names = [span.name for span in traces["trace_003"].spans]
    assert names.count("human_feedback.comment") == 1 and names.count("eval_gate.result") == 4 and "read" in names
    for line in map(json.loads, export.lines):
        assert set(line["status"]) == {"code", "message"} and line["scope"]["name"] and line["end_time"]
        assert "service.version" in line["resource"]["attributes"]
        assert {"inference.project_id", "inference.observation_kind"} <= set(line["attributes"])
    kinds = {json.loads(line)["attributes"]["inference.observation_kind"] for line in export.lines}
    assert kinds >= {"HARNESS_CONFIG", "HUMAN_FEEDBACK", "SIGNAL", "EVAL", "EVAL_RESULT", "TOOL"}
    assert halo_export(failing()) == export
    assert Evidence(case_id="case_003_total") in export.aliases.values()
    assert Evidence(path="harness/labels.json") in export.aliases.values()


def test_a_foreign_recorders_gaps_are_filled(tmp_path: Path) -> None:
    """Protects traces of other recorders: without scope, end or status they are still read by HALO."""
    bare = json.dumps({"trace_id": "t1", "span_id": "s1", "name": "x", "start_time": "2026-01-01T00:00:00Z"})
    (line,) = (json.loads(item) for item in halo_export(failing(trace_lines={"t1": bare})).lines if '"s1"' in item)
    assert line["end_time"] == line["start_time"] and line["status"]["code"] == "STATUS_CODE_UNSET"
    assert line["scope"]["name"] and line["kind"] == "SPAN_KIND_INTERNAL" and line["parent_span_id"] == ""


def test_nothing_hidden_and_no_secret_is_exported() -> None:
    """Protects validate, holdout and keys: hidden cases are an error, results of hidden cases are not there."""
    hidden = [case for case in all_cases() if case.split is not Split.diagnose]
    program = HaloProgram(settings=HaloSettings(model="m"), environment={})
    with pytest.raises(InputError, match="not diagnosed"):
        HaloEngine(program=program, kept=Path("unused")).diagnose(failing(cases=hidden), now=NOW)
    leaky = failing(
        harness={"harness/a.py": "key = 'sk-abcdefghij0123456789'"}, gate="token=ghp_0123456789abcdefghijABCDEF"
    )
    text = "\n".join(halo_export(leaky, mask=redact).lines)
    assert "sk-abcdefghij" not in text and "ghp_0123" not in text
    assert not any(value in text for value in ("20.20", "50.50", "60.60", "case_002", "case_005", "case_006"))


@pytest.mark.parametrize("version", ["v12", "v1+abcdef", "../../x", "", "v.", "版"])
def test_any_version_gives_files_that_stay_in_their_folder(version: str) -> None:
    """Protects the disk: one file for each version, wherever its name came from."""
    name = version_name(version)
    assert "/" not in name and name.endswith("-halo") and not name.startswith(".")
    assert version_name("v12") == "v12-halo" and len({version_name(item) for item in ("a/b", "a_b", "a.b")}) == 3
