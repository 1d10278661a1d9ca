"""Receipts with their truths: reading them, setting a third aside, and scoring an agent's answers."""

import json
import random
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from naoshi.errors import InputError, MissingPathError

FIELDS: Final = ("company", "date", "address", "total")
"""The fields of a receipt, in the order in which reports show them."""

Record = Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """One receipt: its name, its document's path relative to the folder of receipts, and its true fields."""

    name: str
    document: str
    truth: Record


@dataclass(frozen=True, kw_only=True)
class ReceiptScore:
    """How many of *documents* receipts an agent read well, and how many fields of each kind.

    ``at_least_75``, ``at_least_90`` and ``all`` are shares (0 to 1) of documents with at least that share of
    fields right; ``by_field`` holds for each field the share of documents in which it is right. With no
    documents every share is 0. ``fields_right`` counts right fields over all documents.
    """

    documents: int
    at_least_75: float
    at_least_90: float
    all: float
    by_field: Mapping[str, float]
    fields_right: int


@lru_cache(maxsize=65536)
def letters_and_digits(value: str | None) -> str:
    """Return the letters and digits of *value*, full width and half width and both cases made equal."""
    folded = unicodedata.normalize("NFKC", value or "").casefold()
    return "".join(character for character in folded if character.isalnum())


def field_is_right(expected: str | None, actual: str | None) -> bool:
    """Say whether two values of a field have the same letters and digits; case and spacing do not count."""
    return letters_and_digits(expected) == letters_and_digits(actual)


def right_fields(truth: Record, output: Record | None) -> dict[str, bool]:
    """Say of each field whether *output* has it right; without an output none is."""
    if output is None:
        return dict.fromkeys(FIELDS, False)
    return {field: field_is_right(truth.get(field), output.get(field)) for field in FIELDS}


def score_receipts(answers: Iterable[tuple[Record, Record | None]]) -> ReceiptScore:
    """Score pairs of a truth and the agent's output for it (None: the agent gave no answer)."""
    verdicts = [right_fields(truth, output) for truth, output in answers]
    count = len(verdicts)
    shares = [sum(verdict.values()) / len(FIELDS) for verdict in verdicts]

    def share(hits: int) -> float:
        return hits / count if count else 0.0

    return ReceiptScore(
        documents=count,
        at_least_75=share(sum(value >= 0.75 for value in shares)),
        at_least_90=share(sum(value >= 0.9 for value in shares)),
        all=share(sum(value >= 1.0 for value in shares)),
        by_field={field: share(sum(verdict[field] for verdict in verdicts)) for field in FIELDS},
        fields_right=sum(sum(verdict.values()) for verdict in verdicts),
    )


def read_receipts(folder: Path) -> tuple[Receipt, ...]:
    """Read a folder that has ``box/NAME.csv`` and ``key/NAME.json`` for each receipt, sorted by name.

    The documents themselves are not opened; a bad one is the agent's to report.

    Raises:
        MissingPathError: the folder, one of its two parts, or the truth of a document is not there.
        InputError: a truth is not a JSON object of strings, or a truth has no document.
    """
    boxes, keys = folder / "box", folder / "key"
    for part in (folder, boxes, keys):
        if not part.is_dir():
            raise MissingPathError(f"there is no folder {part}", hint="give a folder with box/*.csv and key/*.json")
    documents = {path.stem for path in boxes.glob("*.csv")}
    truths = {path.stem for path in keys.glob("*.json")}
    if alone := sorted(documents - truths):
        raise MissingPathError(f"no truth for the document {boxes / alone[0]}.csv ({len(alone)} such)")
    if alone := sorted(truths - documents):
        raise InputError(f"no document for the truth {keys / alone[0]}.json ({len(alone)} such)")
    return tuple(
        Receipt(name=name, document=f"box/{name}.csv", truth=_read_truth(keys / f"{name}.json"))
        for name in sorted(documents)
    )


def set_aside(receipts: Iterable[Receipt], *, seed: int, share: float = 1 / 3) -> tuple[list[Receipt], list[Receipt]]:
    """Split receipts by lot into working documents and a holdout of *share* of them.

    The same receipts and seed give the same split. Both parts keep a shuffled order, so that batches cut
    from the working documents are fair samples.
    """
    shuffled = sorted(receipts, key=lambda receipt: receipt.name)
    random.Random(f"holdout-{seed}").shuffle(shuffled)  # noqa: S311
    count = round(len(shuffled) * share)
    return shuffled[count:], shuffled[:count]


def _read_truth(path: Path) -> Record:
    try:
        loaded: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the truth {path}: {error}") from error
    if not isinstance(loaded, dict):
        raise InputError(f"the truth {path} is not a JSON object")
    record = cast("dict[str, Any]", loaded)
    for field in FIELDS:
        if not isinstance(record.get(field), str | None):
            raise InputError(f"the truth {path} has something other than text in `{field}`")
    return {field: record.get(field) for field in FIELDS}
