"""Every minted case leads back to the trace and the correction that it was made from."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from naoshi.errors import NotFoundError
from naoshi.flow.lineage import case_named, lineage
from naoshi.flow.steps.mint import mint_cases
from naoshi.flow.steps.observe import observe
from naoshi.flow.steps.triage import triage
from naoshi.flow.suites import judged_cases, load_cases
from naoshi.records import TriageClass
from tests.flow.case_shop import make_case_shop, open_case_shop
from tests.flow.mail_shop import Follower, correct_mails, make_shop, open_shop, record_traces


def test_every_case_of_a_correction_leads_back(tmp_path: Path) -> None:
    """Case → triage → correction → trace, and the failure group, for each split, the holdout too."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, _ = open_shop(stack, folder, Follower())
        record_traces(folder, loop)
        correct_mails(loop)
        triage(loop)
        observe(loop)
        mint_cases(loop)
        cases = load_cases(loop)
        assert len(cases) == loop.store.corrections.count() > 0
        for case in cases:
            found = lineage(loop, case)
            assert found.broken == ()
            assert found.trace and found.correction and found.triage
            assert found.correction.trace_id == found.trace.trace_id == case.provenance.trace_id
            assert found.triage.correction_id == found.correction.correction_id
            assert found.triage.decision is TriageClass.defect
            assert found.trace.vars == case.vars
            assert found.correction.corrected == case.provenance.corrected
            assert [group.group_id for group in found.groups] == [case.provenance.group_id]
            assert found.suite is not None


def test_what_people_left_alone_leads_back_to_the_run(tmp_path: Path) -> None:
    """A check that is in no suite names the trace that people looked at."""
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, _ = open_shop(stack, folder, Follower())
        record_traces(folder, loop)
        correct_mails(loop)
        checks = judged_cases(loop)
        assert checks
        for case in checks:
            found = lineage(loop, case)
            assert (found.suite, found.broken, found.correction) == (None, (), None)
            assert found.trace is not None


def test_a_case_written_by_hand_has_no_origin_and_nothing_broken(tmp_path: Path) -> None:
    """Somebody's own case is no mistake."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        found = lineage(loop, case_named(loop, "words-1"))
        assert (found.trace, found.broken, found.suite) == (None, (), "evals/words.yaml")


def test_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    """A case that claims a correction which is not there is told, whoever wrote the claim."""
    folder = make_case_shop(tmp_path / "shop")
    suite = folder / "evals" / "words.yaml"
    claim = '"case_id": "words-1", "provenance": {"trace_id": "t9", "correction_id": "c9"}'
    suite.write_text(suite.read_text().replace('"case_id": "words-1"', claim))
    with open_case_shop(folder) as loop:
        found = lineage(loop, case_named(loop, "words-1"))
        assert found.broken == ("its trace t9 is not in the store", "its correction c9 is not in the store")


def test_a_name_that_stands_for_none_or_several_is_refused(tmp_path: Path) -> None:
    """Nobody is shown another case than the one that they meant."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        for name, told in (("nothing", "no case"), ("words-", "6 cases"), ("", "no case")):
            with pytest.raises(NotFoundError, match=told):
                case_named(loop, name)
