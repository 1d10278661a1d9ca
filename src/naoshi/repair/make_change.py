"""One attempt of a coding agent, from the handoff to a commit that can be judged, or to why there is none."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from naoshi.errors import CodingAgentError, EmptyChangeError, NaoshiError, RepositoryError, UnusableChangeError
from naoshi.records import Change, EvalCase, FieldRules, Handoff, content_id
from naoshi.repair.coding_agents.base import AgentEvent, CodingAgent, Work, WorkOrder
from naoshi.repair.handoff_file import render_handoff
from naoshi.repair.protect import altered, named, repository_hashes
from naoshi.repair.sandbox import Sandbox
from naoshi.repair.scan import Finding, scan
from naoshi.repair.scan_copies import texts_of_cases
from naoshi.repair.scan_network import network_names_of
from naoshi.repair.settings import RepairSettings
from naoshi.repair.task import build_task, change_message, render_task
from naoshi.repair.tree_diff import read_tree_diff
from naoshi.repair.workspace import HANDOFF_FILE, TASK_FILE, Workspace, open_workspace
from naoshi.system.git import Git


@dataclass(frozen=True, kw_only=True)
class Base:
    """What a change starts from: the version's name and commit."""

    version: str
    commit: str


@dataclass(frozen=True, kw_only=True)
class RepairEvidence:
    """What is known besides the handoff.

    ``cases`` are the accepted ones of all splits, for scan and certificate only. ``trace_lines`` maps a trace's id to
    its flat JSON lines. ``data_root`` is where the documents lie; without it the coding agent gets none.
    """

    cases: Sequence[EvalCase]
    trace_lines: Mapping[str, str]
    fields: FieldRules
    data_root: Path | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeOutcome:
    """What an attempt made: a change, or the failures that say why there is none.

    ``failures`` may be shown to the coding agent, ``reasons`` is for people. ``error`` is what went wrong where it is
    not the change that is refused. ``final`` says that trying again cannot help before a person has mended something
    or time has passed. ``work`` is how the coding agent ended.
    """

    change: Change | None
    failures: tuple[str, ...]
    reasons: tuple[str, ...]
    work: Work
    error: NaoshiError | None = None

    @property
    def log(self) -> str:
        """The end of what the coding agent printed."""
        return self.work.log

    @property
    def final(self) -> bool:
        """Whether another attempt at once is in vain."""
        return self.work.final


def make_change(
    git: Git,
    handoff: Handoff,
    *,
    base: Base,
    agent: CodingAgent,
    evidence: RepairEvidence,
    settings: RepairSettings,
    worktrees: Path,
    now: datetime,
    guarded: Sequence[Path] = (),
    on_event: Callable[[AgentEvent], None] = lambda _: None,
) -> ChangeOutcome:
    """Let *agent* answer *handoff* in a work tree of its own, and return its change as one commit on a branch.

    The commit has one parent, *base*, and holds the tree that the agent left, whatever it committed itself. Its branch
    is named by content, so that the same change made twice is one branch. Nothing of the user's work tree is touched:
    hooks and settings have to be as they were and, where there is no sandbox, the protected files of the repository and
    the files *guarded* too.

    Raises:
        RepositoryError: git cannot do its part.
    """
    with open_workspace(
        git, base_commit=base.commit, worktrees=worktrees, name=handoff.handoff_id, hidden=settings.hidden
    ) as workspace:
        _furnish(workspace, handoff, evidence, settings)
        around = _Around(git=git, protected=() if _is_enclosed(agent) else settings.protected, besides=guarded)
        before = around.hashes()
        work = agent.work(_order(workspace, git, evidence, worktrees, on_event))
        if work.error is not None:
            return _failed(work, work.error)
        found = [Finding(name="tampering", reason=item, told=item) for item in workspace.tampering()]
        if different := altered(before, around.hashes()):
            reason = f"the repository itself was altered while the coding agent ran, look at it: {named(different)}"
            found.append(Finding(name="repository_altered", reason=reason, told=reason))
        try:
            tree = _taken(workspace, settings)
        except UnusableChangeError as error:
            return _failed(work, error)
        diff = read_tree_diff(git, base.commit, tree)
        if not diff.files and not found:
            return _failed(work, EmptyChangeError("the coding agent changed nothing"))
        found += scan(
            diff,
            cases=evidence.cases,
            editable=settings.editable,
            protected=settings.protected,
            fields=evidence.fields,
            other_names=tuple(item.trace_id for item in handoff.traces),
            documents=texts_of_cases(evidence.cases, data_root=evidence.data_root),
            network=lambda: network_names_of(git, base.commit),
        )
        if any(secret in git.diff(base.commit, tree) for secret in agent.secrets):
            reason = "the coding agent wrote the key of its model into a file"
            found.append(Finding(name="secret", reason=reason, told=reason))
        if found:
            reasons = tuple(f"{item.name}: {item.reason}" for item in found)
            told = tuple(f"refused: {item.told}" for item in found)
            return ChangeOutcome(change=None, failures=told, reasons=reasons, work=work)
        change = _commit(git, handoff, base, agent.name, tree, diff.paths, now)
        return ChangeOutcome(change=change, failures=(), reasons=(), work=work)


