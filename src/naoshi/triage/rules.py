"""The ordered table of rules. The first that fits a correction decides; the last fits every one."""

from collections.abc import Callable
from typing import Final

from naoshi.records.correction import TriageProposal
from naoshi.triage import custom_rules as custom
from naoshi.triage import defect_rules as defect
from naoshi.triage import people_rules as people
from naoshi.triage import source_rules as source
from naoshi.triage.correction_view import CorrectionView

Rule = Callable[[CorrectionView], TriageProposal | None]

RULES: Final[tuple[Rule, ...]] = (
    people.run_unknown,
    people.unchanged,
    people.superseded,
    people.disagreement,
    people.equal_after_normalising,
    source.emptied,
    source.unsupported_run,
    source.no_source,
    source.another_way_of_writing,
    source.written_otherwise,
    source.corroborated,
    people.copied_from_previous,
    source.near_miss,
    source.stands_nowhere,
    people.practitioner_bias,
    custom.shortened,
    custom.unlike_others,
    defect.copied_from_other_field,
    source.misread_source,
    defect.unsupported_document,
    defect.missed,
    defect.swapped_field,
    defect.wrong_extent,
    defect.other_label,
    defect.invented,
    defect.other_place,
)


def proposal_for(view: CorrectionView) -> TriageProposal:
    """Return what the first rule that fits makes of the correction."""
    for rule in RULES:
        proposal = rule(view)
        if proposal is not None:
            return proposal
    raise AssertionError("the last rule fits every correction")
