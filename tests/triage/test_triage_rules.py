"""Every stated rule: when it decides, with what evidence, and when it must not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import Cause, Correction, Span, SpanKind, SpanStatus, Trace, TriageClass
from naoshi.triage.propose import propose
from naoshi.triage.rules import RULES
from naoshi.triage.settings import TriageSettings
from naoshi.triage.statement import STATEMENTS
from tests.triage.triage_world import AT, FIELDS, RECEIPT, correction, one, proposed, run

DEFECT, NOISE, UNCLEAR, JUDGEMENT = TriageClass.defect, TriageClass.noise, TriageClass.unclear, TriageClass.judgement


@pytest.mark.parametrize(
    ("field", "submitted", "corrected", "rule", "decision", "cause"),
    [
        # nothing but the way of writing
        ("company", "BOOK SHOP", "BOOK SHOP", "unchanged", NOISE, Cause.workflow_noise),
        ("company", "BOOK SHOP", " BOOK SHOP ", "unchanged", NOISE, Cause.workflow_noise),
        ("company", "BOOK SHOP", "Book-Shop", "equal_after_normalising", NOISE, Cause.workflow_noise),
        ("company", "BOOK SHOP", "ＢＯＯＫ　ＳＨＯＰ", "equal_after_normalising", NOISE, Cause.workflow_noise),
        ("total", "31.00", "31", "format_preference", NOISE, Cause.workflow_noise),
        ("total", "31.00", "RM 31.00", "format_preference", NOISE, Cause.workflow_noise),
        ("date", "14/03/2018", "2018-03-14", "format_preference", NOISE, Cause.workflow_noise),
        ("date", "14/03/2018", "14 Mar 2018", "format_preference", NOISE, Cause.workflow_noise),
        ("date", "14/03/2018", "平成30年3月14日", "format_preference", NOISE, Cause.workflow_noise),
        ("date", "2018-03-14", "14/03/2018", "written_as_in_source", DEFECT, Cause.extraction_miss),
        ("total", "35.00", "RM35.00", "written_as_in_source", DEFECT, Cause.extraction_miss),
        ("date", "03/04/2018", "04/03/2018", "ambiguous_date", UNCLEAR, Cause.workflow_noise),
        ("date", None, "2018-03-14", "written_otherwise", NOISE, Cause.workflow_noise),
        ("total", "29.25", "31", "written_otherwise", NOISE, Cause.workflow_noise),
        ("total", "29.25", "USD 31.00", "written_otherwise", NOISE, Cause.workflow_noise),
        # not in the source
        ("company", None, "ANOTHER HOUSE", "stands_nowhere", UNCLEAR, Cause.workflow_noise),
        ("company", None, "BOOK SHPO SDN BHD", "near_miss", UNCLEAR, Cause.workflow_noise),
        ("company", None, "BOOK SHOP SDN BH", "near_miss", UNCLEAR, Cause.workflow_noise),
        ("total", "29.25", "31.01", "near_miss", UNCLEAR, Cause.workflow_noise),
        ("total", "29.25", "1.00", "near_miss", UNCLEAR, Cause.workflow_noise),
        ("date", None, "4/03/2018", "near_miss", UNCLEAR, Cause.workflow_noise),
        # struck out
        ("total", "31.00", None, "emptied", JUDGEMENT, Cause.workflow_noise),
        ("total", "77.00", "", "value_from_nowhere", DEFECT, Cause.extraction_miss),
        # in the source
        ("total", None, "31.00", "missed", DEFECT, Cause.extraction_miss),
        ("total", "29.25", "31.00", "other_label", DEFECT, Cause.mapping_problem),
        ("company", "BOOK SHOP", "BOOK SHOP SDN BHD", "wrong_extent", DEFECT, Cause.extraction_miss),
        ("address", "JALAN BESAR,", "NO 5, JALAN BESAR, 81100", "wrong_extent", DEFECT, Cause.extraction_miss),
        ("company", "81100 JOHOR BAHRU", "BOOK SHOP SDN BHD", "other_place", DEFECT, Cause.extraction_miss),
        ("company", "INVENTED LTD", "BOOK SHOP SDN BHD", "invented", DEFECT, Cause.extraction_miss),
        ("company", "TELEPHONE", "B00K SH0P SDN BHD", "misread_source", DEFECT, Cause.extraction_miss),
    ],
)  # fmt: skip
def test_what_the_value_and_the_source_say_decides(
    field: str, submitted: object, corrected: object, rule: str, decision: TriageClass, cause: Cause
) -> None:
    """The first rule of the table that fits decides, by how the values compare and where they stand."""
    proposal = one(correction(field, submitted, corrected))
    assert (proposal.rule, proposal.decision, proposal.cause) == (rule, decision, cause)


def test_a_defect_cites_where_the_value_stands_and_what_the_run_took() -> None:
    """The evidence leads a person to both places, with the label beside the right one."""
    made = correction("total", "29.25", "31.00")
    proposal = one(made, run({"total": "29.25"}, cited={"total": 5}))
    right, taken = proposal.evidence
    assert (right.path, right.line, right.quote, right.label) == ("box/1.csv", 6, "TOTAL: 31.00", "TOTAL")
    assert (taken.line, taken.quote, taken.note) == (5, "SUBTOTAL 29.25", "taken by the run")
    assert "“TOTAL”" in proposal.statement
    assert "“SUBTOTAL”" in proposal.statement


def test_a_near_miss_names_the_near_value_and_its_place() -> None:
    """A person sees what was probably meant."""
    proposal = one(correction("company", None, "BOOK SHPO SDN BHD"))
    assert "“BOOK SHOP SDN BHD”" in proposal.statement
    assert proposal.evidence[0].line == 1


def test_an_address_may_stand_on_several_lines() -> None:
    """A value that is spread over lines stands in the source all the same, and each line is cited."""
    proposal = one(correction("address", None, "No 5, Jalan Besar, 81100 Johor Bahru"))
    assert (proposal.rule, [item.line for item in proposal.evidence]) == ("missed", [2, 3])


@pytest.mark.parametrize(("submitted", "corrected"), [("1.5", "15"), ("31.00", "3100"), ("-5", "5")])
def test_different_numbers_are_never_equal_after_normalising(submitted: str, corrected: str) -> None:
    """A decimal point is not punctuation to be dropped."""
    for field in ("total", "company"):
        assert one(correction(field, submitted, corrected)).rule not in ("equal_after_normalising", "format_preference")


@pytest.mark.parametrize("corrected", ["1.00", "9.25", "31.0", "OOK SHOP", "BOOK SHO", "8110", "14/03/201"])
def test_a_part_of_a_word_or_number_does_not_stand_in_the_source(corrected: str) -> None:
    """A dropped character must not pass because the rest stands inside a longer word."""
    for field in ("total", "company", "date"):
        assert one(correction(field, None, corrected)).decision is not DEFECT


def test_two_people_who_disagree_are_both_noise() -> None:
    """Neither of two differing corrections is believed, and each cites the other."""
    a = correction("total", "29.25", "31.00", by="sato")
    b = correction("total", "29.25", "35.00", by="lim")
    found = proposed(a, b, traces=[run({"total": "29.25"})])
    assert [(item.rule, item.decision) for item in found] == [("disagreement", NOISE)] * 2
    assert [item.evidence[0].correction_id for item in found] == [b.correction_id, a.correction_id]


def test_an_earlier_correction_counts_for_disagreement_and_so_does_another_run_of_the_document() -> None:
    """People may disagree across cycles and versions, as long as document and input are the same."""
    a = correction("total", "29.25", "31.00", by="sato")
    b = correction("total", None, "35.00", by="lim", trace="t2")
    runs = [run({"total": "29.25"}), run({"total": None}, name="t2")]
    assert proposed(a, traces=runs, known=[b])[0].rule == "disagreement"
    other_input = run({"total": None}, name="t2", vars={"document": "box/1.csv", "page": 2})
    assert proposed(a, traces=[runs[0], other_input], known=[b])[0].rule == "other_label"


def test_people_who_mean_the_same_value_do_not_disagree() -> None:
    """A second way of writing is a preference, not another opinion."""
    a = correction("date", None, "14/03/2018", by="sato")
    b = correction("date", None, "2018-03-14", by="lim")
    found = proposed(a, b, traces=[run({"date": None, "x": "y"})])
    assert [item.rule for item in found] == ["missed", "written_otherwise"]


def test_the_outvoted_correction_alone_is_noise() -> None:
    """Two who agree against one are believed; without a majority nobody is."""
    a = correction("total", "29.25", "31.00", by="a")
    b = correction("total", "29.25", "31.00", by="b")
    c = correction("total", "29.25", "35.00", by="c")
    d = correction("total", "29.25", "35.00", by="d")
    runs = [run({"total": "29.25"})]
    assert [item.rule for item in proposed(a, b, c, traces=runs)] == ["other_label", "other_label", "outvoted"]
    assert [item.rule for item in proposed(a, b, c, d, traces=runs)] == ["disagreement"] * 4


def test_the_source_settles_a_disagreement_only_where_the_settings_say_so() -> None:
    """By default two people who disagree are noise, even if one value stands nowhere."""
    a = correction("total", "29.25", "31.00", by="a")
    b = correction("total", "29.25", "13.00", by="b")
    runs = [run({"total": "29.25"})]
    assert [item.rule for item in proposed(a, b, traces=runs)] == ["disagreement"] * 2
    settled = proposed(a, b, traces=runs, settings=TriageSettings(source_settles_disagreement=True))
    assert [item.rule for item in settled] == ["other_label", "disagreement"]


def test_a_later_correction_by_the_same_person_supersedes_the_earlier() -> None:
    """Changing one's mind is not a disagreement with oneself."""
    first = correction("total", "29.25", "35.00", minute=0)
    second = correction("total", "29.25", "31.00", minute=5)
    found = proposed(first, second, traces=[run({"total": "29.25"})])
    assert [item.rule for item in found] == ["superseded", "other_label"]


