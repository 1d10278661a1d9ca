"""`naoshi ci` as a pipeline runs it: the real program in a clone that has what is committed and nothing else."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.flow.case_shop import AGENT, make_case_shop, suite_text

RAN = "all of them ran"


@dataclass(frozen=True, kw_only=True)
class Ended:
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def line(self) -> str:
        (line,) = [line for line in self.err.splitlines() if line.startswith("naoshi: ")]
        return line


@dataclass(frozen=True, kw_only=True)
class Clone:
    """A repository of a user, and what is done in it."""

    folder: Path

    def __call__(self, *words: str, **environment: str) -> Ended:
        names = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "NAOSHI_"))}
        done = subprocess.run(
            [sys.executable, "-m", "naoshi", *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            env={**names, **environment},
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        assert "\x1b" not in done.stdout + done.stderr and "\r" not in done.stdout + done.stderr
        return Ended(status=done.returncode, out=done.stdout, err=done.stderr)

    def git(self, *words: str) -> str:
        names = ["-c", "user.name=shop", "-c", "user.email=shop@localhost", "-c", "protocol.file.allow=always"]
        return subprocess.run(
            ["git", *names, *words], cwd=self.folder, capture_output=True, text=True, check=True
        ).stdout.strip()

    def commit(self, message: str = "work") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", message)

    def clone(self, place: Path, *options: str) -> "Clone":
        self.git("clone", "--quiet", *options, f"file://{self.folder}", str(place))
        return Clone(folder=place)

    def say(self, **words: str) -> None:
        """Change what the agent answers to some words (``word_1`` is word 1)."""
        file = self.folder / "harness" / "words.json"
        known = json.loads(file.read_text())
        file.write_text(json.dumps({**known, **{name.replace("_", " "): said for name, said in words.items()}}))
        self.commit()


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A repository whose baseline is kept and committed; word 5 is answered wrongly from the start."""
    shop = Clone(folder=make_case_shop(tmp_path_factory.mktemp("origin") / "shop"))
    shop.say(word_5="wrong")
    kept = shop("ci", "--keep")
    assert kept.status == 0, kept.err
    assert "7 of 8 results pass" in kept.out
    shop.commit("baseline")
    return shop


@pytest.fixture
def clone(origin: Clone, tmp_path: Path) -> Clone:
    return origin.clone(tmp_path / "clone")


def test_a_fresh_clone_passes_and_is_left_clean(clone: Clone, tmp_path: Path):
    """Exit status 0, the report and the summary where they were asked for, and nothing to commit afterwards."""
    clone.git("checkout", "--quiet", "--detach")
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = clone("ci", "--junit", str(tmp_path / "out" / "junit.xml"), GITHUB_STEP_SUMMARY=str(summary))
    assert done.status == 0, done.err
    root = ElementTree.fromstring((tmp_path / "out" / "junit.xml").read_bytes())  # noqa: S314 - it is our own
    names = {test.attrib["name"] for test in root.iter("testcase")}
    assert {"words-0", "safety-7", "verdict"} <= names
    assert len(list(root.iter("failure"))) == 1
    assert summary.read_text().startswith("before\n## ✅ naoshi: pass")
    assert clone.git("status", "--short") == ""
    assert clone.git("worktree", "list").count("\n") == 0
    assert clone.git("tag") == ""


def test_a_summary_that_cannot_be_written_hides_no_verdict(clone: Clone, tmp_path: Path):
    """The page of the run is a courtesy: the exit status and the log stand without it, with a note."""
    done = clone("ci", GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "summary.md"))
    assert (done.status, "NOTE cannot write the step summary" in done.out) == (0, True)


def test_what_got_worse_is_a_regression(clone: Clone):
    """Exit status 1, confirmed by runs of both sides, with the cases named; what was wrong before does not block."""
    clone.say(word_1="something else", word_2="")
    done = clone("ci", "--json")
    assert done.status == 1
    verdict = done.document["verdict"]
    assert verdict["outcome"] == "regression" and verdict["rounds"] > 0
    assert {flip["case_id"] for flip in verdict["flips"] if flip["confirmed"]} == {"words-1", "words-2"}
    assert clone.git("worktree", "list").count("\n") == 0


def test_what_got_better_passes(clone: Clone):
    """A mended case is no reason to stop."""
    clone.say(word_5="answer 5")
    assert clone("ci", "--suite", "comprehensive").status == 0


def test_a_flip_cannot_be_settled_in_a_shallow_clone(origin: Clone, tmp_path: Path):
    """Inconclusive, exit status 3, and the remedy in one note: the history is not there to run the baseline again."""
    origin_copy = origin.clone(tmp_path / "copy")
    origin_copy.say(word_1="something else")
    (origin_copy.folder / "README.md").write_text("more")
    origin_copy.commit()
    shallow = origin_copy.clone(tmp_path / "shallow", "--depth", "1")
    done = shallow("ci")
    assert done.status == 3
    assert "NOTE the agent as it was at the baseline" in done.out and "fetch-depth: 0" in done.out


