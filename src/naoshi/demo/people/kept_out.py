"""How many wrong corrections the triage kept out, for the demo's own statistics."""

from collections.abc import Iterable, Mapping

from naoshi.demo.people.practitioners import WrongKind
from naoshi.demo.report.document import KeptOut
from naoshi.records.correction import Triage, TriageClass


def kept_out(triages: Iterable[Triage], wrong: Mapping[str, WrongKind]) -> KeptOut:
    """Return what *triages* made of right and of wrong corrections (*wrong*, by ``correction_id``)."""
    counts = {"wrong": 0, "wrong_kept_out": 0, "right": 0, "right_refused": 0}
    for triage in triages:
        accepted = triage.decision is TriageClass.defect
        if triage.correction_id in wrong:
            counts["wrong"] += 1
            counts["wrong_kept_out"] += not accepted
        else:
            counts["right"] += 1
            counts["right_refused"] += not accepted
    return KeptOut(**counts)
