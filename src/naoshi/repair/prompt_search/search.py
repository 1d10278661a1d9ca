"""The search itself: GEPA chooses which wording to reword next, our runner scores, and nothing tried is forgotten."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, cast

from gepa.core.adapter import EvaluationBatch
from pydantic import JsonValue

from naoshi.errors import InputError, NaoshiError
from naoshi.records import CaseResult, EvalCase, EvalRun, ResultState, Split, content_hash
from naoshi.repair.prompt_search.propose import Proposer
from naoshi.repair.prompt_search.scored_prompt import ScoredPrompt, best_prompt, case_scores
from naoshi.repair.prompt_search.settings import PromptSearchSettings

_COMPONENT: Final = "prompt"
_MOST_IDLE: Final = 40


class RunCases(Protocol):
    """Runs cases on the agent with a wording in place of its prompt."""

    def __call__(self, prompt: str, cases: Sequence[EvalCase]) -> EvalRun:
        """Return the run of *cases*."""
        ...


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """What came of a search: the winner (None: nothing better), and every wording with its scores, the base first."""

    winner: ScoredPrompt | None
    base: ScoredPrompt
    tried: tuple[ScoredPrompt, ...]
    proposals: int
    reason: str = ""


def search_prompt(
    prompt: str,
    *,
    cases: Sequence[EvalCase],
    run: RunCases,
    propose: Proposer,
    good_enough: Callable[[Sequence[float]], bool],
    settings: PromptSearchSettings,
    history: Path,
    report: Callable[[str], None] = lambda _: None,
) -> SearchResult:
    """Look for a wording that does better than *prompt* on the validate split of *cases*.

    Proposals are made from cases of the diagnose split; those of the validate split are only ever scored. Each wording
    that was run is added to the file *history*, of which nothing is ever removed.

    Raises:
        InputError: a case is of the holdout, or there is none in one of the two splits.
        ModelError: no wording could be had.
    """
    train = [case for case in cases if case.split is Split.diagnose]
    validate = [case for case in cases if case.split is Split.validate_]
    if len(train) + len(validate) != len(cases):
        raise InputError("a case of the holdout was handed to the prompt search, which never asks it")
    if not train or not validate:
        raise InputError("a prompt search needs cases in both the diagnose and the validate split")
    names = frozenset(case.case_id for case in validate)
    bench = _Bench(run=run, propose=propose, settings=settings, history=history, report=report, validate=names)
    optimize: Any = import_module("gepa").optimize
    optimize(
        seed_candidate={_COMPONENT: prompt},
        trainset=train,
        valset=validate,
        adapter=bench,
        stop_callbacks=[bench.spent],
        reflection_minibatch_size=min(settings.batch, len(train)),
        logger=bench,
        seed=settings.seed,
        raise_on_exception=False,
    )
    result = _judged(bench, prompt, good_enough, settings)
    if bench.failure is not None and result.winner is None:
        raise bench.failure
    return result


def _judged(
    bench: "_Bench", prompt: str, good_enough: Callable[[Sequence[float]], bool], settings: PromptSearchSettings
) -> SearchResult:
    scored = [
        ScoredPrompt(text=text, scores={name: score for name, score in known.items() if score is not None})
        for text, known in bench.validated().items()
    ]
    if bench.failure is not None and all(item.text != prompt for item in scored):
        raise bench.failure
    base = next(item for item in scored if item.text == prompt)
    others = [item for item in scored if item.text != prompt and item.text.strip()]
    winner = best_prompt(base, others)
    reason = ""
    if winner is None:
        reason = f"none of {len(others)} wordings does better than the present prompt on the validate split"
    elif settings.rule == "lenient" and not good_enough(list(winner.scores.values())):
        reason = "the best wording is better, and not good enough by the lenient rule"
        winner = None
    return SearchResult(
        winner=winner, base=base, tried=(base, *others), proposals=bench.proposals, reason=reason
    )  # fmt: skip


@dataclass(kw_only=True)
class _Bench:
    """What GEPA asks: scores of a wording on cases, and another wording.

    GEPA goes on over errors of either; the first one is kept in ``failure`` and ends the search.
    """

    run: RunCases
    propose: Proposer
    settings: PromptSearchSettings
    history: Path
    report: Callable[[str], None]
    validate: frozenset[str]
    proposals: int = 0
    evaluations: int = 0
    idle: int = 0
    progress: tuple[int, int] = (0, 0)
    failure: NaoshiError | None = None
    known: dict[str, dict[str, float | None]] = field(default_factory=dict[str, dict[str, float | None]])
    results: dict[tuple[str, str], CaseResult] = field(default_factory=dict[tuple[str, str], CaseResult])

    def evaluate(
        self, batch: list[EvalCase], candidate: dict[str, str], capture_traces: bool = False
    ) -> "EvaluationBatch[Any, Any]":
        """Return the scores of *candidate* on *batch*; what nobody knows scores 0 here. No case is run twice."""
        text = candidate[_COMPONENT]
        scores = self.known.setdefault(text, {})
        fresh = [case for case in batch if case.case_id not in scores]
        if fresh:
            self._run(text, fresh)
        if self.validate <= scores.keys() and any(case.case_id in self.validate for case in fresh):
            points = sum(scores[name] or 0.0 for name in self.validate)
            self.report(f"a wording has {points:.1f} of {len(self.validate)} points on the validate split")
        told = [_example(case, self.results.get((text, case.case_id))) for case in batch]
        return EvaluationBatch(
            outputs=[item["output"] for item in told],
            scores=[scores.get(case.case_id) or 0.0 for case in batch],
            trajectories=told if capture_traces else None,
        )

    def _run(self, text: str, cases: Sequence[EvalCase]) -> None:
        try:
            run = self.run(text, cases)
        except NaoshiError as error:
            self.failure = self.failure or error
            raise
        self.evaluations += len(cases)
        scores = case_scores(run)
        self.known[text].update(scores)
        self.results.update({(text, result.case_id): result for result in run.results})
        self._remember(text, cases, scores)

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: "EvaluationBatch[Any, Any]", components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the examples that a proposal is made from."""
        return {name: list(eval_batch.trajectories or ()) for name in components_to_update}

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return another wording."""
        if self.failure is not None:
            raise self.failure
        self.proposals += 1
        self.report(f"proposal {self.proposals} of {self.settings.proposals}")
        try:
            return {
                name: self.propose(candidate[name], reflective_dataset.get(name, ())) for name in components_to_update
            }
        except NaoshiError as error:
            self.failure = error
            raise

    def spent(self, state: object) -> bool:
        """Return whether the search is over: something failed, a limit is reached, or nothing can be better."""
        perfect = any(all(score == 1 for score in scores.values()) for scores in self.validated().values())
        used_up = self.proposals >= self.settings.proposals or self.evaluations >= self.settings.evaluations
        # Where every case of the diagnose split passes GEPA has nothing to propose from, and would look for ever.
        progress = (self.proposals, self.evaluations)
        self.idle = self.idle + 1 if progress == self.progress else 0
        self.progress = progress
        return self.failure is not None or perfect or used_up or self.idle >= _MOST_IDLE

    def log(self, message: str) -> None:
        """Take what GEPA says of its progress, which is ours to tell."""

    def validated(self) -> dict[str, dict[str, float | None]]:
        """Return the wordings that were run on all of the validate split, with their scores there, oldest first."""
        return {
            text: {name: scores[name] for name in sorted(self.validate)}
            for text, scores in self.known.items()
            if self.validate <= scores.keys()
        }

    def _remember(self, text: str, batch: Sequence[EvalCase], scores: Mapping[str, float | None]) -> None:
        entry = {
            "prompt_hash": content_hash(text),
            "prompt": text,
            "split": batch[0].split.value if batch else "",
            "scores": {case.case_id: scores.get(case.case_id) for case in batch},
        }
        self.history.parent.mkdir(parents=True, exist_ok=True)
        with self.history.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
            stream.flush()
            os.fsync(stream.fileno())


def _example(case: EvalCase, result: CaseResult | None) -> dict[str, JsonValue]:
    passed = result is not None and result.state is ResultState.pass_
    return {
        "input": cast("JsonValue", case.vars),
        "output": result.output if result is not None else None,
        "expected": case.provenance.corrected,
        "rules": [item.value for item in case.assertions if item.type == "llm-rubric"],
        "right": passed,
        "why": result.reason if result is not None else "it was not run",
    }
