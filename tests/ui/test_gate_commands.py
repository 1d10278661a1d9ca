"""`naoshi gate` and its commands, as a person or a pipeline calls them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.ui.command_line import CommandLine


def row(number: int, passed: bool, category: str = "general", **options: Any) -> dict[str, Any]:
    """A result as Promptfoo writes it, of the test called *number*."""
    kind = "llm-rubric" if options else "contains"
    return {
        "testCase": {
            "vars": {"x": number},
            "assert": [{"type": kind, "value": "a"}],
            "metadata": {"category": category},
            "options": options,
        },
        "success": passed,
        "failureReason": 0 if passed else 1,
        "score": float(passed),
        "promptIdx": 0,
        "gradingResult": {
            "pass": passed,
            "score": float(passed),
            "componentResults": [{"pass": passed, "score": float(passed), "reason": "r", "assertion": {"type": kind}}],
        },
    }


def results(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text(json.dumps({"evalId": path.stem, "results": {"results": list(rows)}}))
    return str(path)


@pytest.fixture
def pipeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A folder that is no repository and has no naoshi.toml."""
    folder = tmp_path / "pipeline"
    folder.mkdir()
    return CommandLine(folder=folder, capsys=capsys)


def collapse(folder: Path) -> tuple[str, str]:
    """Two files: category A goes from 5 of 10 to 10, B from 10 of 10 to 6."""
    before = [row(n, n < 5, "A") for n in range(10)] + [row(10 + n, True, "B") for n in range(10)]
    after = [row(n, True, "A") for n in range(10)] + [row(10 + n, n < 6, "B") for n in range(10)]
    return results(folder / "before.json", *before), results(folder / "after.json", *after)


def test_two_files_are_compared_with_nothing_else_of_naoshi(pipeline: CommandLine) -> None:
    """A pipeline can use the gate alone: status 0 for the same, 3 until flips were run again, 1 by the letter."""
    before, after = collapse(pipeline.folder)
    assert pipeline("gate", "compare", before, before).status == 0
    asked = pipeline("gate", "compare", before, after, "--json")
    assert (asked.status, asked.document["outcome"], len(asked.document["rerun"])) == (3, "inconclusive", 4)
    strict = pipeline("gate", "compare", before, after, "--policy", "literal")
    assert strict.status == 1
    assert "B: 6 of 10 pass, 10 did in the baseline" in strict.out
    assert not (pipeline.folder / ".naoshi").exists()


def test_re_runs_of_both_versions_settle_what_flipped(pipeline: CommandLine) -> None:
    """The flips that show each time block, by the category's name; those that do not are chance."""
    before, after = collapse(pipeline.folder)
    flipped = range(16, 20)
    old = results(pipeline.folder / "old.json", *(row(n, True, "B") for n in flipped))
    new = results(pipeline.folder / "new.json", *(row(n, False, "B") for n in flipped))
    rounds = [word for _ in range(5) for word in ("--again", f"{old},{new}")]
    done = pipeline("gate", "compare", before, after, *rounds)
    assert done.status == 1
    assert "B: 4 of 10 cases passed and fail each time they are run again" in done.out
    chance = pipeline("gate", "compare", before, after, "--again", f"{old},{old}")
    assert chance.status == 0
    assert "does not always show" in chance.out


def test_another_judge_is_incomparable(pipeline: CommandLine) -> None:
    """Status 4 when what graded differs, also when only the re-run was graded by another."""
    first = results(pipeline.folder / "a.json", row(1, True, provider="one"), row(2, True))
    second = results(pipeline.folder / "b.json", row(1, True, provider="two"), row(2, True))
    assert pipeline("gate", "compare", first, second).status == 4
    fallen = results(pipeline.folder / "c.json", row(1, False, provider="one"), row(2, True))
    assert pipeline("gate", "compare", first, fallen, "--again", f"{first},{second}").status == 4


def test_the_settings_of_the_repository_hold_for_files_too(pipeline: CommandLine) -> None:
    """A tolerance in naoshi.toml counts; the language is that of the settings unless another is asked for."""
    before, after = collapse(pipeline.folder)
    (pipeline.folder / "naoshi.toml").write_text('language = "ja"\n[gate.categories.B]\nmax_drop = 0.4\n')
    done = pipeline("gate", "compare", before, after)
    assert (done.status, done.out[:3]) == (0, "合格:")
    assert pipeline("gate", "compare", before, after, "--language", "en").out.startswith("PASS")
    (pipeline.folder / "naoshi.toml").write_text("[gate]\nalpha = 7\n")
    wrong = pipeline("gate", "compare", before, after)
    assert (wrong.status, wrong.code) == (2, "config-invalid")


