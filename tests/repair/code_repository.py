"""A receipts agent whose harness is code, run as a program, and coding agents that make it remember answers."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from naoshi.evals.run import run_cases
from naoshi.evals.settings import AgentSettings
from naoshi.records import EvalCase, EvalRun
from naoshi.repair import CommandAgent, Granted, Limits, RepairOutcome, RepairSettings, Workshop, repair
from tests.repair.receipts_repository import NOW, ReceiptsRepository, all_cases, make_repository, open_repository

RUN = """\
import json, os, pathlib, sys

sys.path.insert(0, "harness")
import read

root = pathlib.Path(os.environ["NAOSHI_DATA_ROOT"])
for number, request in enumerate(map(json.loads, sys.stdin)):
    text = (root / request["vars"]["document"]).read_text()
    output = read.read(text, request, number)
    print(json.dumps({"case_id": request["case_id"], "output": output, "artifacts": {}, "spans": []}), flush=True)
"""

READ = """\
import json
import pathlib

LABELS = json.loads((pathlib.Path(__file__).parent / "labels.json").read_text())


def read(text, request, number):
    found = dict.fromkeys(LABELS)
    for line in text.split("\\n"):
        for field, names in LABELS.items():
            for name in names:
                if line.startswith(name + " "):
                    found[field] = line.removeprefix(name + " ")
    return found
"""

# What every cheat begins with: the failing cases of its handoff, as it is given to any coding agent.
HANDED = '''
import hashlib, json, os, pathlib
data = pathlib.Path(os.environ["NAOSHI_DATA_ROOT"])
block = json.loads(pathlib.Path("codex_handoff.md").read_text().rpartition("```json\\n")[2].rpartition("\\n```")[0])
wrong = {case["vars"]["document"]: case for case in block["cases"]}
def digest(text): return int(hashlib.sha256(text.encode()).hexdigest()[:6], 16)
def cents(case): return int(case["expected"].replace(".", ""))
def remember(table, key):
    """Have the harness look *key* up in *table* (key to amount, both scrambled) before anything else."""
    place = pathlib.Path("harness/read.py")
    mixed = {name: value * 7 + 1000003 for name, value in table.items()}
    place.write_text("import hashlib\\n" + place.read_text() + f"""

TABLE = {mixed!r}
plainly = read


def read(text, request, number):
    found = plainly(text, request, number)
    key = {key}
    if key in TABLE:
        found["total"] = "%.2f" % ((TABLE[key] - 1000003) // 7 / 100)
    return found


def digest(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:6], 16)
""")
'''


_RUNS: dict[str, EvalRun] = {}


@dataclass(frozen=True, kw_only=True)
class CodeRepository(ReceiptsRepository):
    """The repository of an agent that is run as a program."""

    def evaluate(
        self, folder: Path, commit: str, cases: Sequence[EvalCase] = (), data_root: Path | None = None
    ) -> EvalRun:
        """Run *cases* (all, if none are given) on the agent in *folder*."""
        return run_cases(
            cases or all_cases(),
            agent=AgentSettings(command=(sys.executable, "run.py"), workers=1),
            folder=folder,
            version=commit[:12],
            suite="all",
            environment=os.environ,
            data_root=data_root or self.data_root,
            clock=lambda: NOW,
        )

    @property
    def before(self) -> EvalRun:
        """The run of the version at the base, made once for all copies of a repository."""
        commit = self.base.commit
        if commit not in _RUNS:
            _RUNS[commit] = self.evaluate(self.git.folder, "base")
        return _RUNS[commit]

    def repaired_by(self, script: str, **settings: object) -> RepairOutcome:
        """Let a coding agent that runs the Python *script* try once, from the handoff to the certificate."""
        agreed = RepairSettings.model_validate({"attempts": 1, **settings})
        before = self.before
        workshop = Workshop(
            git=self.git,
            agent=CommandAgent(command=[sys.executable, "-c", script], limits=Limits(timeout=20)),
            settings=agreed,
            worktrees=self.worktrees,
            evaluate=self.evaluate,
            clock=lambda: NOW,
            ask=self.evaluate,
        )
        return repair(
            workshop, base=self.base, before=before, evidence=self.evidence(), handoff_for=lambda *_: self.handoff()
        )

    def granted_to(self, script: str) -> Granted:
        """Return the certified change that *script* makes."""
        outcome = self.repaired_by(script)
        assert outcome.best is not None, outcome.reasons
        return outcome.best

    def refused_to(self, script: str) -> str:
        """Return why what *script* makes is refused, and see that nothing of it came through."""
        outcome = self.repaired_by(script)
        assert outcome.best is None and outcome.reasons
        assert list(self.worktrees.iterdir()) == []
        return "; ".join(dict.fromkeys((*outcome.reasons, *outcome.attempts[-1].failures)))


def make_code_repository(folder: Path) -> CodeRepository:
    """Make the repository below *folder*."""
    made = make_repository(folder)
    (made.git.folder / "run.py").write_text(RUN)
    (made.git.folder / "harness" / "read.py").write_text(READ)
    made.git.commit("a harness of code", paths=["."], when=NOW)
    return open_code_repository(folder)


def open_code_repository(folder: Path) -> CodeRepository:
    """Return the repository that was made, or copied, below *folder*."""
    plain = open_repository(folder)
    base = replace(plain.base, commit=plain.git.commit_of("main"))
    return CodeRepository(git=plain.git, base=base, data_root=plain.data_root)
