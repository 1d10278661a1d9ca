"""A cycle that is killed goes on where it was, and nothing happens twice."""

import json
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from naoshi.flow.steps import STEPS
from tests.flow.mail_shop import Follower, correct_mails, make_shop, open_shop, record_traces

MOMENTS = [f"{side} {step}" for step in STEPS for side in ("before", "after")]


def drive(folder: Path, moment: str) -> tuple[int, dict[str, Any] | None]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.flow.kill_driver", str(folder), moment],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=Path(__file__).parents[2],
    )
    lines = done.stdout.splitlines()
    return done.returncode, json.loads(lines[-1]) if done.returncode == 0 and lines else None


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A shop with its corrections, before any cycle, and the end state of a cycle that nobody disturbed."""
    folder = make_shop(tmp_path_factory.mktemp("shops") / "shop")
    with ExitStack() as stack:
        loop, _ = open_shop(stack, folder, Follower())
        record_traces(folder, loop)
        correct_mails(loop)
    undisturbed = folder.with_name("undisturbed")
    shutil.copytree(folder, undisturbed)
    status, end = drive(undisturbed, "never")
    assert status == 0 and end is not None and end["state"] == "released"
    return folder, end


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_a_step_and_started_again(moment: str, prepared: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """SIGKILL at the boundary of any step, then again: the same end, and no merge, question or entry twice."""
    shop, undisturbed = prepared
    folder = tmp_path / "shop"
    shutil.copytree(shop, folder)
    status, _ = drive(folder, moment)
    assert status == -signal.SIGKILL
    status, end = drive(folder, "never")
    assert status == 0 and end is not None
    assert end["state"] == "released"
    assert end["end"] == undisturbed["end"]
    assert end["end"]["entered_twice"] == []
