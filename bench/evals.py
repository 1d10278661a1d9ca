"""Running cases: whole processes, ours and Promptfoo's, on one suite and one agent, in the same run of this file.

1,000 deterministic cases: the suite is one that Naoshi writes, and both end with a file of results. Promptfoo runs the
agent as it runs one in Python itself (`file://agent.py`), and, as the hardest test for us, over a provider in
JavaScript that keeps two agents alive. Ours is run as it is once installed: with its bytecode compiled, by a first run
that is not counted. Then 10,000 and 100,000 cases, ours alone: the time has to grow in line, and
memory has to stay under 500 MB.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from naoshi.errors import MissingProgramError
from naoshi.evals.promptfoo import find_promptfoo
from naoshi.evals.suite_writer import suite_text
from naoshi.evals.written_case import case_as_test
from naoshi.records import Assertion, EvalCase, Provenance

NAOSHI = Path(sys.executable).parent / "naoshi"
ROUNDS, RUNS_BESIDE_ONE = 3, 7
CASES = 1_000
LARGE, LARGEST = 10_000, 100_000
WANTED_RATIO, MOST_MEGABYTES, MOST_GROWTH = 20, 500, 1.3
CLEAN = r"output.total.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()"
ANSWER = """
def answer(variables):
    number = int(variables["document"][4:-4])
    return {"company": "ACME", "total": f"RM {number}.{number % 100:02d}"}
"""
AGENT = f"""import json
import sys
{ANSWER}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({{"case_id": request["case_id"], "output": answer(request["vars"])}}), flush=True)
"""
PYTHON_PROVIDER = f"""{ANSWER}

def call_api(prompt, options, context):
    return {{"output": answer(context["vars"])}}
"""
LASTING_PROVIDER = """import { spawn } from "node:child_process";
import readline from "node:readline";

class Agent {
  constructor() {
    this.waiting = [];
    this.child = spawn(process.env.PROMPTFOO_PYTHON, ["agent.py"], { stdio: ["pipe", "pipe", "inherit"] });
    readline.createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.waiting.shift()(JSON.parse(line));
      if (!this.waiting.length) this.hold("unref");
    });
    this.hold("unref");
  }
  hold(how) {
    for (const handle of [this.child, this.child.stdin, this.child.stdout]) handle[how]();
  }
  ask(request) {
    return new Promise((resolve) => {
      this.hold("ref");
      this.waiting.push(resolve);
      this.child.stdin.write(JSON.stringify(request) + "\\n");
    });
  }
}
const agents = [new Agent(), new Agent()];
let turn = 0;
export default class Lasting {
  id() { return "agent"; }
  async callApi(prompt, context) {
    const agent = agents[turn++ % agents.length];
    return { output: (await agent.ask({ case_id: context.test.metadata.case_id, vars: context.vars })).output };
  }
}
"""


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What a process took: seconds, and megabytes at its peak (its children's included where larger)."""

    seconds: float
    megabytes: float


@dataclass(frozen=True, kw_only=True)
class Round:
    """Seconds of the two, one after the other, so that both had the same machine.

    A run of theirs lasts as long as twenty of ours and averages over what else the machine does; ours is therefore the
    median of several.
    """

    naoshi: float
    promptfoo: float

    @property
    def ratio(self) -> float:
        """How many times as long theirs took."""
        return self.promptfoo / self.naoshi


def cases(count: int) -> Iterator[EvalCase]:
    """Yield cases as minting makes them, each of a document of its own."""
    for number in range(count):
        document, total = f"box/{number:06d}.csv", f"RM {number}.{number % 100:02d}"
        plain = total.replace(" ", "").replace(".", "")
        yield EvalCase(
            case_id=f"case_{number:06d}",
            description=f"total of {document} is {total}",
            vars={"document": document},
            assertions=(Assertion(type="equals", value=plain, transform=CLEAN),),
            category="total",
            source_key=document,
            provenance=Provenance(trace_id=f"trace_{number:016d}", artifact="fields", field="total", corrected=total),
        )


