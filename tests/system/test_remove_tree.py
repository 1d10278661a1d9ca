"""Folders that hostile programs filled are removed whole."""

import os
from pathlib import Path

import pytest

from naoshi.system.remove_tree import remove_tree


def dig(folder: Path, depth: int) -> None:
    """Make *depth* folders in each other below *folder*."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.parametrize("depth", [1, 3000])
def test_a_folder_goes_however_deep_it_is(tmp_path: Path, depth: int):
    """Protects cleaning up from a program that digs deeper than Python and paths go."""
    folder = tmp_path / "hole"
    folder.mkdir()
    dig(folder, depth)
    remove_tree(folder)
    assert not folder.exists()


def test_a_folder_that_may_not_be_entered_goes_too(tmp_path: Path):
    """Protects cleaning up from a program that takes rights away."""
    inner = tmp_path / "hole" / "locked"
    (inner / "deep").mkdir(parents=True)
    (inner / "deep" / "file").write_text("x")
    inner.chmod(0)
    remove_tree(tmp_path / "hole")
    assert not (tmp_path / "hole").exists()


def test_no_link_is_followed(tmp_path: Path):
    """Protects the user's files: a link is removed, what it leads to is not touched."""
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o500)
    (tmp_path / "hole").mkdir()
    (tmp_path / "hole" / "link").symlink_to(precious)
    dig(tmp_path / "hole", 3000)
    remove_tree(tmp_path / "hole")
    (tmp_path / "link").symlink_to(precious)
    remove_tree(tmp_path / "link")
    assert not (tmp_path / "hole").exists() and not (tmp_path / "link").is_symlink()
    assert precious.is_dir() and precious.stat().st_mode & 0o777 == 0o500


def test_a_file_goes_and_what_is_not_there_is_fine(tmp_path: Path):
    """Protects those who call it twice, or on what somebody replaced."""
    (tmp_path / "file").write_text("x")
    remove_tree(tmp_path / "file")
    remove_tree(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
