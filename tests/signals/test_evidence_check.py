"""Evidence coverage: claims, citations, and what stands where they point."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naoshi.records import Artifact, Comparison, Trace
from naoshi.signals.evidence import check_evidence
from naoshi.signals.settings import EvidenceSettings

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
DEFAULT = EvidenceSettings()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data root with a receipt, and things beside it that must not be opened."""
    root = tmp_path / "data"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("TOTAL 9.00\n")
    (root / "r.csv").write_text("1,1,BOOK SHOP\n1,2,TOTAL 1,209.00\n1,3,DATE 25/12/2018\n", encoding="utf-8")
    (root / "blank.csv").write_text(" \n\t\n")
    (root / "latin.csv").write_bytes(b"caf\xe9\n")
    (root / "out.csv").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(root / "pipe")
    return root


def run(claims: object, fields: object = None) -> Trace:
    artifacts = [Artifact(name="claims", value=claims)] if claims is not ... else []
    if fields is not None:
        artifacts.append(Artifact(name="fields", value=fields))
    return Trace(trace_id="t1", started_at=AT, artifacts=tuple(artifacts))


def claim(value: object = "1209.00", **citation: object) -> dict[str, object]:
    place: dict[str, object] = {"path": "r.csv", "line": 2, "quote": "TOTAL 1,209.00", **citation}
    return {"field": "total", "value": value, "citations": [place]}


def failures(trace: Trace, data: Path, given: EvidenceSettings = DEFAULT) -> list[str]:
    return [signal.failure_type for signal in check_evidence(trace, given, data_root=data)]


def test_a_covered_run_gives_no_signal(data: Path) -> None:
    """A claim whose quote stands on its line and holds the value is enough."""
    assert failures(run([claim()], {"total": "1209.00", "date": None}), data) == []


def test_an_empty_claim_list_does_not_pass_where_fields_have_values(data: Path) -> None:
    """Claiming nothing is an omission of every filled field."""
    assert failures(run([], {"total": "9", "date": "x", "none": " "}), data) == ["field_without_claim"] * 2
    assert failures(run([], {"total": None}), data) == []


def test_a_missing_claims_artifact_counts_only_where_it_is_required(data: Path) -> None:
    """Agents that make no claims are not blamed for it unless the settings ask for claims."""
    assert failures(run(..., {"total": "9"}), data) == []
    assert failures(run(..., {"total": "9"}), data, EvidenceSettings(required=True)) == ["claims_missing"]
    assert failures(run(..., {"total": None}), data, EvidenceSettings(required=True)) == []


@pytest.mark.parametrize("claims", ["total is 9", {"field": "total"}, 3, None, True])
def test_claims_that_are_no_list_are_malformed_and_cover_nothing(data: Path, claims: object) -> None:
    """A text is not read letter by letter as a list of claims."""
    assert failures(run(claims, {"total": "9"}), data) == ["claims_malformed", "field_without_claim"]


@pytest.mark.parametrize("item", ["total", None, 3, [], {}, {"field": "total"}, {"field": "", "value": "x"}])
def test_a_claim_that_says_nothing_is_malformed_and_covers_nothing(data: Path, item: object) -> None:
    """Neither a bare text nor an empty record is a claim."""
    assert failures(run([item], {"total": "9"}), data) == ["claim_malformed", "field_without_claim"]


@pytest.mark.parametrize("citations", [None, [], ...])
def test_a_claim_without_citation_is_a_signal(data: Path, citations: object) -> None:
    """An uncited claim is not evidence."""
    item: dict[str, object] = {"field": "total", "value": "9"}
    if citations is not ...:
        item["citations"] = citations
    assert failures(run([item]), data) == ["claim_without_citation"]


@pytest.mark.parametrize("citations", ["r.csv", {"path": "r.csv"}, 3, ["r.csv"], [None], [3]])
def test_citations_of_the_wrong_kind_are_malformed(data: Path, citations: object) -> None:
    """A text where a list of records belongs cites nothing."""
    assert set(failures(run([{"field": "total", "value": "9", "citations": citations}]), data)) == {
        "citation_malformed"
    }


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("absent.csv", "citation_without_source"),
        ("/etc/passwd", "citation_without_source"),
        ("../secret.txt", "citation_without_source"),
        ("folder/../../secret.txt", "citation_without_source"),
        ("out.csv", "citation_without_source"),
        (".", "citation_without_source"),
        ("folder", "citation_without_source"),
        ("pipe", "citation_without_source"),
        ("blank.csv", "citation_without_source"),
        ("latin.csv", "citation_without_source"),
        ("r.csv\0", "citation_without_source"),
        ("x" * 5_000, "citation_without_source"),
        ("", "citation_malformed"),
        (None, "citation_malformed"),
        (["r.csv"], "citation_malformed"),
    ],
)
def test_what_is_no_source_is_no_evidence(data: Path, path: object, wanted: str) -> None:
    """Only a readable file with text below the data root is a source."""
    assert failures(run([claim(path=path)]), data) == [wanted]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (0, "citation_line_out_of_range"),
        (-1, "citation_line_out_of_range"),
        (4, "citation_line_out_of_range"),
        (10**30, "citation_line_out_of_range"),
        (1, "quote_not_on_line"),
        ("2", "citation_malformed"),
        (2.0, "citation_malformed"),
        (True, "citation_malformed"),
        (float("nan"), "citation_malformed"),
    ],
)
def test_the_line_must_be_a_line_of_the_file_and_hold_the_quote(data: Path, line: object, wanted: str) -> None:
    """A citation points at a place, and the quote stands at that place."""
    assert failures(run([claim(line=line)]), data) == [wanted]


