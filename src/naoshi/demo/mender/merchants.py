"""Learning the merchant master: which text on a receipt tells the merchant, and what its entry says."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from naoshi.demo.agent.receipts_agent.document import Document
from naoshi.demo.agent.receipts_agent.text import blurred, upright
from naoshi.demo.mender.evidence import Evidence

_NUMBER: Final = re.compile(r"[A-Z]?[0-9][0-9-]*[0-9](?:-?[A-Z])?(?![0-9A-Z])")
_DIGITS_OF_A_NUMBER: Final = 6
_SHORTEST_NAME: Final = 6
_MOST_MARKS: Final = 4


@dataclass(frozen=True, kw_only=True)
class LearnedMerchant:
    """One field of one merchant: its value, the texts that tell the merchant, and the documents behind it."""

    field: str
    value: str
    identify: tuple[str, ...]
    support: int

    def entry(self, name: str) -> dict[str, Any]:
        """Return the entry for ``merchants.json``."""
        return {"name": name, "identify": list(self.identify), self.field: self.value, "support": self.support}


def learn_merchants(
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    *,
    field: str,
    least_support: int = 2,
    excluded: Mapping[str, frozenset[str]] | None = None,
) -> list[LearnedMerchant]:
    """Return the merchants that *evidence* on one field (company or address) proves, sorted by value.

    Documents with the same value (case, spacing and the signs that OCR confuses aside) are of one merchant.
    What tells it must stand on at least *least_support* of its documents and on no document with another
    value. *excluded* names for a document texts that tell nothing, such as its date and its sums.
    """
    groups: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        groups[blurred(item.value)].append(item)
    pages = {item.document: _page(documents[item.document]) for item in evidence}
    found: list[LearnedMerchant] = []
    for key, items in sorted(groups.items()):
        if len(items) < least_support or not any(item.confirmed for item in items):
            continue
        others = [pages[item.document] for item in evidence if blurred(item.value) != key]
        counts: Counter[str] = Counter()
        for item in items:
            skip = (excluded or {}).get(item.document, frozenset())
            counts.update({mark for mark in _marks(documents[item.document], key) if mark not in skip})
        marks = [
            mark
            for mark, count in sorted(counts.items(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))
            if count >= least_support and not any(mark in text for page in others for text in page)
        ]
        if marks:
            value = Counter(" ".join(item.value.split()) for item in items).most_common()
            best = min(text for text, count in value if count == value[0][1])
            found.append(
                LearnedMerchant(field=field, value=best, identify=tuple(marks[:_MOST_MARKS]), support=len(items))
            )
    return found


def _page(document: Document) -> tuple[str, ...]:
    return tuple(blurred(line.text) for line in document.lines)


def _marks(document: Document, value: str) -> Iterator[str]:
    """Yield what on the document could tell the merchant: lines of its name or address, and its numbers."""
    for line in document.lines:
        whole = blurred(line.text)
        if len(whole) >= _SHORTEST_NAME and (whole in value or value in whole):
            yield whole
        for number in _NUMBER.findall(upright(line.text)):
            if sum(sign.isdigit() for sign in number) >= _DIGITS_OF_A_NUMBER:
                yield blurred(number)
