"""Files that survive a crash, and paths that stay where they belong."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import InputError, MissingPathError, StoreError
from naoshi.system.files import inside, read_text, write_durably


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    """Text and bytes come back as they were, with nothing left beside them."""
    write_durably(tmp_path / "a" / "b" / "text", "直し\r\n")
    write_durably(tmp_path / "a" / "b" / "bytes", b"\x00\xff", mode=0o600)
    assert (tmp_path / "a" / "b" / "text").read_bytes().decode() == "直し\r\n"
    assert (tmp_path / "a" / "b" / "bytes").read_bytes() == b"\x00\xff"
    assert (tmp_path / "a" / "b" / "bytes").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path / "a" / "b")) == ["bytes", "text"]


def test_a_text_with_a_lone_surrogate_is_written(tmp_path: Path) -> None:
    """Agents' output goes into files; a broken emoji must not end a cycle."""
    write_durably(tmp_path / "f", "cut \ud83d")
    assert read_text(tmp_path / "f") == "cut \\ud83d"


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    """Nothing half written, nothing left beside, and one clear error."""
    (tmp_path / "file").write_text("old")
    for wrong in (tmp_path / "file" / "below", tmp_path / ("x" * 300), tmp_path / "a\0b", tmp_path / "\ud800"):
        with pytest.raises(StoreError):
            write_durably(wrong, "new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError):
        write_durably(tmp_path / "folder", "new")
    assert (tmp_path / "file").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_a_killed_writer_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    """SIGKILL while a file is replaced again and again: it is always one whole version."""
    file = tmp_path / "f"
    program = (
        "import sys\nfrom pathlib import Path\nfrom naoshi.system.files import write_durably\n"
        "n = 0\nwhile True:\n  write_durably(Path(sys.argv[1]), f'{n % 10}' * 200_000)\n  n += 1\n  print(flush=True)\n"
    )
    for delay in (0.0, 0.02, 0.05):
        writer = subprocess.Popen([sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        writer.kill()
        writer.communicate()
        content = file.read_text()
        assert len(content) == 200_000
        assert len(set(content)) == 1


def test_a_file_is_read_as_text(tmp_path: Path) -> None:
    """A byte-order mark is no content."""
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf\xe7\x9b\xb4\n")
    assert read_text(tmp_path / "f") == "直\n"


def test_what_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    """A person's slip is named: missing, a folder, another encoding."""
    (tmp_path / "f").write_bytes(b"ok \xff")
    for missing in (tmp_path / "nothing", tmp_path / "a\0b", tmp_path / "\ud800"):
        with pytest.raises(MissingPathError):
            read_text(missing)
    with pytest.raises(InputError, match="not UTF-8"):
        read_text(tmp_path / "f")
    with pytest.raises(InputError, match="cannot read"):
        read_text(tmp_path)
    with pytest.raises(InputError, match="cannot read"):
        read_text(tmp_path / "f" / "below")


def test_a_path_inside_is_given_with_links_followed(tmp_path: Path) -> None:
    """What lies inside may be named by any way that stays inside."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").write_text("x")
    (tmp_path / "link").symlink_to("a")
    for way in ("a/f", "./a/f", "link/f", "a/../a/f", "a//f"):
        assert inside(tmp_path, way) == (tmp_path / "a" / "f").resolve()
    assert inside(tmp_path, ".") == tmp_path.resolve()
    assert inside(tmp_path, "not/yet/there") == tmp_path.resolve() / "not/yet/there"


def test_a_path_outside_is_refused(tmp_path: Path) -> None:
    """Paths come from agents and traces: none leads out, by links either, and none crashes."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "root-beside").mkdir()
    (tmp_path / "secret").write_text("x")
    (root / "out").symlink_to(tmp_path)
    (root / "etc").symlink_to("/etc")
    (root / "round").symlink_to(root / "round")
    ways = ["/etc/passwd", "..", "../secret", "../root-beside", "a/../../secret", "out/secret", "etc/passwd",
            "round", "round/x", "a\0b", "\ud800", str(root)]  # fmt: skip
    for way in ways:
        with pytest.raises(InputError):
            inside(root, way)


@given(way=st.lists(st.sampled_from(["..", ".", "a", "out", "", "~", "直"]), max_size=6).map("/".join))
def test_no_way_leads_out(tmp_path_factory: pytest.TempPathFactory, way: str) -> None:
    """Whatever the path, the answer lies inside or is a refusal."""
    root = tmp_path_factory.getbasetemp() / "inside-root"
    root.mkdir(exist_ok=True)
    if not (root / "out").is_symlink():
        (root / "out").symlink_to("..")
    try:
        found = inside(root, way)
    except InputError:
        return
    assert found == root.resolve() or root.resolve() in found.parents
