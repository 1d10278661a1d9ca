"""A small agent in a git repository of its own: it reads totals by the labels that its harness knows."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from naoshi.records import (
    Artifact,
    Assertion,
    CaseResult,
    Cause,
    Correction,
    Diagnosis,
    EvalCase,
    EvalRun,
    FailureGroup,
    FieldKind,
    FieldRule,
    FieldRules,
    Handoff,
    Provenance,
    ResultState,
    SourceDocument,
    SourceLine,
    Split,
    Trace,
)
from naoshi.repair.attempts import Workshop
from naoshi.repair.coding_agents.base import CodingAgent
from naoshi.repair.coding_agents.command import CommandAgent
from naoshi.repair.coding_agents.program_run import Limits
from naoshi.repair.handoff import build_handoff
from naoshi.repair.make_change import Base, ChangeOutcome, RepairEvidence, make_change
from naoshi.repair.sandbox import Sandbox
from naoshi.repair.settings import RepairSettings
from naoshi.system.git import Git

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
FIELDS = FieldRules(
    artifacts={"fields": {"date": FieldRule(kind=FieldKind.date), "total": FieldRule(kind=FieldKind.amount)}}
)
LABELS = {"company": ["SHOP"], "address": ["ADDRESS"], "date": ["DATE"], "total": ["TOTAL"]}
DOCUMENTS = {
    "box/001.csv": ("TOTAL", "10.10", Split.diagnose),
    "box/002.csv": ("TOTAL", "20.20", Split.validate_),
    "box/003.csv": ("AMOUNT DUE", "30.30", Split.diagnose),
    "box/004.csv": ("AMOUNT DUE", "40.40", Split.diagnose),
    "box/005.csv": ("AMOUNT DUE", "50.50", Split.validate_),
    "box/006.csv": ("AMOUNT DUE", "60.60", Split.holdout),
}

HONEST = """
import json, pathlib
labels = pathlib.Path("harness/labels.json")
known = json.loads(labels.read_text())
known["total"].append("AMOUNT DUE")
labels.write_text(json.dumps(known, indent=1) + "\\n")
"""
"""A change that an engineer would make: the label under which the right value stands."""


def truth(document: str) -> dict[str, str]:
    """Return the right fields of *document*."""
    number = document[4:7]
    return {
        "company": f"MISTER {'TWO' if number in ('003', '004') else number} TRADING",
        "address": f"NO {'7' if number in ('003', '004') else number} JALAN HARMONI JOHOR",
        "date": f"{number[1:]}/03/2018",
        "total": DOCUMENTS[document][1],
    }


def source(document: str) -> SourceDocument:
    """Return the lines of *document*."""
    right, label = truth(document), DOCUMENTS[document][0]
    texts = (f"SHOP {right['company']}", f"ADDRESS {right['address']}", f"DATE {right['date']}",
             f"{label} {right['total']}")  # fmt: skip
    return SourceDocument(
        path=document, lines=tuple(SourceLine(number=number, text=text) for number, text in enumerate(texts, start=1))
    )


def read(document: str, labels: dict[str, list[str]]) -> dict[str, str | None]:
    """Read *document* as the agent does: the value right of a known label."""
    found: dict[str, str | None] = dict.fromkeys(LABELS)
    for line in source(document).lines:
        for field, names in labels.items():
            for name in names:
                if line.text.startswith(f"{name} "):
                    found[field] = line.text.removeprefix(f"{name} ")
    return found


def evaluate(checkout: Path, commit: str) -> EvalRun:
    """Run every case on the harness in *checkout*; one that cannot be used is an error of the agent in each case."""
    try:
        labels = json.loads((checkout / "harness" / "labels.json").read_text(encoding="utf-8"))
        outputs = {document: read(document, labels) for document in DOCUMENTS}
    except (OSError, ValueError, AttributeError):
        outputs = dict.fromkeys(DOCUMENTS)
    return run_of(outputs, version=commit)


def run_of(outputs: dict[str, dict[str, str | None] | None], *, version: str) -> EvalRun:
    """Return the run that *outputs* (by document) make."""
    results = []
    for case in all_cases():
        document, field = str(case.vars["document"]), case.provenance.field or ""
        output = outputs[document]
        state = ResultState.agent_error if output is None else (
            ResultState.pass_ if output.get(field) == truth(document)[field] else ResultState.fail
        )  # fmt: skip
        results.append(
            CaseResult(
                case_id=case.case_id,
                content_hash=case.content_hash,
                category=case.category,
                source_key=case.source_key,
                state=state,
                output=output,
            )
        )
    return EvalRun(run_id=f"run_{version}", suite="all", version=version, started_at=NOW, finished_at=NOW,
                   results=tuple(results))  # fmt: skip


def all_cases() -> tuple[EvalCase, ...]:
    """Return one case for each field of each document, in all three splits."""
    return tuple(
        EvalCase(
            case_id=f"case_{document[4:7]}_{field}",
            vars={"document": document},
            assertions=(Assertion(type="equals", value=value, transform=f"output.{field}"),),
            category=field,
            split=split,
            source_key=document,
            provenance=Provenance(
                trace_id=f"trace_{document[4:7]}",
                correction_id=f"correction_{document[4:7]}_{field}",
                artifact="fields",
                field=field,
                observed=None,
                corrected=value,
            ),
        )
        for document, (_, _, split) in DOCUMENTS.items()
        for field, value in truth(document).items()
    )


def seen_cases() -> tuple[EvalCase, ...]:
    """Return the cases that a coding agent may see."""
    return tuple(case for case in all_cases() if case.split is Split.diagnose)


def trace(document: str) -> Trace:
    """Return the run of the first version on *document*."""
    output = read(document, LABELS)
    claims = [{"field": name, "value": value, "rule": f"label:{name}"} for name, value in output.items() if value]
    return Trace(
        trace_id=f"trace_{document[4:7]}",
        agent="receipts",
        agent_version="v0",
        started_at=NOW,
        vars={"document": document},
        output=dict(output),
        artifacts=(Artifact(name="fields", value=dict(output)), Artifact(name="claims", value=list(claims))),
        sources=(source(document),),
    )


def correction(document: str, field: str) -> Correction:
    """Return a practitioner's correction of *field* of *document*."""
    return Correction(
        correction_id=f"correction_{document[4:7]}_{field}",
        trace_id=f"trace_{document[4:7]}",
        artifact="fields",
        field=field,
        submitted=read(document, LABELS)[field],
        corrected=truth(document)[field],
        practitioner="hanako",
        document=document,
        at=NOW,
    )


