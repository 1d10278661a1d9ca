"""What is missing on this machine."""

import subprocess
from pathlib import Path

import pytest

from naoshi.app.doctor import examine
from naoshi.app.finding import Finding
from naoshi.app.initialise import initialise
from tests.evals.judging.scripted_endpoint import ScriptedEndpoint, grade


def states(folder: Path) -> dict[str, str]:
    return {finding.subject: finding.state for finding in examine(folder)}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with an agent, initialised and committed."""
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path, check=True)
    (tmp_path / "agent.py").write_text("")
    initialise(tmp_path)
    who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", "add", "--all"], cwd=tmp_path, check=True)
    subprocess.run(["git", *who, "commit", "-q", "-m", "x"], cwd=tmp_path, check=True)
    return tmp_path


def test_all_that_is_well_is_said(repository: Path) -> None:
    """A fresh repository lacks nothing but its coding agent."""
    found = states(repository)
    assert [subject for subject, state in found.items() if state == "missing"] == ["coding agent"]
    assert found["repository"] == found["naoshi.toml"] == found["suites"] == found["state"] == "ok"


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    """Each is named with its remedy, and nothing is raised or made."""
    assert states(tmp_path)["repository"] == "missing"
    assert states(tmp_path / "nowhere")["repository"] == "missing"
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    found = states(tmp_path)
    assert (found["commit"], found["naoshi.toml"]) == ("missing", "missing")


@pytest.mark.parametrize(
    ("file", "text", "subject"),
    [
        ("naoshi.toml", "[agent", "naoshi.toml"),
        ("naoshi.toml", "[repair]\neditable = ['elsewhere/']\n", "harness"),
        ("naoshi.toml", "[agent]\ncommand = ['no-such-agent']\n", "agent"),
        ("naoshi.toml", "database_url = 'postgresql://nobody@127.0.0.1:1/none'\n", "database"),
        ("evals/x.yaml", "tests: [", "suites"),
        ("naoshi.toml", "[repair]\nagent = 'codex'\n[repair.codex]\nprogram = 'no-such-codex'\n", "coding agent"),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(repository: Path, file: str, text: str, subject: str) -> None:
    """Each fault has a line of its own that says what to do."""
    (repository / file).write_text(text)
    found = next(finding for finding in examine(repository) if finding.subject == subject)
    assert found.state == "missing"
    assert found.detail and found.remedy


RUBRIC = "tests: [{vars: {x: 1}, assert: [{type: llm-rubric, value: It is polite.}], metadata: {case_id: a}}]\n"


def judge_findings(repository: Path, judge: str, *, agent: str = "none", ask: bool = False) -> dict[str, Finding]:
    config = f"[agent]\ncommand = ['sh']\nmodel = '{agent}'\n[judge]\n{judge}"
    (repository / "naoshi.toml").write_text(config)
    found = examine(repository, ask_judge=ask)
    return {finding.subject: finding for finding in found if finding.subject.startswith("judge")}


def test_a_judge_is_only_missed_where_there_are_rubrics(repository: Path) -> None:
    """Nobody needs a model who has no rubric; who has one is told before a run is lost to it."""
    assert judge_findings(repository, "")["judge"].state == "optional"
    (repository / "evals" / "x.yaml").write_text(RUBRIC)
    missed = judge_findings(repository, "")["judge"]
    assert (missed.state, missed.remedy) == ("missing", "write `model` under [judge]")
    assert "1 cases have a rubric" in missed.detail


def test_the_judge_is_looked_at_without_asking_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key, family and calibration are told; nothing is sent, which would cost money and tell somebody."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (repository / "evals" / "x.yaml").write_text(RUBRIC)
    with ScriptedEndpoint(lambda _: grade(True, 1.0)) as endpoint:
        local = f"model = 'qwen-judge'\nbase_url = '{endpoint.address}/v1'\n"
        found = judge_findings(repository, local)
        assert {name: item.state for name, item in found.items()} == {
            "judge": "ok",
            "judge's family": "ok",
            "judge's key": "ok",
            "judge's word": "optional",
        }
        assert "naoshi judge calibrate" in found["judge's word"].detail
        assert endpoint.address in found["judge"].detail and not endpoint.questions
        kin = judge_findings(repository, local, agent="qwen3-8b")["judge's family"]
        assert (kin.state, kin.detail) == ("missing", "judge and agent are both of the family qwen")
        assert judge_findings(repository, local, agent="")["judge's family"].remedy
        allowed = judge_findings(repository, f"{local}allow_same_family = true\n", agent="qwen3-8b")["judge's family"]
        assert (allowed.state, "allowed" in allowed.detail) == ("ok", True)
    keyless = judge_findings(repository, "model = 'gpt-x'\n", agent="claude-x")["judge's key"]
    assert keyless.state == "missing" and "OPENAI_API_KEY" in keyless.detail + keyless.remedy


def test_the_judge_is_asked_for_one_grade_where_somebody_wants_that(repository: Path) -> None:
    """Address, key and form of answers are right or not: only a grade can tell."""
    with ScriptedEndpoint(lambda _: grade(True, 1.0)) as endpoint:
        local = f"model = 'qwen-judge'\nretries = 0\nbase_url = '{endpoint.address}/v1'\n"
        assert judge_findings(repository, local, ask=True)["judge's answer"].state == "ok"
        assert len(endpoint.questions) == 1
    with ScriptedEndpoint(lambda _: grade(False, 0.0)) as endpoint:
        local = f"model = 'qwen-judge'\nretries = 0\nbase_url = '{endpoint.address}/v1'\n"
        wrong = judge_findings(repository, local, ask=True)["judge's answer"]
        assert (wrong.state, "fails what is plainly right" in wrong.detail) == ("optional", True)
    gone = judge_findings(repository, local, ask=True)["judge's answer"]
    assert gone.state == "missing" and gone.detail
