"""What every store keeps to: one suite over memory, SQLite and PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naoshi.errors import RecordConflictError
from naoshi.records import Correction, Cycle, CycleState, Span, Trace
from naoshi.store import GENESIS, NOUNS, MemoryStore, Store, verify_chain
from naoshi.store.sql import SqlStore

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)


def trace(name: str, *, version: str | None = "v1", **more: object) -> Trace:
    return Trace.model_validate({"trace_id": name, "agent_version": version, "started_at": NOW, **more})


def cycle(number: int, *, state: CycleState = CycleState.running) -> Cycle:
    return Cycle(
        cycle_id=f"cycle_{number}",
        number=number,
        state=state,
        stage="triage",
        base_version="v1",
        base_commit="c0ffee",
        started_at=NOW,
    )


def enter(store: Store, key: str, **more: object) -> object:
    values: dict[str, object] = {"kind": "release", "actor": "mari", "subject": "v2", "payload": {"n": 1}, "at": NOW}
    return store.ledger.append(key=key, **(values | more))  # type: ignore[arg-type]


def test_every_noun_has_a_repository(store: Store) -> None:
    """A noun that is declared but that a store forgot would fail at a user's first use."""
    assert [getattr(store, noun.name).count() for noun in NOUNS] == [0] * len(NOUNS)


def test_what_was_added_comes_back_equal(store: Store) -> None:
    """A record survives storage with its nested spans, microseconds, zones, floats and Japanese text."""
    span = Span(trace_id="t", span_id="s", name="読取", start_time=NOW, attributes={"合計": 1.5, "a": [None, {"b": 1}]})
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    kept = trace("t", spans=(span,), ended_at=tokyo, output={"total": 1e-7, "big": 10**25})
    assert store.traces.add(kept) is True
    assert store.traces.get("t") == kept


def test_the_same_fact_twice_is_one_fact(store: Store) -> None:
    """A step that runs again stores nothing new, also when JSON keys come in another order."""
    assert store.traces.add(trace("t", vars={"a": 1, "b": 2})) is True
    assert store.traces.add(trace("t", vars={"b": 2, "a": 1})) is False
    assert store.traces.count() == 1


def test_another_fact_under_the_same_name_is_a_conflict(store: Store) -> None:
    """A fact is never replaced silently."""
    store.traces.add(trace("t", output="first"))
    with pytest.raises(RecordConflictError, match="'t'"):
        store.traces.add(trace("t", output="second"))
    assert store.traces.get("t") == trace("t", output="first")


def test_add_all_counts_what_is_new(store: Store) -> None:
    """The count that a person sees is of new records, repeats inside the batch included once."""
    store.traces.add(trace("t1"))
    assert store.traces.add_all([trace("t1"), trace("t2"), trace("t3"), trace("t2")]) == 2
    assert store.traces.add_all([]) == 0
    assert [one.trace_id for one in store.traces.find()] == ["t1", "t2", "t3"]


@pytest.mark.parametrize("inside_a_transaction", [False, True])
def test_add_all_keeps_none_on_a_conflict(store: Store, inside_a_transaction: bool) -> None:
    """Half a batch would be worse than none, also when the caller goes on after the conflict."""
    store.traces.add(trace("t2", output="old"))
    batch = [trace(f"n{number}") for number in range(600)] + [trace("t2", output="new")]

    def attempt() -> None:
        with pytest.raises(RecordConflictError):
            store.traces.add_all(batch)

    if inside_a_transaction:
        with store.transaction():
            attempt()
    else:
        attempt()
    assert [one.trace_id for one in store.traces.find()] == ["t2"]


def test_add_all_sees_a_conflict_inside_the_batch(store: Store) -> None:
    """Two different records of one name in one batch are a conflict like any other."""
    with pytest.raises(RecordConflictError):
        store.traces.add_all([trace("t", output=1), trace("t", output=2)])
    assert store.traces.count() == 0


def test_put_replaces_and_keeps_the_place_in_the_order(store: Store) -> None:
    """State that moves on stays where it first came, and its index follows."""
    store.cycles.put(cycle(1))
    store.cycles.put(cycle(2))
    store.cycles.put(cycle(1, state=CycleState.released))
    assert [one.number for one in store.cycles.find()] == [1, 2]
    assert store.cycles.find(state=CycleState.released) == [cycle(1, state=CycleState.released)]
    assert store.cycles.count(state="running") == 1


