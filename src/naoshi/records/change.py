"""A candidate diff and the proof that it may be shown to a person."""

from pydantic import AwareDatetime

from naoshi.records.base import Record, content_hash


class Change(Record):
    """A candidate diff from a coding agent. ``base_commit`` and ``commit`` are git object names; ``diff`` is unified.

    ``tree`` names the content of the harness alone, independent of when it was committed.
    """

    change_id: str
    handoff_id: str
    attempt: int
    coding_agent: str
    base_version: str
    base_commit: str
    commit: str
    tree: str
    branch: str
    files: tuple[str, ...]
    diff: str
    made_at: AwareDatetime


class CertificateCheck(Record):
    """One thing that was checked, whether it held, and what was seen."""

    name: str
    held: bool
    detail: str = ""


class Certificate(Record):
    """The proof that target cases fail before and pass after, and nothing else got worse.

    ``digest`` is the SHA-256 over everything else in the record, so that an altered one is seen.
    """

    certificate_id: str
    change_id: str
    before_run_id: str
    after_run_id: str
    targets: tuple[str, ...]
    mended: tuple[str, ...]
    worse: tuple[str, ...]
    checks: tuple[CertificateCheck, ...]
    protected: dict[str, str] = {}
    granted: bool
    digest: str
    made_at: AwareDatetime

    @property
    def computed_digest(self) -> str:
        """Return what ``digest`` has to be, 64 hexadecimal digits; another one means that the record was altered."""
        return content_hash(self.model_dump(mode="json", exclude={"digest"}))


class Attempt(Record):
    """One try of the coding agent: its change, if any, and why it failed, if it did."""

    attempt_id: str
    handoff_id: str
    number: int
    change_id: str | None = None
    certificate_id: str | None = None
    failures: tuple[str, ...] = ()
    log: str = ""
    ended_at: AwareDatetime
