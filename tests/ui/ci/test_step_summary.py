"""The summary on GitHub's page says what was found, and cannot be made to say something else."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import StoreError
from naoshi.gate.decide import decide
from naoshi.gate.policy import GatePolicy
from naoshi.records import EvalRun, Verdict
from naoshi.ui.ci.step_summary import append_summary, plain, summary
from tests.gate.runs import NOW, of_counts, result, run


def judged(candidate: EvalRun, baseline: EvalRun | None = None) -> Verdict:
    return decide(candidate, baseline, GatePolicy(policy="literal"), now=NOW)


def test_it_says_verdict_categories_states_and_flips():
    """What a reviewer needs stands on the page: outcome, rates, all five states in the total, and the cases."""
    before, after = of_counts("v0", total=(3, 4), date=(2, 2)), of_counts("v1", total=(1, 4), date=(2, 2))
    text = summary(after, judged(after, before), scope="smoke suite")
    assert text.startswith("## ❌ naoshi: regression (smoke suite)\n")
    assert "| total | 4 | 75.0% | 25.0% | regression |" in text
    assert "| **all** | | | **3** | **3** | **0** | **0** | **0** |" in text
    assert "### Got worse (2)" in text and "total\\-1" in text


def test_quarantined_cases_are_listed():
    """A case without a say is on the page too."""
    candidate = run(result("a"))
    flips = judged(run(result("a", "fail"), result("b")), run(result("a"), result("b"), version="v0")).flips
    verdict = judged(candidate).model_copy(update={"quarantined": flips})
    assert "In quarantine" in summary(candidate, verdict, scope="all cases")


def test_notes_are_shown():
    """What could not be done is said where people look."""
    candidate = run(result("a"))
    text = summary(candidate, judged(candidate), scope="x", notes=["fetch the whole history"])
    assert "fetch the whole history" in text


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>", "</td></table>", "[click](javascript:alert(1))", "| a | b |", "`code`",
        "# head", "\n## ✅ naoshi: pass", "@everyone", "![x](https://x/y.png)", "<!-- hidden", "a\\|b", "$\\frac{}$",
        "**bold**", "~~gone~~", "&lt;script&gt;", "\x1b[31mred", "https://evil.example", "- item",
    ],
)  # fmt: skip
def test_what_an_agent_says_is_never_markup(text: str):
    """Names of cases, categories and reasons are shown as they are, on their own line, and mean nothing."""
    candidate = run(result(text, "fail", text))
    page = summary(candidate, judged(candidate, run(result(text, "pass", text), version="v0")), scope="x")
    assert plain(text) in page
    assert "<" not in page and ">" not in page
    assert page.count("## ") == page.count("\n### ") + 1
    for line in page.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) in (6, 9)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_every_mark_is_escaped(text: str):
    """No character that Markdown or HTML reads is left bare, whatever the text."""
    shown = plain(text)
    bare = re.sub(r"\\.|&(?:lt|gt|amp);", "", shown)
    assert not re.search(r"[\\`*_{}\[\]()#+!|~<>&@:$-]", bare)
    assert "\n" not in shown and shown.isprintable()


def test_a_huge_run_gives_a_small_page():
    """GitHub refuses more than a megabyte, and nobody reads it."""
    many = run(*(result(f"c{n}", "fail", f"category {n} {'x' * 280}") for n in range(3000)))
    text = summary(many, judged(many), scope="x")
    assert len(text.encode()) < 1_000_000 and "naoshi:" in text


def test_it_is_added_to_what_other_steps_wrote(tmp_path: Path):
    """The file belongs to the job: nothing in it is lost."""
    path = tmp_path / "summary.md"
    path.write_text("of another step\n")
    append_summary(path, "ours \ud800\n")
    assert path.read_text() == "of another step\nours \\ud800\n"
    with pytest.raises(StoreError):
        append_summary(tmp_path / "no" / "folder.md", "ours")


def test_what_was_not_judged_is_listed_apart():
    """A judge's failure does not stand among the cases that the agent made worse."""
    candidate = run(result("a", "judge_error"), result("b", "fail"), version="v1")
    text = summary(candidate, judged(candidate, run(result("a"), result("b"))), scope="all cases")
    assert "### Got worse (1)" in text
    assert "### Not run or not judged in one of the runs (1)" in text


def test_no_category_is_called_well_when_the_runs_do_not_compare():
    """The table of an incomparable verdict holds no approval."""
    candidate = run(result("a"), settings_hash="x", version="v1")
    text = summary(candidate, judged(candidate, run(result("a"))), scope="all cases")
    assert "100.0% | incomparable |" in text
    assert "| pass |\n" not in text


def test_it_speaks_japanese_from_head_to_foot():
    """A Japanese team reads no English on the page but names and figures."""
    states = ("pass", "fail", "agent_error", "judge_error", "not_run")
    ended = [*states, *["fail"] * 30]
    before = run(*(result(f"c{number}") for number, _ in enumerate(ended)), version="v0")
    after = run(*(result(f"c{number}", state) for number, state in enumerate(ended)))
    text = summary(after, judged(after, before), scope="smoke suite", language="ja")
    assert text.startswith("## ❌ naoshi: 後退 (スモークスイート)")
    assert set(re.findall("[A-Za-z]+", text)) == {"naoshi", "general", "paired", "c"}
    assert "ほか 12 件" in text


def test_reasons_that_are_left_out_are_counted():
    """No reason vanishes without a word."""
    after = run(*(result(f"c{number}", "fail", f"category {number}") for number in range(25)))
    before = run(*(result(f"c{number}", category=f"category {number}") for number in range(25)), version="v0")
    assert "- and 5 more\n" in summary(after, judged(after, before), scope="all cases")
