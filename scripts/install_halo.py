"""Installs HALO into NAOSHI_PEERS, once, for the tests against real peers. It needs Python 3.12 and ripgrep."""

import os
import sys
from pathlib import Path

from naoshi.errors import NaoshiError
from naoshi.repair import HaloProgram, HaloSettings


def peer() -> HaloProgram:
    """Return HALO in NAOSHI_PEERS, installed or not."""
    version = HaloSettings().version
    folder = Path(os.environ["NAOSHI_PEERS"]) / f"halo-{version}"
    return HaloProgram(settings=HaloSettings(folder=str(folder)), environment=os.environ)


def main() -> int:
    """Install it, and say what is missing."""
    program = peer()
    try:
        program.install(report=lambda line: print(f"naoshi: {line}", file=sys.stderr))
    except NaoshiError as error:
        print(error.line(), file=sys.stderr)
        return 1
    if not program.has_ripgrep():
        print("naoshi: HALO: ripgrep is missing; on Debian: apt-get install ripgrep", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
