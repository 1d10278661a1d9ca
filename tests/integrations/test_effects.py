"""Doing once what must not be done twice."""

import asyncio
import multiprocessing
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.confirm import Confirmations, FileStore, MemoryStore, Outcome
from naoshi.errors import EffectFailedError, OutcomeUnknownError, StoreError
from naoshi.integrations.effects import Effects, effect_conversation
from tests.integrations.effect_racers import race

PROCESSES = int(os.environ.get("NAOSHI_CONFIRM_PROCESSES", "12"))
ROUNDS = int(os.environ.get("NAOSHI_CONFIRM_ROUNDS", "4"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(key=st.text(), result=JSON)
def test_an_effect_is_done_once_and_its_result_kept(key: str, result: Any) -> None:
    """Protects every later call, whatever the key and the result: it gets what the first one got."""
    effects, done = Effects(MemoryStore()), []
    for _ in range(3):
        assert effects.run(key, lambda: done.append(1) or result) == result
    assert done == [1]


def test_a_result_that_json_cannot_say_is_kept_as_text(store: FileStore) -> None:
    """Protects the record of an effect that happened: no result is a reason to lose it."""
    effects = Effects(store)
    moment, odd = datetime(2026, 1, 1, tzinfo=UTC), object()
    assert effects.run("k", lambda: {"at": moment, "odd": odd}) == {"at": moment, "odd": odd}
    assert effects.run("k", dict) == {"at": "2026-01-01T00:00:00Z", "odd": str(odd)}


def test_an_effect_that_failed_is_not_tried_again(store: FileStore) -> None:
    """Protects against a second try by itself: an error does not say that nothing happened."""
    effects, done = Effects(store), []

    def fails() -> None:
        done.append(1)
        raise ValueError("no such address")

    with pytest.raises(ValueError, match="no such address"):
        effects.run("k", fails)
    with pytest.raises(EffectFailedError, match="ValueError: no such address"):
        effects.run("k", fails)
    assert done == [1]


def test_a_cancelled_effect_has_an_unknown_outcome(store: FileStore) -> None:
    """Protects against doing again what was stopped in the middle: a person says whether it happened."""
    effects, begun = Effects(store), []

    async def slow() -> None:
        begun.append(1)
        await asyncio.sleep(60)

    async def cancelled() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(effects.run_async("k", slow), 0.05)
        with pytest.raises(OutcomeUnknownError) as caught:
            await effects.run_async("k", slow)
        assert effect_conversation("k") in caught.value.advice

    asyncio.run(cancelled())
    confirmations = Confirmations(store)
    asked = confirmations.pending(effect_conversation("k"))
    assert asked is not None
    assert confirmations.receive(effect_conversation("k"), "1").outcome is Outcome.resolved
    assert effects.run("k", lambda: begun.append(2)) is None
    assert begun == [1]


def test_an_effect_without_a_claim_is_not_begun(store: FileStore) -> None:
    """Protects the order: the claim is durable first, and without it nothing happens."""
    done: list[int] = []
    store.path(effect_conversation("k")).write_text("{")
    with pytest.raises(StoreError):
        Effects(store).run("k", lambda: done.append(1))
    assert done == []


def test_one_of_many_processes_does_the_effect(store: FileStore, tmp_path: Path) -> None:
    """Protects the effect: of all that come to it at once, in any processes, one alone does it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.integrations.effect_racers"])
    start, done = context.Barrier(PROCESSES), tmp_path / "done"
    arguments = (str(tmp_path / "confirmations"), ROUNDS, start, str(done))
    racers = [context.Process(target=race, args=arguments) for _ in range(PROCESSES)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert done.read_text() == "." * ROUNDS
    for number in range(ROUNDS):
        assert Effects(store).run(f"round-{number}", lambda: pytest.fail("it is done")) == 1
