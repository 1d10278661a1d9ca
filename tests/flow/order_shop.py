"""A shop that has its order mails read by an agent in JavaScript: the world of the end-to-end tests."""

import csv
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_AGENT = Path(__file__).parent / "order_agent"
_LABELS = (("Order no:", "Quantity:"), ("PO number:", "Qty:"), ("Bestellnummer:", "Menge:"), ("注文番号：", "数量："))
_SETTINGS = """
[fields.artifacts.fields.order_number]
comparison = "spacing"
[fields.artifacts.fields.quantity]
comparison = "spacing"
"""


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a command ended: exit status, what it printed, and its JSON document where it was asked for."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """The one line that a person reads of an error."""
        lines = [line for line in self.err.splitlines() if line.startswith("naoshi: ")]
        assert len(lines) == 1, self.err
        return lines[0]


def naoshi(folder: Path, *words: str, stdin: str = "", timeout: float = 120, **environment: str) -> Done:
    """Run the real program in *folder*, away from any terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "naoshi", *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
    )
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return Done(status=done.returncode, out=done.stdout, err=done.stderr)


def git(folder: Path, *words: str) -> str:
    """Run git in *folder* as somebody and return what it printed."""
    names = {f"GIT_{who}_{what}": "shop" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, **names}
    )
    return done.stdout.strip()


@dataclass(frozen=True, kw_only=True)
class OrderShop:
    """The agent's repository in ``folder``, the mails in its ``mails``, and what the agent did in ``outbox``."""

    folder: Path

    @property
    def outbox(self) -> Path:
        return self.folder.parent / "outbox"

    def write_mails(self, *, count: int = 16) -> dict[str, dict[str, str]]:
        """Write *count* mails in four styles, and return the truth of each."""
        truths: dict[str, dict[str, str]] = {}
        for number in range(count):
            order_label, quantity_label = _LABELS[number % len(_LABELS)]
            truth = {"order_number": f"A-{4000 + 37 * number}", "quantity": str(12 + 7 * number)}
            order = f"{order_label} {truth['order_number']}\n{quantity_label} {truth['quantity']}"
            text = f"Dear shop, mail {number}\n{order}\nBye"
            name = f"mails/{number:03}.txt"
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
            truths[name] = truth
        return truths

    def serve(self, mails: list[str], *, version: str = "v0") -> Path:
        """Let the agent read *mails* as it does every day, and return the file of its traces."""
        requests = "".join(json.dumps({"case_id": mail, "vars": {"mail": mail}}) + "\n" for mail in mails)
        done = subprocess.run(
            ["node", "agent.mjs"],
            cwd=self.folder,
            input=requests,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NAOSHI_AGENT_VERSION": version, "NAOSHI_DATA_ROOT": str(self.folder)},
        )
        self.outbox.mkdir(exist_ok=True)
        file = self.outbox / f"{version}.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            for line in done.stdout.splitlines():
                stream.writelines(json.dumps(span, ensure_ascii=False) + "\n" for span in json.loads(line)["spans"])
        return file

    def corrections(self, traces: Path, truths: dict[str, dict[str, str]]) -> Path:
        """Return a table of what people correct in *traces*: everything that differs from the truth."""
        table = traces.with_suffix(".csv")
        with table.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["trace_id", "artifact", "field", "corrected", "practitioner", "reason"])
            for line in traces.read_text(encoding="utf-8").splitlines():
                span = json.loads(line)
                if span["name"] != "run":
                    continue
                mail = json.loads(span["attributes"]["naoshi.vars"])["mail"]
                output = json.loads(span["attributes"]["naoshi.output"])
                for field, value in truths[mail].items():
                    if output[field] != value:
                        writer.writerow([span["trace_id"], "fields", field, value, "hana", "it stands in the mail"])
        return table


def open_shop(folder: Path) -> OrderShop:
    """Make the agent's repository below *folder*, its mails committed, not yet initialised for Naoshi."""
    if shutil.which("node") is None:
        pytest.skip("node is not on this machine")
    repository = folder / "orders"
    shutil.copytree(_AGENT, repository)
    git(repository, "init", "--quiet", "--initial-branch=main")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "an agent that reads order mails")
    return OrderShop(folder=repository)


def configure(shop: OrderShop) -> None:
    """Do what `naoshi init` says: fill in the coding agent, and commit."""
    config = shop.folder / "naoshi.toml"
    text = config.read_text(encoding="utf-8")
    assert 'command = ["node", "agent.mjs"]' in text
    mender = shop.folder / "mend.mjs"
    text = text.replace("\ncommand = []\n", f'\ncommand = ["node", "{mender}"]\n')
    config.write_text(text + _SETTINGS, encoding="utf-8")
    git(shop.folder, "add", "--all")
    git(shop.folder, "commit", "--quiet", "-m", "naoshi")
