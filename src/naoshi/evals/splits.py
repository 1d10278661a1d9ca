"""Which split a source belongs to, by hash alone, so that it never depends on what else there is."""

import hashlib

from naoshi.evals.settings import SplitWeights
from naoshi.records.eval_case import Split

_STEPS = 2**64


def assign_split(source_key: str, weights: SplitWeights, salt: str) -> Split:
    """Return the split of all cases of *source_key*; the shares of many keys approach *weights*."""
    digest = hashlib.sha256(f"{salt}\0{source_key}".encode("utf-8", "surrogatepass")).digest()
    place = int.from_bytes(digest[:8], "big") / _STEPS * sum(weights.shares())
    carrying = [(split, share) for split, share in zip(Split, weights.shares(), strict=True) if share > 0]
    for split, share in carrying[:-1]:
        if place < share:
            return split
        place -= share
    return carrying[-1][0]
