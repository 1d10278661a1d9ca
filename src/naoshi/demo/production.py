"""The agent at its daily work: documents in, answers out, outside the loop."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naoshi.errors import AgentCrashError
from naoshi.system.process import run

_SECONDS_PER_DOCUMENT = 2.0


@dataclass(frozen=True, kw_only=True)
class Served:
    """What the agent said of one document: its fields (None when it could not), its artifacts, and its spans."""

    output: Mapping[str, str | None] | None
    artifacts: Mapping[str, Any]
    spans: Sequence[Mapping[str, Any]]


def serve(agent: Path, *, documents: Sequence[str], data_root: Path, version: str) -> dict[str, Served]:
    """Let the agent in the folder *agent* answer each of *documents* (paths below *data_root*).

    Raises:
        AgentCrashError: it ended without having answered all of them.
    """
    requests = [json.dumps({"case_id": name, "vars": {"document": name}}) for name in documents]
    done = run(
        [sys.executable, "runner.py"],
        folder=agent,
        environment={**os.environ, "NAOSHI_AGENT_VERSION": version, "NAOSHI_DATA_ROOT": str(data_root.resolve())},
        stdin="".join(f"{line}\n" for line in requests).encode(),
        timeout=30 + _SECONDS_PER_DOCUMENT * len(documents),
        output_limit=256 * 1024 * 1024,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    served = {
        answer["case_id"]: Served(
            output=answer.get("output"), artifacts=answer.get("artifacts", {}), spans=answer.get("spans", [])
        )
        for answer in answers
    }
    if missing := [name for name in documents if name not in served]:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise AgentCrashError(f"the agent left {len(missing)} of {len(documents)} documents unanswered: {last}")
    return served
