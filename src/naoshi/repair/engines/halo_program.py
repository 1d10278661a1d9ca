"""HALO as a program in an environment of its own: installing it, and running it once."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from naoshi.errors import HaloError, MissingProgramError, ModelError
from naoshi.repair.engines.settings import HaloSettings
from naoshi.system.files import write_durably
from naoshi.system.process import Finished, run

_DRIVER: Final = Path(__file__).with_name("halo_driver.py")
_INSTALLED: Final = ".installed"
_MINUTES: Final = 20 * 60.0
_LEFT_OUT: Final = "ripgrep"
_REQUIREMENTS: Final = (
    "import importlib.metadata, json; print(json.dumps(importlib.metadata.requires('halo-engine') or []))"
)
_HANDED_ON: Final = ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy",
                     "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class HaloProgram:
    """HALO in the folder of *settings*. ``environment`` is ours; HALO gets a short list of it and its key."""

    settings: HaloSettings
    environment: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """The environment that HALO has to itself."""
        if self.settings.folder:
            return Path(self.settings.folder).expanduser()
        cache = self.environment.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
        return Path(cache) / "naoshi" / f"halo-{self.settings.version}"

    @property
    def python(self) -> Path:
        """The interpreter of that environment."""
        return self.folder / "bin" / "python"

    @property
    def installed(self) -> bool:
        """Whether the whole of it is there."""
        return (self.folder / _INSTALLED).is_file() and self.python.exists()

    def install(self, *, report: Callable[[str], None]) -> Path:
        """Install HALO, unless it is there already, and return its folder.

        HALO comes without its dependencies first and they after it, since one of them, a copy of ripgrep, does not run
        on every Linux; the system's ripgrep takes its place.

        Raises:
            MissingProgramError: the interpreter is not on this machine.
            HaloError: a step of the installation failed.
        """
        if self.installed:
            return self.folder
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        python = self._interpreter()
        report(f"making an environment for HALO in {self.folder} (a minute or two, once)")
        self._step("make the environment", [python, "-m", "venv", "--clear", str(self.folder)])
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        report(f"installing halo-engine {self.settings.version}")
        self._step("install HALO", [*pip, "--no-deps", f"halo-engine=={self.settings.version}"])
        asked = self._step("read what HALO needs", [str(self.python), "-c", _REQUIREMENTS])
        needed = [line for line in json.loads(asked.stdout) if not line.lower().startswith(_LEFT_OUT)]
        report(f"installing {len(needed)} of its dependencies, without its copy of ripgrep")
        self._step("install what HALO needs", [*pip, *needed])
        self._step("start HALO", [str(self.python), "-c", "import engine.main"])
        write_durably(self.folder / _INSTALLED, f"{self.settings.version}\n")
        return self.folder

    def has_ripgrep(self) -> bool:
        """Return whether HALO can look into code: it searches with ripgrep."""
        return shutil.which("rg", path=self.environment.get("PATH")) is not None

    def run(self, *, traces: Path, prompt: str, report: Path, harness: Mapping[str, str]) -> str:
        """Run HALO over the file *traces* and return its report, which is also written to *report*.

        What it said meanwhile goes to a log beside the report. HALO sees a copy of *harness* and nothing else of the
        repository.

        Raises:
            MissingProgramError: HALO is not installed.
            ModelError: there is no model or no key.
            HaloError: it ended without a report.
        """
        key = self._key()
        if not self.installed:
            raise MissingProgramError("HALO is not installed", hint="run `naoshi halo install`")
        for stale in traces.parent.glob(f"{traces.name}.engine-index*"):
            stale.unlink()
        report.unlink(missing_ok=True)
        with TemporaryDirectory(prefix="naoshi-halo-") as scratch:
            home, code = Path(scratch) / "home", Path(scratch) / "harness"
            home.mkdir()
            code.mkdir()
            for path, text in harness.items():
                write_durably(code / path, text)
            request = {
                "traces": str(traces),
                "prompt": prompt,
                "report": str(report),
                "repository": str(code) if harness and self.has_ripgrep() else "",
                "base_url": self.settings.base_url or None,
                "model": self.settings.model,
                "synthesis_model": self.settings.synthesis_model or self.settings.model,
                "max_turns": self.settings.max_turns,
                "max_depth": self.settings.max_depth,
                "max_parallel": self.settings.max_parallel,
            }
            ended = run(
                [str(self.python), "-I", str(_DRIVER)],
                folder=home,
                environment=self._environment(home, key),
                stdin=json.dumps(request).encode(),
                timeout=self.settings.timeout,
            )
        log = report.with_suffix(".log")
        write_durably(log, f"{ended.stdout}{ended.stderr}".replace(key, "***"))
        return self._read(report, ended, log)

    def _read(self, report: Path, ended: Finished, log: Path) -> str:
        if ended.timed_out:
            raise HaloError(
                f"HALO did not end within {self.settings.timeout:g} s", hint="raise `timeout` under [repair.halo]"
            )
        text = report.read_text(encoding="utf-8") if report.is_file() else ""
        if not text.strip():
            raise HaloError(f"HALO ended without a report: {_last_line(ended.stderr)}", hint=f"its log is {log}")
        return text

    def _key(self) -> str:
        if not self.settings.model.strip():
            raise ModelError(
                "no model is set for HALO",
                hint="write `model` under [repair.halo], or give --model to `naoshi halo run`",
            )
        key = self.environment.get(self.settings.key_variable, "").strip()
        local = any(name in self.settings.base_url for name in ("//localhost", "//127.0.0.1", "//[::1]"))
        if not key and not local:
            raise ModelError(
                f"there is no key for HALO: the variable {self.settings.key_variable} is not set",
                hint="set it, or name another variable as `key_variable` under [repair.halo]",
            )
        return key or "no-key"

    def _interpreter(self) -> str:
        """Return an interpreter that starts: the one on the PATH, or one that pyenv keeps and has not put in force."""
        name = self.settings.python
        found = shutil.which(name, path=self.environment.get("PATH"))
        kept = Path(self.environment.get("PYENV_ROOT") or Path("~/.pyenv").expanduser()) / "versions"
        for candidate in [*([found] if found else []), *map(str, sorted(kept.glob(f"*/bin/{name}"), reverse=True))]:
            ended = run([candidate, "-c", "import venv"], folder=self.folder.parent, timeout=60)
            if ended.status == 0:
                return candidate
        raise MissingProgramError(
            f"cannot start {name!r}: there is no such interpreter",
            hint="install Python 3.12, or name another as `python` under [repair.halo]",
        )

    def _environment(self, home: Path, key: str) -> dict[str, str]:
        kept = {name: self.environment[name] for name in _HANDED_ON if name in self.environment}
        quiet = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "HALO_TELEMETRY": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        return {**kept, **quiet, "HOME": str(home), "TMPDIR": str(home), "OPENAI_API_KEY": key}

    def _step(self, what: str, command: list[str]) -> Finished:
        kept = {name: value for name, value in self.environment.items() if not name.startswith("PYTHON")}
        ended = run(command, folder=self.folder.parent, environment=kept, timeout=_MINUTES)
        if ended.status != 0:
            said = [line for line in f"{ended.stdout}\n{ended.stderr}".splitlines() if line.strip()] or [
                "nothing was said"
            ]
            raise HaloError(
                f"could not {what}: {said[-1].strip()[:300]}", hint="run `naoshi halo install` again when it is mended"
            )
        return ended


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
