"""``python -m naoshi.demo.mender``: run as a coding agent in a checkout of the receipts agent.

It reads ``codex_handoff.md`` in the current folder and the documents that it cites (relative to the
environment variable NAOSHI_DATA_ROOT), edits ``harness/``, and says on standard error what it learned.
Exit status: 0 done, also when there was nothing to learn; 2 the handoff or the harness cannot be used.
"""

import os
import sys
from pathlib import Path

from naoshi.demo.agent.receipts_agent.harness import HarnessError, parse_harness
from naoshi.demo.mender.evidence import HandoffError, read_handoff
from naoshi.demo.mender.harness_file import read_files, write_files
from naoshi.demo.mender.mend import mend
from naoshi.errors import NaoshiError

_USAGE = 2


def main() -> int:
    """Mend the harness in the current folder."""
    folder = Path.cwd()
    data_root = Path(os.environ.get("NAOSHI_DATA_ROOT") or ".")
    try:
        files = read_files(folder / "harness")
        parse_harness(files)
        handoff = read_handoff(folder / "codex_handoff.md", data_root=data_root)
        mended = mend(files, handoff)
        changed = write_files(folder / "harness", mended.files)
    except (HandoffError, HarnessError) as error:
        sys.stderr.write(f"mender: {error}\n")
        return _USAGE
    except NaoshiError as error:
        sys.stderr.write(error.line() + "\n")
        return error.exit_status
    for line in mended.learned:
        sys.stderr.write(f"mender: {line}\n")
    sys.stderr.write(f"mender: {len(mended.learned)} rules in {', '.join(changed) or 'no file'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
