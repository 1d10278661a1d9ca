"""A smoke run is kept apart from runs of all cases, and no release stands on it."""

from pathlib import Path

import pytest

from naoshi.errors import ChangeRefusedError, NotFoundError
from naoshi.flow.present_run import last_present_run
from naoshi.flow.smoke import run_smoke, smoke_suite
from naoshi.flow.steps.release import release
from naoshi.records import Certificate, Review, ReviewDecision
from tests.flow.case_shop import kept_run, make_case_shop, open_case_shop


def test_a_release_on_a_smoke_run_is_refused(tmp_path: Path) -> None:
    """However it came about that a certificate names a smoke run: the release says no, before anything moves."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        before = loop.git.commit_of("HEAD")
        run = run_smoke(loop, smoke_suite(loop))
        certificate = Certificate(
            certificate_id="certificate_1", change_id="change_1", before_run_id=run.run_id, after_run_id=run.run_id,
            targets=(), mended=(), worse=(), checks=(), protected={}, granted=True, digest="d", made_at=loop.clock(),
        )  # fmt: skip
        loop.store.certificates.put(certificate)
        review = Review(
            review_id="review_1", change_id="change_1", certificate_id="certificate_1", verdict_id="verdict_1",
            decision=ReviewDecision.approved, reviewer="aki", decided_at=loop.clock(),
        )  # fmt: skip
        with pytest.raises(ChangeRefusedError, match="not of all cases"):
            release(loop, review)
        assert loop.git.commit_of("HEAD") == before
        assert loop.store.releases.count() == 0


def test_a_smoke_run_is_not_the_run_of_the_version_in_force(tmp_path: Path) -> None:
    """What the gate holds candidates against is a run of all cases, whatever ran last."""
    with open_case_shop(make_case_shop(tmp_path / "shop")) as loop:
        whole = kept_run(loop)
        run_smoke(loop, smoke_suite(loop))
        found = last_present_run(loop)
        assert found is not None and found.run_id == whole.run_id


def test_times_that_runs_took_choose_the_suite(tmp_path: Path) -> None:
    """Without runs a case is taken for a second; with them the true times count."""
    folder = make_case_shop(tmp_path / "shop", settings="[evals]\nsmoke_seconds = 1.0\n")
    with open_case_shop(folder) as loop:
        assert len(smoke_suite(loop).cases) == 2
        kept_run(loop)
        assert len(smoke_suite(loop).cases) == 8


def test_nothing_that_fits_is_no_empty_success(tmp_path: Path) -> None:
    """A smoke suite of no case is an error with the setting to change, not a run in which nothing failed."""
    folder = make_case_shop(tmp_path / "shop", settings="[evals]\nsmoke_seconds = 0.001\n")
    with open_case_shop(folder) as loop:
        kept_run(loop)
        with pytest.raises(NotFoundError) as refused:
            run_smoke(loop, smoke_suite(loop))
        assert "smoke_seconds" in refused.value.line()
