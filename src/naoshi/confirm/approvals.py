"""How an action that a person must approve is asked about, approved, and done once."""

from dataclasses import dataclass, replace
from datetime import timedelta

from naoshi.confirm.claim_owner import this_owner
from naoshi.confirm.claimed_use import RUNNING, ClaimedUse, ended_claim, is_running
from naoshi.confirm.confirmations import Confirmations
from naoshi.confirm.context_texts import Language
from naoshi.confirm.guard_question import approval_question, finding_question
from naoshi.confirm.guard_texts import GUARD_TEXTS
from naoshi.confirm.guarded_action import GuardedAction
from naoshi.confirm.intake import ATTEMPTS
from naoshi.confirm.permit import Permit, PermitState
from naoshi.confirm.policy import Policy, Ruling
from naoshi.confirm.question import Question
from naoshi.confirm.shown import render_question
from naoshi.confirm.standing import Stand, Standing, asked_since, standing_of
from naoshi.errors import StoreError
from naoshi.records.confirmation import Claim, ClaimState, Confirmation, ConversationState, Turn


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Where a guarded function is called: the conversation and, where it is known, the turn."""

    conversation_id: str
    turn: Turn | None = None


@dataclass(frozen=True, kw_only=True)
class GuardedCall:
    """One call of a guarded tool, ruled on."""

    scene: Scene
    action: GuardedAction
    policy: Policy
    ruling: Ruling
    language: Language


@dataclass(frozen=True, kw_only=True)
class Approvals:
    """Looks after the approvals of guarded actions, in the state that *confirmations* keeps."""

    confirmations: Confirmations

    def permit(self, call: GuardedCall) -> Permit:
        """Return the permit for an action that the rules have asked about; an allowed one is claimed by now.

        Raises:
            StoreError: the state cannot be read or written.
        """
        for _ in range(ATTEMPTS):
            now = self.confirmations.now()
            state = self.confirmations.store.get(call.scene.conversation_id)
            state = state or ConversationState(conversation_id=call.scene.conversation_id)
            standing = standing_of(
                call.action,
                state,
                turn=call.scene.turn,
                now=now,
                lasts=timedelta(minutes=call.policy.settings.approval_minutes),
                running=self._running(call, state),
                stopped=call.scene.turn is not None and self.confirmations.is_escape(call.scene.turn.reply),
            )
            permit = self._attempt(call, state, standing)
            if permit is not None:
                return permit
        raise StoreError("the conversation's state changes without end")

    def _running(self, call: GuardedCall, state: ConversationState) -> Claim | None:
        """Return the claim of the action whose program is still there."""
        now = self.confirmations.now()
        mine = (claim for claim in state.claims if claim.action_hash == call.action.digest)
        return next((claim for claim in mine if is_running(claim, now=now)), None)

    def _attempt(self, call: GuardedCall, state: ConversationState, standing: Standing) -> Permit | None:
        """Return the permit, or None where another process changed the state meanwhile."""
        settled = state.settled.confirmation if state.settled else None
        match standing.stand:
            case Stand.approved:
                return self._claim(call, state, standing)
            case Stand.refused | Stand.happened:
                if standing.claim and not self._ended(state, standing.claim, happened=standing.stand is Stand.happened):
                    return None
                said = PermitState.refused if standing.stand is Stand.refused else PermitState.done
                return made_permit(call, said, confirmation=settled)
            case Stand.running | Stand.done:
                return made_permit(call, PermitState(standing.stand.value))
            case Stand.unknown | Stand.unasked:
                return self._ask(call, state, standing)

    def _claim(self, call: GuardedCall, state: ConversationState, standing: Standing) -> Permit | None:
        if state.settled is None:
            return None
        now = self.confirmations.now()
        approval = state.settled.confirmation
        claim = Claim(confirmation_id=approval.id, action_hash=call.action.digest, owner=this_owner(), at=now)
        following = state
        if standing.claim is not None:
            following = following.with_claim(ended_claim(standing.claim, ClaimState.failed, now=now))
        following = following.with_claim(claim)
        # Before the save: another thread that finds the claim must find it running.
        RUNNING.begin(claim.confirmation_id)
        try:
            won = self.confirmations.store.save(following, after=state.revision)
        except BaseException:
            RUNNING.end(claim.confirmation_id)
            raise
        if not won:
            RUNNING.end(claim.confirmation_id)
            return None
        use = ClaimedUse(store=self.confirmations.store, clock=self.confirmations.now, claim=claim, state=following)
        return replace(made_permit(call, PermitState.allowed, confirmation=approval), use=use)

    def _ended(self, state: ConversationState, claim: Claim, *, happened: bool) -> bool:
        now = self.confirmations.now()
        ended = ended_claim(claim, ClaimState.done if happened else ClaimState.failed, now=now)
        return self.confirmations.store.save(state.with_claim(ended), after=state.revision)

    def _ask(self, call: GuardedCall, state: ConversationState, standing: Standing) -> Permit | None:
        question = self._question(call, standing)
        pending = state.pending
        now = self.confirmations.now()
        is_open = pending is not None and not pending.is_expired(now=now)
        if (
            pending
            and is_open
            and pending.fingerprint != question.fingerprint
            and asked_since(call.scene.turn, pending)
        ):
            return made_permit(call, PermitState.waiting, confirmation=pending)
        asked = self.confirmations.put(question, state, rules_version=call.policy.version, anew=standing.used)
        if asked is None:
            return None
        unknown = standing.stand is Stand.unknown
        return made_permit(call, PermitState.outcome_unknown if unknown else PermitState.asked, confirmation=asked)

    def _question(self, call: GuardedCall, standing: Standing) -> Question:
        if standing.stand is Stand.unknown and standing.claim is not None:
            return finding_question(call.action, call.ruling, standing.claim, language=call.language)
        return approval_question(
            call.action, call.ruling, call.policy.settings, language=call.language, failed=standing.failed
        )


def made_permit(call: GuardedCall, state: PermitState, *, confirmation: Confirmation | None = None) -> Permit:
    """Return the permit that says *state*, with the text for the model."""
    return Permit(
        state=state,
        tool=call.action.tool,
        ruling=call.ruling,
        confirmation=confirmation,
        context=_context(call.language, state, confirmation),
    )


def _context(language: Language, state: PermitState, confirmation: Confirmation | None) -> str:
    told = GUARD_TEXTS[language].told.get(state, "")
    if confirmation is None or not told:
        return told
    quoted = "\n".join(f"> {line}" for line in render_question(confirmation, language=language).splitlines())
    return f"{told}\n{quoted}"
