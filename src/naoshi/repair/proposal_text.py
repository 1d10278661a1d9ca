"""What a proposal says: its commit message, title and body. All that came from data is shown as data and does nothing.

On a code host an `@name` tells a person, `fixes #1` closes an issue, and HTML is rendered. Text that came from agents,
documents or models gets an unseen break where such a reference begins, and stands in code spans in the body.
"""

import re
from collections.abc import Callable, Sequence

from naoshi.records import Certificate, CertificateCheck, Change, Handoff, Verdict
from naoshi.repair.markdown import flat, quoted

_BREAK = "\u200b"
_REFERENCE = re.compile(
    r"(?<=@)(?=\w)|(?<=[#!])(?=\w)|(?i:(?<=\bGH)(?=-\d))|(?<=:)(?=//)|(?i:(?<=\bwww)(?=\.))"
    r"|(?i:(?<=\[)(?=\s*(?:skip|no|ci)\b))|(?<=\*\*\*)(?=NO_CI)"
)
_LISTED_IN_MESSAGE = 20
_LISTED_IN_BODY = 50
_GROUPS = 8
_LONGEST_NAME = 120
_LONGEST_DETAIL = 300
_LONGEST_BODY = 60_000
"""Below the 65 536 characters that GitHub takes."""

Mask = Callable[[str], str]
"""Hides secrets in a text."""


def inert(text: str) -> str:
    """Return *text* so that no code host takes a part of it for a mention, a reference, a link or a command."""
    return _REFERENCE.sub(_BREAK, text)


def proposal_title(certificate: Certificate) -> str:
    """Return the title of the pull request and of its commit."""
    return f"fix(harness): mend {len(certificate.mended)} of {len(certificate.targets)} failing cases"


def proposal_message(change: Change, certificate: Certificate, handoff: Handoff, *, mask: Mask) -> str:
    """Return the message of the proposal's one commit, which cites groups, cases, certificate and the judged commit."""
    groups = [f"- {_plain(kind, mask)} in {_plain(artifact, mask)}: {count} cases" for kind, artifact, count
              in _groups(handoff)]  # fmt: skip
    mended = [_plain(name, mask) for name in certificate.mended]
    return "\n".join(
        [
            proposal_title(certificate),
            "",
            *groups,
            "",
            f"Cases: {_listed(mended, _LISTED_IN_MESSAGE)}",
            "",
            *(f"Naoshi-Group: {name}" for name in _group_ids(handoff)),
            f"Naoshi-Change: {change.change_id}",
            f"Naoshi-Judged-Commit: {change.commit}",
            f"Naoshi-Certificate: {certificate.certificate_id} sha256:{certificate.digest}",
        ]
    )


def proposal_body(
    change: Change, certificate: Certificate, handoff: Handoff, *, verdict: Verdict | None = None, mask: Mask
) -> str:
    """Return the body of the pull request: the certificate, and what it is about."""
    failing = [name for name in certificate.targets if name not in certificate.mended]
    gate = f"{verdict.outcome.value}: {'; '.join(verdict.reasons)}" if verdict is not None else "not asked yet"
    facts = (
        ("digest", certificate.digest),
        ("made by", f"{change.coding_agent}, attempt {change.attempt}"),
        ("on", f"{change.base_version} at {change.base_commit}"),
        ("judged commit", f"{change.commit}, with the tree of this branch"),
        ("runs", f"{certificate.before_run_id} before, {certificate.after_run_id} after"),
    )
    lines = [
        f"## Certificate {_code(certificate.certificate_id, _as_it_is)}",
        "",
        f"A coding agent made this change. With the evals of the base commit, {len(certificate.mended)} of "
        f"{len(certificate.targets)} failing cases pass now, and {len(certificate.worse)} cases got worse.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {_cell(value, _as_it_is)} |" for name, value in facts),
        f"| the gate | {_cell(gate, mask)} |",
        "",
        "| check | held | what was seen |",
        "|---|---|---|",
        *(_check_row(check, mask) for check in certificate.checks),
        "",
        "### What it is about",
        "",
        *(f"- {_code(kind, mask)} in {_code(artifact, mask)}: {count} cases" for kind, artifact, count
          in _groups(handoff)),
        *(f"- recommended: {_code(item.title, mask)}" for item in handoff.diagnosis.recommendations[:_GROUPS]),
        "",
        *_case_line("mended", certificate.mended, mask),
        *_case_line("still failing", failing, mask),
        *_case_line("worse", certificate.worse, mask),
        *_case_line("files", change.files, mask),
        "",
        f"To prove it again, beside Naoshi's state: {_code(_again(certificate), _as_it_is)}. "
        "A person decides with `naoshi review`; `naoshi release` takes over the very commit that was judged.",
    ]  # fmt: skip
    body = "\n".join(lines) + "\n"
    if len(body) <= _LONGEST_BODY:
        return body
    return body[:_LONGEST_BODY].rpartition("\n")[0] + "\n\n(cut; the rest is in the certificate)\n"


def _as_it_is(text: str) -> str:
    """Return *text*: our own identifiers hold no secret, and a number in one is nobody's telephone."""
    return text


def _again(certificate: Certificate) -> str:
    return f"naoshi certificate verify {certificate.certificate_id} --rerun"


def _check_row(check: CertificateCheck, mask: Mask) -> str:
    held = "yes" if check.held else "no"
    return f"| {_cell(check.name, mask)} | {held} | {_cell(check.detail or '–', mask)} |"


def _case_line(what: str, names: Sequence[str], mask: Mask) -> list[str]:
    return (
        [f"- {what} ({len(names)}): {_listed([_code(name, mask) for name in names], _LISTED_IN_BODY)}"] if names else []
    )


def _listed(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _groups(handoff: Handoff) -> list[tuple[str, str, int]]:
    """Return failure type, artifact and number of cases of each group that the handoff has cases of."""
    counts = {name: sum(case.group_id == name for case in handoff.cases) for name in _group_ids(handoff)}
    known = {group.group_id: group for group in handoff.diagnosis.groups}
    return [(known[name].failure_type, known[name].artifact, count) for name, count in counts.items()][:_GROUPS]


def _group_ids(handoff: Handoff) -> list[str]:
    cited = {case.group_id for case in handoff.cases}
    return [group.group_id for group in handoff.diagnosis.groups if group.group_id in cited]


def _plain(text: str, mask: Mask) -> str:
    return inert(flat(mask(text), limit=_LONGEST_NAME))


def _code(text: str, mask: Mask) -> str:
    """Return *text* as a code span; the quotation marks of JSON are dropped where nothing in it had to be escaped."""
    shown = quoted(mask(text), limit=_LONGEST_DETAIL)
    bare = shown[2:-2] if shown.endswith('"`') and "\\" not in shown else None
    return inert(f"`{bare}`" if bare else shown)


def _cell(text: str, mask: Mask) -> str:
    """Return *text* as a code span within a table, where a bar would end the cell."""
    return _code(text.replace("|", "¦"), mask)
