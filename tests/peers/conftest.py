"""The peers are large programs that `make test-peers` installs; the ordinary run leaves these tests out, visibly."""

import os

import pytest

from naoshi.evals.promptfoo import Promptfoo, find_promptfoo


@pytest.fixture(scope="session")
def promptfoo() -> Promptfoo:
    """The real Promptfoo. That it is missing is a failure once the tests of the peers were asked for."""
    if os.environ.get("NAOSHI_TEST_PEERS") != "1":
        pytest.skip("the tests against real peers run with `make test-peers`")
    return find_promptfoo(os.environ)
