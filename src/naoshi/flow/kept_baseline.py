"""The baseline that a repository keeps beside its suites, so that a fresh clone can be judged."""

import hashlib
import json
from collections.abc import Collection
from pathlib import Path

from pydantic import AwareDatetime, ValidationError

from naoshi.errors import InputError, MissingPathError, RepositoryError
from naoshi.evals.suites.health import CaseKey
from naoshi.flow.loop import Loop
from naoshi.records import CaseResult, EvalRun
from naoshi.records.base import Record
from naoshi.system.files import read_text, write_durably
from naoshi.system.git import Git

BASELINE_NAME = "baseline.json"
_KEEP_ONE = "keep one with `naoshi ci --keep`, and commit it"
_ROW = {"case_id", "content_hash", "category", "source_key", "state", "score", "latency_ms", "trial"}


class KeptBaseline(Record):
    """A run of all committed cases on one commit, without outputs.

    ``tree`` is a hash of all files of that commit but the suites, by which it is found again after a squash.
    ``quarantined`` are the cases that had no say in the gate then, each with its content hash.
    """

    commit: str
    tree: str
    kept_at: AwareDatetime
    run_id: str
    suite: str
    settings_hash: str
    quarantined: tuple[tuple[str, str], ...] = ()
    results: tuple[CaseResult, ...] = ()

    def run(self, *, without: Collection[CaseKey] = ()) -> EvalRun:
        """Return the run, its results aside that *without* names."""
        return EvalRun(
            run_id=self.run_id,
            suite=self.suite,
            version=self.commit[:12],
            started_at=self.kept_at,
            finished_at=self.kept_at,
            settings_hash=self.settings_hash,
            results=tuple(item for item in self.results if (item.case_id, item.content_hash) not in without),
            commit=self.commit,
        )


def baseline_path(loop: Loop) -> Path:
    """Return where the baseline lies unless somebody says otherwise: beside the suites, which no change may touch."""
    return loop.git.folder / loop.settings.evals.folder / BASELINE_NAME


def read_baseline(loop: Loop, path: Path, *, ref: str = "") -> KeptBaseline:
    """Return the baseline at *path*, as the work tree has it, or as the commit or branch *ref* has it.

    Raises:
        MissingPathError: there is no such file.
        RepositoryError: there is no such commit, or it has no such file.
        InputError: the file cannot be read.
    """
    if not ref and not path.is_file():
        raise MissingPathError(f"there is no baseline {path}", hint=_KEEP_ONE)
    text = read_text(path) if not ref else _text_at(loop.git, path, ref)
    try:
        return KeptBaseline.model_validate_json(text)
    except ValidationError as error:
        raise InputError(f"{path.name} is no baseline ({error.error_count()} faults)", hint=_KEEP_ONE) from error


def write_baseline(path: Path, kept: KeptBaseline) -> None:
    """Write *kept* to *path*, a result a line, so that a change of one case is a change of one line.

    Raises:
        StoreError: the disk or the rights do not allow it; an old file is untouched.
    """
    head = json.dumps(kept.model_dump(mode="json", exclude={"results"}), ensure_ascii=False, indent=1)
    rows = [
        json.dumps(item.model_dump(mode="json", include=_ROW), ensure_ascii=False, sort_keys=True)
        for item in sorted(kept.results, key=lambda item: (item.case_id, item.trial))
    ]
    write_durably(path, head.removesuffix("\n}") + ',\n "results": [\n' + ",\n".join(rows) + "\n ]\n}\n")


def tree_without(git: Git, commit: str, folder: str) -> str:
    """Return a hash of all files of *commit* but those in *folder*."""
    place = folder.strip("/") + "/"
    listing = git("ls-tree", "-r", "-z", "--full-tree", commit).split("\0")
    kept = [entry for entry in listing if entry and not entry.partition("\t")[2].startswith(place)]
    return hashlib.sha256("\0".join(kept).encode("utf-8", "surrogateescape")).hexdigest()


def commit_of_baseline(loop: Loop, path: Path, kept: KeptBaseline, *, ref: str = "") -> str | None:
    """Return a commit of this clone that has the agent as it was when *kept* was kept, or None.

    That is the commit that it names, or, where a squash or a shallow clone lost it, one that changed the file and has
    all other files as they were.
    """
    git, folder = loop.git, loop.settings.evals.folder
    candidates = [kept.commit] if git.attempt("cat-file", "-e", f"{kept.commit}^{{commit}}").status == 0 else []
    told = git.attempt("log", "--format=%H", "-n", "20", ref or "HEAD", "--", str(path))
    candidates += told.stdout.split() if told.status == 0 else []
    return next((name for name in candidates if tree_without(git, name, folder) == kept.tree), None)


def _text_at(git: Git, path: Path, ref: str) -> str:
    commit = git.commit_of(ref)
    place, root = path.resolve(), git.folder.resolve()
    if not place.is_relative_to(root):
        raise InputError(f"{path} lies outside the repository, so that {ref} cannot have it", hint="leave --from out")
    name = place.relative_to(root).as_posix()
    found = git.attempt("show", f"{commit}:{name}")
    if found.status != 0:
        raise RepositoryError(f"{ref} has no {name}", hint=_KEEP_ONE)
    return found.stdout
