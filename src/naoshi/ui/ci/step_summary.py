"""A run and its verdict as Markdown, for the page of a GitHub workflow run."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from naoshi.errors import StoreError
from naoshi.evals.suites.source_weights import category_rates
from naoshi.gate.explain import told_outcome
from naoshi.gate.turns import Turn, by_turn
from naoshi.records import EvalRun, Flip, ResultState, Verdict, VerdictOutcome

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~>&<@:$=-])")
_SHOWN = 20
_LONGEST = 300
_MOST_BYTES = 900_000
_MARKS = {
    VerdictOutcome.pass_: "✅",
    VerdictOutcome.regression: "❌",
    VerdictOutcome.inconclusive: "❔",
    VerdictOutcome.incomparable: "❔",
}


def append_summary(path: Path, text: str) -> None:
    """Append *text* to the file at *path*, which other steps of the job write too.

    Raises:
        StoreError: the disk or the rights do not allow it.
    """
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise StoreError(f"cannot write the step summary {path}: {error.strerror or error}") from error


def summary(run: EvalRun, verdict: Verdict, *, scope: str, notes: Sequence[str] = ()) -> str:
    """Return the Markdown: the verdict with its reasons, each category, all five states, and the cases that flipped.

    What an agent, a model or a suite says is data here: every mark that Markdown or HTML could read is escaped.
    """
    parts = ["\n".join(_head(verdict, scope, notes)), "\n".join(_categories(verdict)), "\n".join(_states(run))]
    parts += ["\n".join(_flips(title, flips)) for title, flips in _listed(verdict) if flips]
    text = "\n\n".join(parts) + "\n\n"
    return text if len(text.encode("utf-8", "backslashreplace")) <= _MOST_BYTES else parts[0] + "\n\n"


def plain(text: str, *, most: int = _LONGEST) -> str:
    """Return *text* on one line, as Markdown that shows it as it is, cut to *most* characters."""
    line = " ".join(text.split())
    line = line if len(line) <= most else f"{line[: most - 1]}…"
    shown = "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in line)
    return _SPECIAL.sub(r"\\\1", shown).replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def _head(verdict: Verdict, scope: str, notes: Sequence[str]) -> Iterator[str]:
    yield f"## {_MARKS[verdict.outcome]} naoshi: {verdict.outcome.value} ({plain(scope)})"
    yield ""
    yield from (f"- {plain(reason)}" for reason in verdict.reasons[:_SHOWN])
    yield from (f"- **{plain(note, most=600)}**" for note in notes)
    for other in verdict.by_policy:
        if other.policy != verdict.policy:
            yield f"- By the policy {plain(other.policy)} it would be: {other.outcome.value}"


def _categories(verdict: Verdict) -> Iterator[str]:
    yield "| category | cases | baseline | now | verdict |"
    yield "|---|---:|---:|---:|---|"
    for item in verdict.categories:
        rates = (_percent(item.baseline_rate), _percent(item.candidate_rate))
        yield f"| {plain(item.category)} | {item.cases} | {' | '.join(rates)} | {told_outcome(verdict, item).value} |"


def _states(run: EvalRun) -> Iterator[str]:
    states = list(ResultState)
    counts = run.counts()
    yield "| category | sources | by source | " + " | ".join(plain(state.value) for state in states) + " |"
    yield "|---|---:|---:|" + "---:|" * len(states)
    for rate in category_rates(run.results):
        mine = [result.state for result in run.results if result.category == rate.category]
        cells = " | ".join(str(mine.count(state)) for state in states)
        yield f"| {plain(rate.category)} | {rate.sources} | {_percent(rate.by_source)} | {cells} |"
    yield "| **all** | | | " + " | ".join(f"**{counts[state]}**" for state in states) + " |"


def _listed(verdict: Verdict) -> Iterator[tuple[str, Sequence[Flip]]]:
    turned = by_turn(verdict.flips)
    yield "Got worse", turned[Turn.worse]
    yield "Got better", turned[Turn.better]
    yield "Not run or not judged in one of the runs", turned[Turn.unknown]
    yield "In quarantine, run and without a say", verdict.quarantined


def _flips(title: str, flips: Sequence[Flip]) -> Iterator[str]:
    yield f"### {title} ({len(flips)})"
    yield ""
    for flip in flips[:_SHOWN]:
        states = f"{flip.before.value} → {flip.after.value}"
        yield f"- {plain(flip.case_id)} ({plain(flip.category)}): {plain(states)}"
    if len(flips) > _SHOWN:
        yield f"- and {len(flips) - _SHOWN} more"


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.1%}"