def test_a_value_carried_over_from_the_last_document_is_noise() -> None:
    """What stands nowhere here and was the person's last correction was copied over."""
    other = ("TEA HOUSE", "TOTAL 4.00")
    before = correction("company", None, "TEA HOUSE", trace="t0", document="box/0.csv", minute=0)
    made = correction("company", None, "TEA HOUSE", minute=3)
    runs = [run({"x": "y"}, name="t0", lines=other, path="box/0.csv"), run({"company": None, "x": "y"})]
    assert proposed(made, traces=runs, known=[before])[0].rule == "copied_from_previous"
    by_other = before.model_copy(update={"practitioner": "lim"})
    assert proposed(made, traces=runs, known=[by_other])[0].rule == "stands_nowhere"


def test_a_value_that_others_found_elsewhere_is_believed_where_the_source_is_nearly_the_same() -> None:
    """A badly read document does not make a known name doubtful; one person's word alone does not do."""
    blurred = ("BOUK SHCP SON BHD", "TOTAL 4.00")
    made = correction("company", None, "BOOK SHOP SDN BHD", trace="t9", document="box/9.csv")
    runs = [run({"company": None, "x": "y"}, name="t9", lines=blurred, path="box/9.csv"), run({"company": None})]
    other = correction("company", None, "BOOK SHOP SDN BHD", by="lim")
    settings = TriageSettings(near_distance=3)
    (found,) = proposed(made, traces=runs, known=[other], settings=settings)
    assert (found.rule, found.decision) == ("corroborated", DEFECT)
    mine = other.model_copy(update={"practitioner": "sato", "at": AT.replace(day=6)})
    assert proposed(made, traces=runs, known=[mine], settings=settings)[0].rule == "near_miss"


