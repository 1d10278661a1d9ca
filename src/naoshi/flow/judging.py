"""Judging a change in a place apart: where the agent runs then, and what of it is asked again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from naoshi.evals.settings import AgentSettings
from naoshi.flow.evaluate import ALL_SPLITS, evaluate_folder
from naoshi.flow.loop import Loop
from naoshi.records import EvalCase, EvalRun, Split
from naoshi.repair.judge_change import AGAIN
from naoshi.repair.judging_place import JudgingPlace
from naoshi.repair.workspace import HANDOFF_FILE
from naoshi.system.process import command_words

ASKED_AGAIN = "asked again"
"""The name of the suite of the questions that are asked in another dress; such a run is kept nowhere."""

_NO_MODEL = "none"


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
        if self.place.program:
            return None
        loop = self.loop
        return (loop.settings.evals.suite_path(Split.holdout, repository=loop.git.folder, state=loop.state),)

    def evaluate(
        self, folder: Path, commit: str, *, version: str, cases: Sequence[EvalCase], why: str = "", once: str = ""
    ) -> EvalRun:
        """Run *cases* on the agent in *folder*, as a cycle does.

        Raises:
            HoldoutBudgetError: cases of the holdout are among them, and it was asked often enough.
        """
        agent = self._agent(folder)
        return evaluate_folder(
            self.loop, folder, version=version, cases=cases, suite=ALL_SPLITS, commit=commit, why=why, once=once,
            agent=agent,
        )  # fmt: skip

    def ask(
        self, folder: Path, commit: str, cases: Sequence[EvalCase], data_root: Path | None, *, version: str
    ) -> EvalRun:
        """Run *cases* once on the agent in *folder*, with the documents in *data_root*."""
        return evaluate_folder(
            self.loop, folder, version=version, cases=cases, suite=ASKED_AGAIN, commit=commit,
            agent=self._agent(folder), data_root=data_root,
        )  # fmt: skip

    def _agent(self, folder: Path) -> AgentSettings:
        agent = self.loop.settings.agent
        try:
            words = command_words(agent.command)
        except ValueError:
            # Whoever runs the agent says what is wrong with its command.
            return agent
        if not words:
            return agent
        suites, handoff = folder / self.loop.settings.evals.folder, folder / HANDOFF_FILE
        command = self.place.command(
            words,
            checkout=folder,
            readable=[place for place in (folder.parent / AGAIN,) if place.is_dir()],
            hidden=[handoff, *([suites] if suites != folder else [])],
        )
        return agent.model_copy(update={"command": command})
