"""A chat-completions loop without a framework that asks before it deletes. Run: python examples/plain_loop.py."""

import json
import sys
from pathlib import Path

from openai import OpenAI

from naoshi.confirm import Confirmations, FileStore, Guard, render_question

TOOLS = {"delete_file": lambda path: Path(path).unlink()}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
DESCRIBED = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in TOOLS]


def answer(client, confirmations, messages, text, model="gpt-5"):
    """Take in one message of the person, let the model work, and return what to show."""
    turn, guard = confirmations.receive("terminal", text), Guard(confirmations)
    messages += [{"role": "system", "content": turn.context}] if turn.context else []
    messages.append({"role": "user", "content": text})
    while True:
        said = client.chat.completions.create(model=model, messages=messages, tools=DESCRIBED).choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            asked = confirmations.pending("terminal")
            return f"{said.content}\n\n{render_question(asked)}" if asked else said.content
        for call in said.tool_calls:
            name, arguments = call.function.name, json.loads(call.function.arguments)
            with guard.during(turn), guard(name, arguments) as permit:
                result = (TOOLS[name](**arguments) or "done") if permit else permit.context
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


if __name__ == "__main__":
    history = []
    for line in sys.stdin:
        print(answer(OpenAI(), Confirmations(FileStore(".plain-loop")), history, line.strip()))
