"""Where Promptfoo is installed, and what it is allowed to do when we run it."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import MissingProgramError

DEFAULT_VERSION = "0.121.9"
_PASSED_ON = frozenset({"PATH", "HOME", "LANG", "TMPDIR", "TZ"})


@dataclass(frozen=True, kw_only=True)
class Promptfoo:
    """One installed Promptfoo: its ``version``, and the words that start it."""

    version: str
    command: tuple[str, ...]

    def environment(self, inherited: Mapping[str, str], *, folder: Path, python: str) -> dict[str, str]:
        """Return the environment to run it in: no keys of ours, nothing sent anywhere, its files in *folder*."""
        passed = {name: value for name, value in inherited.items() if name in _PASSED_ON}
        return {
            **passed,
            "PROMPTFOO_CONFIG_DIR": str(folder),
            "PROMPTFOO_CACHE_ENABLED": "false",
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            # A schema from a file has references of its own, which stand in the suite that we write.
            "PROMPTFOO_DISABLE_REF_PARSER": "true",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
            "PROMPTFOO_DISABLE_SHARING": "true",
            "PROMPTFOO_PYTHON": python,
            "METADATA_SERVER_DETECTION": "none",
            "NODE_NO_WARNINGS": "1",
        }


def find_promptfoo(environment: Mapping[str, str]) -> Promptfoo:
    """Return the Promptfoo of the version that PROMPTFOO_VERSION names (0.121.9 where it is not set).

    It is looked for in `promptfoo-VERSION` of the folder NAOSHI_PEERS (else `naoshi` in the user's cache), then on
    PATH.

    Raises:
        MissingProgramError: there is none of that version, or no Node.js; the hint says how to install it.
    """
    version = environment.get("PROMPTFOO_VERSION") or DEFAULT_VERSION
    folder = _peers(environment) / f"promptfoo-{version}"
    node = shutil.which("node", path=environment.get("PATH"))
    if node is None:
        raise MissingProgramError("Promptfoo needs Node.js 20 or newer", hint="install Node.js")
    package = folder / "node_modules" / "promptfoo"
    on_path = shutil.which("promptfoo", path=environment.get("PATH"))
    candidates = [package, *([Path(on_path).resolve().parents[2]] if on_path else [])]
    for candidate in candidates:
        if _version_of(candidate) == version:
            return Promptfoo(version=version, command=(node, str(candidate / "dist" / "src" / "main.js")))
    raise MissingProgramError(
        f"Promptfoo {version} is not installed", hint=f"npm install --prefix {folder} promptfoo@{version}"
    )


def _peers(environment: Mapping[str, str]) -> Path:
    named = environment.get("NAOSHI_PEERS")
    if named:
        return Path(named)
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path(environment.get("HOME", "~")).expanduser() / ".cache") / "naoshi"


def _version_of(package: Path) -> str | None:
    try:
        return str(json.loads((package / "package.json").read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError):
        return None