def test_find_asks_for_all_of_the_fields(store: Store) -> None:
    """Two conditions are both meant, and None means the field is empty."""
    store.cycles.add_all([cycle(1), cycle(2, state=CycleState.refused), cycle(3)])
    store.traces.add_all([trace("a", version=None), trace("b", version="v1")])
    assert [one.number for one in store.cycles.find(state="running", number=3)] == [3]
    assert store.cycles.find(state="running", number=2) == []
    assert [one.trace_id for one in store.traces.find(agent_version=None)] == ["a"]
    assert store.traces.count(agent_version="v1") == 1


def test_a_text_never_equals_a_number(store: Store) -> None:
    """Databases convert; the answer must not depend on which one it is."""
    store.cycles.add(cycle(3))
    store.traces.add(trace("a", version="3"))
    assert store.cycles.find(number="3") == []
    assert store.traces.find(agent_version=3) == []


def test_find_refuses_a_field_without_an_index(store: Store) -> None:
    """A misspelt field must not return everything or nothing."""
    with pytest.raises(ValueError, match="agent_version"):
        store.traces.find(agent="x")
    with pytest.raises(ValueError, match="body"):
        store.traces.count(body="x")


def test_get_of_an_unknown_name_is_none(store: Store) -> None:
    """Absence is an answer, not an error."""
    assert store.traces.get("nothing") is None
    assert store.traces.get("' OR 1=1 --\0\ud800") is None


def test_a_stored_record_cannot_be_changed_from_outside(store: Store) -> None:
    """A dict inside a frozen record is mutable; what is stored must not follow it."""
    values = {"total": "12.00"}
    mine = trace("t", vars=values)
    store.traces.add(mine)
    mine.vars["total"] = "changed"
    entry = store.ledger.append(key="k", kind="x", actor="a", subject="s", payload={"n": [1]}, at=NOW)
    entry.payload["n"] = "changed"
    store.ledger.entries()[0].payload["n"] = "changed"
    kept = store.traces.get("t")
    assert kept is not None
    assert kept.vars == {"total": "12.00"}
    assert verify_chain(store.ledger.entries()) == 1


def test_a_transaction_keeps_all_or_nothing(store: Store) -> None:
    """A crash in the middle leaves no part of any noun, nor of the ledger."""
    store.traces.add(trace("before", output=1))
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.traces.add(trace("inside"))
        store.traces.put(trace("before", output=2))
        store.cycles.add(cycle(1))
        enter(store, "inside")
        assert store.traces.count() == 2
        raise ZeroDivisionError
    assert store.traces.find() == [trace("before", output=1)]
    assert store.cycles.count() == 0
    assert list(store.ledger.entries()) == []


def test_a_nested_transaction_joins_the_outer_one(store: Store) -> None:
    """What an inner block did is lost when the outer one fails."""
    with pytest.raises(ZeroDivisionError), store.transaction():
        with store.transaction():
            store.traces.add(trace("inner"))
        raise ZeroDivisionError
    assert store.traces.count() == 0


def test_a_nested_transaction_that_fails_is_undone_alone(store: Store) -> None:
    """A caller that goes on after an inner failure keeps its own work and nothing of the inner one."""
    with store.transaction():
        store.traces.add(trace("outer"))
        with pytest.raises(ZeroDivisionError), store.transaction():
            store.traces.add(trace("inner"))
            enter(store, "inner")
            raise ZeroDivisionError
        store.traces.add(trace("after"))
    assert [one.trace_id for one in store.traces.find()] == ["outer", "after"]
    assert list(store.ledger.entries()) == []


def test_another_thread_does_not_share_the_transaction(store: Store) -> None:
    """A worker beside a transaction that fails loses nothing of its own."""

    def work() -> None:
        store.cycles.add(cycle(7))

    thread = Thread(target=work)
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.traces.add(trace("inside"))
        thread.start()
        raise ZeroDivisionError
    thread.join()
    assert store.cycles.count() == 1
    assert store.traces.count() == 0