def habit(person: str, number: int, submitted: str, corrected: str) -> tuple[Correction, Trace]:
    name, path = f"{person}{number}", f"box/{person}{number}.csv"
    lines = (f"NOTE {submitted}", f"PAGE {corrected}")
    trace = run({"address": submitted}, name=name, lines=lines, path=path)
    return correction("address", submitted, corrected, by=person, trace=name, document=path, minute=number), trace


def test_one_persons_own_habit_is_noise_but_a_custom_of_all_is_not() -> None:
    """All of one person's corrections make one change that nobody else makes: that is the person, not the agent."""
    mine = [habit("a", i, f"{word} ROAD", f"{word} ROAD EAST") for i, word in enumerate("XA XB XC XD XE".split())]
    others = [habit("b", i, f"{word} LANE", f"{word} STREET") for i, word in enumerate("YA YB YC YD YE".split())]
    traces = [trace for _, trace in mine + others]
    known = [item for item, _ in mine[1:] + others]
    found = proposed(mine[0][0], traces=traces, known=known)[0]
    assert (found.rule, found.decision) == ("practitioner_bias", NOISE)
    assert "a" in found.statement and len(found.evidence) == 3
    assert proposed(mine[0][0], traces=traces, known=known[1:])[0].rule != "practitioner_bias"
    shared = habit("b", 9, "YZ ROAD", "YZ ROAD EAST")
    joined = proposed(mine[0][0], traces=[*traces, shared[1]], known=[*known, shared[0]])
    assert joined[0].rule != "practitioner_bias"


