"""What the kept state says about an action that a rule has asked about. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from naoshi.confirm.guard_question import Verdict, finding_about, verdict_on
from naoshi.confirm.guarded_action import GuardedAction
from naoshi.records.confirmation import Claim, ClaimState, Confirmation, ConversationState, Outcome, Settlement, Turn


class Stand(StrEnum):
    """How an action stands: still to be asked about, decided, under way, or begun with no known end."""

    unasked = "unasked"
    approved = "approved"
    refused = "refused"
    happened = "happened"
    running = "running"
    done = "done"
    unknown = "unknown"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How an action stands. ``claim`` is its latest use of an approval, where that matters.

    ``used`` says that the same question was decided before and the decision is used up. ``failed`` is the kind of
    error with which the last attempt ended.
    """

    stand: Stand
    claim: Claim | None = None
    used: bool = False
    failed: str | None = None


def standing_of(
    action: GuardedAction,
    state: ConversationState,
    *,
    turn: Turn | None,
    now: datetime,
    lasts: timedelta,
    running: Claim | None,
    stopped: bool = False,
) -> Standing:
    """Return how *action* stands in *state*.

    Args:
        action: the action.
        state: what is kept of the conversation.
        turn: the turn in which the action is called, where it is known.
        now: the present time.
        lasts: how long an approval may be begun to be used, and a refusal holds where the turn is not known.
        running: the claim of the action whose program is still there, if any.
        stopped: whether the turn's message is a word for stopping; it takes back an earlier yes that is not used.
    """
    settled = state.settled
    verdict = verdict_on(action, settled)
    claims = [claim for claim in state.claims if claim.action_hash == action.digest]
    begun = next((claim for claim in reversed(claims) if claim.state is ClaimState.begun), None)
    if begun is not None:
        if running is not None:
            return Standing(stand=Stand.running, claim=running)
        if settled is None or verdict is None or finding_about(settled) != begun.confirmation_id:
            return Standing(stand=Stand.unknown, claim=begun)
        return Standing(stand=Stand(verdict.value), claim=begun)
    used = settled is not None and verdict is not None and _is_used(state, settled)
    if settled is not None and verdict is Verdict.approved and not used:
        taken_back = stopped and not came_in(turn, settled)
        if now < settled.at + lasts and not taken_back:
            return Standing(stand=Stand.approved)
        used = True
    if settled is not None and verdict is Verdict.refused and came_in(turn, settled):
        # Without a turn nobody can tell whether the person has written since, and a no must not hold for ever.
        if turn is not None or now < settled.at + lasts:
            return Standing(stand=Stand.refused)
    last = claims[-1] if claims else None
    if last and last.state is ClaimState.done and turn and last.ended_at and last.ended_at >= turn.at:
        return Standing(stand=Stand.done, claim=last)
    failed = last.error if last and last.state is ClaimState.failed else None
    return Standing(stand=Stand.unasked, used=used or verdict is Verdict.happened, failed=failed)


def came_in(turn: Turn | None, settled: Settlement) -> bool:
    """Return whether *settled* was decided in *turn* or later; also where the turn is not known."""
    if turn is None or settled.at > turn.at:
        return True
    decided = turn.settlement if turn.outcome is Outcome.resolved else None
    return decided is not None and decided.confirmation.id == settled.confirmation.id


def asked_since(turn: Turn | None, pending: Confirmation) -> bool:
    """Return whether *pending* was asked since the person's message of *turn*, who cannot have seen it then."""
    if turn is None:
        return False
    seen = turn.confirmation if turn.outcome is Outcome.unresolved else None
    # Counted, and not by the time: a clock may have been put back since.
    return seen is None or seen.id != pending.id or pending.ask_count > seen.ask_count


def _is_used(state: ConversationState, settled: Settlement) -> bool:
    return any(claim.confirmation_id == settled.confirmation.id for claim in state.claims)
