"""The overhead of a repair: all that `naoshi repair` takes besides the coding agent's own time, with 500 cases.

The world is made by the commands that a person would use: an agent answers 500 forms, people correct one field of
each, the corrections are triaged and minted into cases, and the agent of the version in force still misses one of the
four fields. The coding agent makes an honest change at once. The steps are told apart from outside: by the lines
that the command prints, and by when its two programs, the coding agent and the agent that is judged, were at work.
Everything runs as it does for a user: in bubblewrap where it is there, with documents asked again in another dress.

    python bench/repair.py [CASES]      how many cases (500)
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAOSHI = Path(sys.executable).parent / "naoshi"
CASES = 500
ROUNDS = 3
MOST_SECONDS = 10.0
HANDED = "attempt 1: "
FIELDS = ("order", "quantity", "buyer", "day")
KNOWN = {"order": "Order no:", "quantity": "Quantity:", "buyer": "Buyer:", "day": "Date:"}
WRITTEN = {"order": "PO:", "quantity": "Pieces:", "buyer": "Ordered by:", "day": "Day of order:"}
MISSED = "order"
AGENT = """\
import hashlib
import json
import os
import pathlib
import sys
import time

LABELS = json.loads(pathlib.Path("harness/labels.json").read_text())
ROOT = pathlib.Path(os.environ.get("NAOSHI_DATA_ROOT", "."))
VERSION = os.environ.get("NAOSHI_AGENT_VERSION", "")
STAMPS = pathlib.Path({stamps!r}) / f"{{time.time_ns()}}-{{os.getpid()}}"
NOW = "2026-01-05T00:00:00Z"


def find(lines, field):
    for label in LABELS[field]:
        for number, line in enumerate(lines, start=1):
            if line.startswith(label):
                return {{"value": line[len(label):].strip(), "line": number, "quote": line, "rule": label}}
    return None


def identifier(*parts, size):
    return hashlib.sha256(json.dumps([VERSION, *parts], sort_keys=True).encode()).hexdigest()[:size]


def span(variables, name, kind, parent, attributes):
    return {{
        "trace_id": identifier("trace", variables, size=32),
        "span_id": identifier(name, variables, size=16),
        "parent_span_id": parent,
        "name": name,
        "start_time": NOW,
        "end_time": NOW,
        "status": {{"code": "STATUS_CODE_OK", "message": ""}},
        "resource": {{"attributes": {{"service.name": "forms", "service.version": VERSION}}}},
        "attributes": {{"openinference.span.kind": kind, **attributes}},
    }}


with STAMPS.open("w", buffering=1) as stamps:
    for request in map(json.loads, sys.stdin):
        begin = time.time()
        form = request["vars"]["form"]
        lines = (ROOT / form).read_text().split("\\n")
        output, claims = {{}}, []
        for field in LABELS:
            hit = find(lines, field)
            output[field] = hit["value"] if hit else None
            if hit:
                place = {{"path": form, "line": hit["line"], "quote": hit["quote"]}}
                claims.append(
                    {{"field": field, "value": hit["value"], "rule": hit["rule"], "citations": [place]}}
                )
        artifacts = {{"fields": output, "claims": claims}}
        facts = {{"naoshi.vars": request["vars"], "naoshi.output": output, "naoshi.artifacts": artifacts}}
        run = span(request["vars"], "run", "AGENT", "", {{name: json.dumps(value) for name, value in facts.items()}})
        source = {{"naoshi.source.path": form, "output.value": "\\n".join(lines)}}
        spans = [run, span(request["vars"], "read_form", "TOOL", run["span_id"], source)]
        answer = {{"case_id": request["case_id"], "output": output, "artifacts": artifacts, "spans": spans}}
        print(json.dumps(answer), flush=True)
        stamps.write(f"{{begin}} {{time.time()}} {{ROOT}}\\n")
