"""The question that has a person confirm or override proposals, and what the answer's number means."""

from collections.abc import Iterable

from naoshi.errors import InputError
from naoshi.records.base import Record, content_id
from naoshi.records.correction import Cause, TriageClass, TriageProposal
from naoshi.triage.bundle import TriageBundle, single
from naoshi.triage.question_text import choice_label, question_text
from naoshi.triage.settings import Language

_VERDICTS = (
    (TriageClass.defect, Cause.extraction_miss),
    (TriageClass.defect, Cause.mapping_problem),
    (TriageClass.defect, Cause.missing_product_support),
    (TriageClass.judgement, Cause.workflow_noise),
    (TriageClass.noise, Cause.workflow_noise),
    (TriageClass.unclear, Cause.workflow_noise),
)


class TriageDecision(Record):
    """What a person decided of one correction; `naoshi.triage.decide.decide` makes a record for the store of it."""

    proposal: TriageProposal
    decision: TriageClass
    cause: Cause


class TriageChoice(Record):
    """One numbered choice: a decision for all corrections of the question, or to be asked one by one (None)."""

    label: str
    decision: TriageClass | None = None
    cause: Cause | None = None


class TriageQuestion(Record):
    """A question about one bundle. ``proposed`` is the number (from 1) that accepts the proposal.

    ``text`` is what the person sees before the numbered ``labels``. The same bundle gives the same
    ``conversation_id``, in whatever language.
    """

    conversation_id: str
    text: str
    choices: tuple[TriageChoice, ...]
    proposed: int
    bundle: TriageBundle
    language: Language

    @property
    def labels(self) -> tuple[str, ...]:
        """The numbered choices, in order."""
        return tuple(choice.label for choice in self.choices)

    def decisions(self, choice: int) -> "TriageAnswer":
        """Return what the *choice* (from 1) decides, or the questions that have to be asked instead.

        Raises:
            InputError: there is no such choice.
        """
        if not 1 <= choice <= len(self.choices):
            raise InputError(f"there is no choice {choice}", hint=f"answer with a number from 1 to {len(self.choices)}")
        chosen = self.choices[choice - 1]
        if chosen.decision is None or chosen.cause is None:
            return TriageAnswer(questions=questions(single(self.bundle), language=self.language))
        return TriageAnswer(
            decisions=tuple(
                TriageDecision(proposal=item.proposal, decision=chosen.decision, cause=chosen.cause)
                for item in self.bundle.items
            )
        )


class TriageAnswer(Record):
    """What an answer comes to: decisions for all corrections of the question, or questions one by one; never both."""

    decisions: tuple[TriageDecision, ...] = ()
    questions: tuple[TriageQuestion, ...] = ()


def questions(
    bundles: Iterable[TriageBundle], *, language: Language | str = Language.en, longest_shown: int = 120
) -> tuple[TriageQuestion, ...]:
    """Return one question for each bundle. *longest_shown* is how many characters of a value a person is shown."""
    return tuple(_question(item, Language(language), longest_shown) for item in bundles)


def _question(bundled: TriageBundle, language: Language, longest_shown: int) -> TriageQuestion:
    proposed = (bundled.decision, bundled.cause)
    verdicts = [proposed, *(verdict for verdict in _VERDICTS if verdict != proposed)]
    alone = len(bundled.items) == 1
    if not alone:
        # To call many corrections defects against the rules takes a look at each.
        verdicts = [proposed, *(item for item in verdicts[1:] if item[0] not in (TriageClass.defect, proposed[0]))]
    choices = [
        TriageChoice(
            label=choice_label(decision, cause, language=language, proposed=index == 0, alone=alone),
            decision=decision,
            cause=cause,
        )
        for index, (decision, cause) in enumerate(verdicts)
    ]
    if not alone:
        choices.append(TriageChoice(label=choice_label(None, None, language=language, proposed=False, alone=False)))
    return TriageQuestion(
        conversation_id=content_id("triage", bundled.bundle_id),
        text=question_text(bundled, language=language, longest_shown=longest_shown),
        choices=tuple(choices),
        proposed=1,
        bundle=bundled,
        language=language,
    )
