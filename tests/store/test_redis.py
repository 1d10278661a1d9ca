"""Confirmations in Redis, when the server or what it holds is not as it should be."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import redis

from naoshi.confirm import Confirmations, Outcome, Reason
from naoshi.errors import ConfigError, StoreError
from naoshi.store.redis import RedisStore

LABELS = ["送る", "やめる"]
KEY = "naoshi:confirmation:c"


@pytest.fixture
def client(fresh_redis: str) -> Iterator[redis.Redis]:
    """A client of an empty server, whose settings are put back afterwards."""
    with closing(redis.Redis.from_url(fresh_redis)) as opened:
        kept = {name: opened.config_get(name)[name] for name in ("appendonly", "appendfsync", "maxmemory")}
        yield opened
        for name, value in {**kept, "maxmemory-policy": "noeviction"}.items():
            opened.config_set(name, value)


class LostAnswers:
    """A client whose connection breaks after each change, so that the change is sent a second time."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def register_script(self, script: str) -> Any:
        made = self._client.register_script(script)

        def twice(**arguments: Any) -> Any:
            made(**arguments)
            return made(**arguments)

        return twice


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"appendonly": "no"}, "sync"),
        ({"appendfsync": "everysec"}, "sync"),
        ({"maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"}, "throws keys away"),
    ],
)
def test_a_server_that_may_forget_is_refused(
    client: redis.Redis, fresh_redis: str, settings: dict[str, str], said: str
) -> None:
    """Protects an answered question from coming back after a crash of the server, unless that is asked for."""
    for name, value in settings.items():
        client.config_set(name, value)
    with pytest.raises(StoreError, match=said) as caught:
        RedisStore.open(fresh_redis)
    assert "require_durable=False" in caught.value.advice
    RedisStore.open(fresh_redis, require_durable=False).close()


def test_a_server_that_is_not_there_is_a_clear_error() -> None:
    """Protects a person from a traceback, and a conversation from "nothing pending"."""
    with pytest.raises(StoreError, match="Redis failed") as caught:
        RedisStore.open("redis://127.0.0.1:1/0", timeout_seconds=0.2)
    assert "\n" not in caught.value.line()
    with pytest.raises(ConfigError):
        RedisStore.open("http://127.0.0.1/")
    store = RedisStore.open("redis://127.0.0.1:1/0", require_durable=False, timeout_seconds=0.2)
    turn = Confirmations(store).receive("c", "1")
    assert (turn.outcome, turn.reason) == (Outcome.unresolved, Reason.store_error)


@pytest.mark.parametrize(
    "fields",
    [{"body": "{"}, {"body": b"\xff"}, {"body": '{"conversation_id": "other", "revision": 1}'}, {"revision": "9"}],
)
def test_a_damaged_state_fails_closed(client: redis.Redis, fields: dict[str, Any]) -> None:
    """Protects against "nothing pending" where something is pending and cannot be read."""
    confirmations = Confirmations(RedisStore(client))
    confirmations.ask("c", "送りますか？", LABELS)
    client.hset(KEY, mapping=fields)
    turn = confirmations.receive("c", "1")
    assert (turn.outcome, turn.reason, turn.choice) == (Outcome.unresolved, Reason.store_error, None)
    with pytest.raises(StoreError):
        confirmations.ask("c", "もう一度", LABELS)


def test_a_key_of_something_else_fails_closed(client: redis.Redis) -> None:
    """Protects what others keep in the same Redis from being overwritten."""
    client.set(KEY, "theirs")
    with pytest.raises(StoreError):
        Confirmations(RedisStore(client)).ask("c", "送りますか？", LABELS)
    client.delete(KEY)
    client.hset(KEY, mapping={"revision": "1"})
    with pytest.raises(StoreError, match="not written by Naoshi"):
        Confirmations(RedisStore(client)).ask("c", "送りますか？", LABELS)
    assert client.hgetall(KEY) == {b"revision": b"1"}


def test_a_change_that_is_sent_twice_is_made_once(client: redis.Redis) -> None:
    """Protects the winner from losing when the answer to its claim is lost and its client asks again."""
    confirmations = Confirmations(RedisStore(LostAnswers(client)))
    assert confirmations.ask("c", "送りますか？", LABELS).ask_count == 1
    assert confirmations.receive("c", "1").outcome is Outcome.resolved
    assert confirmations.receive("c", "1").reason is Reason.already_resolved
    state = RedisStore(client).get("c")
    assert state is not None
    assert state.revision == 2


def test_conversations_are_those_of_the_prefix(client: redis.Redis) -> None:
    """Protects two applications in one Redis from seeing each other's questions, whatever is in the prefix."""
    ours, theirs = RedisStore(client, prefix="a*[b]:"), RedisStore(client, prefix="aXb:")
    Confirmations(ours).ask("c", "送りますか？", LABELS)
    Confirmations(theirs).ask("d", "送りますか？", LABELS)
    assert [state.conversation_id for state in ours.conversations()] == ["c"]
    assert theirs.get("c") is None


def test_a_client_that_decodes_works_too(fresh_redis: str) -> None:
    """Protects users who hand in the client that they have."""
    with closing(redis.Redis.from_url(fresh_redis, decode_responses=True)) as decoding:
        confirmations = Confirmations(RedisStore(decoding))
        confirmations.ask("c", "送りますか？", LABELS)
        assert confirmations.receive("c", "②").choice == 2
