"""A harness that is only configuration: a prompt, settings of the model, and rules for tools."""

import json

from pydantic import JsonValue

from naoshi.records.base import Record


class AgentConfig(Record):
    """One version of a harness that has no code of its own.

    ``version`` goes into traces as the service's version. ``model_settings`` are passed to the model as they are,
    ``tool_policy`` says what the agent may do with which tool. ``eval_metadata`` is for those who judge the agent,
    and never in its instructions.
    """

    version: str
    system_prompt: str
    model_settings: dict[str, JsonValue] = {}
    tool_policy: dict[str, JsonValue] = {}
    eval_metadata: dict[str, JsonValue] = {}

    def build_instructions(self, **runtime: JsonValue) -> str:
        """Return what the model is told: the prompt, the tool policy, and what *runtime* says of this run.

        The same configuration gives the same text, whatever order its keys are in.
        """
        parts = [self.system_prompt.strip()]
        for title, facts in (("Tool policy", self.tool_policy), ("This run", runtime)):
            if facts:
                parts.append(f"## {title}\n\n" + "\n".join(f"- {key}: {_said(facts[key])}" for key in sorted(facts)))
        return "\n\n".join(part for part in parts if part) + "\n"


def _said(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
