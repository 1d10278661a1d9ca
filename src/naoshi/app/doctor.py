"""What is missing on this machine, and how to get it."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from naoshi.app.doctor_judge import examine_judge
from naoshi.app.finding import Finding
from naoshi.app.initialise import STATE_NAME
from naoshi.app.settings import CONFIG_NAME, Settings, read_settings
from naoshi.errors import NaoshiError
from naoshi.evals.judging.open_judge import has_rubrics
from naoshi.evals.suite_load import load_suite
from naoshi.records import EvalCase
from naoshi.system.git import Git
from naoshi.system.process import command_words


def examine(folder: Path, *, ask_judge: bool = False) -> tuple[Finding, ...]:
    """Look at the machine and at the repository that *folder* lies in; never raises for what it finds.

    Nothing is sent to a model, unless *ask_judge*: then the judge of rubrics is asked for one grade.
    """
    findings = [_python(), _program("git", "the loop keeps versions in git", "apt install git", required=True)]
    try:
        git = Git.at(folder)
    except NaoshiError as error:
        return (*findings, Finding(subject="repository", state="missing", detail=error.message, remedy="git init"))
    findings += _repository(git)
    settings = _settings(git.folder, findings)
    if settings is not None:
        suites, rubrics = _suites(settings, git.folder)
        findings += [*_agent(settings, git.folder), _editable(settings, git.folder), suites]
        findings += examine_judge(
            settings.judge, agent=settings.agent, folder=git.folder, rubrics=rubrics, ask=ask_judge
        )
        findings += [_state(git.folder), *_database(settings), _disk(git.folder)]
    findings += [
        _program("npx", "runs suites in the real Promptfoo", "install Node.js 20 or newer"),
        _program("codex", "the coding agent Codex", "npm install -g @openai/codex"),
        _program("claude", "the coding agent Claude Code", "npm install -g @anthropic-ai/claude-code"),
        _program("bwrap", "shuts coding agents into a sandbox", "apt install bubblewrap"),
    ]
    return tuple(findings)


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding(subject="python", state="ok", detail=version)


def _program(name: str, purpose: str, remedy: str, *, required: bool = False) -> Finding:
    found = shutil.which(name)
    if found:
        return Finding(subject=name, state="ok", detail=found)
    return Finding(subject=name, state="missing" if required else "optional", detail=purpose, remedy=remedy)


def _repository(git: Git) -> list[Finding]:
    findings = [Finding(subject="repository", state="ok", detail=str(git.folder))]
    if git.attempt("rev-parse", "--verify", "--quiet", "HEAD").status != 0:
        remedy = "git add . && git commit"
        findings.append(Finding(subject="commit", state="missing", detail="there is no commit yet", remedy=remedy))
    return findings


def _settings(folder: Path, findings: list[Finding]) -> Settings | None:
    try:
        settings = read_settings(folder / CONFIG_NAME)
    except NaoshiError as error:
        findings.append(Finding(subject=CONFIG_NAME, state="missing", detail=error.message, remedy=error.advice))
        return None
    findings.append(Finding(subject=CONFIG_NAME, state="ok", detail="every setting is understood"))
    return settings


def _agent(settings: Settings, folder: Path) -> list[Finding]:
    repair = settings.repair
    # Codex and Claude Code are programs of their own, and need no command.
    programs = {"codex": repair.codex.program, "claude": repair.claude.program}
    command = repair.command if repair.agent == "command" else (programs[repair.agent],)
    return [
        _command("agent", settings.agent.command, folder, "write `command` under [agent]", state="missing"),
        _command("coding agent", command, folder, "write `command` under [repair]", state="missing"),
    ]


def _editable(settings: Settings, folder: Path) -> Finding:
    paths = settings.repair.editable
    absent = [path for path in paths if "*" not in path and not (folder / path).exists()]
    if absent:
        detail = f"{', '.join(absent)} is not in the repository, so no change can touch it"
        return Finding(subject="harness", state="missing", detail=detail, remedy="correct `editable` under [repair]")
    return Finding(subject="harness", state="ok", detail=f"a change may touch {', '.join(paths)}")


def _suites(settings: Settings, folder: Path) -> tuple[Finding, int]:
    """Return what is to be said of the suites, and how many cases in them have a rubric."""
    cases: list[EvalCase] = []
    for path in sorted((folder / settings.evals.folder).glob("*.yaml")):
        try:
            cases += load_suite(path, root=folder, settings=settings.evals).cases
        except NaoshiError as error:
            return Finding(subject="suites", state="missing", detail=error.message, remedy=error.advice), 0
    found = Finding(subject="suites", state="ok", detail=f"{len(cases)} cases in {settings.evals.folder}/")
    return found, sum(has_rubrics([case]) for case in cases)


def _state(folder: Path) -> Finding:
    state = folder / STATE_NAME
    if os.access(state if state.exists() else folder, os.W_OK):
        return Finding(subject="state", state="ok", detail=f"{STATE_NAME}/ can be written")
    remedy = f"chown or chmod {STATE_NAME}/"
    return Finding(subject="state", state="missing", detail=f"{STATE_NAME}/ cannot be written", remedy=remedy)


def _command(subject: str, command: str | tuple[str, ...], folder: Path, remedy: str, *, state: str) -> Finding:
    words = command_words(command)
    if not words:
        return Finding(subject=subject, state=state, detail="no command is set", remedy=remedy)
    found = shutil.which(words[0]) or (folder / words[0]).is_file()
    if not found:
        return Finding(subject=subject, state=state, detail=f"{words[0]} is not on this machine", remedy=remedy)
    return Finding(subject=subject, state="ok", detail=" ".join(words))


def _database(settings: Settings) -> list[Finding]:
    if not settings.database_url:
        return [Finding(subject="database", state="ok", detail="SQLite in .naoshi/naoshi.db")]
    if find_spec("psycopg") is None:
        remedy = "pip install 'naoshi[postgres]'"
        return [Finding(subject="database", state="missing", detail="no PostgreSQL driver", remedy=remedy)]
    from naoshi.store.sql import SqlStore  # SQLAlchemy takes half a second, which only this check needs

    try:
        SqlStore.open(settings.database_url).close()
    except NaoshiError as error:
        return [Finding(subject="database", state="missing", detail=error.message, remedy=error.advice)]
    return [Finding(subject="database", state="ok", detail="PostgreSQL answers")]


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    if free < 200 * 1024 * 1024:
        remedy = "free some disk space"
        return Finding(subject="disk", state="missing", detail=f"{free // 2**20} MiB free", remedy=remedy)
    return Finding(subject="disk", state="ok", detail=f"{free // 2**30} GiB free")
