"""The record of decisions: entering an act once, checking the chain, and noticing reviews that became a formality."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from naoshi.errors import LedgerError
from naoshi.records import LedgerEntry, Review, ReviewDecision, Trace, Triage
from naoshi.release.settings import ReviewSettings
from naoshi.store.ledger_chain import verify_chain
from naoshi.store.ports import Store


def enter(
    store: Store,
    *,
    kind: str,
    subject: str,
    actor: str,
    now: datetime,
    payload: dict[str, JsonValue] | None = None,
    act: str | None = None,
) -> LedgerEntry:
    """Enter the act *kind* on *subject*. The same act again returns the entry that is there and changes nothing.

    *act* tells acts of one kind on one subject apart, where there can be several.

    Raises:
        StoreError: the store does not take it.
    """
    key = ":".join(part for part in (kind, subject, act) if part)
    return store.ledger.append(key=key, kind=kind, actor=actor, subject=subject, payload=payload or {}, at=now)


def verify_ledger(entries: Iterable[LedgerEntry], *, known_count: int | None = None) -> tuple[str, ...]:
    """Return what is wrong with the ledger, the first broken entry named; nothing when it holds.

    *known_count* is how many entries there were when they were last counted elsewhere: entries cut off at the end
    cannot be seen from the chain alone.
    """
    try:
        count = verify_chain(entries)
    except LedgerError as error:
        return (error.message,)
    if known_count is not None and count < known_count:
        return (f"the ledger ends after entry {count}, but had {known_count} entries before",)
    return ()


@dataclass(frozen=True, kw_only=True)
class ReviewFigures:
    """How people decided. Shares are 0 to 1, None where there were no decisions.

    ``approved_share`` is of reviews, all of them without change since a change is approved or rejected as a whole;
    ``override_rate`` is the share of triages in which a person decided otherwise than proposed. ``by_person`` counts
    decisions. ``alarms`` say in words where decisions look like a formality.
    """

    reviews: int
    approved_share: float | None
    triages: int
    override_rate: float | None
    by_person: dict[str, int]
    alarms: tuple[str, ...]


def review_figures(
    reviews: Sequence[Review], *, triages: Sequence[Triage] = (), settings: ReviewSettings | None = None
) -> ReviewFigures:
    """Return how people decided, together and each alone, with an alarm where nearly nothing is ever turned down."""
    limits = settings or ReviewSettings()
    approvals = [(item.reviewer, item.decision is ReviewDecision.approved) for item in reviews]
    followed = [(item.decided_by, not item.overridden) for item in triages]
    people = sorted({person for person, _ in (*approvals, *followed)})
    alarms = [
        *_alarm("reviews", "approved without change", approvals, limits),
        *_alarm("triages", "followed as proposed", followed, limits),
    ]
    for person in people if len(people) > 1 else ():
        mine = [item for item in approvals if item[0] == person]
        alarms += _alarm(f"reviews by {person}", "approved without change", mine, limits)
    approved, kept = _share(approvals), _share(followed)
    return ReviewFigures(
        reviews=len(reviews),
        approved_share=approved,
        triages=len(triages),
        override_rate=None if kept is None else 1 - kept,
        by_person={person: sum(name == person for name, _ in (*approvals, *followed)) for person in people},
        alarms=tuple(alarms),
    )


def sample_traces(traces: Iterable[Trace], *, rate: float, seed: str) -> tuple[Trace, ...]:
    """Return a random share *rate* (0 to 1) of *traces* for expert review, the same ones for the same *seed*.

    Each trace is drawn by itself, so that more traces never change who was drawn before.

    Raises:
        ValueError: *rate* is not between 0 and 1.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate must be between 0 and 1, not {rate}")
    return tuple(trace for trace in traces if _lot(seed, trace.trace_id) < rate)


def _lot(seed: str, trace_id: str) -> float:
    digest = hashlib.sha256(f"{seed}\x1f{trace_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / float(1 << 56)


def _share(decisions: Sequence[tuple[str, bool]]) -> float | None:
    return sum(agreed for _, agreed in decisions) / len(decisions) if decisions else None


def _alarm(what: str, how: str, decisions: Sequence[tuple[str, bool]], limits: ReviewSettings) -> list[str]:
    share = _share(decisions)
    if share is None or len(decisions) < limits.alarm_minimum or share <= limits.alarm_above:
        return []
    return [f"{share:.1%} of {len(decisions)} {what} were {how}: look at a sample again, with another reviewer"]
