"""The practitioners' table: every good row is read, every bad one is kept with its reason."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import InputError, MissingPathError
from naoshi.records import Artifact, FieldRule, FieldRules, SourceDocument, SourceLine, Span, Trace
from naoshi.signals.corrections_reader import CorrectionTable, read_corrections
from naoshi.signals.make_correction import make_correction

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
HEAD = "trace_id,artifact,field,corrected,practitioner"

TRACE = Trace(
    trace_id="t1",
    started_at=AT,
    artifacts=(
        Artifact(name="fields", value={"total": "9.00", "count": 3, "paid": True, "company": None}),
        Artifact(
            name="claims",
            value=[
                {
                    "field": "total",
                    "value": "9.00",
                    "citations": [{"path": "box/1.csv", "line": 2, "quote": "TOTAL 9.00"}],
                }
            ],
        ),
    ),
    sources=(
        SourceDocument(path="box/1.csv", lines=(SourceLine(number=1, text="A"),)),
        SourceDocument(path="box/2.csv", lines=(SourceLine(number=1, text="B"),)),
    ),
    spans=(
        Span(
            trace_id="t1",
            span_id="s1",
            name="extract.total",
            start_time=AT,
            attributes={"naoshi.field": "total", "output.value": "9.00 "},
        ),
    ),
)
TRACES = {"t1": TRACE}


def read(path: Path, content: str | bytes, **more: object) -> CorrectionTable:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_corrections(path, traces=TRACES.get, now=AT, **more)


def test_a_row_becomes_a_correction_filled_from_its_run(tmp_path: Path) -> None:
    """What the run submitted, extracted and read need not be typed by a person."""
    table = read(tmp_path / "c.csv", f"{HEAD}\nt1,fields,total,19.00,sato\n")
    (correction,) = table.corrections
    assert table.quarantined == ()
    assert (correction.submitted, correction.corrected) == ("9.00", "19.00")
    assert (correction.extracted, correction.source_value) == ("9.00 ", "TOTAL 9.00")
    assert (correction.document, correction.practitioner, correction.at) == ("box/1.csv", "sato", AT)


def test_columns_come_in_any_order_and_stated_values_stand(tmp_path: Path) -> None:
    """Optional columns win over what the run says, and unknown ones are left out."""
    text = (
        "memo;at;submitted;Corrected;practitioner;field;artifact;trace_id;reason;document;mapped\n"
        "x;2026-01-04T10:00:00+09:00;8.00;19.00;sato;total;fields;t1;wrong line;box/2.csv;8\n"
    )
    (correction,) = read(tmp_path / "c.csv", text).corrections
    assert correction.submitted == "8.00"
    assert correction.at == datetime(2026, 1, 4, 1, tzinfo=UTC)
    assert (correction.reason, correction.document, correction.mapped) == ("wrong line", "box/2.csv", "8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_tables_of_excel_in_japan_are_read(tmp_path: Path, encoding: str) -> None:
    """UTF-8 with and without mark, cp932 and UTF-16 all give the same corrections."""
    text = f"{HEAD}\r\nt1,fields,company,株式会社直し,佐藤\r\n"
    table = read(tmp_path / "c.csv", text.encode(encoding))
    assert [item.corrected for item in table.corrections] == ["株式会社直し"]
    assert table.quarantined == ()


def test_bad_rows_are_quarantined_and_never_end_the_reading(tmp_path: Path) -> None:
    """File, line and reason are kept for each bad row, and the rows after it are read."""
    rows = [
        HEAD,
        "t9,fields,total,19.00,sato",
        "t1,nothing,total,19.00,sato",
        "t1,fields,nofield,19.00,sato",
        "t1,fields",
        "t1,fields,total,19.00,sato,spare",
        "t1,fields,total,19.00,",
        ",fields,total,19.00,sato",
        't1,fields,total,"19.00,sato',
        't1,fields,total,19"00,sa"to"x,',
        "",
        "t1,fields,total,19.00,sato",
    ]
    table = read(tmp_path / "c.csv", "\n".join(rows))
    assert [item.corrected for item in table.corrections] == ["19.00"]
    assert [item.line for item in table.quarantined] == list(range(2, 11))
    assert all(item.file.endswith("c.csv") and item.reason for item in table.quarantined)
    assert table.quarantined[0].content == "t9,fields,total,19.00,sato"
    assert "t9" in table.quarantined[0].reason


def test_a_bad_time_is_quarantined(tmp_path: Path) -> None:
    """A time that cannot be read is not guessed."""
    table = read(
        tmp_path / "c.csv", f"{HEAD},at\nt1,fields,total,1,sato,yesterday\nt1,fields,total,2,sato,2026/01/04\n"
    )
    assert [item.corrected for item in table.corrections] == ["2"]
    assert "yesterday" in table.quarantined[0].reason


def test_bytes_in_no_known_encoding_cost_their_row_only(tmp_path: Path) -> None:
    """One broken row does not make the table unreadable."""
    content = HEAD.encode() + b"\nt1,fields,total,\xff\xff\x81,sato\nt1,fields,total,19.00,sato\n"
    table = read(tmp_path / "c.csv", content)
    assert [item.corrected for item in table.corrections] == ["19.00"]
    assert [item.line for item in table.quarantined] == [2]


def test_a_value_may_span_lines_and_hold_commas_and_quotes(tmp_path: Path) -> None:
    """Quoted cells are read as CSV has them."""
    table = read(tmp_path / "c.csv", f'{HEAD}\nt1,fields,company,"A, ""B""\nC",sato\nt1,fields,total,1.00,sato\n')
    assert [item.corrected for item in table.corrections] == ['A, "B"\nC', "1.00"]


def test_the_same_row_twice_is_one_correction_with_its_first_time(tmp_path: Path) -> None:
    """Reading a table again, later, changes nothing that is stored."""
    text = f"{HEAD}\nt1,fields,total,19.00,sato\nt1,fields,total,19.00,sato\n"
    (first,) = read(tmp_path / "c.csv", text).corrections
    stored = {first.correction_id: first}
    later = datetime(2026, 2, 1, tzinfo=UTC)
    again = read_corrections(tmp_path / "c.csv", traces=TRACES.get, now=later, known=stored.get)
    assert again.corrections == (first,)
    other = read_corrections(tmp_path / "c.csv", traces=TRACES.get, now=later)
    assert other.corrections[0].correction_id == first.correction_id


def test_a_corrected_text_takes_the_type_of_the_submitted_value(tmp_path: Path) -> None:
    """A table has only text; a number stays a number, and what is no number stays text."""
    rows = "t1,fields,count,4,a\nt1,fields,count,four,b\nt1,fields,paid,false,c\nt1,fields,total,4,d\n"
    table = read(tmp_path / "c.csv", f"{HEAD}\n{rows}")
    assert [item.corrected for item in table.corrections] == [4, "four", False, "4"]


def test_an_empty_corrected_cell_says_that_the_field_should_be_empty(tmp_path: Path) -> None:
    """Striking a value out is a correction too."""
    (correction,) = read(tmp_path / "c.csv", f"{HEAD}\nt1,fields,total, ,sato\n").corrections
    assert correction.corrected is None


def test_a_field_that_the_rules_name_may_be_left_out_by_the_run(tmp_path: Path) -> None:
    """An agent that omits empty fields can still be corrected."""
    rules = FieldRules(artifacts={"fields": {"date": FieldRule()}})
    (correction,) = read(tmp_path / "c.csv", f"{HEAD}\nt1,fields,date,x,sato\n", fields=rules).corrections
    assert correction.submitted is None


def test_a_table_without_its_columns_or_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    """A wrong file is refused as a whole, with the columns that it lacks."""
    with pytest.raises(MissingPathError):
        read_corrections(tmp_path / "absent.csv", traces=TRACES.get, now=AT)
    with pytest.raises(InputError):
        read_corrections(tmp_path, traces=TRACES.get, now=AT)
    for text in ("", "\n\n", "a,b\n1,2\n", "trace_id,artifact,field,corrected\n", HEAD + ",field\n"):
        with pytest.raises(InputError):
            read(tmp_path / "c.csv", text)


def test_a_single_correction_names_an_unknown_field(tmp_path: Path) -> None:
    """A correction of what the run does not have is refused, not stored."""
    with pytest.raises(InputError, match="no field 'nofield'"):
        make_correction(trace=TRACE, artifact="fields", field="nofield", corrected="x", practitioner="a", at=AT)
    made = make_correction(trace=TRACE, artifact="fields", field="company", corrected="x", practitioner="a", at=AT)
    assert (made.document, made.submitted) == (None, None)


@given(st.binary(max_size=300))
def test_no_table_ends_in_anything_but_an_input_error(tmp_path_factory: pytest.TempPathFactory, tail: bytes) -> None:
    """Whatever follows the header, every line that is not blank is read or quarantined."""
    path = tmp_path_factory.mktemp("tables") / "c.csv"
    table = read(path, HEAD.encode() + b"\nt1,fields,total,19.00,sato\n" + tail)
    assert len(table.corrections) + len(table.quarantined) >= 1
