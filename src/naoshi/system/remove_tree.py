"""Removing a folder that somebody else filled, who may not have meant well."""

import os
import shutil
from pathlib import Path

from naoshi.system.process import run

_TIMEOUT_SECONDS = 600.0


def remove_tree(folder: Path) -> None:
    """Remove *folder* with all that is below it: however deep, and though it may not be entered. No link is followed.

    A file or a link in its place is removed too, and what is not there is removed already. What resists all the same
    (another user's files) stays.
    """
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        # Too deep for it; the system's own program goes down without a limit.
        pass
    if os.path.lexists(folder):
        for words in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            run([*words, "--", str(folder)], folder=folder.parent, timeout=_TIMEOUT_SECONDS)