def test_threads_that_add_at_once_lose_nothing(store: Store) -> None:
    """Steps of a flow run in threads of one process."""
    threads = [Thread(target=_add_some, args=(store, worker)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.traces.count() == 6 * 10
    assert verify_chain(store.ledger.entries()) == 6 * 10


def _add_some(store: Store, worker: int) -> None:
    for number in range(10):
        store.traces.add(trace(f"t{worker}-{number}"))
        enter(store, f"k{worker}-{number}")


def test_the_ledger_is_a_chain(store: Store) -> None:
    """Entries are numbered from one, and each names the digest of the one before."""
    first, second = enter(store, "a"), enter(store, "b", at=NOW.astimezone(timezone(timedelta(hours=9))))
    entries = store.ledger.entries()
    assert list(entries) == [first, second]
    assert [entry.sequence for entry in entries] == [1, 2]
    assert entries[0].previous == GENESIS
    assert entries[1].previous == entries[0].digest
    assert verify_chain(entries) == 2


def test_an_act_is_entered_once(store: Store) -> None:
    """A step that runs again after a crash does not enter its act a second time, whatever it says then."""
    first = enter(store, "release:v2")
    enter(store, "other")
    again = enter(store, "release:v2", actor="somebody else", payload={"n": 99})
    assert again == first
    assert len(store.ledger.entries()) == 2


@pytest.mark.parametrize("payload", [{"n": float("nan")}, {"n": [float("inf")]}])
def test_the_ledger_refuses_what_json_cannot_say(store: Store, payload: dict[str, object]) -> None:
    """An entry whose digest could not be computed again would break the chain for ever."""
    with pytest.raises(ValueError):
        enter(store, "bad", payload=payload)
    with pytest.raises(ValueError, match="time zone"):
        enter(store, "naive", at=NOW.replace(tzinfo=None))
    assert list(store.ledger.entries()) == []


HOSTILE = [
    "\0",
    "a\0b",
    "\ud800",
    "\udfff tail",
    "\\0000",
    "'; DROP TABLE traces; --",
    "%s %(x)s :x ?",
    "𝟙\u202e直し",
    "x" * 100_000,
    "{}",
    "",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_kept_as_it_is(store: Store, text: str) -> None:
    """Names and values come from agents and documents; none of them may crash or be mixed with another."""
    kept = trace(text, version=text, vars={"v": text, text: 1}, output=text)
    store.traces.add(kept)
    store.traces.add(trace(f"{text}x", version=f"{text}x", vars={text: 1}))
    assert store.traces.get(text) == kept
    assert store.traces.get(f"{text}x").vars == {text: 1}  # type: ignore[union-attr]
    assert store.traces.find(agent_version=text) == [kept]
    assert store.traces.add(kept) is False
    enter(store, text, actor=text, payload={"v": text})
    assert enter(store, text).sequence == 1  # type: ignore[attr-defined]
    assert verify_chain(store.ledger.entries()) == 1


def test_nan_in_a_record_is_kept(store: Store) -> None:
    """A judge's NaN must reach the gate as NaN, where it never passes, and not crash the store."""
    store.traces.add(trace("t", output=float("nan")))
    kept = store.traces.get("t")
    assert kept is not None
    assert kept.output != kept.output
    assert store.traces.add(trace("t", output=float("nan"))) is False


def test_a_document_on_a_correction_can_be_found(store: Store) -> None:
    """The way from a document to its corrections is an indexed one."""
    made = Correction(
        correction_id="c1",
        trace_id="t1",
        artifact="fields",
        field="total",
        corrected="1",
        practitioner="p",
        document="box/001.csv",
        at=NOW,
    )
    store.corrections.add(made)
    assert store.corrections.find(document="box/001.csv", trace_id="t1") == [made]


names = st.sampled_from(["a", "b", "c", "d"])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), names, st.integers(0, 2)),
        st.tuples(st.just("put"), names, st.integers(0, 2)),
        st.tuples(st.just("fail"), names, st.integers(0, 2)),
        st.tuples(st.just("append"), names, st.integers(0, 2)),
    ),
    max_size=12,
)


def _do(store: Store, step: tuple[str, str, int]) -> object:
    act, name, value = step
    actions: dict[str, Callable[[], object]] = {
        "add": lambda: store.traces.add(trace(name, output=value, version=str(value))),
        "put": lambda: store.traces.put(trace(name, output=value, version=str(value))),
        "append": lambda: enter(store, name, payload={"value": value}),
        "fail": lambda: _fail_after_put(store, name, value),
    }
    try:
        return actions[act]()
    except (RecordConflictError, ZeroDivisionError) as error:
        return type(error)


def _fail_after_put(store: Store, name: str, value: int) -> None:
    with store.transaction():
        store.traces.put(trace(name, output=value))
        enter(store, name)
        raise ZeroDivisionError


@given(steps=steps)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_fake_and_the_database_never_differ(tmp_path_factory: pytest.TempPathFactory, steps: list) -> None:
    """Users test on the fake what will run on the database: any series of calls gives the same on both."""
    fake, real = MemoryStore(), SqlStore.open(tmp_path_factory.mktemp("store") / "naoshi.db")
    try:
        for step in steps:
            assert _do(fake, step) == _do(real, step)
        assert list(fake.traces.find()) == list(real.traces.find())
        assert list(fake.ledger.entries()) == list(real.ledger.entries())
        for value in ("0", "1", None):
            assert fake.traces.count(agent_version=value) == real.traces.count(agent_version=value)
    finally:
        real.close()
