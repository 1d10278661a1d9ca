"""How much each source counts in a category's pass rate: thirty cases of one document are one document.

This has nothing to do with the ``weight`` of an assertion, which is Promptfoo's and counts inside one case alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from naoshi.records.eval_run import CaseResult, ResultState


@dataclass(frozen=True, kw_only=True)
class CategoryRate:
    """How many cases of a category pass.

    ``by_case`` is the share (0–1) of cases that pass, a case that passes in some of its trials counting in part.
    ``by_source`` is the mean over ``sources`` of that share within each, so that every source weighs the same.
    ``effective`` is Kish's effective number of sources, (Σn)² / Σn² over the cases n of each: that of the sources where
    all have as many cases, near 1 where one has nearly all. ``largest`` is the share of cases of the largest source.
    """

    category: str
    cases: int
    sources: int
    effective: float
    largest: float
    by_case: float
    by_source: float


def category_rates(results: Sequence[CaseResult]) -> tuple[CategoryRate, ...]:
    """Return the rates of each category of *results*, by name. A case without a source is a source of its own."""
    trials: dict[tuple[str, str, str], list[bool]] = {}
    for result in results:
        source = f"source {result.source_key}" if result.source_key else f"case {result.case_id}"
        trials.setdefault((result.category, source, result.case_id), []).append(result.state is ResultState.pass_)
    shares: dict[str, dict[str, list[float]]] = {}
    for (category, source, _), passed in trials.items():
        shares.setdefault(category, {}).setdefault(source, []).append(sum(passed) / len(passed))
    return tuple(_rate(category, sources) for category, sources in sorted(shares.items()))


def _rate(category: str, sources: dict[str, list[float]]) -> CategoryRate:
    sizes = [len(found) for found in sources.values()]
    cases = sum(sizes)
    return CategoryRate(
        category=category,
        cases=cases,
        sources=len(sources),
        effective=cases**2 / sum(size * size for size in sizes),
        largest=max(sizes) / cases,
        by_case=fsum(share for found in sources.values() for share in found) / cases,
        by_source=fsum(fsum(found) / len(found) for found in sources.values()) / len(sources),
    )
