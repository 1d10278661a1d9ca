"""The commands that a newcomer types, and what they say when the machine is not fit."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.source_tree import ROOT

TARGETS = {"help", "demo", "test", "check", "bench", "setup", "clean"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout without .venv, in a folder whose name has spaces and Japanese characters."""
    folder = tmp_path / "直し の checkout"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("scripts", "constraints"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def _make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "PYTHON", "VENV"))
    }
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def _pretended_python(folder: Path, body: str) -> Path:
    program = folder / "old python"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def test_make_alone_lists_every_target_that_is_for_people(checkout: Path):
    """Protects the way in: `make` explains itself and does nothing else."""
    done = _make(checkout)
    listed = set(re.findall(r"^  make ([a-z-]+) +\S", done.stdout, flags=re.MULTILINE))
    assert done.returncode == 0
    assert listed >= TARGETS
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("target", ["test", "demo", "check"])
def test_a_python_that_is_too_old_is_one_clear_line(checkout: Path, target: str):
    """Protects the newcomer with an old interpreter: told which one and what to do, and nothing is left behind."""
    old = _pretended_python(checkout, 'case "$2" in *print*) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    done = _make(checkout, target, f"PYTHON={old}")
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("naoshi:")]
    assert "3.11 or newer is needed" in line
    assert "is Python 3.9.2" in line
    assert not (checkout / ".venv").exists()


def test_a_python_that_is_none_is_one_clear_line(checkout: Path):
    """Protects against a mistyped PYTHON=, also one from the environment."""
    done = _make(checkout, "setup", PYTHON=str(checkout / "nowhere"))
    assert done.returncode != 0
    assert "is not a Python" in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_set_up_that_stands_is_not_done_again(checkout: Path):
    """Protects the second run: with the same dependencies nothing is installed, so it works without a network."""
    _stand_up(checkout)
    done = _make(checkout, "setup")
    assert done.returncode == 0, done.stderr
    assert "installing" not in done.stderr


def test_a_changed_dependency_is_installed(checkout: Path):
    """Protects against a stale .venv: a changed pin is installed, and a failed set-up does not count as done."""
    _stand_up(checkout)
    with (checkout / "constraints" / "pinned.txt").open("a", encoding="utf-8") as stream:
        stream.write("# another\n")
    done = _make(checkout, "setup", PATH=_path_with_uv_that_fails(checkout))
    assert done.returncode != 0
    assert "installing" in done.stderr
    assert "run the same command again" in done.stderr
    assert not _is_stamped(checkout)


def test_a_venv_that_was_moved_is_made_again(checkout: Path):
    """Protects whoever renames the folder: programs in .venv hold its path and would not start."""
    _stand_up(checkout)
    moved = checkout.rename(checkout.with_name("moved"))
    done = _make(moved, "setup", PATH=_path_with_uv_that_fails(moved))
    assert "making .venv" in done.stderr


def test_the_newest_python_is_named_where_it_is_newer(checkout: Path):
    """Protects `make test-newest`: an older or broken interpreter is never taken, and no newer one is a line."""
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / "bin" / "python").symlink_to(_of_release(checkout / "own", "3011"))
    kept = checkout / "pyenv" / "versions"
    for version, says in (("3.9.1", "3009"), ("3.12.4", "3012"), ("3.98.0", "3098"), ("3.99.0", "")):
        _of_release(kept / version / "bin" / "python3", says)
    newest = _newest(checkout)
    assert (newest.returncode, newest.stdout) == (0, f"{kept}/3.98.0/bin/python3\n")
    shutil.rmtree(kept)
    none = _newest(checkout)
    assert (none.returncode, none.stdout) == (1, "")
    assert none.stderr.startswith("naoshi: there is no newer Python here than ")


def _of_release(program: Path, says: str) -> Path:
    """Write what answers as a Python of that release does, or breaks down where it *says* nothing."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\n{f'echo {says}' if says else 'exit 1'}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def _newest(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "scripts/newest_python.sh"],
        cwd=checkout,
        env={"PATH": "/usr/bin:/bin", "PYENV_ROOT": str(checkout / "pyenv")},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_ci_runs_what_the_readme_says():
    """Protects the one gate: CI is `make check test test-peers test-newest`, and can be started as it stands."""
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.search(
        r"^exec make check test test-peers test-newest$", script.read_text(encoding="utf-8"), flags=re.MULTILINE
    )


def _path_with_uv_that_fails(checkout: Path) -> str:
    """Return a PATH on which uv is found first and does nothing, so that no test reaches for the network."""
    program = checkout / "programs" / "uv"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def _is_stamped(checkout: Path) -> bool:
    return (checkout / ".venv" / ".installed-dev").read_text(encoding="utf-8") == _stamp(checkout)


def _stamp(checkout: Path) -> str:
    key = "cat pyproject.toml constraints/pinned.txt | cksum"
    return subprocess.run(key, shell=True, cwd=checkout, check=True, capture_output=True, text=True).stdout


def _stand_up(checkout: Path) -> None:
    """Lay out what a finished set-up leaves behind, without installing anything."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=checkout, check=True, timeout=60)
    (checkout / ".venv" / ".folder").write_text(f"{checkout}\n", encoding="utf-8")
    for name in ("base", "dev"):
        (checkout / ".venv" / f".installed-{name}").write_text(_stamp(checkout), encoding="utf-8")
