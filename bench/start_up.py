"""How long a person waits for `naoshi --help`, against other programs made with the same library.

The peers are the `--help` of two other Typer programs that are installed here anyway, and a bare Python. Runs are
interleaved, so that a busy machine slows all of them alike; the least of each is taken.
"""

import subprocess
import sys
import time
from pathlib import Path

RUNS = 15
BIN = Path(sys.executable).parent
PROGRAMS = {
    "naoshi --help": [str(BIN / "naoshi"), "--help"],
    "import naoshi": [sys.executable, "-c", "import naoshi"],
    "import naoshi.confirm": [sys.executable, "-c", "import naoshi.confirm"],
    "dbos --help": [str(BIN / "dbos"), "--help"],
    "typer --help": [str(BIN / "typer"), "--help"],
    "import pydantic": [sys.executable, "-c", "import pydantic; pydantic.BaseModel"],
    "bare Python": [sys.executable, "-c", ""],
}
RATIOS = (
    ("naoshi --help", "dbos --help"),
    ("naoshi --help", "typer --help"),
    ("import naoshi", "bare Python"),
    ("import naoshi.confirm", "import pydantic"),
)


def seconds_of(command: list[str]) -> float | None:
    """Return how long *command* takes in seconds, or None when it fails."""
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return time.perf_counter() - begin if done.returncode == 0 else None


def main() -> int:
    """Print each time and the ratios; return 1 when a program of ours does not run."""
    best = dict.fromkeys(PROGRAMS, float("inf"))
    failed: set[str] = set()
    for _ in range(RUNS):
        for name, command in PROGRAMS.items():
            taken = seconds_of(command)
            if taken is None:
                failed.add(name)
            else:
                best[name] = min(best[name], taken)
    for name in sorted(failed):
        print(f"start-up: {name} does not run")
    for name in (name for name in PROGRAMS if name not in failed):
        print(f"start-up: {name}: {best[name]:.3f} s")
    for ours, peer in RATIOS:
        if not failed & {ours, peer}:
            print(f"start-up: {ours} takes {best[ours] / best[peer]:.2f} of the time of {peer}")
    return 1 if any("naoshi" in name for name in failed) else 0


if __name__ == "__main__":
    sys.exit(main())
