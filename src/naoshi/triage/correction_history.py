"""All corrections that are known, arranged by what the rules ask of them."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property

from naoshi.records.base import content_hash
from naoshi.records.correction import Correction
from naoshi.records.trace import Trace

TraceLookup = Callable[[str], Trace | None]


class CorrectionHistory:
    """The corrections to be triaged and those before them, each once.

    *traces* looks a trace up by its identifier.
    """

    def __init__(self, corrections: Iterable[Correction], *, traces: TraceLookup) -> None:
        self.traces = traces
        self.corrections = tuple({item.correction_id: item for item in corrections}.values())

    def rivals(self, correction: Correction) -> tuple[Correction, ...]:
        """Return the other corrections of the same field of the same run, or of the same document and input."""
        found = {item.correction_id: item for key in self._keys(correction) for item in self._by_place.get(key, ())}
        found.pop(correction.correction_id, None)
        return tuple(found.values())

    def of_run(self, correction: Correction) -> tuple[Correction, ...]:
        """Return all corrections of the same artifact of the same run."""
        return tuple(self._by_run.get((correction.trace_id, correction.artifact), ()))

    def of_field(self, correction: Correction) -> tuple[Correction, ...]:
        """Return all corrections of the same field, this one included, in order of time."""
        return tuple(self._by_field.get((correction.artifact, correction.field), ()))

    def previous(self, correction: Correction) -> Correction | None:
        """Return the person's last correction of this field before this one, if it is of another run and document."""
        mine = [item for item in self.of_field(correction) if item.practitioner == correction.practitioner]
        earlier: list[Correction] = []
        for item in mine:
            if item.correction_id == correction.correction_id:
                break
            earlier.append(item)
        last = earlier[-1] if earlier else None
        if last is None or last.trace_id == correction.trace_id or last.document == correction.document:
            return None
        return last

    @cached_property
    def _by_place(self) -> dict[str, list[Correction]]:
        found: defaultdict[str, list[Correction]] = defaultdict(list)
        for item in self.corrections:
            for key in self._keys(item):
                found[key].append(item)
        return found

    @cached_property
    def _by_run(self) -> dict[tuple[str, str], list[Correction]]:
        found: defaultdict[tuple[str, str], list[Correction]] = defaultdict(list)
        for item in self.corrections:
            found[item.trace_id, item.artifact].append(item)
        return found

    @cached_property
    def _by_field(self) -> dict[tuple[str, str], list[Correction]]:
        found: defaultdict[tuple[str, str], list[Correction]] = defaultdict(list)
        for item in sorted(self.corrections, key=lambda item: (item.at, item.trace_id, item.correction_id)):
            found[item.artifact, item.field].append(item)
        return found

    def _keys(self, correction: Correction) -> tuple[str, ...]:
        field = (correction.artifact, correction.field)
        keys = (content_hash(["run", correction.trace_id, *field]),)
        trace = self.traces(correction.trace_id)
        if correction.document is None or trace is None:
            return keys
        # One document may hold many records, so the run's input has to be the same as well.
        return (*keys, content_hash(["document", correction.document, repr(sorted(trace.vars.items())), *field]))