def test_a_baseline_is_found_after_a_squash(origin: Clone, tmp_path: Path):
    """A merge that lost the baseline's commit does not lose the baseline: the files tell which commit has it."""
    squashed = origin.clone(tmp_path / "squashed")
    squashed.git("checkout", "--quiet", "--orphan", "fresh")
    squashed.commit("all in one")
    squashed.git("branch", "--quiet", "-D", "main")
    squashed.git("remote", "remove", "origin")
    squashed.git("reflog", "expire", "--expire=now", "--all")
    squashed.git("gc", "--quiet", "--prune=now")
    squashed.say(word_1="something else")
    assert squashed("ci").status == 1


def test_a_case_that_was_taken_out_is_missed(clone: Clone):
    """Deleting the test that fails is no way past the gate, in the smoke suite either."""
    clone.say(word_1="something else")
    (clone.folder / "evals" / "words.yaml").write_text(suite_text(range(2, 6)))
    clone.commit()
    done = clone("ci", "--json")
    assert done.status in (1, 3)
    assert any("words-1" in reason for reason in done.document["verdict"]["reasons"])


def test_a_change_cannot_lower_its_own_bar(clone: Clone):
    """With --from the baseline is the one of the branch that the change is held against."""
    clone.say(word_1="something else")
    assert clone("ci", "--keep").status == 0
    clone.commit("baseline that forgives")
    assert clone("ci").status == 0
    assert clone("ci", "--from", "origin/main").status == 1


def test_a_change_of_the_gate_s_settings_counts_once_it_is_merged(clone: Clone):
    """A pull request that tolerates what it breaks is judged by the settings of the branch that it goes to."""
    clone.say(word_1="something else")
    config = clone.folder / "naoshi.toml"
    config.write_text(config.read_text() + "[gate.default]\nmax_drop = 0.9\n")
    clone.commit()
    assert clone("ci").status == 0
    assert clone("ci", "--from", "origin/main").status == 1


def test_a_change_cannot_let_a_judge_decide(origin: Clone, tmp_path: Path):
    """With --from the marks that a judge has to reach, and whom it may grade, are those of the branch."""
    main = origin.clone(tmp_path / "main")
    config = main.folder / "naoshi.toml"
    judge = '[judge]\nmodel = "gpt-4.1"\nbase_url = "https://judge.invalid"\n'
    config.write_text(config.read_text().replace("[agent]", '[agent]\nmodel = "gpt-4o"') + judge)
    main.commit()
    change = main.clone(tmp_path / "change")
    suite = json.loads((change.folder / "evals" / "words.yaml").read_text())
    suite["tests"][0]["assert"].append({"type": "llm-rubric", "value": "be kind"})
    (change.folder / "evals" / "words.yaml").write_text(json.dumps(suite))
    (change.folder / "naoshi.toml").write_text(config.read_text() + "allow_same_family = true\n")
    change.commit()
    assert change("ci").status in (3, 4)
    refused = change("ci", "--from", "origin/main")
    assert "naoshi: judge-kin: " in refused.err and refused.status not in (0, 3, 4)


def test_options_that_do_not_go_together_are_told(clone: Clone, tmp_path: Path):
    """Protects against options that are lost in silence, and against a riddle for a baseline of elsewhere."""
    assert "leave --from and --junit out" in clone("ci", "--keep", "--from", "origin/main").line
    elsewhere = tmp_path / "baseline.json"
    elsewhere.write_bytes((clone.folder / "evals" / "baseline.json").read_bytes())
    refused = clone("ci", "--baseline", str(elsewhere), "--from", "origin/main")
    assert (refused.status, "lies outside the repository" in refused.line) == (2, True)


def test_a_report_that_cannot_be_written_hides_no_verdict(clone: Clone, tmp_path: Path):
    """The verdict is told before the file fails, and no such end is a yes."""
    done = clone("ci", "--junit", str(tmp_path))
    assert "PASS: " in done.out
    assert done.status not in (0, 1, 3, 4) and "name another file with --junit" in done.line


def test_a_branch_that_was_not_fetched_says_so(clone: Clone):
    """Protects whoever uses a shallow checkout: the remedy is to fetch it, not to look for a repository."""
    done = clone("ci", "--from", "origin/elsewhere")
    assert done.status == 2
    assert "'origin/elsewhere' names no commit" in done.line and "fetch-depth: 0" in done.line


def test_a_case_without_a_grade_says_why(clone: Clone, tmp_path: Path):
    """A pipeline without the judge's key tells so on its page: inconclusive, never a pass, and no riddle."""
    suite = clone.folder / "evals" / "words.yaml"
    document = json.loads(suite.read_text())
    document["tests"][0]["assert"] = [{"type": "llm-rubric", "value": "be kind"}]
    suite.write_text(json.dumps(document))
    config = clone.folder / "naoshi.toml"
    judge = '[judge]\nmodel = "claude-judge"\nbase_url = "https://judge.invalid"\nkey_variable = "JUDGE_KEY"\n'
    config.write_text(config.read_text().replace("[agent]", '[agent]\nmodel = "none"') + judge)
    clone.commit()
    kept = clone("ci", "--keep")
    assert kept.status == 0
    assert "NOTE 1 result of it not run or not graded" in kept.out
    clone.commit("baseline")
    summary = tmp_path / "summary.md"
    done = clone("ci", GITHUB_STEP_SUMMARY=str(summary))
    assert done.status == 3
    assert "NOTE 1 case was not graded: " in done.out
    assert "the variable JUDGE_KEY is not set (the pipeline of a fork gets no secrets" in done.out
    assert "the variable JUDGE\\_KEY is not set" in summary.read_text()


