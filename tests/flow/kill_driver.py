"""Runs cycles of prepared shops in processes of their own, ended with SIGKILL where the argument says.

    python -m tests.flow.kill_driver FOLDER MOMENT

MOMENT is ``before STEP`` or ``after STEP`` (then the process kills itself), or ``never``; the end state is printed.
"""

import json
import os
import re
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from naoshi.flow.loop import Loop
from naoshi.records import Cycle
from tests.flow.mail_shop import Follower, open_shop


def main(folder: Path, moment: str) -> None:
    people = Follower()

    def watch(told: str, cycle: Cycle) -> None:
        if told == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    with ExitStack() as stack:
        loop, workshop = open_shop(stack, folder, people, watcher=watch)
        cycle = workshop.run_cycle()
        print(json.dumps({"state": cycle.state, "asked": people.asked, "end": end_state(loop, cycle)}))


def end_state(loop: Loop, cycle: Cycle) -> dict[str, object]:
    """All that a cycle leaves behind, clocks and commit names aside."""
    git = loop.git
    events = (loop.state / "confirmation-events.jsonl").read_text().splitlines()
    worktrees = loop.worktrees
    return {
        "cycle": [cycle.number, cycle.version, cycle.cases, cycle.questions, cycle.reasons],
        "commits": git("log", "--format=%s").splitlines(),
        "tree": git("rev-parse", "HEAD^{tree}"),
        "tags": git("tag", "--list").splitlines(),
        "branches": git("branch", "--list").splitlines(),
        "dirty": git.changed(),
        "ledger": unnamed([entry.key for entry in loop.store.ledger.entries()]),
        "entered_twice": _twice([entry.key for entry in loop.store.ledger.entries()]),
        "versions": [version.name for version in loop.store.versions.find()],
        "releases": loop.store.releases.count(),
        "reviews": loop.store.reviews.count(),
        "triages": loop.store.triages.count(),
        "decisions": unnamed([item.decision_id for item in loop.store.decisions.find()]),
        "answers": sum('"outcome": "resolved"' in event for event in events),
        "holdout": (loop.state / "evals" / "holdout.yaml").read_text(),
        "worktrees": sorted(path.name for path in worktrees.iterdir()) if worktrees.is_dir() else [],
    }


def unnamed(keys: list[str]) -> list[str]:
    """Return *keys* without the identifiers that hang on a commit, and so on the clock."""
    return [re.sub(r"(change|review|cycle)_[0-9a-f]{16}", r"\1", key) for key in keys]


def _twice(keys: list[str]) -> list[str]:
    return sorted({key for key in keys if keys.count(key) > 1})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
