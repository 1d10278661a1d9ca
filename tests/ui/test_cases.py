"""`naoshi cases`, `evals holdout` and `evals run --suite smoke`, as people use them."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from naoshi.flow.quarantine import quarantine_flaky
from tests.flow.case_shop import flap, kept_run, make_case_shop, open_case_shop, suite_text
from tests.ui.command_line import CommandLine


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A repository with hand-written cases and a holdout."""
    return CommandLine(folder=make_case_shop(tmp_path / "shop", holdout=True), capsys=capsys)


@pytest.fixture
def flaky(shop: CommandLine) -> CommandLine:
    """The same with a case that flips, one of the holdout too, and one in a category where nothing may fail."""
    with open_case_shop(shop.folder) as loop:
        for mark in "+-+-+-":
            kept_run(loop, {"words-1": mark, "kept-1": mark, "safety-6": mark})
    return shop


def question_about(line: CommandLine, case_id: str) -> str:
    questions = line("cases", "review", "--list", "--json").document["questions"]
    return next(item["conversation_id"] for item in questions if item["subjects"] == [case_id])


def test_the_list_has_age_health_and_totals(flaky: CommandLine) -> None:
    """What flips is told with its share, the holdout is counted, and the totals add up."""
    done = flaky("cases", "list")
    assert done.status == 0
    row = next(line for line in done.out.splitlines() if line.startswith("words-1"))
    assert "5 of 5 (100%)" in row and "2026-03-02" in row and "(flaky)" in row
    assert "10 cases: 10 with a say in the gate, 0 quarantined, 0 being fixed, 0 retired" in done.out
    assert "3 flaky cases for a person to decide on: naoshi cases review" in done.out
    document = flaky("cases", "list", "--json").document
    assert sum(document["totals"].values()) == 10
    assert "kept-0" not in json.dumps(document)


def test_a_review_from_question_to_gate(flaky: CommandLine) -> None:
    """A flaky case is quarantined, put to a person, and what they say is in the list, the status and the ledger."""
    assert "flaky cases for a decision: naoshi cases review" in flaky("status").out
    waiting = flaky("cases", "review")
    assert (waiting.status, waiting.code) == (3, "waiting")
    assert "2 quarantined" in flaky("cases", "list").out
    assert "(2 without a say in the gate)" in flaky("status").out
    done = flaky("cases", "review", "--answer", question_about(flaky, "words-1"), "３", "--by", "aki")
    assert (done.status, "words-1: retired, by aki" in done.out) == (0, True)
    document = flaky("cases", "list", "--json").document
    assert {item["case_id"]: item["standing"] for item in document["cases"]}["words-1"] == "retired"
    kinds = [entry["kind"] for entry in flaky("ledger", "--json").document["entries"]]
    assert kinds.count("case_quarantined") == 2 and kinds.count("case_retired") == 1
    again = flaky("cases", "review", "--again", "words-1", "--list", "--json").document["questions"]
    flaky("cases", "review", "--again", "words-1", "--answer", again[0]["conversation_id"], "1", "--by", "aki")
    assert "1 quarantined" in flaky("cases", "list").out


def test_an_answer_that_is_no_number_decides_nothing(flaky: CommandLine) -> None:
    """The question stays open and the case where it was."""
    question = question_about(flaky, "words-1")
    done = flaky("cases", "review", "--answer", question, "throw it away", "--by", "aki")
    assert (done.status, done.code) == (2, "input-invalid")
    assert question_about(flaky, "words-1") == question


def test_the_origin_of_a_case(triaged: CommandLine) -> None:
    """Each minted case is shown with its correction and trace; of the holdout nothing but its name."""
    suites = triaged("cases", "list", "--json").document
    case_id = suites["cases"][0]["case_id"]
    done = triaged("cases", "show", case_id)
    assert done.status == 0
    for word in ("triage", "correction", "trace", "document", "suite        evals/"):
        assert word in done.out
    holdout = triaged.folder / ".naoshi" / "evals" / "holdout.yaml"
    kept = [line.split()[-1] for line in holdout.read_text().splitlines() if "case_id:" in line]
    assert kept
    for name in kept:
        hidden = triaged("cases", "show", name, "--json")
        assert hidden.status == 0
        assert set(hidden.document) == {"case_id", "category", "split", "whole"}
        assert "mails/" not in hidden.out + hidden.err


def test_a_broken_origin_is_a_no(shop: CommandLine) -> None:
    """Exit status 1 and the link that is broken; a case that is not there is a mistake of the caller."""
    suite = shop.folder / "evals" / "words.yaml"
    claim = '"case_id": "words-1", "provenance": {"trace_id": "t"}'
    suite.write_text(suite.read_text().replace('"case_id": "words-1"', claim))
    done = shop("cases", "show", "words-1")
    assert (done.status, "BROKEN       its trace t is not in the store" in done.out) == (1, True)
    assert shop("cases", "show", "words-1", "--json").document["broken"] == ["its trace t is not in the store"]
    assert shop("cases", "show", "nothing").code == "not-found"


