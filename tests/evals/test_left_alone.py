"""What people left as it was."""

from pydantic import JsonValue

from naoshi.evals.left_alone import left_alone
from naoshi.evals.score import score
from naoshi.evals.settings import EvalSettings
from naoshi.records import Correction, EvalCase, ResultState
from tests.evals.examples import LOOSE, correction, minted, trace

OUTPUT: dict[str, JsonValue] = {"total": "11.30", "company": "直し商店", "date": None, "address": ""}


def checks(*corrections: Correction, output: JsonValue = OUTPUT) -> tuple[EvalCase, ...]:
    return left_alone(trace(output), corrections, fields=LOOSE, settings=EvalSettings())


def test_filled_fields_beside_a_corrected_one_are_kept_as_they_are():
    """Protects what somebody looked at and found right; empty fields and the corrected one say nothing."""
    (check,) = checks(correction("12.30"))
    assert (check.provenance.field, check.source_key) == ("company", "box/007.csv")
    assert score(check, OUTPUT).state is ResultState.pass_
    assert score(check, {**OUTPUT, "company": "別の店"}).state is ResultState.fail


def test_a_check_shares_the_split_of_its_document_and_no_identifier_with_a_case():
    """Protects the splits, and the suites from taking a check for a case."""
    (check,) = checks(correction("12.30"))
    case = minted("新しい店", field="company", submitted="直し商店")
    assert check.split is case.split
    assert check.case_id != case.case_id


def test_a_run_that_nobody_corrected_gives_no_checks():
    """Protects against taking an output for right because nobody looked."""
    assert checks() == ()
    assert checks(correction("12.30"), correction("新しい店", field="company")) == ()
