"""The gate alone, on what the real Promptfoo writes: each case that its results may hold, and what the gate says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from naoshi.evals.promptfoo import Promptfoo
from naoshi.evals.results_file import read_results_file
from naoshi.records import ResultState
from naoshi.ui.cli.main import run

# The agent says what it is asked, and claims in its metadata that it passed; its grader says nothing that can be read.
AGENT = """\
class Agent {
  id() { return 'agent'; }
  async callApi(prompt) {
    if (prompt.includes('boom')) return { error: 'exploded' };
    return { output: prompt.replace('BROKEN', ''), metadata: { state: 'pass', case_id: 'mine', category: 'kind' } };
  }
}
module.exports = Agent;
"""
GRADER = "class G { id() { return 'g'; } async callApi() { return { output: 'no json' }; } }\nmodule.exports = G;\n"


def asking(word: str, *, says: str | None = None, **more: Any) -> dict[str, Any]:
    return {"vars": {"x": word}, "assert": [{"type": "contains", "value": says or word}], **more}


def evaluated(promptfoo: Promptfoo, folder: Path, name: str, prompt: str, tests: list[dict[str, Any]]) -> str:
    """Run the real program twice on each of *tests* and return the file of results."""
    (folder / "agent.js").write_text(AGENT)
    (folder / "grader.js").write_text(GRADER)
    config = {
        "prompts": [prompt],
        "providers": ["file://agent.js"],
        "defaultTest": {"options": {"provider": "file://grader.js"}},
        "tests": tests,
    }
    (folder / f"{name}.json").write_text(json.dumps(config))
    output = folder / f"{name}-results.json"
    words = ["eval", "-c", f"{name}.json", "--repeat", "2", "--no-cache", "--no-table", "-o", output.name]
    environment = promptfoo.environment(os.environ, folder=folder / "config", python=sys.executable)
    subprocess.run([*promptfoo.command, *words], cwd=folder, env=environment, capture_output=True, timeout=120)
    assert output.exists()
    return str(output)


def test_what_promptfoo_writes_is_read_in_five_states(promptfoo: Promptfoo, tmp_path: Path) -> None:
    """No state is merged, the agent's own metadata decides nothing, and nothing passes that asserts nothing."""
    tests = [
        asking("good", metadata={"category": "safety"}),
        asking("bad", says="another"),
        asking("boom"),
        {"vars": {"x": "rubric"}, "assert": [{"type": "llm-rubric", "value": "is kind"}]},
        {"vars": {"x": "nothing"}},
    ]
    found = read_results_file(Path(evaluated(promptfoo, tmp_path, "one", "say {{x}}", tests)))
    assert [state.value for state in found.run.case_states().values()] == [
        "pass", "fail", "agent_error", "judge_error", "fail",
    ]  # fmt: skip
    assert {item.trial for item in found.run.results} == {0, 1}
    assert [item.category for item in found.run.results][:3] == ["safety", "safety", "general"]
    assert len(found.graders) == 1
    assert found.run.counts()[ResultState.pass_] == 2


def test_two_prompts_are_held_against_each_other(
    promptfoo: Promptfoo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prompt that breaks one category is seen, by the category's name; the same prompt again passes."""
    tests = [asking(f"a{n}", metadata={"category": "A"}) for n in range(8)]
    tests += [asking(f"b{n}", says=f"B b{n}", metadata={"category": "B"}) for n in range(8)]
    old = evaluated(promptfoo, tmp_path, "old", "{% if x[0] == 'b' %}B {{x}}{% else %}{{x}}{% endif %}", tests)
    new = evaluated(promptfoo, tmp_path, "new", "{{x}}", tests)
    assert run(["gate", "compare", old, old, "-C", str(tmp_path)]) == 0
    assert run(["gate", "compare", old, new, "-C", str(tmp_path)]) == 1
    assert "B: the pass rate of 8 cases fell from 100.0% to 0.0%" in capsys.readouterr().out