def test_contradictions_are_a_no_and_near_duplicates_a_word(shop: CommandLine) -> None:
    """Both are told with where each case comes from; only the contradiction changes the exit status."""
    (shop.folder / ".naoshi" / "evals" / "holdout.yaml").unlink()
    assert "0 groups of near-duplicates" in shop("cases", "check").out
    twin = suite_text(range(1)).replace("words-0", "twin-0")
    (shop.folder / "evals" / "twins.yaml").write_text(twin)
    done = shop("cases", "check")
    assert (done.status, "near-duplicates: 2 cases" in done.out) == (0, True)
    assert shop("cases", "check", "--strict").status == 1
    (shop.folder / "evals" / "twins.yaml").write_text(twin.replace("answer 0", "another"))
    done = shop("cases", "check", "--json")
    assert done.status == 1
    (found,) = done.document["contradictions"]
    assert {item["case_id"]: item["wanted"] for item in found["cases"]} == {
        "words-0": '"answer 0"', "twin-0": '"another"'
    }  # fmt: skip
    assert all("provenance" in item for item in found["cases"])


def test_a_twin_of_a_case_of_the_holdout_shows_nothing_of_it(shop: CommandLine) -> None:
    """That the holdout has leaked is told; what it says is not."""
    file = shop.folder / ".naoshi" / "evals" / "holdout.yaml"
    file.write_text(suite_text(range(1), category="kept", split="holdout").replace("word 0", "word 0, secretly"))
    (shop.folder / "evals" / "twins.yaml").write_text(
        suite_text(range(1), category="twin").replace("word 0", "word 0, secretly?")
    )
    found = shop("cases", "check")
    assert "kept-0 (holdout; not shown)" in found.out
    assert {"case_id": "kept-0", "split": "holdout"} in shop("cases", "check", "--json").document["near_duplicates"][0][
        "cases"
    ]


def test_a_smoke_run_is_told_from_a_run_of_all(shop: CommandLine) -> None:
    """It is stored under its own name, says that no release stands on it, and moves no baseline."""
    done = shop("evals", "run", "--suite", "smoke")
    assert done.status == 0
    assert "smoke suite: 8 cases of 2 groups" in done.out
    assert "a release always stands on a run of all cases" in done.out
    document = shop("evals", "run", "--suite", "smoke", "--json").document
    assert (document["run"]["suite"], document["left_out"]) == ("smoke", [])
    with open_case_shop(shop.folder) as loop:
        assert loop.store.baselines.count() == 0
    assert shop("evals", "run", "--suite", "smoke", "evals/words.yaml").code == "usage"
    assert shop("evals", "run", "--suite", "smoke", "--runner", "promptfoo").code == "usage"


def test_a_smoke_run_passes_no_gate(shop: CommandLine) -> None:
    """Held against a run of all cases, a run of some of them is never a pass."""
    shop.configure(agent={"workers": 1})
    config = shop.folder / "naoshi.toml"
    config.write_text(config.read_text() + "\n[evals]\nsmoke_seconds = 0.002\n")
    assert shop("evals", "run").status == 0
    run = shop("evals", "run", "--suite", "smoke", "--json")
    assert run.status == 0 and len(run.document["run"]["results"]) < 8
    assert shop("gate", "--run", run.document["run"]["run_id"]).status in (1, 3, 4)


def test_what_the_holdout_was_asked_is_shown(shop: CommandLine) -> None:
    """Each run of all cases is a line, a suite of its own with cases of the holdout too, wherever the file lies."""
    assert "has not been asked" in shop("evals", "holdout").out
    shop("evals", "run")
    holdout = shop.folder / ".naoshi" / "evals" / "holdout.yaml"
    shutil.copy(holdout, shop.folder / "mine.yaml")
    for file in (holdout, shop.folder / "mine.yaml"):
        assert shop("evals", "run", str(file)).status == 0
    shop("evals", "run", str(shop.folder / "evals" / "words.yaml"))
    done = shop("evals", "holdout")
    assert "3 queries in " in done.out and "the version in force, v0" in done.out
    assert [query["cases"] for query in shop("evals", "holdout", "--json").document["queries"]] == [2, 2, 2]


def test_beyond_the_budget_a_run_is_refused_in_one_line(shop: CommandLine) -> None:
    """Exit status 1, and nothing ran."""
    config = shop.folder / "naoshi.toml"
    config.write_text(config.read_text() + "\n[evals]\nholdout_per_month = 1\n")
    assert shop("evals", "run").status == 0
    for words in (("evals", "run"), ("evals", "run", ".naoshi/evals/holdout.yaml")):
        done = shop(*words) if len(words) == 2 else shop("evals", "run", str(shop.folder / words[2]))
        assert (done.status, done.code) == (1, "holdout-budget")


