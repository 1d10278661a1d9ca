"""The same cycle with everything in PostgreSQL: the store's records and the durable workflow."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.flow.mail_shop import Follower, correct_mails, make_shop, open_shop, record_traces
from tests.flow.test_cycle_survives import drive


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["after mint", "after certify", "after release"])
def test_a_cycle_on_postgresql_survives_too(
    moment: str, fresh_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed and started again on PostgreSQL, the cycle ends in one release."""
    monkeypatch.setenv("NAOSHI_DATABASE_URL", fresh_postgres)
    folder = make_shop(tmp_path / "shop")
    with ExitStack() as stack:
        loop, _ = open_shop(stack, folder, Follower())
        record_traces(folder, loop)
        correct_mails(loop)
    status, _ = drive(folder, moment)
    assert status == -signal.SIGKILL
    status, told = drive(folder, "never")
    assert status == 0 and told is not None
    assert (told["state"], told["end"]["releases"], told["end"]["versions"]) == ("released", 1, ["v0", "v1"])
    assert told["end"]["entered_twice"] == []
    assert not (folder / ".naoshi" / "naoshi.db").exists()
    assert not (folder / ".naoshi" / "flow.db").exists()
