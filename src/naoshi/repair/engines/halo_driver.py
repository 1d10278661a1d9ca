"""Runs HALO's engine once; started as a program by the interpreter of HALO's own environment.

It reads one JSON object on stdin and writes the report to the file that this names, progress to stderr. It imports
nothing of ours: HALO pins other releases of what we use.
"""

import asyncio
import importlib
import json
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Read the request, run the engine, write the report; return 0 when there is one."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    # No trace of this run may leave the machine, and no code that the model writes is run.
    importlib.import_module("agents").set_trace_processors([])
    sandbox = importlib.import_module("engine.sandbox.sandbox").Sandbox
    sandbox.get = classmethod(lambda cls: None)
    report = asyncio.run(_report(request))
    Path(request["report"]).write_text(report, encoding="utf-8")
    return 0 if report.strip() else 1


async def _report(request: dict[str, Any]) -> str:
    engine: Any = importlib.import_module("engine.main")
    output: Any = importlib.import_module("engine.models.engine_output")
    message: Any = importlib.import_module("engine.models.messages")
    final, last = "", ""
    told = [message.AgentMessage(role="user", content=request["prompt"])]
    stream = engine.stream_engine_output_async(told, _config(request), Path(request["traces"]))
    async for event in stream:
        if not isinstance(event, output.AgentOutputItem):
            continue
        item: Any = event
        text = _text(item.item.content)
        print(f"{item.agent_name}: {' '.join(text.split())[:200]}", file=sys.stderr, flush=True)
        if item.depth == 0 and item.item.role == "assistant" and text:
            last = text
        if item.final:
            final = text
    return final or last


def _config(request: dict[str, Any]) -> Any:
    engine: Any = importlib.import_module("engine.engine_config")
    agents: Any = importlib.import_module("engine.agents.agent_config")
    models: Any = importlib.import_module("engine.model_config")
    providers: Any = importlib.import_module("engine.model_provider_config")
    model = models.ModelConfig(name=request["model"])
    summing_up = models.ModelConfig(name=request["synthesis_model"])
    root = agents.AgentConfig(name="root", model=model, maximum_turns=request["max_turns"])
    repository = request["repository"]
    return engine.EngineConfig(
        root_agent=root,
        subagent=root.model_copy(update={"name": "sub"}),
        synthesis_model=summing_up,
        compaction_model=summing_up,
        model_provider=providers.ModelProviderConfig(base_url=request["base_url"]),
        maximum_depth=request["max_depth"],
        maximum_parallel_subagents=request["max_parallel"],
        repo_path=Path(repository) if repository else None,
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts: list[Any] = list(content or ())
    return "\n".join(str(part.get("text") or "") for part in parts)


if __name__ == "__main__":
    sys.exit(main())
