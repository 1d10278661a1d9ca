"""A handoff that is short enough: the least valuable goes first, and what went is counted."""

from collections.abc import Callable

from naoshi.records import Handoff

_SHARE = 8


def fitted(handoff: Handoff, *, longest: int, length: Callable[[Handoff], int]) -> Handoff:
    """Return *handoff*, shortened until its *length* is *longest* at most.

    First go traces, then passing cases, then failing ones, each from the end, where the least valuable stand. One
    failing case always stays, and so do the diagnosis and its evidence. ``left_out`` counts what went.
    """
    while length(handoff) > longest:
        shorter = _shortened(handoff)
        if shorter is None:
            return handoff
        handoff = shorter
    return handoff


def _shortened(handoff: Handoff) -> Handoff | None:
    for name, least in (("traces", 0), ("confirmed", 0), ("cases", 1)):
        items: tuple[object, ...] = getattr(handoff, name)
        if len(items) > least:
            gone = min(len(items) - least, max(1, len(items) // _SHARE))
            left_out = {**handoff.left_out, name: handoff.left_out.get(name, 0) + gone}
            return handoff.model_copy(update={name: items[:-gone], "left_out": left_out})
    return None
