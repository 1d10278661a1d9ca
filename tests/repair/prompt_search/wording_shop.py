"""An agent that is only a prompt: it greets in the words that its prompt names, and does nothing else."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue

from naoshi.records import Assertion, CaseResult, EvalCase, EvalRun, Provenance, ResultState, Split

NOW = datetime(2026, 5, 1, tzinfo=UTC)
PROMPT = "Greet people. Known: english."


def case(number: int, language: str, split: Split) -> EvalCase:
    return EvalCase(
        case_id=f"case_{split.value}_{number}",
        vars={"language": language, "name": f"{split.value}-{number}"},
        assertions=(Assertion(type="equals", value=f"greeting in {language}"),),
        split=split,
        provenance=Provenance(corrected=f"greeting in {language}"),
    )


CASES = tuple(
    case(number, language, split)
    for split in (Split.diagnose, Split.validate_)
    for number, language in enumerate(("english", "english", "dutch", "welsh"))
)


def run_cases(prompt: str, cases: Sequence[EvalCase], *, state: ResultState | None = None) -> EvalRun:
    """Run *cases* on the agent whose prompt is *prompt*."""
    results = []
    for item in cases:
        language = str(item.vars["language"])
        said = "" if "silence" in prompt else f"greeting in {language}" if language in prompt else "?"
        right = said == f"greeting in {language}"
        found = ResultState.pass_ if right or "silence" in prompt else ResultState.fail
        results.append(
            CaseResult(case_id=item.case_id, content_hash=item.content_hash, category="general", state=state or found,
                       output=said, score=1.0 if right else 0.0)
        )  # fmt: skip
    return EvalRun(run_id="run", suite="gepa", version="x", started_at=NOW, finished_at=NOW, results=tuple(results))


class Wordsmith:
    """A scripted proposer: it adds the first language that an example shows to be missing, and remembers all it saw."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.seen: list[Mapping[str, Any]] = []

    def __call__(self, prompt: str, examples: Sequence[Mapping[str, JsonValue]]) -> str:
        self.seen += examples
        if self.answers:
            return self.answers.pop(0)
        wrong = [item for item in examples if not item["right"]]
        missing = [str(item["input"]["language"]) for item in wrong]  # type: ignore[call-overload, index]
        return f"{prompt} {missing[0]}." if missing else f"{prompt} Be kind."
