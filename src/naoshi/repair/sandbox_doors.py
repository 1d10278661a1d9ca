"""The way out of a sandbox: connections to the model's endpoint are served here, and no others are."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from naoshi.errors import ConfigError

_PIECE = 64 * 1024
_CONNECT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A host and port that a sandboxed program may reach. Inside, the name stands for loopback."""

    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> "Endpoint":
        """Return the endpoint of an ``http`` or ``https`` address.

        Raises:
            ConfigError: it is none.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        except (ValueError, KeyError) as error:
            raise ConfigError(f"{url!r} is no http or https address") from error
        if not parts.hostname:
            raise ConfigError(f"{url!r} names no host")
        return cls(host=parts.hostname, port=port)


class Doors:
    """Serves the listening sockets of a sandbox, each leading to one endpoint, between ``with`` and its end."""

    def __init__(self, *, doors: Sequence[socket.socket], endpoints: Sequence[Endpoint]) -> None:
        self._doors = list(zip(doors, endpoints, strict=True))
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="naoshi-doors", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _serve(self) -> None:
        try:
            self._loop.run_until_complete(self._until_stopped())
        finally:
            self._loop.close()

    async def _until_stopped(self) -> None:
        under_way: set[asyncio.Task[None]] = set()
        servers = [await self._open(door, endpoint, under_way) for door, endpoint in self._doors]
        await self._stop.wait()
        for server in servers:
            server.close()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _open(
        self, door: socket.socket, endpoint: Endpoint, under_way: set[asyncio.Task[None]]
    ) -> asyncio.Server:
        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(_join(reader, writer, endpoint))
            under_way.add(task)
            task.add_done_callback(under_way.discard)

        return await asyncio.start_server(begin, sock=door)


async def _join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint) -> None:
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(writer.close)
        try:
            connecting = asyncio.open_connection(endpoint.host, endpoint.port)
            far_reader, far_writer = await asyncio.wait_for(connecting, _CONNECT_SECONDS)
        except (OSError, TimeoutError):
            return
        stack.callback(far_writer.close)
        await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer), return_exceptions=True)


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while piece := await source.read(_PIECE):
        target.write(piece)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()
