"""Writing a folder of generated receipts in the form of the real ones."""

import json
import random
from pathlib import Path

from naoshi.demo.generator.compose import ComposedReceipt, compose_receipt
from naoshi.demo.generator.layouts import LAYOUTS
from naoshi.demo.generator.merchants import generated_merchants
from naoshi.demo.generator.slips import PrintedLine, with_slips
from naoshi.demo.receipts import FIELDS, Receipt
from naoshi.errors import InputError

_SKEW = 0.8
_SLIP_RATE = 0.025


def write_receipts(target: Path, *, count: int, seed: int) -> tuple[Receipt, ...]:
    """Write *count* receipts as ``box/NNNN.csv`` and ``key/NNNN.json`` into *target* and return them.

    The same count and seed give the same bytes. A few merchants are frequent and many rare (the chance of
    the n-th is proportional to n to the power of -0.8). Slips of OCR spoil some lines but never the truth,
    so the truth of some fields stands nowhere in its document.

    Raises:
        InputError: *count* is less than one, or *target* has receipts already.
    """
    if count < 1:
        raise InputError("the number of receipts must be at least 1")
    if target.exists() and any(target.glob("*/*")):
        raise InputError(f"there is something in {target} already", hint="give a new or an empty folder")
    chance = random.Random(f"receipts-{seed}")  # noqa: S311
    merchants = generated_merchants()
    chances = [(place + 1) ** -_SKEW for place in range(len(merchants))]
    written: list[Receipt] = []
    for number in range(count):
        place = chance.choices(range(len(merchants)), chances)[0]
        merchant = merchants[place]
        layouts = [layout for layout in LAYOUTS if layout.language == merchant.language]
        composed = compose_receipt(merchant, layouts[place // 2 % len(layouts)], chance=chance)
        lines = with_slips(list(composed.lines), chance=chance, rate=_SLIP_RATE)
        written.append(_write(target, f"{number:04d}", composed, lines))
    return tuple(written)


def _write(target: Path, name: str, composed: ComposedReceipt, lines: list[PrintedLine]) -> Receipt:
    truth = {field: str(getattr(composed, field)) for field in FIELDS}
    receipt = Receipt(name=name, document=f"box/{name}.csv", truth=truth)
    # A fresh folder of test documents needs no fsync of each of its hundreds of files.
    for path, content in (
        (target / receipt.document, "".join(_csv_line(line) for line in lines)),
        (target / "key" / f"{name}.json", json.dumps(truth, ensure_ascii=False, indent=4) + "\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    return receipt


def _csv_line(line: PrintedLine) -> str:
    corners = (
        line.left, line.top, line.right, line.top, line.right, line.bottom, line.left, line.bottom,
    )  # fmt: skip
    return ",".join(map(str, corners)) + f",{line.text}\n"
