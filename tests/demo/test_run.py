"""The demo as a whole: it gets better, ships no regression, and never looks at the holdout."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from naoshi.demo.generator.write_receipts import write_receipts
from naoshi.demo.report.document import CycleRow
from naoshi.demo.run import DemoSettings, report_of, run_demo
from naoshi.errors import InputError, MissingPathError


def quietly(line: str) -> None:
    """Show nobody the progress."""


def rows_of(settings: DemoSettings) -> tuple[CycleRow, ...]:
    return run_demo(settings, on_row=lambda row: None, report=quietly)


@pytest.fixture(scope="module")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Path]:
    """Give a folder of generated receipts by name and seed, the same one for the same name."""
    home = tmp_path_factory.mktemp("receipts")

    def folder(name: str, seed: int) -> Path:
        if not (home / name).exists():
            write_receipts(home / name, count=60, seed=seed)
        return home / name

    return folder


@pytest.fixture(scope="module")
def with_one_holdout(
    tmp_path_factory: pytest.TempPathFactory, receipts: Callable[[str, int], Path]
) -> tuple[DemoSettings, tuple[CycleRow, ...]]:
    settings = DemoSettings(
        workspace=tmp_path_factory.mktemp("demo") / "one",
        documents=receipts("working", 1),
        holdout=receipts("held", 2),
        cycles=3,
    )
    return settings, rows_of(settings)


@pytest.mark.slow
def test_the_agent_gets_better_and_nothing_worse_is_shipped(
    with_one_holdout: tuple[DemoSettings, tuple[CycleRow, ...]],
) -> None:
    """Corrections, a fifth of them wrong, come out as versions that read more of documents nobody learned from."""
    settings, rows = with_one_holdout
    report = report_of(settings, rows, None)
    assert report.regressions_shipped == 0
    assert rows[0].holdout.at_least_75 <= 0.35
    assert rows[-1].holdout.fields_right > rows[0].holdout.fields_right * 2
    assert any(row.released for row in rows)
    document = json.loads(report.to_json())
    assert [row["cycle"] for row in document["cycles"]] == [0, 1, 2, 3]
    assert Path(document["artifacts"]["handoff"]).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("holdout", ["another", "empty"])
def test_the_holdout_never_leaks(
    holdout: str,
    with_one_holdout: tuple[DemoSettings, tuple[CycleRow, ...]],
    receipts: Callable[[str, int], Path],
    tmp_path: Path,
) -> None:
    """Harness, handoffs and cases are the same to the byte whether the holdout is one folder, another, or empty."""
    settings, _ = with_one_holdout
    other = receipts("other", 3) if holdout == "another" else _empty(tmp_path / "empty")
    twin = DemoSettings(
        workspace=tmp_path / "twin", documents=settings.documents, holdout=other, cycles=settings.cycles
    )
    rows_of(twin)
    first, second = _products(settings.workspace), _products(twin.workspace)
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []
    assert any("codex_handoff" in name for name in first) and any("evals/" in name for name in first)


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, receipts: Callable[[str, int], Path]) -> None:
    """A workspace that no demo made is refused, and what is in it stays."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError):
        rows_of(DemoSettings(workspace=tmp_path / "mine", documents=receipts("working", 1), cycles=1))
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


def test_a_missing_folder_is_one_clear_error(tmp_path: Path) -> None:
    """A folder of documents that is not there is named."""
    with pytest.raises(MissingPathError, match="no folder"):
        rows_of(DemoSettings(workspace=tmp_path / "new", documents=tmp_path / "nowhere", cycles=1))


def _empty(folder: Path) -> Path:
    (folder / "box").mkdir(parents=True)
    (folder / "key").mkdir()
    return folder


def _products(workspace: Path) -> dict[str, bytes]:
    """Return what the loop made of the working documents, by path."""
    agent = workspace / "agent"
    places = [agent / "harness", agent / "evals", agent / ".naoshi" / "evals", agent / ".naoshi" / "handoffs"]
    files = sorted(path for place in places for path in place.rglob("*") if path.is_file())
    return {path.relative_to(workspace).as_posix(): path.read_bytes() for path in files}
