"""Where a changed agent is run when it is judged: away from what would tell it the answers."""

import site
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from naoshi.repair.coding_agents.kept import can_keep, kept_words
from naoshi.repair.coding_agents.settings import SandboxMode
from naoshi.repair.sandbox import find_sandbox, kernel_kept

_OURS = Path(__file__).resolve().parents[1]
_RUN = Path("/run")
# Services that start programs for whoever asks, and these would run outside.
_STARTERS = ("user", "dbus", "docker.sock", "containerd", "podman", "crio", "systemd/private", "snapd.socket")
# What a shell, git or cron of the user runs or obeys later on.
_OBEYED = (
    ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".gitconfig",
    ".config/git", ".config/systemd", ".config/autostart", ".config/fish", ".ssh", ".pypirc", ".npmrc",
)  # fmt: skip
_DEVICES = ("nvidia*", "dri", "kfd", "accel*", "davinci*")


@dataclass(frozen=True, kw_only=True)
class JudgingPlace:
    """Bubblewrap at ``program`` (empty: there is none, for ``reason``), and what it hides and keeps from writing.

    Inside, an agent finds the machine as it is, since it may need any of it. What is ``hidden`` is empty there (a file
    cannot be read), what is ``kept`` can be read only, no other process is seen, and none outlives the agent. Without
    ``network`` there is none, nor any service of this machine. Of devices there are those that compute and harmless
    ones.
    """

    program: str
    reason: str
    hidden: tuple[Path, ...]
    kept: tuple[Path, ...]
    network: bool

    @classmethod
    def find(
        cls, mode: SandboxMode, *, hidden: Sequence[Path], kept: Sequence[Path], network: bool
    ) -> "JudgingPlace":  # fmt: skip
        """Return the place for *mode*.

        Besides *kept* our own code and interpreter are kept, and what programs of the user obey from their home folder.

        Raises:
            MissingSandboxError: a sandbox is required and cannot be had.
        """
        sandbox, reason = find_sandbox(mode)
        ours = (_OURS, Path(sys.prefix), Path(sys.base_prefix), *map(Path, site.getsitepackages()))
        ours = (*ours, Path(site.getusersitepackages()), *(Path.home() / name for name in _OBEYED))
        return cls(
            program=sandbox.program if sandbox is not None else "",
            reason=reason.replace("`sandbox` under [repair]", "`sandbox` under [repair.judging]"),
            hidden=tuple(dict.fromkeys(place.resolve() for place in hidden)),
            kept=tuple(dict.fromkeys(place.resolve() for place in (*ours, *kept))),
            network=network,
        )

    def command(
        self, words: Sequence[str], *, checkout: Path, readable: Sequence[Path] = (), hidden: Sequence[Path] = ()
    ) -> tuple[str, ...]:
        """Return the command that runs *words* in *checkout*, the one folder of ours that may be written.

        What is *hidden* besides, for this checkout, is empty; *readable* places can be read though they lie in hidden
        ones. Without a sandbox nothing is hidden or kept, but what the agent leaves running is ended there too.
        """
        if not self.program:
            return kept_words(words) if can_keep() else tuple(words)
        place = str(checkout.resolve())
        made = self._machine()
        # A folder that holds others has to be bound before them.
        for kept in sorted(self.kept, key=lambda item: len(item.parts)):
            made += ["--ro-bind", str(kept), str(kept)] if kept.exists() else []
        for gone in sorted(self.hidden, key=lambda item: len(item.parts)):
            made += _emptied(gone)
        made += ["--bind", place, place]
        for gone in hidden:
            made += _emptied(gone)
        for shown in readable:
            made += ["--ro-bind", str(shown.resolve()), str(shown.resolve())]
        return (*made, "--chdir", place, "--", *words)

    def _machine(self) -> list[str]:
        """Return the beginning of the command: the machine, without what can be used to reach out of the place."""
        made = [self.program, "--die-with-parent", "--unshare-user-try", "--unshare-pid", "--unshare-ipc"]
        made += [] if self.network else ["--unshare-net"]
        made += ["--cap-drop", "ALL", "--bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
        made += ["--ro-bind-try", "/sys", "/sys", *kernel_kept()]
        for device in (item for name in _DEVICES for item in sorted(Path("/dev").glob(name))):
            made += ["--dev-bind", str(device), str(device)]
        for gone in [_RUN / name for name in _STARTERS] if self.network else [_RUN]:
            made += _emptied(gone)
        return made

    def told(self) -> str:
        """Return in words where the agent runs."""
        if not self.program:
            return f"without a sandbox: {self.reason}"
        reach = "with the network" if self.network else "without a network"
        return f"in a sandbox {reach}; Naoshi's state, the suites and git were not there"


def _emptied(place: Path) -> list[str]:
    if place.is_symlink() or not place.exists():
        return []
    return ["--tmpfs", str(place)] if place.is_dir() else ["--ro-bind", "/dev/null", str(place)]
