"""A stand-in for GitHub's `gh`: it keeps pull requests in a file, and can be told to fail, to be slow, or to lie.

    FAKE_GH=STATE.json gh pr list|create ...

The state has ``requests``, the ``calls`` so far, and ``mode``, which says what the next `pr create` or any call does.
"""

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PLACE = Path(os.environ.get("FAKE_GH", ""))


@contextlib.contextmanager
def state() -> Iterator[dict[str, Any]]:
    """The state, written back whole afterwards."""
    with PLACE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = json.loads(PLACE.read_text())
        yield known
        fresh = PLACE.with_suffix(".new")
        fresh.write_text(json.dumps(known))
        fresh.replace(PLACE)


def option(words: list[str], name: str) -> str:
    return words[words.index(name) + 1] if name in words else ""


def main(words: list[str]) -> int:
    with state() as known:
        known["calls"].append(words)
        mode = known["mode"]
    if mode == "not_logged_in":
        print("To get started with GitHub CLI, please run:  gh auth login", file=sys.stderr)
        return 4
    if words[:2] == ["pr", "list"]:
        return listed(words, mode)
    if words[:2] == ["pr", "create"]:
        return create(words, mode)
    print(f"unknown command {words}", file=sys.stderr)
    return 1


def listed(words: list[str], mode: str) -> int:
    with state() as known:
        asked = option(words, "--json").split(",")
        found = [item for item in known["requests"] if item["head"] == option(words, "--head")]
    print("an HTML page" if mode == "garbage" else json.dumps([{name: item[name] for name in asked} for item in found]))
    return 0


def create(words: list[str], mode: str) -> int:
    head = option(words, "--head")
    if mode == "refuse":
        print("pull request create failed: GraphQL: Resource not accessible ghp_0123456789abcdefghij", file=sys.stderr)
        return 1
    if mode == "slow_before":
        time.sleep(30)
    with state() as known:
        ours = [item for item in known["requests"] if item["head"] == head and not item["isCrossRepository"]]
        if any(item["state"] == "OPEN" for item in ours):
            print(f'a pull request for branch "{head}" already exists', file=sys.stderr)
            return 1
        there = subprocess.run(["git", "rev-parse", "--verify", "--quiet", f"refs/heads/{head}"],
                               cwd=known["remote"], capture_output=True, text=True)  # fmt: skip
        if there.returncode != 0:
            print("pull request create failed: GraphQL: Head sha can't be blank", file=sys.stderr)
            return 1
        number = len(known["requests"]) + 1
        request = {
            "number": number,
            "url": f"https://github.com/hana/shop/pull/{number}",
            "state": "OPEN",
            "isCrossRepository": False,
            "head": head,
            "base": option(words, "--base"),
            "title": option(words, "--title"),
            "body": Path(option(words, "--body-file")).read_text(),
            "commit": there.stdout.strip(),
        }
        known["requests"].append(request)
    if mode == "slow_after":
        time.sleep(30)
    if mode == "made_and_failed":
        print("unexpected end of JSON input", file=sys.stderr)
        return 1
    if os.environ.get("FAKE_GH_PAUSE"):
        time.sleep(float(os.environ["FAKE_GH_PAUSE"]))
    if mode != "made_and_silent":
        print(request["url"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
