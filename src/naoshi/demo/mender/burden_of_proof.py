"""How much must speak for a rule before the mender writes it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class BurdenOfProof:
    """What a rule has to show.

    ``least_support`` is the number of documents that must speak for it. ``price`` is what each unit of a cue's score
    must earn, in documents (see `naoshi.demo.mender.scores`). With ``every_case`` the draft that mends most cases is
    taken, else the first that mends any, since the drafts after it stray further from what the evidence says.
    """

    least_support: int
    price: float
    every_case: bool


CAREFUL: Final = BurdenOfProof(least_support=2, price=0.5, every_case=False)
"""For cases any of which may be somebody's mistake: no rule stands on one document, and many outvote a few."""

BELIEVING: Final = BurdenOfProof(least_support=1, price=0.05, every_case=True)
"""For cases each of which is said to be true as it stands: one is proof enough, and none may be outvoted."""


def burden_of_proof(*, every_case: bool) -> BurdenOfProof:
    """Return what rules have to show where every case is (or is not) said to be true as it stands."""
    return BELIEVING if every_case else CAREFUL
