"""The state of each conversation in Redis, for agents on many machines that have one already."""

import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, Protocol, Self

from naoshi.errors import ConfigError, MissingExtraError, StoreError
from naoshi.records.confirmation import ConversationState, Settlement
from naoshi.store.index_key import text_key
from naoshi.store.record_text import record_from_text, record_to_text

_ATTEMPTS = 1000
_HINT = "check that Redis runs and can be reached, and its log"
_DURABLE: Final = "set `appendonly yes` and `appendfsync always` in redis.conf, or pass require_durable=False"
_KEEPING: Final = "set `maxmemory-policy noeviction` in redis.conf, or pass require_durable=False"
# A client that got no answer sends the script again; the second run must know what the first one wrote.
_SWAP: Final = """
local kept = redis.call('HMGET', KEYS[1], 'revision', 'writer')
if kept[2] == ARGV[4] then return 1 end
if (kept[1] or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'body', ARGV[3], 'writer', ARGV[4])
return 1
"""


class _Client(Protocol):
    """The part of ``redis.Redis`` that is used."""

    def hmget(self, name: str, keys: list[str]) -> Any: ...
    def register_script(self, script: str) -> Any: ...
    def scan_iter(self, match: str) -> Iterator[Any]: ...
    def config_get(self, pattern: str) -> Any: ...
    def close(self) -> None: ...


class RedisStore:
    """A `naoshi.confirm.ConfirmationStore` on Redis 4 or newer. Threads, processes and machines may share it.

    Each conversation is a hash below *prefix*. A change compares the revision and writes in one script, which Redis
    runs alone; a script that the client sends again after a lost answer does nothing twice.

    A change is on the server's disk when the call returns only where Redis appends each command to its file and
    syncs it at once. With anything less, a crash of the server brings an answered question back, which would then be
    answered and acted on again. So the store refuses such a server, and one that throws keys away when its memory is
    full, unless *require_durable* is False. A failover to a replica can lose the latest changes whatever is set.

    Args:
        client: a ``redis.Redis``, or a client with the same methods.
        prefix: begins the name of every key.
        require_durable: whether to refuse a server that may lose what it has acknowledged.

    Raises:
        StoreError: the server cannot be reached, or may lose what it has acknowledged.
    """

    def __init__(self, client: _Client, *, prefix: str = "naoshi:confirmation:", require_durable: bool = True) -> None:
        self._client = client
        self._prefix = prefix
        self._swap = client.register_script(_SWAP)
        if require_durable:
            self._require_durable()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        prefix: str = "naoshi:confirmation:",
        require_durable: bool = True,
        timeout_seconds: float = 10.0,
    ) -> Self:
        """Open the Redis at *url*: ``redis://HOST:PORT/NUMBER``, ``rediss://…`` or ``unix://PATH``.

        Raises:
            ConfigError: *url* cannot be read.
            MissingExtraError: the package redis is not installed.
            StoreError: the server cannot be reached, or may lose what it has acknowledged.
        """
        try:
            redis = import_module("redis")  # loaded late: only those who use Redis have it
        except ImportError as error:
            raise MissingExtraError(
                "Redis needs the package redis, which is not installed",
                hint='install it with: pip install "naoshi[redis]"',
            ) from error
        try:
            client = redis.Redis.from_url(
                url, socket_timeout=timeout_seconds, socket_connect_timeout=timeout_seconds, client_name="naoshi"
            )
        except ValueError as error:
            raise ConfigError("the URL of Redis cannot be read", hint="use redis://HOST:PORT/NUMBER") from error
        return cls(client, prefix=prefix, require_durable=require_durable)

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state* in place of what its conversation had, and return True.

        Args:
            state: the new state.
            after: where given, nothing is written, and False returned, unless the kept state still has this
                revision (0 where nothing is kept).

        Raises:
            StoreError: Redis failed, or what is there cannot be read.
        """
        for _ in range(_ATTEMPTS):
            kept = self.get(state.conversation_id)
            revision = kept.revision if kept else 0
            if after is not None and revision != after:
                return False
            if self._write(state.model_copy(update={"revision": revision + 1}), after=revision):
                return True
        raise StoreError("the conversation's state changes without end")

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state of the conversation, or None where nothing was ever kept.

        Raises:
            StoreError: Redis failed, or the state is damaged or belongs to something else.
        """
        with _as_store_error():
            revision, body = self._client.hmget(self._key(conversation_id), ["revision", "body"])
        if revision is None and body is None:
            return None
        state = _state(body, conversation_id)
        if state.conversation_id != conversation_id or str(state.revision) != _text(revision):
            raise StoreError(f"the stored state of the conversation {conversation_id!r} is not its own")
        return state

    def clear(
        self,
        conversation_id: str,
        *,
        confirmation_id: str | None = None,
        settlement: Settlement | None = None,
    ) -> bool:
        """Take away the pending question, and return whether this caller was the one who did.

        Args:
            conversation_id: the conversation.
            confirmation_id: where given, only the question with this identifier is cleared.
            settlement: the decision to remember, written in the same act.

        Raises:
            StoreError: Redis failed, or the state cannot be read.
        """
        for _ in range(_ATTEMPTS):
            kept = self.get(conversation_id)
            if kept is None or not kept.has_pending(confirmation_id):
                return False
            if self._write(kept.without_question(settlement), after=kept.revision):
                return True
        raise StoreError("the conversation's state changes without end")

    def conversations(self) -> Iterator[ConversationState]:
        """Yield the state of every conversation, in no order.

        Raises:
            StoreError: Redis failed, or a state cannot be read.
        """
        literal = "".join(f"\\{character}" if character in r"\*?[]^" else character for character in self._prefix)
        with _as_store_error():
            keys = [str(_text(key)) for key in self._client.scan_iter(match=f"{literal}*")]
        for key in keys:
            with _as_store_error():
                (body,) = self._client.hmget(key, ["body"])
            yield _state(body, key)

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()

    def _key(self, conversation_id: str) -> str:
        return self._prefix + text_key(conversation_id)

    def _write(self, state: ConversationState, *, after: int) -> bool:
        arguments = [str(after), str(state.revision), record_to_text(state), secrets.token_hex(16)]
        with _as_store_error():
            return self._swap(keys=[self._key(state.conversation_id)], args=arguments) == 1

    def _require_durable(self) -> None:
        if self._setting("appendonly") != "yes" or self._setting("appendfsync") != "always":
            raise StoreError("this Redis does not sync each change to its disk", hint=_DURABLE)
        if self._setting("maxmemory") != "0" and self._setting("maxmemory-policy") != "noeviction":
            raise StoreError("this Redis throws keys away when its memory is full", hint=_KEEPING)

    def _setting(self, name: str) -> str | None:
        with _as_store_error(hint=f"{_HINT}; where CONFIG GET is not allowed, pass require_durable=False"):
            settings = self._client.config_get(name)
        return next((_text(value) for key, value in settings.items() if _text(key) == name), None)


@contextmanager
def _as_store_error(*, hint: str = _HINT) -> Generator[None]:
    errors = import_module("redis.exceptions")  # a client is there, and so is its package
    try:
        yield
    except (errors.RedisError, OSError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise StoreError(f"Redis failed: {said}", hint=hint) from error


def _state(body: Any, name: str) -> ConversationState:
    try:
        text = _text(body)
    except UnicodeDecodeError as error:
        raise StoreError(f"the stored state of {name!r} is not text") from error
    if text is None:
        raise StoreError(f"the stored state of {name!r} was not written by Naoshi")
    return record_from_text(ConversationState, text, identifier=name)


def _text(value: Any) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
