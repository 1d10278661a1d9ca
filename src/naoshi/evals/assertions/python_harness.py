"""Runs one assertion in Python; started as a program of its own, reads one JSON object and prints one.

What the code prints goes to stderr, so that it cannot forge the answer. This file imports nothing of ours: it also
runs under other interpreters.
"""

import asyncio
import inspect
import json
import os
import resource
import sys
from typing import Any


def main() -> None:
    """Read the request, run the code, print ``{"value"}`` or ``{"error"}``."""
    request = json.loads(sys.stdin.buffer.read())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    seconds = int(request["seconds"]) + 1
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_AS, request["memory"])
    try:
        text = json.dumps({"value": _called(request)})
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is told, also SystemExit
        text = json.dumps({"error": f"{type(error).__name__}: {error}"})
    answers.write(text)
    answers.close()
    sys.stderr.flush()
    os._exit(0)


def _limit(what: int, most: int) -> None:
    """Limit *what* to *most*, or to what whoever started us allows, if that is less."""
    allowed = resource.getrlimit(what)[1]
    least = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
    resource.setrlimit(what, (least, least))


def _called(request: dict[str, Any]) -> Any:
    names: dict[str, Any] = {"__name__": "assertion"}
    exec(compile(request["source"], "<assertion>", "exec"), names)  # noqa: S102 - that is what it is for
    found: Any = names[request["function"].split(".")[0]]
    for part in request["function"].split(".")[1:]:
        found = getattr(found, part)
    made = found(request["output"], request["context"])
    return asyncio.run(made) if inspect.iscoroutine(made) else made


if __name__ == "__main__":
    main()
