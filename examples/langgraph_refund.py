"""A LangGraph whose refund waits for a person. Stop it at the question, start it again, answer.

Run: python examples/langgraph_refund.py
"""

import sqlite3
import sys
from contextlib import closing
from typing import TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from naoshi.confirm import Effects, FileStore
from naoshi.integrations.langgraph import ConfirmedGraph, ask_person


class Refund(TypedDict):
    """What the graph knows."""

    order: str
    done: str


def refund_graph(folder: str, saver: BaseCheckpointSaver[str]) -> ConfirmedGraph:
    """Return the graph, with its questions below *folder*."""
    store = FileStore(folder)
    effects = Effects(store)

    def refund(state: Refund) -> dict[str, str]:
        order = state["order"].strip()
        choice = ask_person(f"Refund order {order}?", ["Refund it", "Leave it"], action={"refund": order})
        if choice == 1:
            effects.run(f"refund/{order}", lambda: print(f"(order {order} is refunded)"))
        return {"done": "Refunded." if choice == 1 else "Left as it is."}

    graph = StateGraph(Refund).add_node("refund", refund).add_edge(START, "refund").compile(checkpointer=saver)
    return ConfirmedGraph(
        graph, store=store, given=lambda turn: {"order": turn.reply}, said=lambda output: output["done"]
    )


def main() -> None:
    """Refund orders until the input ends."""
    with closing(sqlite3.connect(".refunds.db", check_same_thread=False)) as connection:
        confirmed = refund_graph(".refunds", SqliteSaver(connection))
        print("Which order shall be refunded?")
        for line in sys.stdin:
            print(confirmed.take("terminal", line).text)


if __name__ == "__main__":
    main()
