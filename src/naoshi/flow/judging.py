"""Judging a change in a place apart: where the agent runs then, and what of it is asked again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from naoshi.evals.settings import AgentSettings
from naoshi.flow.evaluate import ALL_SPLITS, RERUN, evaluate_folder
from naoshi.flow.loop import Loop
from naoshi.flow.suites import holdout_path
from naoshi.records import EvalCase, EvalRun
from naoshi.repair.judge_change import AGAIN
from naoshi.repair.judging_place import JudgingPlace
from naoshi.repair.workspace import HANDOFF_FILE
from naoshi.system.process import command_words

ASKED_AGAIN = "asked again"
"""The name of the suite of the questions that are asked in another dress; such a run is kept nowhere."""

_NO_MODEL = "none"
_LONGEST_PATH = 1024
_MANY = 1000


@dataclass(frozen=True, kw_only=True)
class Judging:
    """Runs cases on folders that Naoshi has made, with the agent in its place apart."""

    loop: Loop
    place: JudgingPlace

    @classmethod
    def of(cls, loop: Loop) -> "Judging":
        """Return what the settings say.

        Raises:
            MissingSandboxError: a sandbox is required and cannot be had.
        """
        settings, model = loop.settings.repair.judging, loop.settings.agent.model
        network = settings.network if settings.network is not None else model != _NO_MODEL
        common = Path(loop.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        suites = loop.git.folder / loop.settings.evals.folder
        hidden = [loop.state, common, loop.git.folder / ".git"]
        hidden += [suites] if suites.resolve() != loop.git.folder.resolve() else []
        hidden += [loop.git.folder / name for name in (*settings.hidden, HANDOFF_FILE)]
        place = JudgingPlace.find(
            settings.sandbox, hidden=hidden, kept=(loop.git.folder, loop.data_root), network=network
        )
        return cls(loop=loop, place=place)

    @property
    def guarded(self) -> tuple[Path, ...] | None:
        """The files besides the repository that have to be as they were afterwards; None where a sandbox keeps all."""
        return None if self.place.program else (holdout_path(self.loop),)

    def evaluate(
        self, folder: Path, commit: str, *, version: str, cases: Sequence[EvalCase], why: str = "", once: str = ""
    ) -> EvalRun:
        """Run *cases* on the agent in *folder*, as a cycle does.

        Raises:
            HoldoutBudgetError: cases of the holdout are among them, and it was asked often enough.
        """
        return evaluate_folder(
            self.loop, folder, version=version, cases=cases, suite=ALL_SPLITS, commit=commit, why=why, once=once,
            agent=self._agent(folder, cases),
        )  # fmt: skip

    def ask(
        self, folder: Path, commit: str, cases: Sequence[EvalCase], data_root: Path | None, *, version: str
    ) -> EvalRun:
        """Run *cases* once on the agent in *folder*, with the documents in *data_root*."""
        return evaluate_folder(
            self.loop, folder, version=version, cases=cases, suite=ASKED_AGAIN, commit=commit,
            agent=self._agent(folder, cases), data_root=data_root,
        )  # fmt: skip

    def run_again(self, folder: Path, commit: str, cases: Sequence[EvalCase], *, version: str) -> EvalRun:
        """Run *cases* on the agent in *folder* to settle a verdict, and keep the run in the store."""
        return evaluate_folder(
            self.loop, folder, version=version, cases=cases, suite=RERUN, commit=commit,
            agent=self._agent(folder, cases), partial_folder=self.loop.state / "runs",
        )  # fmt: skip

    def _agent(self, folder: Path, cases: Sequence[EvalCase]) -> AgentSettings:
        agent = self.loop.settings.agent
        try:
            words = command_words(agent.command)
        except ValueError:
            # Whoever runs the agent says what is wrong with its command.
            return agent
        if not words:
            return agent
        suites = folder / self.loop.settings.evals.folder
        again = folder.parent / AGAIN
        command = self.place.command(
            words,
            checkout=folder,
            readable=[*([again] if again.is_dir() else []), *self._documents(folder, cases)],
            hidden=[folder / HANDOFF_FILE, *([suites] if suites != folder else [])],
        )
        return agent.model_copy(update={"command": command})

    def _documents(self, folder: Path, cases: Sequence[EvalCase]) -> list[Path]:
        """Return the documents of *cases* that lie beside the suites, where an agent has to find them all the same.

        There are those of the repository and those of the checkout *folder*. Where there are very many, each stands for
        the folder that it lies in, if that is another one than the suites'.
        """
        root, repository = self.loop.data_root, self.loop.git.folder.resolve()
        suites = repository / self.loop.settings.evals.folder
        if suites == repository:
            return []
        names = sorted({name for case in cases for name in _texts(list(case.vars.values()))})
        beside = [root / name for name in names if suites in (root / name).parents and ".." not in Path(name).parts]
        found = [place for place in beside if _is_file(place)]
        if len(found) > _MANY:
            found = sorted({place if place.parent == suites else place.parent for place in found})
        mine = [folder / place.relative_to(repository) for place in found]
        return [*found, *(place for place in mine if place.exists())]


def _texts(values: Sequence[JsonValue]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and len(value) < _LONGEST_PATH and "\0" not in value:
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _texts(list(value.values()))


def _is_file(place: Path) -> bool:
    try:
        return place.is_file() and not place.is_symlink()
    except OSError:
        return False
