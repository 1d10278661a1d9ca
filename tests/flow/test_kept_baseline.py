"""The baseline beside the suites: read back as it was written, found by its files, and hidden from coding agents."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import RepositoryError
from naoshi.flow.kept_baseline import (
    KeptBaseline,
    baseline_path,
    commit_of_baseline,
    read_baseline,
    tree_without,
    write_baseline,
)
from naoshi.flow.loop import Loop
from naoshi.flow.pipeline import keep_baseline
from naoshi.records import CaseResult, ResultState
from tests.flow.case_shop import make_case_shop, open_case_shop
from tests.gate.runs import NOW

RESULTS = st.lists(
    st.builds(
        CaseResult,
        case_id=st.text(max_size=20),
        content_hash=st.text("0123456789abcdef", max_size=8),
        category=st.text(max_size=10),
        source_key=st.text(max_size=10),
        state=st.sampled_from(ResultState),
        score=st.none() | st.floats(0, 1),
        latency_ms=st.none() | st.floats(0, 1e6),
        trial=st.integers(0, 3),
    ),
    max_size=5,
)


def kept(results: list[CaseResult], **more: object) -> KeptBaseline:
    fields: dict[str, object] = {"commit": "c", "tree": "t", "run_id": "r", "suite": "ci", "settings_hash": "s", **more}
    return KeptBaseline(kept_at=NOW, results=tuple(results), **fields)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory):
    with open_case_shop(make_case_shop(tmp_path_factory.mktemp("baseline") / "shop")) as loop:
        yield loop


@given(results=RESULTS)
def test_what_is_written_is_read(shop: Loop, results: list[CaseResult]):
    """Names in any language, odd characters and missing scores come back as they were, sorted."""
    path = shop.state / "baseline.json"
    write_baseline(path, kept(results))
    found = read_baseline(shop, path)
    assert sorted(found.results, key=repr) == sorted(results, key=repr)


def test_a_case_is_a_line(shop: Loop):
    """A review of a new baseline shows which cases changed, and nothing of what the agent put out."""
    path = baseline_path(shop)
    keep_baseline(shop)
    rows = [line for line in path.read_text().splitlines() if line.startswith("{") and '"case_id"' in line]
    assert len(rows) == 8
    assert "answer" not in path.read_text()


def test_the_commit_is_found_by_its_files(shop: Loop):
    """Suites may change without losing the baseline; another file may not."""
    found = keep_baseline(shop)
    path, git = baseline_path(shop), shop.git
    git.commit("baseline", paths=["evals"])
    assert commit_of_baseline(shop, path, found) == found.commit
    lost = found.model_copy(update={"commit": "0" * 40})
    assert commit_of_baseline(shop, path, lost) == git.commit_of("HEAD")
    other = lost.model_copy(update={"tree": "of other files"})
    assert commit_of_baseline(shop, path, other) is None
    before = tree_without(git, "HEAD", "evals")
    (git.folder / "evals" / "more.yaml").write_text("tests: []\n")
    git.commit("a suite", paths=["evals"])
    assert tree_without(git, "HEAD", "evals/") == before
    (git.folder / "more.txt").write_text("x")
    git.commit("a file", paths=["more.txt"])
    assert tree_without(git, "HEAD", "evals") != before


def test_another_branch_without_a_baseline_is_told(shop: Loop):
    """One line with the branch and what to do."""
    first = shop.git("rev-list", "--max-parents=0", "HEAD")
    with pytest.raises(RepositoryError, match=r"has no evals/baseline\.json"):
        read_baseline(shop, baseline_path(shop), ref=first)


def test_a_coding_agent_does_not_see_it(tmp_path: Path):
    """It names the cases that judge a change, and the sources that they come from."""
    folder = make_case_shop(tmp_path / "shop", settings='[evals]\nfolder = "checks"\n')
    with open_case_shop(folder) as loop:
        assert "checks/baseline.json" in loop.settings.repair.hidden