def _order(
    workspace: Workspace,
    git: Git,
    evidence: RepairEvidence,
    worktrees: Path,
    on_event: Callable[[AgentEvent], None],
) -> WorkOrder:
    hidden = (git.folder, worktrees, *((evidence.data_root,) if evidence.data_root is not None else ()))
    return WorkOrder(
        checkout=workspace.checkout,
        home=workspace.home,
        data_root=workspace.data_root,
        scratch=workspace.scratch,
        forbidden=hidden,
        on_event=on_event,
    )


def _taken(workspace: Workspace, settings: RepairSettings) -> str:
    """Return the tree that the coding agent left.

    Raises:
        UnusableChangeError: it cannot be taken as a change of the base.
    """
    if workspace.replaced():
        raise UnusableChangeError("the coding agent put something else in place of its checkout")
    try:
        if (size := workspace.size(workspace.touched())) > settings.change_limit:
            limit = settings.change_limit
            raise UnusableChangeError(
                f"the coding agent wrote {size} bytes, more than the {limit} that a change may have"
            )
        return workspace.take_tree()
    except RepositoryError as error:
        raise UnusableChangeError(f"what the coding agent left cannot be taken: {error.message}") from error


def _furnish(
    workspace: Workspace, handoff: Handoff, evidence: RepairEvidence, settings: RepairSettings
) -> None:  # fmt: skip
    task = build_task(handoff, protected=settings.protected, allow_worse=settings.allow_worse)
    traces = {item.path: evidence.trace_lines[item.trace_id] for item in handoff.traces
              if item.trace_id in evidence.trace_lines}  # fmt: skip
    handoff_text = render_handoff(handoff, listed=settings.budget.listed, layout=settings.layout)
    workspace.give({HANDOFF_FILE: handoff_text, TASK_FILE: render_task(task), **traces})
    if evidence.data_root is not None:
        workspace.give_documents(sorted(_cited_paths(handoff)), root=evidence.data_root)


def _cited_paths(handoff: Handoff) -> set[str]:
    places = {place.path for case in handoff.cases for place in case.places if place.path}
    inputs = {text for item in (*handoff.cases, *handoff.confirmed) for text in _texts(list(item.vars.values()))}
    return places | {text for text in inputs if len(text) < 1024}


def _texts(values: Sequence[JsonValue]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _texts(list(value.values()))


def _failed(work: Work, error: NaoshiError) -> ChangeOutcome:
    told = error.message if type(error) is CodingAgentError else f"{error.code}: {error.message}"
    if work.error is not None:
        told = f"the coding agent failed: {told}"
    return ChangeOutcome(change=None, failures=(told,), reasons=(told,), work=work, error=error)


@runtime_checkable
class _HasSandbox(Protocol):
    @property
    def sandbox(self) -> Sandbox | None: ...


def _is_enclosed(agent: CodingAgent) -> bool:
    return isinstance(agent, _HasSandbox) and agent.sandbox is not None


@dataclass(frozen=True, kw_only=True)
class _Around:
    """What of the user's own repository a coding agent must leave alone."""

    git: Git
    protected: Sequence[str]
    besides: Sequence[Path]

    def hashes(self) -> Mapping[str, str]:
        return repository_hashes(self.git, self.protected, besides=self.besides)


def _commit(
    git: Git, handoff: Handoff, base: Base, agent: str, tree: str, paths: Sequence[str], now: datetime
) -> Change:
    change_id = content_id("change", handoff.handoff_id, base.commit, tree)
    branch = f"naoshi/change/{change_id}"
    commit = _existing(git, branch, base.commit, tree)
    if commit is None:
        words = ("commit-tree", tree, "-p", base.commit, "-m", change_message(handoff))
        commit = git(*words, environment=git.identity(now))
        git("update-ref", f"refs/heads/{branch}", commit)
    return Change(
        change_id=change_id,
        handoff_id=handoff.handoff_id,
        attempt=handoff.attempt,
        coding_agent=agent,
        base_version=base.version,
        base_commit=base.commit,
        commit=commit,
        tree=tree,
        branch=branch,
        files=tuple(paths),
        diff=git.diff(base.commit, commit),
        made_at=now,
    )


def _existing(git: Git, branch: str, base_commit: str, tree: str) -> str | None:
    """Return the commit of *branch* when it is this very change, made before and then interrupted."""
    found = git.attempt("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    if found.status != 0:
        return None
    commit = found.stdout.strip()
    same = git("rev-parse", f"{commit}^", f"{commit}^{{tree}}").split() == [base_commit, tree]
    return commit if same else None
