"""A place that a coding agent cannot look or reach out of, made with bubblewrap."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from naoshi.errors import ConfigError, MissingProgramError, MissingSandboxError
from naoshi.repair.coding_agents.base import WorkOrder
from naoshi.repair.coding_agents.settings import SandboxMode
from naoshi.repair.sandbox_doors import Doors, Endpoint
from naoshi.repair.stand_in import installation_of, program_behind
from naoshi.system.process import run, start

_INSIDE = Path(__file__).with_name("sandbox_inside.py")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
# Of /etc what programs need to start and to read text, and nothing that holds a secret.
_OF_ETC = ("alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version", "gai.conf",
           "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf",
           "os-release", "passwd", "pki", "protocols", "services", "ssl", "terminfo", "timezone")  # fmt: skip
_KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
_PLAIN_USER = "1000"
_FIRST_FREE_PORT = 1024
_PLAIN_DEVICES = ["--tmpfs", "/dev", "--dir", "/dev/shm",  # noqa: S108 - a private one
                  *(word for name in ("null", "zero", "full", "random", "urandom", "tty")
                    for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")),
                  "--symlink", "/proc/self/fd", "/dev/fd",
                  "--symlink", "/proc/self/fd/0", "/dev/stdin",
                  "--symlink", "/proc/self/fd/1", "/dev/stdout",
                  "--symlink", "/proc/self/fd/2", "/dev/stderr"]  # fmt: skip
_TRIAL_SECONDS = 20.0
_WELCOME_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Sandbox:
    """Bubblewrap at ``program``. Inside, the system and ``readable`` can be read and the order's folders written.

    Nothing else is there: no home folder of the user, no repository, no database, no documents but the copies. The
    only way to the network are ``endpoints``, unless ``network`` shares the machine's.
    """

    program: str
    readable: tuple[Path, ...] = ()
    endpoints: tuple[Endpoint, ...] = ()
    network: bool = False

    def enclose(
        self, command: Sequence[str], order: WorkOrder, environment: Mapping[str, str], **streams: object
    ) -> "Enclosed":
        """Start *command* inside, in the checkout of *order*; *environment* is all that it gets.

        Raises:
            MissingProgramError: the program is not on this machine.
            MissingSandboxError: the sandbox could not be made.
        """
        place = shutil.which(command[0], path=environment.get("PATH"))
        if place is None:
            raise MissingProgramError(f"cannot start {command[0][:200]!r}: there is no such program")
        words = self._words(command, program_behind(Path(place), folder=order.checkout), order)
        # The environment is handed on by inheritance, since the words of a command can be read by other users.
        return Enclosed(words, folder=order.folder, endpoints=self._doors(), environment=environment, streams=streams)

    def _words(self, command: Sequence[str], program: Path, order: WorkOrder) -> list[str]:
        bound = self._bound(program)
        words = [self.program, "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "naoshi"]
        words += ["--cap-drop", "ALL"]
        # For the doors, in the sandbox's own network; the coding agent is started without it.
        words += ["--cap-add", "CAP_NET_BIND_SERVICE"] if self._low_door() else []
        # Root inside could not make the sandboxes that coding agents have of their own.
        words += ["--uid", _PLAIN_USER, "--gid", _PLAIN_USER] if os.getuid() == 0 else []
        words += ["--share-net"] if self.network else []
        # Terminals of its own cost bubblewrap a second user namespace, in which low ports of the first are closed.
        words += _PLAIN_DEVICES if self._low_door() else ["--dev", "/dev"]
        words += ["--proc", "/proc", *kernel_kept()]
        words += ["--tmpfs", "/tmp", "--tmpfs", "/run"]  # noqa: S108 - a private one
        words += [part for place in _SYSTEM for part in _system(Path(place))]
        words += [part for place in self._etc(order) for part in place]
        words += [part for place in bound for part in ("--ro-bind", str(place), str(place))]
        for place in order.forbidden:
            if any(_lies_in(place, other) for other in (*map(Path, _SYSTEM), *bound)):
                words += ["--tmpfs", str(place)]
        for place in (order.checkout, order.home, order.scratch):
            words += ["--bind", str(place), str(place)]
        words += ["--ro-bind", str(order.data_root), str(order.data_root), "--chdir", str(order.checkout)]
        words += ["--remount-ro", "/"]
        ports = ",".join(str(endpoint.port) for endpoint in self._doors())
        inside = [str(Path(sys.executable).resolve()), "-I", "-S", str(_INSIDE), "{channel}", ports]
        return [*words, "--", *inside, str(program), *command[1:]]

    def _doors(self) -> tuple[Endpoint, ...]:
        return () if self.network else self.endpoints

    def _low_door(self) -> bool:
        return any(endpoint.port < _FIRST_FREE_PORT for endpoint in self._doors())

    def _bound(self, program: Path) -> list[Path]:
        """Return what is bound besides the system: our interpreter and package, the program, and what settings name."""
        ours = (Path(sys.base_prefix), Path(sys.prefix), _INSIDE.parents[1], *_tree_of(program))
        wanted = [*(place.resolve() for place in ours), *ours, *self.readable]
        found: list[Path] = []
        for place in sorted(dict.fromkeys(wanted), key=lambda item: len(item.parts)):
            if place.exists() and not any(_lies_in(place, other) for other in (*map(Path, _SYSTEM), *found)):
                found.append(place)
        return found

    def _etc(self, order: WorkOrder) -> list[tuple[str, str, str]]:
        bound = [("--ro-bind", f"/etc/{name}", f"/etc/{name}") for name in _OF_ETC if Path("/etc", name).exists()]
        if self.network:
            shared = [f"/etc/{name}" for name in ("hosts", "resolv.conf") if Path("/etc", name).exists()]
            return [*bound, *(("--ro-bind", str(Path(name).resolve()), name) for name in shared)]
        names = " ".join(dict.fromkeys(["localhost", *(item.host for item in self.endpoints)]))
        hosts = order.folder / "hosts"
        hosts.write_text(f"127.0.0.1 {names}\n", encoding="utf-8")
        return [*bound, ("--ro-bind", str(hosts), "/etc/hosts")]


class Enclosed:
    """A program in its sandbox, between ``with`` and its end, with its doors to the model open."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        endpoints: Sequence[Endpoint],
        environment: Mapping[str, str],
        streams: Mapping[str, object],
    ) -> None:
        self._stack = ExitStack()
        self._told = b""
        ours, theirs = socket.socketpair()
        self._channel = self._stack.enter_context(ours)
        with theirs:
            filled = [str(theirs.fileno()) if word == "{channel}" else word for word in words]
            given: dict[str, object] = {**streams, "pass_fds": (theirs.fileno(),)}
            self.process: subprocess.Popen[bytes] = start(filled, folder=folder, environment=environment, **given)
        self._endpoints = tuple(endpoints)

    def __enter__(self) -> Self:
        self._channel.settimeout(_WELCOME_SECONDS)
        try:
            told, handles, _, _ = socket.recv_fds(self._channel, 64, len(self._endpoints))
        except OSError:
            told, handles = b"", []
        doors = [self._stack.enter_context(socket.socket(fileno=handle)) for handle in handles]
        if told[:6] != b"doors\n" or len(doors) != len(self._endpoints):
            self._stack.close()
            raise MissingSandboxError("bubblewrap could not make the sandbox")
        self._told = told[6:]
        if doors:
            self._stack.enter_context(Doors(doors=doors, endpoints=self._endpoints))
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._stack.close()

    def report(self) -> tuple[int | None, int, str]:
        """Return the program's exit status, how many processes it left, and why it could not be started.

        The status is None where the program was ended before it could be told.
        """
        self._channel.settimeout(1.0)
        try:
            while b"\n" not in self._told and (piece := self._channel.recv(4096)):
                self._told += piece
        except OSError:
            pass
        try:
            document = cast("dict[str, Any]", json.loads(self._told.partition(b"\n")[0]))
        except ValueError:
            return None, 0, ""
        return document.get("status"), int(document.get("left", 0)), str(document.get("missing", ""))