def test_hostile_text_in_a_file_is_shown_and_stays_json(pipeline: CommandLine) -> None:
    """Control characters reach no terminal, and what no UTF-8 can hold breaks no output."""
    odd = "c\x1b[31m\ud800"
    same = results(pipeline.folder / "odd.json", row(1, True, odd), row(2, False, odd))
    told = pipeline("gate", "compare", same, same)
    assert (told.status, "\x1b" in told.out, "c\\x1b[31m\\ud800" in told.out) == (0, False, True)
    assert pipeline("gate", "compare", same, same, "--json").document["categories"][0]["category"] == odd
    assert pipeline("gate", "self-test", same, "--json").status == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["none.json", "none.json"], "path-missing"),
        (["odd.json", "odd.json"], "input-invalid"),
        (["good.json"], "usage"),
        (["good.json", "good.json", "--again", "good.json"], "usage"),
        (["good.json", "good.json", "--again", "good.json,"], "usage"),
        (["good.json", "good.json", "--again", "good.json,none.json"], "path-missing"),
        (["good.json", "good.json", "--policy", "kind"], "usage"),
    ],
)
def test_files_that_cannot_be_compared_are_one_line(
    words: list[str], code: str, pipeline: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong input is never taken for a pass."""
    monkeypatch.chdir(pipeline.folder)
    results(Path("good.json"), row(1, True))
    Path("odd.json").write_text('{"results": []}')
    done = pipeline("gate", "compare", *words)
    assert (done.status, done.code) == (2, code)


def test_the_gate_tests_itself_on_a_file(pipeline: CommandLine) -> None:
    """Status 0 and every question shown; small categories are said to be too few to certify."""
    before, _ = collapse(pipeline.folder)
    done = pipeline("gate", "self-test", before, "--json")
    assert (done.status, done.document["passed"], done.document["too_few"]) == (0, True, [])
    small = results(pipeline.folder / "small.json", row(1, True, "one"), *(row(n, True, "many") for n in range(2, 20)))
    told = pipeline("gate", "self-test", small)
    assert told.status == 0
    assert "too few to certify: one;" in told.out
    (pipeline.folder / "naoshi.toml").write_text("[gate.default]\nmax_drop = 1\n")
    opened = pipeline("gate", "self-test", before)
    assert opened.status == 1
    assert "FAILED" in opened.out
    assert "nothing can block them" in opened.out


def test_the_gate_s_test_of_itself_is_told_in_japanese(pipeline: CommandLine) -> None:
    """Every question, answer and remark; nothing but names is left in English."""
    small = results(pipeline.folder / "small.json", row(1, True, "one"), *(row(n, True, "many") for n in range(2, 20)))
    (pipeline.folder / "naoshi.toml").write_text("[gate.default]\nmax_drop = 1\n")
    told = pipeline("gate", "self-test", small, "--language", "ja").out
    assert "ゲートの自己検査は不合格です" in told and "何も止められないため検査しない区分" in told
    assert set(re.findall("[A-Za-z_]+", told)) <= {
        "one",
        "many",
        "paired",
        "max_drop",
        "block",
        "run",
        "e",
        "small",
    } | set(re.findall("[A-Za-z_]+", pipeline("gate", "self-test", small, "--json").document["run_id"]))


def test_a_tolerance_of_no_category_is_said(pipeline: CommandLine) -> None:
    """Protects against a slip: `safty` in the settings guards nothing."""
    before, _ = collapse(pipeline.folder)
    (pipeline.folder / "naoshi.toml").write_text("[gate.categories.safty]\nallow = 0\nblock = 0\n")
    told = pipeline("gate", "self-test", before)
    assert told.status == 0
    assert "names what no case here is of, so that it holds for nothing: safty" in told.out


def test_the_gate_tests_itself_on_the_suites(triaged: CommandLine) -> None:
    """The latest results are used and left as they are; a suite is tested alone when it is named."""
    whole = triaged("gate", "self-test", "--json")
    assert (whole.status, whole.document["policy"]) == (0, "paired")
    part = triaged("gate", "self-test", str(triaged.folder / "evals" / "validate.yaml"), "--json")
    assert (part.status, part.document["key"] != whole.document["key"]) == (0, True)
    assert triaged("gate", "explain").code == "not-found"


def test_a_suite_that_cannot_be_tested_is_one_line(triaged: CommandLine) -> None:
    """An empty suite, one whose cases never ran, one that is not there."""
    (triaged.folder / "evals" / "mine.yaml").write_text("tests: []\n")
    assert triaged("gate", "self-test", str(triaged.folder / "evals" / "mine.yaml")).code == "suite-invalid"
    fresh = "tests:\n  - vars: {mail: mails/01.txt}\n    assert: [{type: contains, value: a}]\n"
    (triaged.folder / "evals" / "mine.yaml").write_text(fresh)
    assert triaged("gate", "self-test", str(triaged.folder / "evals" / "mine.yaml")).code == "not-found"
    assert triaged("gate", "self-test", str(triaged.folder / "evals" / "none.yaml")).code == "path-missing"


def test_a_verdict_is_explained_by_its_own_name_its_run_or_its_cycle(triaged: CommandLine) -> None:
    """However it is named it is the same verdict, told in either language, and status 0 though the gate said no."""
    assert triaged("cycle").status == 3
    judged = triaged("gate", "--json").document
    base = triaged("evals", "run", "--json").document["run_id"]
    assert triaged("gate", "--run", base).status == 0
    for name in (judged["verdict_id"], judged["verdict_id"][:14], judged["candidate_run_id"], "1"):
        found = triaged("gate", "explain", name, "--json")
        assert (found.status, found.document["verdict_id"]) == (0, judged["verdict_id"])
    assert triaged("gate", "explain", "--json").document["candidate_run_id"] == base
    assert "What to do next:" in triaged("gate", "explain").out
    assert "次にすること:" in triaged("gate", "explain", "--language", "ja").out
    assert triaged("gate", "explain", "verdict_").code == "not-found"
    assert triaged("gate", "explain", "77").code == "not-found"


def test_options_before_a_command_of_the_gate_are_not_lost_in_silence(triaged: CommandLine) -> None:
    """`naoshi gate --json explain` would print no JSON: it is refused."""
    done = triaged("gate", "--run", "x", "explain")
    assert (done.status, done.code) == (2, "usage")
