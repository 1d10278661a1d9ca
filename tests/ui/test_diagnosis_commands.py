"""`naoshi diagnose --engine`, `naoshi halo` and `naoshi repair --engine gepa`, with scripted models."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.repair import parse_handoff
from naoshi.system.git import Git
from tests.peers.scripted_api.answers import say, use
from tests.peers.scripted_api.server import ScriptedApi
from tests.repair.engines.test_halo_engine import STAND_IN, WRITE
from tests.ui.command_line import CommandLine

KEY = "sk-scripted-0123456789abcdef"


def failing_case(line: CommandLine) -> tuple[str, str]:
    """Return the identifier of a case that fails, and of the run that it came from."""
    with open_loop(line.folder) as loop:
        (run,) = loop.store.runs.find(suite="all")
        states = run.case_states()
        case = next(case for case in loop.store.cases.find(split="diagnose") if states[case.case_id].value == "fail")
        assert case.provenance.trace_id is not None
        return case.case_id, case.provenance.trace_id


def recommendation(case_id: str, trace_id: str, title: str = "Read the label") -> dict[str, object]:
    good = [{"case_id": case_id}, {"trace_id": trace_id}]
    return {
        "title": title,
        "statement": "It is missing.",
        "layer": "mapping",
        "evidence": [*good, {"case_id": "case_no"}],
    }


def test_a_model_diagnoses_and_what_it_makes_up_is_said(triaged: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the command: the model's words with citations that hold, and a line for each that does not."""
    case_id, trace_id = failing_case(triaged)
    invented = {"title": "Believe me", "evidence": [{"trace_id": "trace_none"}]}
    answer = use("give_diagnosis", recommendations=[recommendation(case_id, trace_id), invented])
    with ScriptedApi([answer]) as api:
        monkeypatch.setenv("NAOSHI_REPAIR__MODEL__MODEL", "scripted")
        monkeypatch.setenv("NAOSHI_REPAIR__MODEL__BASE_URL", f"{api.url}/v1")
        done = triaged("diagnose", "--engine", "model")
        assert case_id in api.requests[0].text
        json_too = triaged("diagnose", "--engine", "model", "--json")
        monkeypatch.setenv("NAOSHI_REPAIR__ENGINE", "model")
        handed = triaged("handoff")
        assert len(api.requests) == 2, "the handoff holds what the person saw, and asks no model again"
    assert done.status == 0 and "Read the label" in done.out
    assert "there is no such case" in done.out and "there is no such trace" in done.out
    assert "dropped, since no evidence was left: 1 recommendation" in done.out
    assert handed.status == 0 and "Read the label" in (triaged.folder / "codex_handoff.md").read_text()
    assert json_too.document["engine"] == "model" and len(json_too.document["recommendations"]) == 1


