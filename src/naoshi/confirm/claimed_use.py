"""The one use of an approval, from its claim to the end of the effect."""

import logging
import weakref
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from naoshi.confirm.claim_owner import is_gone, this_owner
from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.intake import ATTEMPTS
from naoshi.confirm.running_claims import RunningClaims
from naoshi.errors import InputError, StoreError
from naoshi.records.confirmation import Claim, ClaimState, ConversationState

_LOG = logging.getLogger("naoshi.confirm")
RUNNING: Final = RunningClaims()
"""The claims of this process whose effect is under way."""
# How long a claim of a program on another machine, which cannot be looked for, counts as under way.
_ELSEWHERE: Final = timedelta(minutes=5)


def is_running(claim: Claim, *, now: datetime) -> bool:
    """Return whether the program that began *claim* is still at it, as far as can be told from here."""
    if claim.state is not ClaimState.begun:
        return False
    if claim.owner == this_owner():
        return claim.confirmation_id in RUNNING
    gone = is_gone(claim.owner)
    return gone is False or (gone is None and now < claim.at + _ELSEWHERE)


def ended_claim(claim: Claim, state: ClaimState, *, now: datetime, error: str | None = None) -> Claim:
    """Return *claim* as it ended."""
    return claim.model_copy(update={"state": state, "ended_at": now, "error": error})


class ClaimedUse:
    """A claim that this process has won, and counts as running until its end, or until it is dropped without one.

    Args:
        store: keeps the claim.
        clock: gives the present time.
        claim: what was kept before the effect begins.
        state: the conversation's state that it was kept in.
    """

    def __init__(
        self, *, store: ConfirmationStore, clock: Callable[[], datetime], claim: Claim, state: ConversationState
    ) -> None:
        self._store = store
        self._clock = clock
        self._claim = claim
        self._conversation_id = state.conversation_id
        self._has_begun = False
        self._stop = weakref.finalize(self, RUNNING.end, claim.confirmation_id)

    def begin(self) -> None:
        """Say that the effect begins.

        Raises:
            InputError: it began before; an approval is for one effect.
        """
        if self._has_begun:
            raise InputError("this permit was used before", hint="ask the guard again for each action")
        self._has_begun = True

    def end(self, error: BaseException | None) -> None:
        """Keep how the effect ended. What cannot be kept is logged, for the effect has happened either way.

        Where the program itself is being stopped (an interrupt, a cancelled task), nobody knows whether the effect
        happened, and nothing is kept.
        """
        try:
            if error is None or isinstance(error, Exception):
                self._keep(error)
        except (StoreError, OSError):
            _LOG.exception("how an action ended cannot be kept; its outcome will be reported as unknown")
        finally:
            self._stop()

    def _keep(self, error: Exception | None) -> None:
        state = ClaimState.done if error is None else ClaimState.failed
        ended = ended_claim(self._claim, state, now=self._clock(), error=type(error).__name__ if error else None)
        for _ in range(ATTEMPTS):
            kept = self._store.get(self._conversation_id)
            if kept is None or self._store.save(kept.with_claim(ended), after=kept.revision):
                return
        raise StoreError("the conversation's state changes without end")
