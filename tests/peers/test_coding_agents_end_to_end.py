"""A whole turn of the loop on the receipts agent, the change made by the real program and a scripted model."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.capture.trace_file import read_trace_file
from naoshi.demo.run import DemoSettings, run_demo
from naoshi.repair import find_sandbox, verify_certificate
from naoshi.system.git import Git
from tests.peers.scripted_api.answers import Answer, say, use
from tests.peers.scripted_api.server import ScriptedApi

LOOK = "cat task.md && head -c 2000 codex_handoff.md && ls harness evals"
MEND = f"{sys.executable} -m naoshi.demo.mender"
"""How the model edits the harness: by the rules that the receipts agent's own mender draws from the handoff."""


def scripted(tool: str, argument: str) -> list[Answer]:
    return [use(tool, **{argument: LOOK}), use(tool, **{argument: MEND}), say("I added what the handoff shows.")]


def settings_for(agent: str, program: Path, api: ScriptedApi) -> dict[str, str]:
    base = f"{api.url}/v1" if agent == "codex" else api.url
    own = json.dumps({"program": str(program), "base_url": base, "key_variable": "SCRIPTED_KEY", "retries": 1})
    return {
        "NAOSHI_REPAIR__AGENT": agent,
        f"NAOSHI_REPAIR__{agent.upper()}": own,
        "NAOSHI_REPAIR__SANDBOX": "require",
        "SCRIPTED_KEY": "sk-scripted-0123456789abcdef",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "tool", "argument"), [("codex", "exec_command", "cmd"), ("claude", "Bash", "command")]
)
def test_from_corrections_to_a_release(
    agent: str,
    tool: str,
    argument: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """Protects the promise: corrections become a handoff, the program edits the harness, a proven version is out."""
    program: Path = request.getfixturevalue(agent)
    if find_sandbox("auto")[0] is None:
        pytest.fail("bubblewrap is missing or does not work here; on Debian: apt-get install bubblewrap")
    told: list[str] = []
    with ScriptedApi(scripted(tool, argument)) as api:
        for name, value in settings_for(agent, program, api).items():
            monkeypatch.setenv(name, value)
        settings = DemoSettings(workspace=tmp_path / "demo", cycles=1, generated=90)
        before, after = run_demo(settings, on_row=lambda row: None, report=told.append)
    assert after.released, (after.reason, told)
    assert after.holdout.fields_right > before.holdout.fields_right
    assert len(api.requests) == 3
    assert "Done when" in api.requests[1].text and "codex_handoff" in api.requests[1].text
    assert "validate.yaml" not in api.requests[1].text.split("Done when")[-1]
    _require_kept(tmp_path / "demo" / "agent", agent, told)


def _require_kept(folder: Path, agent: str, told: list[str]) -> None:
    """Check what has to be there afterwards: record, certificate, trace; and what must not: anything left over."""
    assert any(line.strip().startswith("the coding agent runs: ") for line in told)
    with open_loop(folder) as loop:
        (change,), (release,) = loop.store.changes.find(), loop.store.releases.find()
        assert change.coding_agent == agent and all(path.startswith("harness/") for path in change.files)
        assert release.change_id == change.change_id
        (certificate,) = loop.store.certificates.find()
        assert certificate.granted and verify_certificate(certificate) == ()
        (file,) = (loop.state / "repairs").glob("*.jsonl")
        assert not any(loop.worktrees.glob("*"))
    (trace,) = read_trace_file(file, now=datetime.now(UTC)).traces
    assert trace.agent == agent and any("naoshi.demo.mender" in str(span.attributes) for span in trace.spans)
    assert "sk-scripted" not in file.read_text()
    git = Git.at(folder)
    assert git.changed() == () and git("worktree", "list").count("\n") == 0