def taken(words: list[str], folder: Path, **environment: str) -> Taken:
    """Run *words* and return what that took.

    Raises:
        RuntimeError: it failed.
    """
    begin = time.perf_counter()
    passed = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = {"PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            words, cwd=folder, env={**passed, **compiled, **environment}, stdout=told, stderr=told
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        told.seek(0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise RuntimeError(f"{words[0]} failed: {told.read().decode(errors='replace')[-800:]}")
    return Taken(seconds=seconds, megabytes=usage.ru_maxrss / 1024)


def repository(folder: Path) -> Path:
    """Make a repository of the agent, with the suites."""
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    (folder / "provider.py").write_text(PYTHON_PROVIDER)
    (folder / "lasting.mjs").write_text(LASTING_PROVIDER)
    command = json.dumps([sys.executable, "agent.py"])
    (folder / "naoshi.toml").write_text(f"[agent]\ncommand = {command}\nworkers = 2\n")
    (folder / "suite.yaml").write_text(suite_text(tuple(cases(CASES)), description="bench"))
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    return folder


def against_promptfoo(folder: Path) -> bool:
    """Print the times of 1,000 cases and their ratios; return whether we are fast enough."""
    ours = [str(NAOSHI), "evals", "run", "suite.yaml", "--check", "--output", "ours.json"]
    try:
        promptfoo = find_promptfoo(os.environ)
    except MissingProgramError as error:
        print(f"evals: {error.line()}")
        return False
    own = promptfoo.environment(os.environ, folder=folder / "config", python=sys.executable)
    theirs = [*promptfoo.command, "eval", "-c", "suite.yaml", "-j", "2", "--no-cache", "--no-table",
              "--no-progress-bar", "--no-share", "-o", "theirs.json", "-r"]  # fmt: skip
    taken(ours, folder)
    rounds: dict[str, list[Round]] = {"provider.py": [], "lasting.mjs": []}
    for turn in range(ROUNDS):
        for provider in ("provider.py", "lasting.mjs")[: 2 if turn == 0 else 1]:
            mine = median(taken(ours, folder).seconds for _ in range(RUNS_BESIDE_ONE))
            peer = taken([*theirs, f"file://{provider}"], folder, **own).seconds
            check_same(folder)
            rounds[provider].append(Round(naoshi=mine, promptfoo=peer))
    for provider, found in rounds.items():
        ratios = sorted(one.ratio for one in found)
        mine, peer = median(one.naoshi for one in found), median(one.promptfoo for one in found)
        how = f"promptfoo {promptfoo.version} with {provider} {peer:.2f} s, naoshi {mine:.2f} s"
        spread = f" ({ratios[0]:.1f} to {ratios[-1]:.1f})" if len(ratios) > 1 else ""
        print(f"evals: {CASES} cases: {how}: {median(ratios):.1f} times as long{spread}")
    return median(one.ratio for one in rounds["provider.py"]) >= WANTED_RATIO


def check_same(folder: Path) -> None:
    """Check that both passed every case, so that the times are of the same work.

    Raises:
        RuntimeError: one did not.
    """
    for name in ("ours.json", "theirs.json"):
        stats = json.loads((folder / name).read_text())["results"]["stats"]
        if stats["successes"] != CASES:
            raise RuntimeError(f"{name}: {stats['successes']} of {CASES} passed")


def large(folder: Path) -> bool:
    """Print time and memory of many cases; return whether they stay in bounds."""
    found: dict[int, Taken] = {}
    for count in (LARGE, LARGEST):
        with (folder / "cases.jsonl").open("w") as lines:
            lines.writelines(json.dumps(case_as_test(case)) + "\n" for case in cases(count))
        (folder / "large.yaml").write_text("prompts: [x]\nproviders: [naoshi]\ntests: cases.jsonl\n")
        words = [str(NAOSHI), "evals", "run", "large.yaml", "--check", "--output", "ours.jsonl"]
        found[count] = taken(words, folder)
        each = found[count].seconds / count * 1e6
        print(
            f"evals: {count} cases: {found[count].seconds:.1f} s, {each:.0f} µs each, {found[count].megabytes:.0f} MB"
        )
    growth = found[LARGEST].seconds / found[LARGE].seconds / (LARGEST / LARGE)
    print(f"evals: ten times the cases take {growth * LARGEST / LARGE:.1f} times the time")
    return growth <= MOST_GROWTH and found[LARGEST].megabytes <= MOST_MEGABYTES


def main() -> int:
    """Print what was measured, and what misses its mark; return 1 when memory or growth is out of bounds."""
    with tempfile.TemporaryDirectory() as place:
        folder = repository(Path(place) / "repository")
        in_bounds = large(folder)
        fast = against_promptfoo(folder)
    if not fast:
        print(f"evals: the mark is {WANTED_RATIO} times as fast as promptfoo", file=sys.stderr)
    if not in_bounds:
        print(f"evals: the mark is {MOST_MEGABYTES} MB and time in line with the cases", file=sys.stderr)
    return 0 if in_bounds else 1


if __name__ == "__main__":
    sys.exit(main())