def diagnosis() -> Diagnosis:
    """Return a diagnosis with the one group that there is, and no recommendation."""
    group = FailureGroup(
        group_id="group_total",
        artifact="fields",
        failure_type="missing_total",
        field="total",
        rank=1,
        count=4,
        share=1.0,
        signal_ids=("signal_3", "signal_4", "signal_5", "signal_6"),
        trace_ids=("trace_003", "trace_004", "trace_005", "trace_006"),
        causes={Cause.extraction_miss.value: 3, Cause.mapping_problem.value: 1},
        example="total of box/006.csv is missing",
    )
    return Diagnosis(diagnosis_id="diagnosis_1", engine="evidence", agent_version="v0", groups=(group,),
                     recommendations=(), made_at=NOW)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReceiptsRepository:
    """The repository, its documents, and where checkouts go."""

    git: Git
    base: Base
    data_root: Path

    @property
    def worktrees(self) -> Path:
        return self.git.folder / ".naoshi" / "worktrees"

    @property
    def before(self) -> EvalRun:
        """The run of the version at the base."""
        return evaluate(self.git.folder, self.base.commit)

    def evidence(self) -> RepairEvidence:
        return RepairEvidence(cases=all_cases(), fields=FIELDS, data_root=self.data_root,
                              trace_lines={trace(name).trace_id: '{"span": 1}\n' for name in DOCUMENTS})  # fmt: skip

    def handoff(self, *, attempt: int = 1, failures: Sequence[str] = ()) -> Handoff:
        return build_handoff(
            diagnosis(),
            cases=seen_cases(),
            run=self.before,
            corrections=[correction(name, "total") for name in DOCUMENTS],
            traces=[trace(name) for name in DOCUMENTS],
            attempt=attempt,
            previous_failures=failures,
        )

    def change_by(self, script: str, *, sandbox: Sandbox | None = None, **settings: object) -> ChangeOutcome:
        """Let a coding agent that runs the Python *script*, in *sandbox* if there is one, make one change."""
        agreed = RepairSettings.model_validate({"command": ["python3"], **settings})
        limits = Limits(timeout=agreed.timeout, output_limit=agreed.output_limit)
        program = [sys.executable, "-c", script]
        agent = CommandAgent(command=program, limits=limits, environment=agreed.environment, sandbox=sandbox)
        return self.change_of(agent, agreed)

    def change_of(self, agent: CodingAgent, settings: RepairSettings | None = None, **more: Any) -> ChangeOutcome:
        """Let *agent* make one change."""
        return make_change(
            self.git,
            self.handoff(),
            base=self.base,
            agent=agent,
            evidence=self.evidence(),
            settings=settings or RepairSettings(),
            worktrees=self.worktrees,
            now=NOW,
            **more,
        )

    def workshop(self, script: str, **settings: object) -> Workshop:
        """Return a workshop whose coding agent runs the Python *script*."""
        return Workshop(
            git=self.git,
            agent=CommandAgent(command=[sys.executable, "-c", script], limits=Limits(timeout=20)),
            settings=RepairSettings.model_validate(settings),
            worktrees=self.worktrees,
            evaluate=evaluate,
            clock=lambda: NOW,
        )


def make_repository(folder: Path) -> ReceiptsRepository:
    """Make the repository below *folder*, with its documents beside it."""
    place, data_root = folder / "agent", folder / "documents"
    files = {
        "harness/labels.json": json.dumps(LABELS, indent=1) + "\n",
        "harness/merchants.json": "[]\n",
        "run.py": "print('the agent')\n",
        "evals/diagnose.yaml": "tests: []\n",
        "evals/validate.yaml": "tests: [hidden]\n",
        "tests/test_agent.py": "assert True\n",
        "naoshi.toml": "[gate]\nmax_worse = 0\n",
        ".gitignore": ".naoshi/\n__pycache__/\n",
    }
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    for document in DOCUMENTS:
        path = data_root / document
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.text for line in source(document).lines) + "\n", encoding="utf-8")
    git = Git(folder=place)
    git("init", "--quiet", "--initial-branch=main")
    git.commit("first version", paths=["."], when=NOW)
    return open_repository(folder)


def open_repository(folder: Path) -> ReceiptsRepository:
    """Return the repository that was made, or copied, below *folder*."""
    git = Git(folder=folder / "agent")
    base = Base(version="v0", commit=git.commit_of("main"))
    return ReceiptsRepository(git=git, base=base, data_root=folder / "documents")
