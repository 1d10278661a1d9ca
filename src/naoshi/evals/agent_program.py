"""The agent under test as a program in one checkout, ready to be started as often as there is need."""

import selectors
import threading
from collections.abc import Mapping
from pathlib import Path

from naoshi.errors import AgentCrashError, ConfigError
from naoshi.evals.agent_process import AgentProcess, agent_environment
from naoshi.evals.settings import AgentSettings
from naoshi.system.process import command_words


class AgentProgram:
    """Starts agents, and remembers how often one ended without an answer since one last spoke. Threads may share it."""

    def __init__(
        self,
        *,
        settings: AgentSettings,
        folder: Path,
        version: str,
        environment: Mapping[str, str],
        data_root: Path | None = None,
    ) -> None:
        """Make ready to run the agent of *settings* in the checkout *folder*.

        ``environment`` is what the agent's allow list picks from. ``data_root`` is where documents lie (the settings'
        path inside *folder* when None).

        Raises:
            ConfigError: no command is configured.
        """
        self.settings = settings
        self._folder = folder
        self._words = _words(settings)
        self._environment = agent_environment(
            environment,
            version=version,
            data_root=(data_root or folder / settings.data_root).resolve(),
            max_turns=settings.max_turns,
            own=settings.environment,
        )
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._silent_ends = 0

    def start(self, selector: selectors.BaseSelector) -> AgentProcess:
        """Start one more agent, of which *selector* will tell.

        Raises:
            MissingProgramError: the command is not on this machine.
        """
        return AgentProcess(
            command=self._words,
            folder=self._folder,
            environment=self._environment,
            output_limit=self.settings.output_limit,
            selector=selector,
            stopping=self._stop.is_set,
        )

    def stop(self) -> None:
        """Have agents that are at work give up."""
        self._stop.set()

    def require_life(self) -> None:
        """See that it is worth while to ask.

        Raises:
            AgentCrashError: too many agents in a row have ended without an answer.
        """
        most = self.settings.max_restarts
        if self._silent_ends >= most:
            raise AgentCrashError(f"not asked: the agent ended {most} times in a row without an answer")

    def count_end(self) -> None:
        """Count an agent that ended without an answer."""
        with self._lock:
            self._silent_ends += 1

    def count_answer(self) -> None:
        """Forget such ends, as an agent answered."""
        if self._silent_ends:
            with self._lock:
                self._silent_ends = 0


def _words(agent: AgentSettings) -> list[str]:
    try:
        words = command_words(agent.command)
    except ValueError as error:
        raise ConfigError(f"the agent's command cannot be split into words: {error}") from error
    if not words:
        raise ConfigError("no command is configured for the agent", hint="set `command` under [agent]")
    return words
