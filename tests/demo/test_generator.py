"""The generated receipts: seeded, in the form of the real ones, hard but honest."""

from collections import Counter
from pathlib import Path

import pytest

from naoshi.demo.agent.receipts_agent.document import read_document
from naoshi.demo.agent.receipts_agent.text import squeezed
from naoshi.demo.generator import write_receipts
from naoshi.demo.generator.layouts import LAYOUTS
from naoshi.demo.generator.merchants import generated_merchants
from naoshi.demo.receipts import FIELDS, Receipt, read_receipts
from naoshi.errors import InputError


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Receipt, ...]]:
    folder = tmp_path_factory.mktemp("generated")
    return folder, write_receipts(folder, count=300, seed=7)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """A demo can be repeated exactly; another seed gives other receipts."""
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        write_receipts(tmp_path / name, count=25, seed=seed)
    assert _bytes(tmp_path / "one") == _bytes(tmp_path / "two")
    assert _bytes(tmp_path / "one") != _bytes(tmp_path / "three")


def test_they_are_read_as_the_real_ones_are(generated: tuple[Path, tuple[Receipt, ...]]) -> None:
    """What was returned is what stands in the folder, and the agent can read every document."""
    folder, receipts = generated
    assert read_receipts(folder) == receipts
    for receipt in receipts:
        assert len(read_document(folder, receipt.document).lines) > 5


def test_both_languages_and_all_layouts_occur(generated: tuple[Path, tuple[Receipt, ...]]) -> None:
    """There are at least eight layouts and forty merchants, and frequent merchants as well as rare ones."""
    assert len(LAYOUTS) >= 8
    assert {layout.language for layout in LAYOUTS} == {"en", "ja"}
    assert len(generated_merchants()) == 40
    times = Counter(receipt.truth["company"] for receipt in generated[1])
    assert max(times.values()) > 8 * min(times.values())
    assert any("令和" in str(receipt.truth["date"]) for receipt in generated[1])


def test_some_truths_stand_nowhere_and_most_do(generated: tuple[Path, tuple[Receipt, ...]]) -> None:
    """Slips of OCR make some truths unreachable by reading alone, but not so many that nobody could do well."""
    folder, receipts = generated
    found = total = 0
    for receipt in receipts:
        lines = read_document(folder, receipt.document).reading_order
        page = squeezed("".join(line.text for line in lines))
        for field in FIELDS:
            total += 1
            found += squeezed(str(receipt.truth[field])) in page
    assert 0.95 < found / total < 1.0


def test_a_folder_with_receipts_is_left_alone(tmp_path: Path) -> None:
    """Generated receipts never mix with others, and a nonsensical number is refused."""
    write_receipts(tmp_path, count=2, seed=1)
    before = _bytes(tmp_path)
    with pytest.raises(InputError):
        write_receipts(tmp_path, count=2, seed=1)
    assert _bytes(tmp_path) == before
    with pytest.raises(InputError):
        write_receipts(tmp_path / "none", count=0, seed=1)