def shop(number: int, corrected: str, line: str, by: str = "lim") -> tuple[Correction, Trace]:
    path = f"box/s{number}.csv"
    trace = run({"company": None, "x": "y"}, name=f"s{number}", lines=(line, "TOTAL 4.00"), path=path)
    return correction("company", None, corrected, by=by, trace=f"s{number}", document=path), trace


def test_leaving_out_what_nearly_all_others_keep_is_noise() -> None:
    """A name without its legal form is one person's preference where everybody else gives it."""
    kept = [shop(i, f"SHOP {chr(65 + i)} LTD", f"SHOP {chr(65 + i)} LTD") for i in range(8)]
    short = shop(20, "TEA HOUSE", "TEA HOUSE LTD", by="sato")
    traces = [trace for _, trace in [*kept, short]]
    known = [item for item, _ in kept]
    (found,) = proposed(short[0], traces=traces, known=known)
    assert (found.rule, found.decision) == ("shortened", NOISE)
    assert "LTD" in found.statement
    assert proposed(short[0], traces=traces, known=known[1:])[0].rule == "missed"
    whole = shop(21, "TEA HOUSE", "TEA HOUSE (1234-X)")
    assert proposed(whole[0], traces=[*traces, whole[1]], known=known)[0].rule == "missed"


def test_a_japanese_address_without_its_prefecture_is_seen_though_no_space_marks_it() -> None:
    """Scripts without spaces have the same custom: others do not begin in the middle of a run of characters."""
    kept = [shop(i, f"大阪府堺市{i}-1", f"大阪府堺市{i}-1") for i in range(8)]
    short = shop(20, "港区芝浦3-12", "東京都港区芝浦3-12", by="sato")
    traces = [trace for _, trace in [*kept, short]]
    (found,) = proposed(short[0], traces=traces, known=[item for item, _ in kept])
    assert found.rule == "shortened"


def paid(number: int, corrected: str) -> tuple[Correction, Trace]:
    path = f"box/p{number}.csv"
    lines = ("TOTAL 41.50", f"QTY {corrected}", f"TOTAL {corrected}")
    trace = run({"total": None, "x": "y"}, name=f"p{number}", lines=lines, path=path)
    return correction("total", None, corrected, by="lim", trace=f"p{number}", document=path), trace


@pytest.mark.parametrize("corrected", ["7", "RM7.10"])
def test_an_amount_written_unlike_all_others_is_noise(corrected: str) -> None:
    """Without decimals, or with a currency, where nearly everybody does otherwise, it is a preference."""
    others = [paid(i, f"{i}.25") for i in range(8)]
    odd = paid(20, corrected)
    traces = [trace for _, trace in [*others, odd]]
    assert proposed(odd[0], traces=traces, known=[item for item, _ in others])[0].rule == "unlike_others"
    assert proposed(odd[0], traces=traces)[0].rule == "missed"


def test_a_field_filled_from_anothers_only_place_is_a_shortcut_unless_that_one_was_wrong_too() -> None:
    """Copying a field is noise; two fields that the run had swapped are a mapping problem."""
    trace = run({"company": "81100 JOHOR BAHRU", "address": "BOOK SHOP SDN BHD"}, cited={"address": 1, "company": 3})
    made = correction("company", "81100 JOHOR BAHRU", "BOOK SHOP SDN BHD")
    assert one(made, trace).rule == "copied_from_other_field"
    both = proposed(made, correction("address", "BOOK SHOP SDN BHD", "NO 5, JALAN BESAR"), traces=[trace])
    assert (both[0].rule, both[0].cause) == ("swapped_field", Cause.mapping_problem)


