"""The files that lie ready for the first state of a conversation: what crashes and damage do to them."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, FileStore, Reason
from naoshi.confirm.blank_files import BlankFiles
from naoshi.confirm.state_file import SLOT, blank_file
from naoshi.errors import StoreError
from tests.confirm.kept_states import asked

LABELS = ["送る", "やめる"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "confirmations"


@pytest.fixture
def blank(folder: Path) -> Path:
    """The folder of the blank files."""
    return folder / ".blank"


def ready(blank: Path) -> list[Path]:
    return sorted(path for path in blank.iterdir() if path.name != "lock")


def test_few_blank_files_lie_about_however_many_stores_ask(folder: Path, blank: Path) -> None:
    """Protects a folder that every call of a command opens anew from filling up with blank files."""
    for number in range(30):
        Confirmations(FileStore(folder)).ask(f"c{number}", "送りますか？", LABELS)
        assert len(ready(blank)) < 8
    assert len([*FileStore(folder).conversations()]) == 30


def test_no_two_askers_get_the_same_file(folder: Path) -> None:
    """Protects the conversations of many threads and stores from each other."""
    stores = [FileStore(folder) for _ in range(4)]

    def ask(number: int) -> None:
        Confirmations(stores[number % 4]).ask(f"c{number}", f"{number}?", LABELS)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(80)))
    found = {state.conversation_id: state.pending for state in FileStore(folder).conversations()}
    assert {name: question.question for name, question in found.items() if question} == {
        f"c{number}": f"{number}?" for number in range(80)
    }


@pytest.mark.parametrize("name", ["0123456789abcdef", "making-0123456789abcdef"])
def test_a_question_whose_move_the_power_cut_undid_is_put_in_place(folder: Path, blank: Path, name: str) -> None:
    """Protects a question that was shown: its content was synced, its name not yet."""
    store = FileStore(folder)
    asked(store, "c")
    before = store.get("c")
    store.path("c").rename(blank / name)
    assert FileStore(folder).get("c") == before
    assert not (blank / name).exists()
    asked(FileStore(folder), "d")
    assert FileStore(folder).get("c") == before


def test_what_is_older_than_the_file_in_place_is_not_put_over_it(folder: Path, blank: Path) -> None:
    """Protects a decision from the question that it settled."""
    confirmations = Confirmations(FileStore(folder))
    confirmations.ask("c", "送りますか？", LABELS)
    older = confirmations.store.path("c").read_bytes()  # type: ignore[attr-defined]
    assert confirmations.receive("c", "2").choice == 2
    (blank / "0123456789abcdef").write_bytes(older)
    assert Confirmations(FileStore(folder)).receive("c", "1").reason is Reason.conflict
    assert not (blank / "0123456789abcdef").exists()


def test_a_first_question_cut_anywhere_was_never_asked(folder: Path, blank: Path) -> None:
    """Protects against a file that nobody can use again, after a crash before anything was promised."""
    store = FileStore(folder)
    asked(store, "c")
    whole = store.path("c").read_bytes()
    end = len(whole[:SLOT].rstrip(b"\n").rstrip(b".").rstrip(b" "))
    for cut in (*range(0, end, 97), end - 1):
        torn = whole[:cut] + blank_file()[cut:]
        store.path("c").write_bytes(torn)
        (blank / "0123456789abcdef").write_bytes(torn)
        again = FileStore(folder)
        assert again.get("c") is None
        assert not (blank / "0123456789abcdef").exists() or cut == 0
        assert Confirmations(again).receive("c", "1").reason is Reason.nothing_pending
        asked(again, "c")


@pytest.mark.parametrize(
    "damage", [lambda data: bytes(SLOT) + data[SLOT:], lambda data: blank_file()[:SLOT] + data[SLOT:]]
)
def test_damage_to_a_first_question_is_loud(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    """Protects a question that was shown from turning into nothing pending."""
    store = FileStore(folder)
    asked(store, "c")
    store.path("c").write_bytes(damage(store.path("c").read_bytes()))
    with pytest.raises(StoreError, match="damaged"):
        store.get("c")
    assert Confirmations(FileStore(folder)).receive("c", "1").reason is Reason.store_error


@pytest.mark.parametrize("content", [b"", b" " * 100, blank_file() + b" "])
def test_a_file_of_another_size_is_never_handed_out(folder: Path, blank: Path, content: bytes) -> None:
    """Protects a question from a blank file that somebody cut."""
    asked(FileStore(folder), "c")
    for path in ready(blank):
        path.write_bytes(content)
    store = FileStore(folder) if blank_file().startswith(content) else None
    if store is None:
        with pytest.raises(StoreError, match="blank"):
            FileStore(folder)
        return
    for number in range(10):
        asked(store, f"d{number}")


def test_what_a_killed_maker_left_is_cleared_away(folder: Path, blank: Path) -> None:
    """Protects against files that nobody made whole, and that pile up."""
    asked(FileStore(folder), "c")
    for path in ready(blank):
        path.unlink()
    left = blank / "making-0123456789abcdef"
    left.write_bytes(b" " * 10)
    asked(FileStore(folder), "d")
    assert not left.exists()
    assert all(path.read_bytes() == blank_file() for path in ready(blank))


def test_one_that_others_took_is_not_taken_again(folder: Path, blank: Path) -> None:
    """Protects from a list of blank files that has grown old."""
    folder.mkdir()
    first = BlankFiles(blank, content=b"  ", syncs_names=False)
    second = BlankFiles(blank, content=b"  ", syncs_names=False)
    places = [folder / str(number) for number in range(40)]
    for number, place in enumerate(places):
        (first if number % 3 else second).take(str(place))
    assert all(place.read_bytes() == b"  " for place in places)


def test_a_folder_of_blank_files_that_went_away_is_made_again(folder: Path, blank: Path) -> None:
    """Protects a running agent from somebody who tidies up."""
    store = FileStore(folder)
    asked(store, "c")
    for path in blank.iterdir():
        path.unlink()
    blank.rmdir()
    asked(store, "d")
    assert FileStore(folder).get("c") is not None


def test_a_place_that_cannot_be_written_is_one_clear_error(folder: Path, blank: Path) -> None:
    """Protects from a traceback where the blank files cannot be made, and from a question kept nowhere."""
    store = FileStore(folder)
    blank.write_bytes(b"")
    with pytest.raises(StoreError, match="cannot write"):
        Confirmations(store).ask("c", "送りますか？", LABELS)
    blank.unlink()
    assert store.get("c") is None
    asked(store, "c")


@pytest.mark.slow
def test_a_process_killed_at_any_time_leaves_nothing_that_harms(folder: Path) -> None:
    """Protects the next asker from whatever a kill -9 in the middle of making or taking leaves."""
    program = (
        "import sys; from naoshi.confirm import Confirmations, FileStore\n"
        "c = Confirmations(FileStore(sys.argv[1]))\n"
        "print('ready', flush=True)\n"
        "for n in range(100000):\n"
        "    c.ask(f'{sys.argv[2]}.{n}', '?', ['a', 'b']); print(n, flush=True)\n"
    )
    for turn in range(15):
        words = [sys.executable, "-c", program, str(folder), str(turn)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for _ in range(2 + turn * 3):
                child.stdout.readline()
            child.kill()
            told = [int(line) for line in child.stdout.read().splitlines() if line.isdigit()]
        store = FileStore(folder)
        pending = {state.conversation_id for state in store.conversations() if state.pending}
        assert {f"{turn}.{n}" for n in range(max(told, default=turn * 3) + 1)} <= pending
        asked(store, f"after {turn}")
    assert len(ready(folder / ".blank")) < 16
    assert not [path for path in os.listdir(folder / ".locks") if path.endswith(".next")]