def test_a_source_with_most_cases_is_told(shop: CommandLine) -> None:
    """Eight cases of one document are said to count as about one."""
    suite = shop.folder / "evals" / "words.yaml"
    suite.write_text(suite.read_text().replace('"category": "words"', '"category": "words", "source_key": "one.pdf"'))
    assert "words: 6 cases from 1 source count as 1.0" in shop("evals", "run").out
    document = shop("cases", "list", "--json").document
    assert {rate["category"]: rate["sources"] for rate in document["rates"]}["words"] == 1


def test_flips_of_candidates_are_not_in_the_list(shop: CommandLine) -> None:
    """What a coding agent's change does is no health of a case."""
    with open_case_shop(shop.folder) as loop:
        flap(loop, "words-1", version="v0+abc", commit="abc")
    document = shop("cases", "list", "--json").document
    assert {item["case_id"]: item["results"] for item in document["cases"]}["words-1"] == 0


FLAPPING = """
import json, os, pathlib, sys
place = pathlib.Path(os.environ["NAOSHI_DATA_ROOT"]) / ".naoshi" / "count"
count = int(place.read_text()) if place.exists() else 0
place.write_text(str(count + 1))
words = json.loads(pathlib.Path("harness/words.json").read_text())
if count % 2:
    words["word 1"] = "now and then"
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"case_id": request["case_id"], "output": {"said": words[request["vars"]["say"]]}}), flush=True)
"""


def test_an_agent_that_flaps_of_itself(shop: CommandLine, tmp_path: Path) -> None:
    """From runs to the quarantine, and on to a certified change that the flapping case neither blocks nor drives."""
    (shop.folder / ".naoshi" / "evals" / "holdout.yaml").unlink()
    mender = tmp_path / "mender.py"
    mender.write_text(
        "import json, pathlib\nplace = pathlib.Path('harness/words.json')\n"
        "place.write_text(json.dumps({**json.loads(place.read_text()), 'word 5': 'answer 5'}))\n"
    )
    words = shop.folder / "harness" / "words.json"
    words.write_text(words.read_text().replace("answer 5", "wrong"))
    (shop.folder / "agent.py").write_text(FLAPPING)
    (shop.folder / "evals" / "words.yaml").write_text(suite_text(range(6), split="diagnose"))
    shop.configure(
        agent={"workers": 1},
        repair={"command": [sys.executable, str(mender)], "sandbox": "off", "attempts": 1, "editable": ["harness/"]},
    )
    for _ in range(6):
        assert shop("evals", "run").status == 0
    run = shop("evals", "run")
    assert "7 with a say in the gate, 1 quarantined" in shop("cases", "list").out
    assert "1 result among them without a say in the gate (1 quarantined)" in run.out
    repaired = shop("repair", "--json")
    assert repaired.status == 0, repaired.err
    certificate = repaired.document["certificate"]
    assert (certificate["granted"], certificate["targets"], certificate["mended"]) == (True, ["words-5"], ["words-5"])
    judged = shop("gate")
    assert judged.status == 0, judged.out
    assert "words-1" in judged.out


def test_a_cycle_that_may_not_ask_the_holdout_stops_and_goes_on_later(triaged: CommandLine) -> None:
    """One clear line and no half a cycle; when a person has raised the budget it goes on where it was."""
    config = triaged.folder / "naoshi.toml"
    text = config.read_text()
    for budget, status in ((2, 1), (100, 3)):
        config.write_text(f"{text}\n[evals]\nholdout_per_month = {budget}\n")
        triaged.git("commit", "--quiet", "--all", "-m", f"budget {budget}")
        done = triaged("cycle")
        assert done.status == status, done.err
        assert done.code == {1: "holdout-budget", 3: "waiting"}[status]
    whys = [query["why"] for query in triaged("evals", "holdout", "--json").document["queries"]]
    assert sum("certificate" in why for why in whys) == 1
    assert triaged.worktrees() == []


def test_a_case_in_quarantine_alone_is_nothing_to_mend(shop: CommandLine) -> None:
    """A coding agent is not sent after a case that fails by chance."""
    (shop.folder / "evals" / "words.yaml").write_text(suite_text(range(6), split="diagnose"))
    shop.configure(repair={"command": ["true"], "editable": ["harness/"]})
    with open_case_shop(shop.folder) as loop:
        flap(loop, "words-1", "+-+-+-")
        quarantine_flaky(loop)
        kept_run(loop, {"words-1": "-"})
    done = shop("repair")
    assert (done.status, "nothing to mend" in done.err) == (1, True)