def test_an_engine_that_cannot_work_is_one_line(triaged: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the person: no model, no key, no HALO, each with its code and status."""
    for name in ("OPENAI_API_KEY", "NAOSHI_REPAIR__MODEL__MODEL"):
        monkeypatch.delenv(name, raising=False)
    nothing = triaged("diagnose", "--engine", "model")
    assert (nothing.status, nothing.code) == (3, "model-failed")
    monkeypatch.setenv("NAOSHI_REPAIR__MODEL__MODEL", "m")
    keyless = triaged("diagnose", "--engine", "model")
    assert (keyless.status, keyless.code) == (3, "model-failed") and "OPENAI_API_KEY" in keyless.err
    monkeypatch.setenv("NAOSHI_REPAIR__HALO__FOLDER", str(triaged.folder / "nowhere"))
    absent = triaged("halo", "run", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert (absent.status, absent.code) == (2, "program-missing") and "naoshi halo install" in absent.err


def test_halo_runs_on_an_export_that_is_kept(
    triaged: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Protects `naoshi halo run`: options reach HALO, its report becomes a diagnosis, export and report stay."""
    case_id, trace_id = failing_case(triaged)
    report = (
        f"## HALO Diagnosis\n1. [HIGH] a label is missing ({trace_id})\n\n## Recommended Changes\n"
        f"- Read the label in the mapping: {case_id}\n\n## Supporting Traces\n- {trace_id}\n\n"
        "## Implementation Guidance\n- small\n"
    )
    program = tmp_path / "halo" / "bin" / "python"
    program.parent.mkdir(parents=True)
    told = str(tmp_path / "told.json")
    program.write_text(STAND_IN.format(python=sys.executable, act=WRITE.format(report=report), told=told))
    program.chmod(0o755)
    (tmp_path / "halo" / ".installed").write_text("0.3.5\n")
    monkeypatch.setenv("NAOSHI_REPAIR__HALO__FOLDER", str(tmp_path / "halo"))
    done = triaged("halo", "run", "--model", "m7", "--base-url", "http://127.0.0.1:9/v1")
    assert done.status == 0 and "Read the label in the mapping" in done.out
    request = json.loads(Path(told).read_text())["request"]
    assert (request["model"], request["base_url"]) == ("m7", "http://127.0.0.1:9/v1")
    kept = {path.name for path in (triaged.folder / ".naoshi" / "halo").iterdir()}
    assert {name.split("-halo")[1] for name in kept} == {".jsonl", ".report.md", ".report.log"}
    text = next((triaged.folder / ".naoshi" / "halo").glob("*.jsonl")).read_text()
    assert trace_id in text and "human_feedback.comment" in text and "harness.file" in text
    with open_loop(triaged.folder) as loop:
        hidden = {case.case_id for split in ("validate", "holdout") for case in loop.store.cases.find(split=split)}
    assert not any(name in text for name in hidden)


def test_the_handoff_is_written_in_seven_sections(triaged: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the second layout on the whole way from the setting to the file."""
    monkeypatch.setenv("NAOSHI_REPAIR__LAYOUT", "seven")
    assert triaged("handoff").status == 0
    text = (triaged.folder / "codex_handoff.md").read_text()
    assert text.startswith("## Executive summary") and "## Machine-readable summary" in text
    assert parse_handoff(text).cases


AGENT = """\
import json, pathlib, sys
prompt = pathlib.Path("harness/prompt.md").read_text()
for line in sys.stdin:
    request = json.loads(line)
    word = request["vars"]["say"]
    print(json.dumps({"case_id": request["case_id"], "output": {"said": word.upper() if word in prompt else "?"}}),
          flush=True)
"""
CONFIG = """\
[agent]
command = {command}
timeout = 20
[repair]
editable = ["harness/"]
allow_worse = 0
"""


def prompt_shop(folder: Path) -> Path:
    """Make an agent that says the words which its prompt names, with cases in both splits."""
    words = ["ah", "oh", "uh", "eh"]
    (folder / "harness").mkdir(parents=True)
    (folder / "evals").mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "harness" / "prompt.md").write_text("Say: ah, oh.\n")
    (folder / "naoshi.toml").write_text(CONFIG.format(command=json.dumps([sys.executable, "agent.py"])))
    (folder / ".gitignore").write_text(".naoshi/\n__pycache__/\n")
    for split in ("diagnose", "validate"):
        tests = [
            {
                "vars": {"say": word},
                "assert": [{"type": "equals", "value": word.upper(), "transform": "output.said"}],
                "metadata": {"case_id": f"{split}-{word}", "category": "words", "split": split},
            }
            for word in words
        ]
        suite = {"prompts": ["x"], "providers": ["naoshi"], "tests": tests}
        (folder / "evals" / f"{split}.yaml").write_text(json.dumps(suite, indent=1))
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    Git.at(folder).commit("the agent", paths=["."])
    return folder


def test_a_better_prompt_is_searched_and_certified_as_any_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Protects `naoshi repair --engine gepa`: the real GEPA, our runner, one changed file, a certificate."""
    line = CommandLine(folder=prompt_shop(tmp_path / "shop"), capsys=capsys)
    assert line("evals", "run").status == 0
    with ScriptedApi([use("give_prompt", prompt="Say: ah, oh, uh, eh.\n"), say("done")]) as api:
        own = {"prompt": "harness/prompt.md", "model": "m", "base_url": f"{api.url}/v1", "proposals": 2}
        monkeypatch.setenv("NAOSHI_REPAIR__GEPA", json.dumps(own))
        shown = line("repair", "--engine", "gepa", "--dry-run")
        assert shown.status == 0 and "gepa harness/prompt.md" in shown.out and api.requests == []
        done = line("repair", "--engine", "gepa", "--json")
        sent = json.dumps(api.requests[0].body)
    assert done.status == 0, done.err
    change = done.document["change"]
    assert change["files"] == ["harness/prompt.md"] and change["coding_agent"] == "gepa"
    assert done.document["certificate"]["granted"] is True
    assert "diagnose-" not in sent and "UH" in sent
    assert line.worktrees() == []
    history = (line.folder / ".naoshi" / "gepa" / "history.jsonl").read_text()
    assert "validate-uh" in history and (line.folder / "harness" / "prompt.md").read_text() == "Say: ah, oh.\n"


def test_a_prompt_search_that_cannot_work_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Protects the person: no file, a file that no change may touch, no model."""
    line = CommandLine(folder=prompt_shop(tmp_path / "shop"), capsys=capsys)
    assert line("evals", "run").status == 0
    for own, code in (
        ({}, "config-invalid"),
        ({"prompt": "agent.py"}, "config-invalid"),
        ({"prompt": "harness/prompt.md"}, "model-failed"),
    ):
        monkeypatch.setenv("NAOSHI_REPAIR__GEPA", json.dumps(own))
        assert line("repair", "--engine", "gepa").code == code
