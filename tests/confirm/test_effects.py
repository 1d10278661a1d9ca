"""Doing once what must not be done twice."""

import asyncio
import multiprocessing
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.confirm import Confirmations, ConfirmationStore, Effects, FileStore, MemoryStore, Outcome, Reason
from naoshi.confirm.effects import effect_conversation
from naoshi.errors import EffectFailedError, OutcomeUnknownError, StoreError
from tests.confirm.effect_racers import race

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


def test_a_result_that_json_cannot_say_is_kept_as_text(store: ConfirmationStore) -> None:
    """Protects the record of an effect that happened: no result is a reason to lose it."""
    effects = Effects(store)
    moment, odd = datetime(2026, 1, 1, tzinfo=UTC), object()
    assert effects.run("k", lambda: {"at": moment, "odd": odd}) == {"at": moment, "odd": odd}
    assert effects.run("k", dict) == {"at": "2026-01-01T00:00:00Z", "odd": str(odd)}


def test_an_effect_that_failed_is_not_tried_again(store: ConfirmationStore) -> None:
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


def test_a_cancelled_effect_has_an_unknown_outcome(store: ConfirmationStore) -> None:
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
    assert confirmations.propose(confirmations.receive(effect_conversation("k"), "did not"), 2).reason is Reason.echoed
    with pytest.raises(OutcomeUnknownError):
        effects.run("k", lambda: begun.append(2))
    assert confirmations.receive(effect_conversation("k"), "1").outcome is Outcome.resolved
    for _ in range(2):
        assert effects.run("k", lambda: begun.append(2)) is None
    assert begun == [1]


def test_what_did_not_happen_is_done_once_more_and_once_only(store: ConfirmationStore) -> None:
    """Protects the effect from a person's word that is used twice, and from a second attempt that dies too."""
    effects, confirmations, done = Effects(store), Confirmations(store), []

    def dies() -> None:
        done.append(1)
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            effects.run("送金", dies)
        with pytest.raises(OutcomeUnknownError):
            effects.run("送金", dies)
        asked = confirmations.pending(effect_conversation("送金"))
        assert asked is not None
        assert "実行してよい" in asked.labels[1]
        assert confirmations.receive(effect_conversation("送金"), "2").choice == 2
    assert effects.run("送金", lambda: "sent") == "sent"
    assert effects.run("送金", dies) == "sent"
    assert done == [1, 1]


def test_while_it_is_under_way_nobody_is_asked_and_nobody_begins_it(store: ConfirmationStore) -> None:
    """Protects a person from being asked about what is only slow: their "it did not happen" would do it twice."""
    effects, begun = Effects(store), []

    def slow() -> str:
        begun.append(1)
        with pytest.raises(OutcomeUnknownError, match="under way"):
            effects.run("k", slow)
        assert Confirmations(store).pending(effect_conversation("k")) is None
        assert Confirmations(store).receive(effect_conversation("k"), "2").outcome is Outcome.nothing_pending
        return "done"

    assert effects.run("k", slow) == "done"
    assert effects.run("k", slow) == "done"
    assert begun == [1]


def test_what_another_machine_is_at_is_waited_for_and_then_asked_about(store: ConfirmationStore) -> None:
    """Protects a slow effect elsewhere for a while, and the result that it gives in the end."""
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    effects = Effects(store, clock=lambda: now[0])
    kept = effect_conversation("k")

    def elsewhere() -> str:
        state = store.get(kept)
        assert state is not None
        claim = state.claims[-1].model_copy(update={"owner": "another-machine:1:1"})
        assert store.save(state.with_claim(claim), after=state.revision)
        with pytest.raises(OutcomeUnknownError, match="under way"):
            effects.run("k", elsewhere)
        now[0] += timedelta(minutes=6)
        with pytest.raises(OutcomeUnknownError, match="no result"):
            effects.run("k", elsewhere)
        assert Confirmations(store).pending(kept) is not None
        return "done"

    assert effects.run("k", elsewhere) == "done"
    assert Confirmations(store).pending(kept) is None
    assert effects.run("k", elsewhere) == "done"


def test_a_result_that_cannot_be_kept_leaves_an_unknown_outcome(tmp_path: Path) -> None:
    """Protects against taking an effect for failed, or for undone, because its end could not be written."""
    store = FileStore(tmp_path / "state")
    effects, kept = Effects(store), store.path(effect_conversation("k"))
    before: list[bytes] = []

    def breaks() -> None:
        before.append(kept.read_bytes())
        kept.write_bytes(b"damaged")

    with pytest.raises(StoreError):
        effects.run("k", breaks)
    kept.write_bytes(before[0])
    with pytest.raises(OutcomeUnknownError, match="no result"):
        effects.run("k", breaks)
    assert len(before) == 1


class Odd:
    """A thing whose own text is an error."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("result", [Odd(), float("nan"), {"a": float("inf")}, "\ud800", {1: {2: 3}}])
def test_whatever_an_effect_gives_it_counts_as_done(store: ConfirmationStore, result: Any) -> None:
    """Protects the record from results that no store can hold."""
    effects, done = Effects(store), []
    for _ in range(2):
        effects.run("k", lambda: done.append(1) or result)
    assert done == [1]


def test_an_effect_without_a_claim_is_not_begun(tmp_path: Path) -> None:
    """Protects the order: the claim is durable first, and without it nothing happens."""
    store = FileStore(tmp_path / "state")
    done: list[int] = []
    store.path(effect_conversation("k")).write_text("{")
    with pytest.raises(StoreError):
        Effects(store).run("k", lambda: done.append(1))
    assert done == []


def test_one_of_many_processes_does_the_effect(tmp_path: Path) -> None:
    """Protects the effect: of all that come to it at once, in any processes, one alone does it."""
    store = FileStore(tmp_path / "confirmations")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.confirm.effect_racers"])
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
