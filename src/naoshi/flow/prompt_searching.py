"""The prompt search as a coding agent of the loop: wordings are run in a checkout of their own, on our runner."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from naoshi.errors import ConfigError, MissingExtraError, ModelError
from naoshi.flow.evaluate import evaluate_folder
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out
from naoshi.flow.quarantine import SetAside
from naoshi.flow.suites import judged_cases
from naoshi.gate.lenient import lenient_pass
from naoshi.models.libraries import require_libraries
from naoshi.records import EvalCase, EvalRun, Split
from naoshi.repair.coding_agents.base import CodingAgent
from naoshi.repair.make_change import Base
from naoshi.repair.protect import is_within
from naoshi.system.files import inside, write_durably

SUITE = "gepa"
"""The name of the suite of a search's runs, which are kept nowhere but in its own history."""


@contextmanager
def prompt_search(loop: Loop, base: Base) -> Generator[CodingAgent]:
    """Give the prompt search of ``[repair.gepa]``, with a checkout of *base* to run wordings in.

    Raises:
        ConfigError: no prompt file is named, or it is not one that a change may touch.
        ModelError: no model is set.
        MissingExtraError: GEPA, or what asks models, is not installed.
    """
    settings = loop.settings.repair.gepa
    _require_usable(loop)
    # They load GEPA and pydantic-ai, which are extras and take a second.
    from naoshi.repair.prompt_search.agent import PromptSearchAgent
    from naoshi.repair.prompt_search.propose import ModelProposer

    cases = tuple(case for case in SetAside.of(loop).deciding(judged_cases(loop)) if case.split is not Split.holdout)
    with loop.git.worktree(base.commit, loop.worktrees / f"gepa-{base.commit[:12]}") as checkout:
        place = inside(checkout.folder, settings.prompt)
        yield PromptSearchAgent(
            settings=settings,
            cases=cases,
            run=lambda prompt, cases: _run(loop, checkout.folder, place, prompt, cases),
            propose=ModelProposer(settings=settings, environment=os.environ, mask=handed_out(loop)),
            good_enough=lenient_pass,
            history=loop.state / "gepa" / "history.jsonl",
        )


def idle_prompt_search(loop: Loop) -> CodingAgent:
    """Return the prompt search, only to tell what it would do.

    Raises:
        ConfigError: no prompt file is named, or it is not one that a change may touch.
        ModelError: no model is set.
        MissingExtraError: GEPA, or what asks models, is not installed.
    """
    _require_usable(loop)
    # As above.
    from naoshi.repair.prompt_search.agent import PromptSearchAgent
    from naoshi.repair.prompt_search.propose import ModelProposer

    settings = loop.settings.repair.gepa

    def never(prompt: str, cases: Sequence[EvalCase]) -> EvalRun:
        raise ConfigError("this prompt search was only to tell what it would do")

    return PromptSearchAgent(
        settings=settings,
        cases=(),
        run=never,
        propose=ModelProposer(settings=settings, environment=os.environ, mask=handed_out(loop)),
        good_enough=lenient_pass,
        history=loop.state / "gepa" / "history.jsonl",
    )


def _run(loop: Loop, folder: Path, place: Path, prompt: str, cases: Sequence[EvalCase]) -> EvalRun:
    if any(case.split is Split.holdout for case in cases):
        raise ConfigError("a prompt search never asks the holdout")
    write_durably(place, prompt)
    return evaluate_folder(loop, folder, version="a wording", cases=cases, suite=SUITE)


def _require_usable(loop: Loop) -> None:
    repair = loop.settings.repair
    if not repair.gepa.prompt.strip():
        raise ConfigError("no prompt file is named for the prompt search", hint="write `prompt` under [repair.gepa]")
    if not is_within(repair.gepa.prompt, repair.editable) or is_within(repair.gepa.prompt, repair.protected):
        raise ConfigError(
            f"the prompt file {repair.gepa.prompt} is not one that a change may touch",
            hint="name its folder as `editable` under [repair]",
        )
    if not repair.gepa.model.strip():
        raise ModelError("no model is set for the prompt search", hint="write `model` under [repair.gepa]")
    if find_spec("gepa") is None:
        hint = "install it: pip install 'naoshi[gepa]'"
        raise MissingExtraError("the prompt search needs gepa, which is not installed", hint=hint)
    require_libraries(repair.gepa.provider, doing="the prompt search")
