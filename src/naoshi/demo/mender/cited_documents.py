"""The documents that a handoff cites, as the agent reads them; what is found once is not looked for again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from naoshi.demo.agent.receipts_agent.candidates import (
    Candidate,
    block_candidates,
    merchant_candidates,
    value_candidates,
)
from naoshi.demo.agent.receipts_agent.document import Document
from naoshi.demo.agent.receipts_agent.extract import best_candidate
from naoshi.demo.agent.receipts_agent.harness import BLOCK_FIELDS, Harness


@dataclass(frozen=True, kw_only=True)
class CitedValue:
    """What a harness reads for a field; ``merchant`` tells that the merchant master gave it."""

    text: str | None
    merchant: bool


@dataclass(kw_only=True)
class CitedDocuments:
    """Documents by their path, with the candidates that were found in them under the forms of each harness."""

    pages: Mapping[str, Document]
    _found: dict[tuple[object, ...], list[Candidate]] = field(default_factory=dict[tuple[object, ...], list[Candidate]])

    def candidates(self, harness: Harness, path: str, name: str) -> list[Candidate]:
        """Return the candidates for the field called *name*, without the merchant master's."""
        forms = harness.cuts[name] if name in BLOCK_FIELDS else harness.patterns[name]
        key = (path, name, harness.zones.get(name), tuple((form.name, form.expression.pattern) for form in forms))
        if key not in self._found:
            find = block_candidates if name in BLOCK_FIELDS else value_candidates
            self._found[key] = find(self.pages[path], harness, name)
        return self._found[key]

    def value(self, harness: Harness, path: str, name: str) -> CitedValue:
        """Return what *harness* reads for the field called *name*, as the agent would."""
        if name in BLOCK_FIELDS:
            for _, candidate in merchant_candidates(self.pages[path], harness, name):
                return CitedValue(text=candidate.value, merchant=True)
        best = best_candidate(self.candidates(harness, path, name), harness.scores[name])
        return CitedValue(text=best.value if best else None, merchant=False)
