"""The prompt search in the place of a coding agent: it edits one file of a checkout, and is judged as any change."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import ConfigError, NaoshiError
from naoshi.records import EvalCase
from naoshi.repair.coding_agents.base import AgentEvent, Work, WorkOrder
from naoshi.repair.prompt_search.propose import Proposer
from naoshi.repair.prompt_search.search import RunCases, SearchResult, search_prompt
from naoshi.repair.prompt_search.settings import PromptSearchSettings
from naoshi.system.files import inside, read_text, write_durably


@dataclass(frozen=True, kw_only=True)
class PromptSearchAgent:
    """Rewords the prompt file of *settings*. ``cases`` are of the diagnose and the validate split."""

    settings: PromptSearchSettings
    cases: Sequence[EvalCase]
    run: RunCases
    propose: Proposer
    good_enough: Callable[[Sequence[float]], bool]
    history: Path
    secrets: tuple[str, ...] = ()
    name: str = "gepa"

    def work(self, order: WorkOrder) -> Work:
        """Search, and write the winner over the prompt in the checkout; without a winner nothing is changed."""
        begun = time.monotonic()
        events: list[AgentEvent] = []

        def told(text: str, *, kind: str = "message") -> None:
            event = AgentEvent(
                kind="edit" if kind == "edit" else "message", text=text, seconds=time.monotonic() - begun
            )
            events.append(event)
            order.on_event(event)

        error: NaoshiError | None = None
        try:
            place = prompt_file(order.checkout, self.settings)
            result = search_prompt(
                read_text(place),
                cases=self.cases,
                run=self.run,
                propose=self.propose,
                good_enough=self.good_enough,
                settings=self.settings,
                history=self.history,
                report=told,
            )
            told(summary(result))
            if result.winner is not None:
                write_durably(place, result.winner.text)
                told(self.settings.prompt, kind="edit")
        except NaoshiError as found:
            error = found
        log = "\n".join(event.text for event in events)
        return Work(error=error, log=log, seconds=time.monotonic() - begun, events=tuple(events))

    def command_line(self) -> tuple[str, ...]:
        """Return what it does, as a person may read it; no program is started."""
        return ("gepa", self.settings.prompt, "--model", self.settings.model)


def prompt_file(checkout: Path, settings: PromptSearchSettings) -> Path:
    """Return the prompt file in *checkout*.

    Raises:
        ConfigError: none is named, or there is no such file.
    """
    if not settings.prompt.strip():
        raise ConfigError("no prompt file is named for the prompt search", hint="write `prompt` under [repair.gepa]")
    place = inside(checkout, settings.prompt)
    if not place.is_file():
        raise ConfigError(
            f"the prompt file {settings.prompt} is not in the repository", hint="correct `prompt` under [repair.gepa]"
        )
    return place


def summary(result: SearchResult) -> str:
    """Return what came of a search, in one line."""
    count = len(result.base.scores)
    before = sum(result.base.scores.values())
    if result.winner is None:
        return f"no wording was taken: {result.reason} ({before:.1f} of {count} points now)"
    after = sum(result.winner.scores.values())
    return f"the best of {len(result.tried)} wordings has {after:.1f} points on the validate split, {before:.1f} before"
