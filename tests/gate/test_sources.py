"""A tolerance on shares is held over cases and over sources, and the sterner one counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.gate.decide import decide
from naoshi.gate.explain import explain
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.trials import by_case, failing_share_by_source
from naoshi.records import EvalRun, VerdictOutcome
from tests.gate.runs import NOW, result, run

TOLERANT = {"hallucination": CategoryTolerance(allow=0.03, block=0.08, max_drop=1.0)}


def of_sources(**sources: str) -> EvalRun:
    return run(
        *(
            result(f"{source}-{number}", "pass" if mark == "+" else "fail", "hallucination", source_key=source)
            for source, marks in sources.items()
            for number, mark in enumerate(marks)
        )
    )


@pytest.mark.parametrize("policy", ["literal", "paired"])
@pytest.mark.parametrize(
    ("sources", "outcome"),
    [
        ({"big": "+" * 30, "a": "-", "b": "+"}, VerdictOutcome.regression),
        ({"big": "+" * 100, **{f"s{n}": "+" for n in range(19)}, "a": "-"}, VerdictOutcome.inconclusive),
        ({"big": "-" * 30, **{f"s{n}": "+" for n in range(99)}}, VerdictOutcome.regression),
        ({f"s{n}": "+" for n in range(20)}, VerdictOutcome.pass_),
    ],
    ids=["hidden behind one document", "doubtful behind one document", "one document fails", "all pass"],
)
def test_one_document_neither_hides_nor_outvotes(policy: str, sources: dict[str, str], outcome: VerdictOutcome) -> None:
    """Thirty passing cases of one source do not dilute the sources that fail; thirty failing ones still count."""
    found = decide(of_sources(**sources), None, GatePolicy(policy=policy, categories=TOLERANT), now=NOW)  # type: ignore[arg-type]
    assert found.outcome is outcome, found.reasons


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_reason_names_the_sources(language: str) -> None:
    """A person reads why the share is another one than that of the cases, in either language."""
    found = decide(of_sources(big="+" * 30, a="-", b="+"), None, GatePolicy(categories=TOLERANT), now=NOW)
    told = explain(found, language)  # type: ignore[arg-type]
    words = {"en": "33.3% do not pass when each source counts once", "ja": "出所ごとに一件と数えると 33.3%"}
    assert words[language] in told


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30), st.integers(0, 29))
def test_making_a_case_worse_never_lowers_the_share(drawn: list[tuple[int, bool]], place: int) -> None:
    """Monotone: a case that begins to fail can only raise the share, and even sources give the share of cases."""
    place %= len(drawn)

    def share(items: list[tuple[int, bool]]) -> float:
        results = [result(f"c{n}", "pass" if passed else "fail", source_key=f"s{source}")
                   for n, (source, passed) in enumerate(items)]  # fmt: skip
        return failing_share_by_source(list(by_case(results).values()))

    worse = [*drawn[:place], (drawn[place][0], False), *drawn[place + 1 :]]
    assert 0 <= share(drawn) <= share(worse) + 1e-12 <= 1 + 1e-9
    alone = [(n, passed) for n, (_, passed) in enumerate(drawn)]
    assert share(alone) == pytest.approx(sum(not passed for _, passed in drawn) / len(drawn))
