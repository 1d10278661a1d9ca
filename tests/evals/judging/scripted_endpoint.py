"""An endpoint on loopback that answers as a script says, in the shapes of OpenAI, Anthropic and Google."""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from naoshi.evals.judging.settings import JudgeSettings
from naoshi.models.model_settings import Provider

MODELS = {Provider.openai: "qwen-judge", Provider.anthropic: "claude-judge", Provider.google: "gemini-judge"}
TOOL = "give_grade"
RIGHT = "the right mark"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """Every text of what the user says, in order."""
        found: list[str] = []
        for message in self.body.get("messages") or self.body.get("contents") or []:
            if message["role"] != "user":
                continue
            parts = message.get("content") or message.get("parts")
            found += [parts] if isinstance(parts, str) else [part["text"] for part in parts if "text" in part]
        return found

    @property
    def text(self) -> str:
        """The question itself."""
        return self.texts[0]

    @property
    def instructions(self) -> str:
        """What the system says."""
        if "system" in self.body:
            system = self.body["system"]
            return system if isinstance(system, str) else "\n".join(part["text"] for part in system)
        if "systemInstruction" in self.body:
            return "\n".join(part["text"] for part in self.body["systemInstruction"]["parts"])
        return "\n".join(item["content"] for item in self.body["messages"] if item["role"] == "system")

    @property
    def mark(self) -> str:
        """The mark that the grade has to carry."""
        found = re.search(r"with the mark ([0-9a-f]{16})\.", self.text)
        assert found, self.text
        return found[1]

    @property
    def document(self) -> dict[str, Any]:
        """The document that is graded, read back."""
        lines = self.text.split("\n")
        assert lines[1] == f"BEGIN DOCUMENT {self.mark}"
        assert lines[3] == f"END DOCUMENT {self.mark}"
        return json.loads(lines[2])


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the model says: a call of the tool with ``fields`` (JSON text as it stands if it is a text), or ``text``.

    The tool may be called ``times`` over, each time after the first with the opposite grade.
    """

    fields: dict[str, Any] | str | None = None
    text: str = ""
    refusal: str = ""
    cut: bool = False
    times: int = 1


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An HTTP error of the endpoint, or anything else that is no answer of one; a body that is a text is a web page."""

    status: int
    body: dict[str, Any] | str = field(default_factory=lambda: {"error": {"message": "no"}})
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Silent:
    """No answer for so many seconds."""

    seconds: float


Script = Callable[[Question], Said | Refused | Silent]


def grade(passed: object = True, score: object = 1.0, *, reason: str = "it keeps the rule", **other: object) -> Said:
    """Return a grade that carries the right mark, unless *other* says another one."""
    return Said(fields={"reason": reason, "pass": passed, "score": score, "mark": RIGHT, **other})


def always(reply: Said | Refused | Silent) -> Script:
    """Return a script that says *reply* to everything."""
    return lambda question: reply


def in_turn(*replies: Said | Refused | Silent) -> Script:
    """Return a script that says *replies* one after the other."""
    left = list(replies)
    lock = threading.Lock()

    def script(question: Question) -> Said | Refused | Silent:
        with lock:
            return left.pop(0)

    return script


class ScriptedEndpoint:
    """Listens on a port of its own while it is entered; ``questions`` are what came in."""

    def __init__(self, script: Script) -> None:
        self.questions: list[Question] = []
        self.at_once = self.most_at_once = 0
        self._script = script
        self._lock = threading.Lock()
        self._given_up = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> "ScriptedEndpoint":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._given_up.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """Where it listens, without the path of an interface."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def settings(self, provider: Provider = Provider.openai, **other: Any) -> JudgeSettings:
        """Return the settings of a judge that asks this endpoint."""
        base = f"{self.address}/v1" if provider is Provider.openai else self.address
        chosen = {"provider": provider, "model": MODELS[provider], "base_url": base, "timeout": 20.0, "retries": 0}
        return JudgeSettings(**{**chosen, **other})

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        question = Question(path=handler.path, headers=dict(handler.headers.items()), body=body)
        with self._lock:
            self.questions.append(question)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            reply = self._script(question)
            if isinstance(reply, Silent):
                self._given_up.wait(reply.seconds)
                reply = Refused(status=500)
        finally:
            with self._lock:
                self.at_once -= 1
        try:
            self._send(handler, question, reply)
        except (BrokenPipeError, ConnectionResetError):
            pass  # whoever asked has gone

    def _send(self, handler: BaseHTTPRequestHandler, question: Question, reply: Said | Refused) -> None:
        refused = isinstance(reply, Refused)
        body = reply.body if isinstance(reply, Refused) else _shaped(question, reply)
        is_page = isinstance(body, str)
        data = (body if is_page else json.dumps(body)).encode()
        handler.send_response(reply.status if isinstance(reply, Refused) else 200)
        for name, value in (reply.headers if refused else {}).items():
            handler.send_header(name, value)
        handler.send_header("content-type", "text/html" if is_page else "application/json")
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)


def wait_for(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until *holds* does."""
    last = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < last, "it never came to that"
        time.sleep(0.01)


def _shaped(question: Question, said: Said) -> dict[str, Any]:
    fields = said.fields
    if isinstance(fields, dict) and fields.get("mark") == RIGHT:
        fields = {**fields, "mark": question.mark}
    if question.path.endswith("/chat/completions"):
        return _as_openai(said, fields)
    if question.path.startswith("/v1/messages"):
        return _as_anthropic(said, fields)
    return _as_google(said, fields)


def _as_openai(said: Said, fields: dict[str, Any] | str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.refusal:
        message["refusal"] = said.refusal
    if fields is not None:
        message["tool_calls"] = [
            {"id": f"call_{place}", "type": "function", "function": {"name": TOOL, "arguments": arguments}}
            for place, arguments in enumerate(_arguments(fields, times=said.times), start=1)
        ]
    reason = "length" if said.cut else "tool_calls" if fields is not None else "stop"
    return {
        "id": "answer-1", "object": "chat.completion", "created": 1, "model": "qwen-judge-2026-11",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }  # fmt: skip


def _arguments(fields: dict[str, Any] | str, *, times: int) -> list[str]:
    if isinstance(fields, str):
        return [fields]
    opposite = {**fields, "pass": not fields.get("pass"), "score": 0.0}
    return [json.dumps(fields), *[json.dumps(opposite)] * (times - 1)]


def _as_anthropic(said: Said, fields: dict[str, Any] | str | None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    if fields is not None:
        assert isinstance(fields, dict), "Anthropic sends a tool's input as an object"
        content.append({"type": "tool_use", "id": "use_1", "name": TOOL, "input": fields})
    stop = "refusal" if said.refusal else "max_tokens" if said.cut else "tool_use" if fields is not None else "end_turn"
    return {
        "id": "message_1", "type": "message", "role": "assistant", "model": "claude-judge-2026-11", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 20},
    }  # fmt: skip


def _as_google(said: Said, fields: dict[str, Any] | str | None) -> dict[str, Any]:
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    if said.refusal:
        return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage, "modelVersion": "gemini-judge-1"}
    parts: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
    if fields is not None:
        parts.append({"functionCall": {"name": TOOL, "args": fields}})
    reason = "MAX_TOKENS" if said.cut else "STOP"
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-judge-1"}
