"""Answers Promptfoo's questions to the agent and to the judge, over a Unix socket that only we can reach."""

import json
import socketserver
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from naoshi.errors import JudgeError, NaoshiError
from naoshi.evals.agent_pool import AgentPool
from naoshi.evals.agent_worker import AgentCall
from naoshi.evals.answer import Answer
from naoshi.evals.judge import Judge
from naoshi.records.base import canonical_json
from naoshi.records.eval_case import EvalCase

NOT_RUN = "naoshi not_run: "
JUDGE_FAILED = "naoshi judge_error: "
_LONGEST_REQUEST = 64 * 1024 * 1024


class AnswerServer:
    """Serves one run. ``answers`` holds what the agent said, by the case that asked."""

    def __init__(
        self,
        *,
        cases: Sequence[EvalCase],
        pool: AgentPool,
        judge: Judge | None,
        socket: Path,
        on_answer: Callable[[Answer], None] | None = None,
    ) -> None:
        """Listen on *socket*; `start` to serve."""
        self.answers: dict[str, Answer] = {}
        self.failure: NaoshiError | None = None
        self._cases = {case.case_id: case for case in cases}
        self._pool = pool
        self._judge = judge
        self._on_answer = on_answer
        self._lock = threading.Lock()
        self._calls: dict[str, threading.Lock] = {}
        self._by_vars: dict[str, Answer] = {}
        self._server = _Server(str(socket), _Request, respond=self._respond)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> "AnswerServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.stop()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._pool.close()

    def _respond(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if request.get("what") == "grade":
            return self._grade(request)
        case = self._cases.get(str(request.get("case_id")))
        if case is None:
            return {"error": "the test has no case_id of this run"}
        try:
            answer = self._answer(case)
        except NaoshiError as error:
            self.failure = error
            return {"error": error.message}
        self.answers[case.case_id] = answer
        if answer.error is not None:
            return {"error": answer.error}
        return {
            "output": answer.output,
            "latencyMs": answer.latency_ms,
            **({} if answer.cost is None else {"cost": answer.cost}),
        }

    def _answer(self, case: EvalCase) -> Answer:
        """Return the agent's answer to the vars of *case*; cases that share them share the call."""
        key = canonical_json(case.vars)
        with self._lock:
            turn = self._calls.setdefault(key, threading.Lock())
        with turn:
            if key not in self._by_vars:
                answer = self._pool.answer(AgentCall(case_id=case.case_id, vars=dict(case.vars)))
                self._by_vars[key] = answer
                with self._lock:
                    if self._on_answer:
                        self._on_answer(answer)
            return self._by_vars[key]

    def _grade(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if self._judge is None:
            return {"error": f"{NOT_RUN}no judge is configured"}
        try:
            with self._lock:
                grade = self._judge.grade(
                    rubric=str(request.get("rubric")),
                    output=request.get("output"),
                    vars=dict(request.get("vars") or {}),
                )
            if grade.advice:
                return {"error": f"{JUDGE_FAILED}{grade.as_advice()}"}
            text = json.dumps({"pass": grade.passed, "score": grade.score, "reason": grade.reason}, allow_nan=False)
        except JudgeError as error:
            return {"error": f"{JUDGE_FAILED}the judge failed: {error}"}
        except ValueError:
            return {"error": f"{JUDGE_FAILED}the judge's score is not between 0 and 1"}
        return {"output": cast("dict[str, Any]", json.loads(text))}


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = True
    request_queue_size = 256

    def __init__(self, *place: Any, respond: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        super().__init__(*place)
        self.respond = respond


class _Request(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        line = self.rfile.readline(_LONGEST_REQUEST)
        if line:
            response = cast("_Server", self.server).respond(json.loads(line))
            self.wfile.write(json.dumps(response).encode())
