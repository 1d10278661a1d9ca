"""A model's API on loopback that answers from a script, for driving real programs offline.

    with ScriptedApi([use("exec_command", cmd="ls"), say("done")]) as api:
        ... start the program with api.url + "/v1" (OpenAI) or api.url (Anthropic) as its base URL ...
    assert "ls" in api.requests[1].text

A script is a list of answers, given in order (the last one again and again), or a function from the requests so far,
the present one last, to an answer. The wire format (Responses, Messages, Chat Completions) follows from the path, and
``"stream": true`` in the body makes it server-sent events. Requests that ask no model get a plain 200 and do not use
up an answer; they are in ``other``.
"""

import gzip
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.peers.scripted_api import chat_api, messages_api, responses_api
from tests.peers.scripted_api.answers import Answer, say
from tests.peers.scripted_api.request import Request

Script = Sequence[Answer] | Callable[[Sequence[Request]], Answer]

_WIRES = {"responses": responses_api, "messages": messages_api, "chat": chat_api}


class ScriptedApi:
    """The server, running between ``with`` and its end. Only loopback can reach it."""

    def __init__(self, script: Script = ()) -> None:
        self.requests: list[Request] = []
        self.other: list[Request] = []
        self.faults: list[str] = []
        self._script = script
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Conversation)
        self._server.api = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The address without a path, ``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Request) -> tuple[int, Answer]:
        """Record *request* and return its number and the answer that the script has for it."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            if callable(self._script):
                return number, self._script(tuple(self.requests))
            return number, self._script[min(number, len(self._script)) - 1] if self._script else say("done")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: ScriptedApi

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about programs that hang up, as killed ones do."""


class _Conversation(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self.server.api.other.append(self._request({}))
        self._send(200, {"object": "list", "data": []})

    def do_HEAD(self) -> None:
        self.server.api.other.append(self._request({}))
        self._send(200, None)

    def do_POST(self) -> None:
        request = self._request(self._body())
        if request.wire == "other":
            self.server.api.other.append(request)
            self._send(200, {"input_tokens": 100})
            return
        try:
            number, answer = self.server.api.answer(request)
        except Exception as error:  # noqa: BLE001 - a fault of the script is shown to the test, not lost in a thread
            self.server.api.faults.append(repr(error))
            number, answer = 0, Answer(status=500, text=f"the script failed: {error!r}")
        time.sleep(answer.delay)
        wire = _WIRES[request.wire]
        if answer.status != 200:
            self._send(answer.status, wire.error(answer), answer.headers)
        elif request.streamed:
            self._stream(wire.events(request, answer, number), cut=answer.cut, closing=request.wire == "chat")
        elif answer.cut:
            self._hang_up()
        else:
            self._send(200, wire.document(request, answer, number), answer.headers)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing; the requests are in ``requests``."""

    def _request(self, body: dict[str, Any]) -> Request:
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(method=self.command, path=self.path, headers=headers, body=body)

    def _body(self) -> dict[str, Any]:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        coding = self.headers.get("Content-Encoding", "")
        if coding == "gzip":
            data = gzip.decompress(data)
        elif coding == "deflate":
            data = zlib.decompress(data)
        found = json.loads(data) if data else {}
        return found if isinstance(found, dict) else {}

    def _send(self, status: int, document: dict[str, Any] | None, headers: dict[str, str] | None = None) -> None:
        data = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Any, *, cut: bool, closing: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            self._chunk(f"{head}data: {json.dumps(data)}\n\n")
            if cut:
                self._hang_up()
                return
        if closing:
            self._chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
