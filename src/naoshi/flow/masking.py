"""What is masked before it leaves Naoshi, and before it is stored, by the settings of the loop."""

import json
from collections.abc import Iterable

from naoshi.capture.personal_data import Masking
from naoshi.capture.trace_export import trace_to_lines
from naoshi.flow.loop import Loop
from naoshi.records import Trace


def handed_out(loop: Loop) -> Masking:
    """Return what masks secrets and personal data in all that is handed to coding agents, models and HALO."""
    return Masking(kinds=loop.settings.privacy.handed_out)


def stored(loop: Loop) -> Masking:
    """Return what masks secrets, and the personal data that is not to be kept, in traces that are taken in."""
    return Masking(kinds=loop.settings.privacy.stored)


def handed_out_lines(loop: Loop, traces: Iterable[Trace]) -> dict[str, str]:
    """Return the flat JSON lines of *traces* by their identifiers, as they may be handed out."""
    masking = handed_out(loop)
    return {
        trace.trace_id: "".join(f"{_masked(line, masking)}\n" for line in trace_to_lines(trace)) for trace in traces
    }


def _masked(line: str, masking: Masking) -> str:
    return json.dumps(masking(json.loads(line)), ensure_ascii=False, separators=(",", ":"))
