"""A tool call that a framework holds back, and the question about it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from naoshi.confirm import Confirmation, Confirmations, Settlement
from naoshi.confirm.context import on_one_line
from naoshi.records.base import Record, canonical_json

_RUN = 1


class ToolCall(Record):
    """A call that waits for a person: its identifier in the framework, the tool's name, the arguments as JSON."""

    call_id: str
    tool: str
    arguments: JsonValue = None

    @property
    def told(self) -> str:
        """The call as a person is told of it, on one line with everything invisible escaped."""
        return f"{on_one_line(self.tool)} {on_one_line(canonical_json(self.arguments))}"

    def action(self, run_id: str) -> dict[str, JsonValue]:
        """Return what is kept with the question, and what an answer is bound to.

        The pause *run_id* is part of it: some models number their calls from zero in every turn.
        """
        return {"tool": self.tool, "arguments": self.arguments, "call_id": self.call_id, "run_id": run_id}


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The texts that people and models see. ``question`` may name ``{tool}`` and ``{arguments}``."""

    question: str
    run: str
    skip: str
    refused: str
    busy: str

    def labels(self) -> Sequence[str]:
        """Return the two choices: run it, and do not."""
        return self.run, self.skip


ENGLISH = Wording(
    question="Run {tool} with {arguments}?",
    run="Run it",
    skip="Do not run it",
    refused="A person decided that this must not be run. Do not try it again; go on without it.",
    busy="The step before is still running. Its result will come.",
)
JAPANESE = Wording(
    question="{tool} を {arguments} で実行しますか？",
    run="実行する",
    skip="実行しない",
    refused="人がこの実行を断りました。もう一度試さず、これなしで進めてください。",
    busy="前の処理がまだ動いています。結果をお待ちください。",
)


def ask_about(
    confirmations: Confirmations, conversation_id: str, call: ToolCall, *, run_id: str, wording: Wording
) -> Confirmation:
    """Ask whether *call* of the pause *run_id* may run, durably, and return the question. Running is choice 1.

    The arguments come from a model. They are shown on one line, with everything invisible escaped.

    Raises:
        StoreError: the question cannot be kept.
    """
    question = wording.question.format(
        tool=on_one_line(call.tool), arguments=on_one_line(canonical_json(call.arguments))
    )
    return confirmations.ask(
        conversation_id, question, wording.labels(), action=call.action(run_id), irreversible=[_RUN]
    )


def may_run(settlement: Settlement) -> bool:
    """Return whether the person chose that the call runs."""
    return settlement.choices == (_RUN,)


def arguments_of(text: str | None) -> JsonValue:
    """Return the arguments that a model wrote as JSON; the text itself where readers of JSON could differ about it."""
    try:
        return None if text is None else json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _once_each(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _no_number(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON")
