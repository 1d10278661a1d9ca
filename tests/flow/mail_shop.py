"""A small repository with an agent, its mails, its traces and people's corrections, for tests of the loop."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.capture.trace_import import import_traces
from naoshi.flow.cycle import Workshop, open_workshop
from naoshi.flow.loop import Loop
from naoshi.flow.people import Answer, People, Question
from naoshi.signals.make_correction import make_correction
from naoshi.system.git import Git

HERE = Path(__file__).parent
MAILS = 24

CONFIG = """\
[agent]
command = {agent}
timeout = 10
[evals.split_weights]
diagnose = 0.6
validate = 0.2
holdout = 0.2
[repair]
command = {mender}
timeout = 30
"""


class Clock:
    """Time that goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class Follower:
    """Follows every proposal, and remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answer(self, question: Question) -> Answer | None:
        self.asked.append(question.conversation_id)
        return Answer(reply=str(question.proposed or 1), actor="aki")


def order_of(number: int) -> str:
    return f"A{number * 37 + 1000}"


def make_shop(folder: Path, *, agent: list[str] | None = None, mender: list[str] | None = None) -> Path:
    """Make the repository and return its folder; half of the mails write the order number another way."""
    shutil.copytree(HERE / "mail_agent", folder, ignore=shutil.ignore_patterns("__pycache__"))
    config = CONFIG.format(
        agent=json.dumps(agent or [sys.executable, "agent.py"]),
        mender=json.dumps(mender or [sys.executable, str(HERE / "mail_agent" / "mend.py")]),
    )
    (folder / "naoshi.toml").write_text(config)
    (folder / ".gitignore").write_text(".naoshi/\n__pycache__/\n")
    (folder / "mails").mkdir()
    for number in range(MAILS):
        label = "Your reference:" if number % 2 else "Order no:"
        text = f"Dear shop,\n{label} {order_of(number)}\nQuantity: {number + 2}\nBye {number}\n"
        (folder / "mails" / f"{number:02}.txt").write_text(text)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    Git.at(folder).commit("the agent", paths=["."])
    return folder


def open_shop(
    stack: ExitStack, folder: Path, people: People, *, watcher: Callable[..., None] | None = None
) -> tuple[Loop, Workshop]:
    loop = stack.enter_context(open_loop(folder, people=people, clock=Clock()))
    return loop, stack.enter_context(
        open_workshop(loop, database_url=os.environ.get("NAOSHI_DATABASE_URL", ""), watcher=watcher)
    )


def record_traces(folder: Path, loop: Loop) -> None:
    """Let the agent answer every mail, and take its traces in."""
    requests = [{"case_id": str(number), "vars": {"mail": f"mails/{number:02}.txt"}} for number in range(MAILS)]
    done = subprocess.run(
        [sys.executable, "agent.py"],
        cwd=folder,
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        env={**os.environ, "NAOSHI_AGENT_VERSION": "v0"},
        text=True,
        capture_output=True,
        check=True,
    )
    spans = [json.dumps(span) for line in done.stdout.splitlines() for span in json.loads(line)["spans"]]
    file = folder.parent / f"{folder.name}-traces.jsonl"
    file.write_text("".join(f"{span}\n" for span in spans))
    import_traces(loop.store, [file], now=loop.clock())


def correct_mails(loop: Loop) -> None:
    """Correct the order number of every mail whose label the agent does not know."""
    for trace in loop.store.traces.find():
        number = int(str(trace.vars["mail"])[-6:-4])
        if number % 2:
            correction = make_correction(
                trace=trace,
                artifact="fields",
                field="order_number",
                corrected=order_of(number),
                practitioner="hana",
                at=datetime(2026, 1, 5, tzinfo=UTC),
            )
            loop.store.corrections.add(correction)
