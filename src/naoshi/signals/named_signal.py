"""Naming a signal by all that it says."""

import json

from naoshi.records.base import content_id
from naoshi.records.signal import Signal


def named(signal: Signal) -> Signal:
    """Return *signal* with an identifier that depends on the rest of it alone.

    A signal that says something new, for instance because its correction was triaged again, is another signal.
    """
    content = signal.model_dump(mode="python", exclude={"signal_id"})
    return signal.model_copy(
        update={"signal_id": content_id("signal", json.dumps(content, sort_keys=True, default=str))}
    )
