"""A run and its verdict as Markdown, for the page of a GitHub workflow run."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from naoshi.errors import StoreError
from naoshi.evals.suites.source_weights import category_rates
from naoshi.gate.explain import told_outcome
from naoshi.gate.turns import Turn, by_turn
from naoshi.records import EvalRun, Flip, ResultState, Verdict, VerdictOutcome
from naoshi.records.language import Language
from naoshi.ui.ci.summary_words import SummaryWords, summary_words

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


def summary(run: EvalRun, verdict: Verdict, *, scope: str, notes: Sequence[str] = (), language: Language = "en") -> str:
    """Return the Markdown: the verdict with its reasons, each category, all five states, and the cases that flipped.

    What an agent, a model or a suite says is data here: every mark that Markdown or HTML could read is escaped.
    """
    words = summary_words(language)
    parts = [
        "\n".join(part)
        for part in (_head(verdict, scope, notes, words), _categories(verdict, words), _states(run, words))
    ]
    parts += ["\n".join(_flips(title, flips, words)) for title, flips in _listed(verdict, words) if flips]
    text = "\n\n".join(parts) + "\n\n"
    return text if len(text.encode("utf-8", "backslashreplace")) <= _MOST_BYTES else parts[0] + "\n\n"


def plain(text: str, *, most: int = _LONGEST) -> str:
    """Return *text* on one line, as Markdown that shows it as it is, cut to *most* characters."""
    line = " ".join(text.split())
    line = line if len(line) <= most else f"{line[: most - 1]}…"
    shown = "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in line)
    return _SPECIAL.sub(r"\\\1", shown).replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def _head(verdict: Verdict, scope: str, notes: Sequence[str], words: SummaryWords) -> Iterator[str]:
    outcome = words.outcomes[verdict.outcome]
    yield f"## {_MARKS[verdict.outcome]} naoshi: {outcome} ({plain(words.scopes.get(scope, scope))})"
    yield ""
    yield from (f"- {plain(words.told(reason))}" for reason in verdict.reasons[:_SHOWN])
    if len(verdict.reasons) > _SHOWN:
        yield f"- {words.more.format(count=len(verdict.reasons) - _SHOWN)}"
    yield from (f"- **{plain(note, most=600)}**" for note in notes)
    for other in verdict.by_policy:
        if other.policy != verdict.policy:
            yield f"- {words.other.format(policy=plain(other.policy), outcome=words.outcomes[other.outcome])}"


def _categories(verdict: Verdict, words: SummaryWords) -> Iterator[str]:
    yield f"| {' | '.join(words.category_columns)} |"
    yield "|---|---:|---:|---:|---|"
    for item in verdict.categories:
        rates = (_percent(item.baseline_rate), _percent(item.candidate_rate))
        outcome = words.outcomes[told_outcome(verdict, item)]
        yield f"| {plain(item.category)} | {item.cases} | {' | '.join(rates)} | {outcome} |"


def _states(run: EvalRun, words: SummaryWords) -> Iterator[str]:
    states = list(ResultState)
    counts = run.counts()
    columns = (*words.state_columns, *(plain(words.states[state]) for state in states))
    yield f"| {' | '.join(columns)} |"
    yield "|---|---:|---:|" + "---:|" * len(states)
    for rate in category_rates(run.results):
        mine = [result.state for result in run.results if result.category == rate.category]
        cells = " | ".join(str(mine.count(state)) for state in states)
        yield f"| {plain(rate.category)} | {rate.sources} | {_percent(rate.by_source)} | {cells} |"
    yield f"| **{words.all_cases}** | | | " + " | ".join(f"**{counts[state]}**" for state in states) + " |"


def _listed(verdict: Verdict, words: SummaryWords) -> Iterator[tuple[str, Sequence[Flip]]]:
    turned = by_turn(verdict.flips)
    yield from ((words.turns[turn], turned[turn]) for turn in (Turn.worse, Turn.better, Turn.unknown))
    yield words.quarantined, verdict.quarantined


def _flips(title: str, flips: Sequence[Flip], words: SummaryWords) -> Iterator[str]:
    yield f"### {title} ({len(flips)})"
    yield ""
    for flip in flips[:_SHOWN]:
        states = f"{words.states[flip.before]} → {words.states[flip.after]}"
        yield f"- {plain(flip.case_id)} ({plain(flip.category)}): {plain(states)}"
    if len(flips) > _SHOWN:
        yield f"- {words.more.format(count=len(flips) - _SHOWN)}"


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.1%}"