def test_without_a_line_the_quote_may_stand_anywhere_in_the_file(data: Path) -> None:
    """A citation of a whole file is allowed, and is still looked up."""
    assert failures(run([claim(line=None)]), data) == []
    assert failures(run([claim(line=None, quote="TOTAL 9.99")]), data) == ["quote_not_on_line"]


@pytest.mark.parametrize("quote", ["", " ", None, 3])
def test_an_empty_quote_quotes_nothing(data: Path, quote: object) -> None:
    """The empty text stands in every line and proves nothing."""
    assert failures(run([claim(quote=quote)]), data) == ["citation_malformed"]


def test_a_quote_is_compared_as_the_settings_say(data: Path) -> None:
    """Spacing aside by default; letters and digits alone where the settings allow it."""
    loose = EvidenceSettings(quote_comparison=Comparison.letters_and_digits)
    assert failures(run([claim(quote="TOTAL  1,209.00 ")]), data) == []
    assert failures(run([claim(quote="total: 1209.00")]), data) == ["quote_not_on_line"]
    assert failures(run([claim(quote="total: 1209.00")]), data, loose) == []
    assert failures(run([claim(quote="***")]), data, loose) == ["quote_not_on_line"]


@pytest.mark.parametrize("value", ["1209.00", "1,209", 1209, 1209.0, "RM1,209.00", "RM 1209"])
def test_numbers_are_compared_as_numbers(data: Path, value: object) -> None:
    """1,209.00 in the source supports 1209 however the agent writes it."""
    assert failures(run([claim(value)]), data) == []


@pytest.mark.parametrize("value", ["209.00", "9.00", "1209.01", 120, "12", 0])
def test_a_number_that_is_not_there_is_a_signal_even_as_part_of_another(data: Path, value: object) -> None:
    """9.00 is not supported by 1,209.00."""
    assert failures(run([claim(value)]), data) == ["number_not_in_source"]


def test_a_text_value_must_stand_in_its_quotes(data: Path) -> None:
    """Letters and digits of the value are looked for across all quotes of the claim, in order."""
    lines = [
        {"path": "r.csv", "line": 1, "quote": "BOOK SHOP"},
        {"path": "r.csv", "line": 3, "quote": "DATE 25/12/2018"},
    ]
    for value, wanted in {
        "Book-Shop": [],
        "book shop, date": [],
        "25/12/2018": [],
        "25/12/20": ["value_not_in_source"],
        "SHOP BOOK": ["value_not_in_source"],
        "another": ["value_not_in_source"],
    }.items():
        assert failures(run([{"id": "c1", "value": value, "citations": lines}]), data) == wanted, value


def test_every_part_of_a_structured_value_must_be_supported(data: Path) -> None:
    """A list or record is supported leaf by leaf."""
    assert failures(run([claim(["1209.00", {"what": "total"}])]), data) == []
    assert failures(run([claim(["1209.00", {"what": "tax"}])]), data) == ["value_not_in_source"]


def test_the_numbers_of_a_claim_in_words_must_stand_in_its_quotes(data: Path) -> None:
    """A sentence need not be quoted word for word, but its numbers must be there."""
    place = [{"path": "r.csv", "line": 2, "quote": "TOTAL 1,209.00"}]
    good = {"id": "a", "text": "In all 1209 was paid.", "citations": place}
    bad = {"id": "b", "text": "In all 1210 was paid.", "citations": place}
    assert failures(run([good, bad]), data) == ["number_not_in_source"]


def test_a_claim_that_differs_from_the_field_is_a_signal(data: Path) -> None:
    """Evidence for one value does not support another in the record."""
    for value, wanted in {"9.00": 1, "12.0900": 1, "1,209": 0, "RM 1209.00": 0}.items():
        assert failures(run([claim()], {"total": value}), data) == ["claim_differs_from_field"] * wanted, value


def test_signals_carry_the_place_and_nothing_of_it_breaks_a_record(data: Path) -> None:
    """Hostile citations become signals that can be stored: surrogates, floods and NaN included."""
    hostile: list[Any] = [claim(float("nan")), claim(path="\ud800"), claim(quote="x" * 10_000), claim(line=7)]
    signals = check_evidence(run(hostile), DEFAULT, data_root=data)
    assert len(signals) == 4
    assert signals[-1].evidence[0].line == 7
    assert all(len(signal.to_json()) < 3_000 for signal in signals)


_SEEN: list[str] | None = None
_HOOKED = False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _SEEN is not None and isinstance(arguments[0], str):
        _SEEN.append(arguments[0])


@contextmanager
def opened() -> Iterator[list[str]]:
    """Collect every path that Python opens meanwhile."""
    global _SEEN, _HOOKED
    if not _HOOKED:
        sys.addaudithook(_watch)
        _HOOKED = True
    _SEEN = []
    try:
        yield _SEEN
    finally:
        _SEEN = None


_PARTS = st.sampled_from(
    ["..", ".", "r.csv", "folder", "out.csv", "/", "secret.txt", "up", "loop", "\0", "etc", "passwd", "~", "", "pipe"]
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_PARTS, max_size=6).map("/".join) | st.text(max_size=30))
def test_nothing_outside_the_data_root_is_ever_opened(data: Path, path: str) -> None:
    """Whatever a citation names, with links and dots and NUL, no file outside the root is opened."""
    if not (data / "up").exists():
        (data / "up").symlink_to(data.parent)
        (data / "loop").symlink_to("loop")
    with opened() as seen:
        found = failures(run([claim(path=path)]), data)
    root = str(data.resolve())
    assert all(os.path.realpath(name).startswith(root + os.sep) for name in seen)
    if found == []:
        assert (data / path).resolve() == (data / "r.csv").resolve()