def test_a_run_that_gave_nothing_at_all_lacks_support_for_the_document() -> None:
    """No field at all, or an error before anything was read, is a missing kind of document."""
    nothing = run({"total": None, "company": " "})
    found = one(correction("total", None, "31.00"), nothing)
    assert (found.rule, found.cause) == ("unsupported_document", Cause.missing_product_support)
    failed = Span(
        trace_id="t1", span_id="a", name="agent", start_time=AT, status=SpanStatus.error, status_message="bad\x1b[31m"
    )
    crashed = run({}, lines=None, spans=(failed,))
    found = one(correction("total", None, "31.00"), crashed)
    assert (found.rule, found.decision, found.evidence[0].span_id) == ("unsupported_run", DEFECT, "a")
    assert "\x1b" not in found.statement


def test_without_a_trace_or_a_source_nothing_is_believed() -> None:
    """What cannot be checked is unclear."""
    made = correction("total", "1.00", "31.00")
    assert proposed(made)[0].rule == "run_unknown"
    assert one(made, run({"total": "1.00"}, lines=None, vars={})).rule == "no_source"


def test_the_input_or_a_tools_answer_is_the_source_where_none_is_recorded() -> None:
    """Agents that record no sources are still triaged by what they were given and what their tools said."""
    made = correction("total", "1.00", "31.00", document=None)
    found = one(made, run({"total": "1.00"}, lines=None, vars={"text": "A\nTOTAL 31.00"}))
    assert (found.rule, found.evidence[0].path, found.evidence[0].trace_id) == ("invented", None, "t1")
    assert found.evidence[0].note == "vars.text, line 2"
    span = Span(
        trace_id="t1",
        span_id="s1",
        parent_span_id="a",
        name="read",
        kind=SpanKind.tool,
        start_time=AT,
        attributes={"output.value": "TOTAL 31.00"},
    )
    found = one(made, run({"total": "1.00"}, lines=None, vars={}, spans=(span,)))
    assert (found.rule, found.evidence[0].span_id) == ("invented", "s1")


def test_every_rule_has_its_sentence_in_both_languages() -> None:
    """No rule can decide without saying why, in Japanese and in English."""
    functions = {rule.__name__ for rule in RULES}
    assert len(functions) == len(RULES)
    for rule, (japanese, english) in STATEMENTS.items():
        assert japanese.endswith("。") and not japanese.isascii(), rule
        assert english.endswith(".") and english.isascii(), rule
    assert one(correction("total", None, "31.00"), language="ja").statement.startswith("「31.00」は")


_VALUES = st.none() | st.text(max_size=40) | st.sampled_from(RECEIPT) | st.integers() | st.floats() | st.booleans()


@given(
    field=st.sampled_from(["company", "date", "total", "new"]),
    submitted=_VALUES,
    corrected=_VALUES | st.lists(st.text(max_size=3)),
    lines=st.lists(st.text(max_size=60), max_size=5) | st.none(),
)
def test_every_correction_gets_one_proposal_whatever_it_holds(
    field: str, submitted: object, corrected: object, lines: list[str] | None
) -> None:
    """Triage is total: hostile values and documents end in a decision, and never in a false defect."""
    made = correction(field, submitted, corrected)
    proposal = one(made, run({field: submitted}, lines=lines))
    assert proposal.correction_id == made.correction_id
    assert "\n" not in proposal.statement and "\x1b" not in proposal.statement
    if proposal.decision is DEFECT:
        assert proposal.cause.is_improvable
        assert proposal.evidence


@given(st.permutations(range(6)))
def test_the_order_of_the_corrections_does_not_matter(order: list[int]) -> None:
    """The same corrections get the same proposals, whoever comes first."""
    made = [
        correction("total", "29.25", "31.00", by="a"),
        correction("total", "29.25", "35.00", by="b"),
        correction("date", None, "14/03/2018", by="a"),
        correction("company", None, "BOOK SHOP SDN BHD", by="b"),
        correction("company", None, "BOOK SHOP", by="b", minute=4),
        correction("address", None, "NO 5, JALAN BESAR", by="c"),
    ]
    runs = {"t1": run({"total": "29.25", "date": None})}
    usual = {item.correction_id: item for item in propose(made, traces=runs.get, fields=FIELDS)}
    shuffled = propose([made[index] for index in order], traces=runs.get, fields=FIELDS)
    assert {item.correction_id: item for item in shuffled} == usual