def test_an_agent_that_cannot_run_in_a_bare_checkout_says_so(clone: Clone):
    """What was installed in the work tree alone makes re-runs impossible: inconclusive, never a silent pass."""
    agent = clone.folder / "agent.py"
    agent.write_text("import pathlib, sys\npathlib.Path('installed').read_text() or sys.exit(9)\n" + AGENT)
    (clone.folder / ".gitignore").write_text(".naoshi/\ninstalled\n")
    (clone.folder / "installed").write_text("yes")
    clone.commit()
    assert clone("ci", "--keep").status == 0
    clone.commit("baseline")
    clone.say(word_1="something else")
    done = clone("ci")
    assert done.status == 3
    assert "does not answer in a checkout" in done.out


def test_a_quarantined_case_has_no_say_and_is_listed(clone: Clone):
    """What a person's store had in quarantine when the baseline was kept does not block the pipeline either."""
    file = clone.folder / "evals" / "baseline.json"
    kept = json.loads(file.read_text())
    row = next(item for item in kept["results"] if item["case_id"] == "words-1")
    kept["quarantined"] = [["words-1", row["content_hash"]]]
    file.write_text(json.dumps(kept))
    clone.say(word_1="something else")
    done = clone("ci", "--json")
    assert done.status == 0
    assert [flip["case_id"] for flip in done.document["verdict"]["quarantined"]] == ["words-1"]
    assert "words-1" in {item["case_id"] for item in done.document["run"]["results"]}


def test_another_way_of_grading_is_incomparable(clone: Clone):
    """Exit status 4: results of another judge or runner cannot be held against each other."""
    file = clone.folder / "evals" / "baseline.json"
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "settings_hash": "of another judge"}))
    assert clone("ci").status == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [(None, "path-missing"), ("{", "input-invalid"), ("{}", "input-invalid"), ('{"results": [1]}', "input-invalid")],
)
def test_a_baseline_that_is_not_one_is_one_line(clone: Clone, text: str | None, told: str):
    """Exit status 2 and how to keep one."""
    file = clone.folder / "evals" / "baseline.json"
    file.unlink() if text is None else file.write_text(text)
    done = clone("ci")
    assert done.status == 2
    assert told in done.line and "naoshi ci --keep" in done.line


def test_a_baseline_of_uncommitted_files_is_refused(clone: Clone):
    """A baseline names a commit, so that the commit has to be what was run."""
    (clone.folder / "harness" / "words.json").write_text("{}")
    done = clone("ci", "--keep")
    assert (done.status, "repository-dirty" in done.line) == (2, True)


def test_an_agent_that_answers_nothing_is_no_baseline(clone: Clone):
    """A baseline of silence would let everything pass that is as silent."""
    before = (clone.folder / "evals" / "baseline.json").read_bytes()
    (clone.folder / "agent.py").write_text("raise SystemExit(3)\n")
    clone.commit()
    done = clone("ci", "--keep")
    assert (done.status, "answered none of 8 cases" in done.line) == (1, True)
    assert (clone.folder / "evals" / "baseline.json").read_bytes() == before
    assert clone("ci").status == 1


def test_a_hostile_agent_gives_the_pipeline_no_commands(clone: Clone, tmp_path: Path):
    """What an agent prints is shown as text: no workflow command, no colour, no markup, and the exit status stands."""
    said = "\n::error::x\n##[group]y\n##vso[task.setvariable variable=a]b\x1b[31m\n<script>|</script>\x00"
    clone.say(**{f"word_{number}": said for number in range(6)})
    summary = tmp_path / "summary.md"
    done = clone("ci", "--junit", str(tmp_path / "junit.xml"), GITHUB_STEP_SUMMARY=str(summary))
    assert done.status == 1
    for line in (done.out + done.err).splitlines():
        assert not line.lstrip().startswith("::") and "##[" not in line and "##vso[" not in line
    ElementTree.fromstring((tmp_path / "junit.xml").read_bytes())  # noqa: S314 - it is our own
    assert "<script>" not in summary.read_text()


def test_the_holdout_is_not_asked(tmp_path: Path):
    """Wherever the pipeline runs, also beside a store, it leaves the holdout alone."""
    shop = Clone(folder=make_case_shop(tmp_path / "shop", holdout=True))
    assert shop("ci", "--keep").status == 0
    done = shop("ci", "--suite", "comprehensive", "--json")
    assert not {"kept-0", "kept-1"} & {item["case_id"] for item in done.document["run"]["results"]}
    assert shop("evals", "holdout", "--json").document["queries"] == []
