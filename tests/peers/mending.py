"""What a scripted model does to mend the small receipts agent of the tests of repair, and how it is asked to."""

from pathlib import Path

MEND = r"""python3 - <<'END'
import json, pathlib
labels = pathlib.Path("harness/labels.json")
known = json.loads(labels.read_text())
known["total"].append("AMOUNT DUE")
labels.write_text(json.dumps(known, indent=1) + "\n")
END
cat task.md codex_handoff.md | head -c 3000"""
"""A command that reads the task and changes the harness as an engineer would."""

LOOK = "ls -a .. ; ls -a ~ ; cat /etc/shadow ; curl -sS -m 3 http://192.0.2.1 ; env"
"""A command that looks for what the agent must not have."""


def runs(*words: str) -> bool:
    """Return whether a process with exactly these words runs on this machine."""
    wanted = "\0".join(words).encode() + b"\0"
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == wanted:
                return True
        except OSError:
            continue
    return False