"""
MENDER = f"""\
import json, pathlib, time
print("began", time.time())
labels = pathlib.Path("harness/labels.json")
known = json.loads(labels.read_text())
known[{MISSED!r}].append({WRITTEN[MISSED]!r})
labels.write_text(json.dumps(known, indent=1) + "\\n")
print("ended", time.time())
"""
CONFIG = """\
[agent]
command = {agent}
workers = 2
model = "none"
[triage]
bundle_size = 50
[repair]
command = {mender}
readable = [{mender_folder}]
"""


@dataclass(frozen=True, kw_only=True)
class Took:
    """Seconds of one repair by step, in order. ``coding_agent`` is that agent's own time, all else is overhead.

    ``processor`` is the processor time of all processes, which a busy machine lengthens little.
    """

    steps: dict[str, float]
    coding_agent: float
    processor: float

    @property
    def overhead(self) -> float:
        """All but the coding agent's own time."""
        return sum(self.steps.values())


def naoshi(folder: Path, *words: str, allowed: tuple[int, ...] = (0,)) -> str:
    """Run a command in *folder* and return what it printed on stdout.

    Raises:
        RuntimeError: it ended with a status that is not allowed.
    """
    done = subprocess.run([str(NAOSHI), *words], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in allowed:
        raise RuntimeError(f"naoshi {words[0]} ended with {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def git(folder: Path, *words: str) -> None:
    """Run git in *folder* as somebody."""
    somebody = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    subprocess.run(["git", *somebody, *words], cwd=folder, check=True, capture_output=True)


def truth(number: int) -> dict[str, str]:
    """Return the right fields of a form."""
    return {
        "order": f"A-{40_000 + 37 * number}",
        "quantity": f"{1_200 + 7 * number}",
        "buyer": f"Warung Harmoni {number:03d}",
        "day": f"2026-{1 + number % 12:02d}-{1 + number % 28:02d}",
    }


def make_repository(folder: Path, forms: int, stamps: Path) -> Path:
    """Make the agent's repository with its forms, and return its folder."""
    mender = folder.parent / "mender" / "mend.py"
    for place in (folder / "harness", folder / "forms", stamps, mender.parent):
        place.mkdir(parents=True)
    mender.write_text(MENDER)
    (folder / "agent.py").write_text(AGENT.format(stamps=str(stamps)))
    write_labels(folder, dict.fromkeys(FIELDS, ()))
    for number in range(forms):
        lines = [f"{WRITTEN[field]} {value}" for field, value in truth(number).items()]
        (folder / "forms" / f"{number:04d}.txt").write_text("\n".join(["Order form", *lines, "Thank you"]) + "\n")
    (folder / "naoshi.toml").write_text(
        CONFIG.format(
            agent=json.dumps([sys.executable, "agent.py"]),
            mender=json.dumps([sys.executable, str(mender)]),
            mender_folder=json.dumps(str(mender.parent)),
        )
    )
    (folder / ".gitignore").write_text(".naoshi/\n__pycache__/\n")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "the agent")
    return folder


def commit(folder: Path, message: str) -> None:
    """Commit all that is in *folder*."""
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", message)


def write_labels(folder: Path, learned: dict[str, tuple[str, ...]]) -> None:
    """Write the agent's harness: the label that each field is known by, and what it has *learned* besides."""
    labels = {field: [KNOWN[field], *learned[field]] for field in FIELDS}
    (folder / "harness" / "labels.json").write_text(json.dumps(labels, indent=1) + "\n")


def make_cases(folder: Path, forms: int) -> int:
    """Let the agent work, have people correct it, and make cases of that; return how many there are.

    The agent has learned all but one label by the time that its present version is run.
    """
    traces, table = folder.parent / "traces.jsonl", folder.parent / "corrections.csv"
    requests = [{"case_id": str(number), "vars": {"form": f"forms/{number:04d}.txt"}} for number in range(forms)]
    done = subprocess.run(
        [sys.executable, "agent.py"],
        cwd=folder,
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        env={**os.environ, "NAOSHI_AGENT_VERSION": "v0", "NAOSHI_DATA_ROOT": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    with traces.open("w") as lines:
        lines.writelines(json.dumps(span) + "\n" for answer in answers for span in answer["spans"])
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["trace_id", "artifact", "field", "corrected", "practitioner"])
        for number, answer in enumerate(answers):
            trace = answer["spans"][0]["trace_id"]
            field = FIELDS[number % len(FIELDS)]
            rows.writerow([trace, "fields", field, truth(number)[field], "hana"])
    naoshi(folder, "ingest", str(traces))
    naoshi(folder, "correct", str(table))
    while questions := json.loads(naoshi(folder, "triage", "--list", "--json", allowed=(0, 3)))["questions"]:
        for question in questions:
            naoshi(folder, "triage", "--answer", question["conversation_id"], "1", "--by", "aki", allowed=(0, 3))
    naoshi(folder, "evals", "mint")
    write_labels(folder, {field: () if field == MISSED else (WRITTEN[field],) for field in FIELDS})
    commit(folder, "cases, and an agent that knows most labels")
    naoshi(folder, "evals", "run")
    return sum(suite["count"] for suite in json.loads(naoshi(folder, "evals", "list", "--json"))["suites"])


def repair_once(folder: Path, stamps: Path) -> Took:
    """Run `naoshi repair` once and return what its steps took.

    Raises:
        RuntimeError: the change was not certified.
    """
    for old in stamps.iterdir():
        old.unlink()
    document, said = folder.parent / "repair.json", list[tuple[float, str]]()
    used, begin = processor_seconds(), time.time()
    with (
        document.open("w") as out,
        subprocess.Popen(
            [str(NAOSHI), "repair", "--json"], cwd=folder, stdout=out, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True,
        ) as process,
    ):  # fmt: skip
        said += ((time.time(), line) for line in process.stderr or ())
    end = time.time()
    if process.returncode != 0:
        told = "".join(line for _, line in said)
        raise RuntimeError(f"naoshi repair ended with {process.returncode}: {told[-800:]}")
    (attempt,) = json.loads(document.read_text())["attempts"]
    handed = next(moment for moment, line in said if HANDED in line)
    worked = {word: float(moment) for word, moment in map(str.split, _stamps_in(attempt["log"]))}
    evals, again = judged(stamps)
    steps = {
        "start-up, diagnosis and handoff": handed - begin,
        "work tree": worked["began"] - handed,
        "scan and checkout": evals[0] - worked["ended"],
        "evals": evals[1] - evals[0],
        "asking again": again[1] - evals[1],
        "certificate": end - again[1],
    }
    return Took(
        steps=steps, coding_agent=worked["ended"] - worked["began"], processor=processor_seconds() - used
    )  # fmt: skip


def processor_seconds() -> float:
    """Return the processor time of all processes that were started from here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _stamps_in(log: str) -> Iterator[str]:
    for line in log.splitlines():
        if line.startswith(("began ", "ended ")):
            yield line


def judged(stamps: Path) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return when the agent was asked the first and the last case, and likewise what it was asked again.

    What is asked again is asked with documents that lie elsewhere.

    Raises:
        RuntimeError: nothing was asked again.
    """
    lines = [line.split(maxsplit=2) for file in stamps.iterdir() for line in file.read_text().splitlines()]
    asked = sorted((float(begin), float(end), root) for begin, end, root in lines)
    first = [item for item in asked if item[2] == asked[0][2]]
    again = [item for item in asked if item[2] != asked[0][2]]
    if not again:
        raise RuntimeError("nothing was asked again")
    return (first[0][0], first[-1][1]), (again[0][0], again[-1][1])


def main() -> int:
    """Print what a repair takes by step; return 1 when its overhead is over the mark."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    with tempfile.TemporaryDirectory() as place:
        stamps = Path(place) / "stamps"
        folder = make_repository(Path(place) / "repository", wanted, stamps)
        cases = make_cases(folder, wanted)
        best = min((repair_once(folder, stamps) for _ in range(ROUNDS)), key=lambda took: took.overhead)
    for name, seconds in best.steps.items():
        print(f"repair: {cases} cases: {name} {seconds:.2f} s")
    print(
        f"repair: {cases} cases: overhead {best.overhead:.2f} s besides {best.coding_agent:.2f} s of the coding agent, "
        f"{best.processor:.2f} s of processor time"
    )
    if best.overhead > MOST_SECONDS:
        print(f"repair: the mark is {MOST_SECONDS:.0f} s", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