def find_sandbox(mode: SandboxMode) -> tuple[Sandbox | None, str]:
    """Return the sandbox for *mode*, or None with the reason where there is none and none is required.

    Raises:
        MissingSandboxError: one is required and bubblewrap is not here, or is not allowed to work.
    """
    if mode == "off":
        return None, "`sandbox` under [repair] is off"
    program = shutil.which("bwrap")
    reason = "bubblewrap is not installed" if program is None else _complaint(program)
    if not reason and program is not None:
        return Sandbox(program=program), ""
    if mode == "require":
        raise MissingSandboxError(f"{reason}, and `sandbox` under [repair] requires it")
    return None, reason


def kernel_kept() -> list[str]:
    """Return bubblewrap's words, to follow those for ``/proc``, that keep the kernel's settings from being written.

    Root could write there by the rights of the files alone, in a namespace too.
    """
    return [word for place in _KERNEL for word in ("--ro-bind-try", place, place)] if os.getuid() == 0 else []


def require_named(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """Return *endpoints*, each with a name or on loopback, since inside the sandbox it has to stand for loopback.

    Raises:
        ConfigError: one is the bare address of another machine, or two have the same port.
    """
    for endpoint in endpoints:
        numeric = endpoint.host.replace(".", "").isdecimal() or ":" in endpoint.host
        if numeric and endpoint.host != "127.0.0.1":
            hint = "give its host by name, or set `network = true` under [repair]"
            raise ConfigError(f"a sandbox cannot lead to the bare address {endpoint.host}", hint=hint)
    found = tuple(dict.fromkeys(endpoints))
    if len({endpoint.port for endpoint in found}) < len(found):
        hint = "name one of them, or set `network = true` under [repair]"
        raise ConfigError("a sandbox cannot lead to two hosts at the same port", hint=hint)
    return found


@cache
def _complaint(program: str) -> str:
    """Return why bubblewrap does not work here (many containers and some kernels do not let it), or nothing."""
    words = [program, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    done = run(words, folder=Path("/"), environment={"PATH": os.environ.get("PATH", "")}, timeout=_TRIAL_SECONDS)
    told = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return "" if done.status == 0 else f"bubblewrap does not work here ({told[:200]})"


def _system(place: Path) -> list[str]:
    if place.is_symlink():
        return ["--symlink", str(place.readlink()), str(place)]
    return ["--ro-bind", str(place), str(place)] if place.exists() else []


def _tree_of(program: Path) -> tuple[Path, ...]:
    """Return what *program* needs: its own file, the installation where one was made of it, and Node.js for npm's."""
    real = program.resolve()
    modules = [place for path in (program, real) for place in path.parents if place.name == "node_modules"]
    prefixes = [place.parents[1] if place.parent.name == "lib" else place for place in modules]
    node = shutil.which("node") if modules else None
    files = [program, real, *((Path(node), Path(node).resolve()) if node is not None else ())]
    prefixes += [place for place in map(installation_of, (program, real)) if place is not None]
    home = Path.home().resolve()
    return tuple(place for place in dict.fromkeys((*prefixes, *files)) if not _lies_in(home, place.resolve()))


def _lies_in(place: Path, other: Path) -> bool:
    return place == other or other in place.parents
