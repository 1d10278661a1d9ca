"""How well the rules tell wrong corrections from right ones, on real receipts."""

import json
from pathlib import Path
from random import Random

from naoshi.records import Comparison, Correction, Trace, TriageClass
from tests.triage.triage_world import correction, proposed, run

KEY = Comparison.letters_and_digits.key
FIELDS = ("company", "date", "address", "total")


def slip(value: str, lot: Random) -> str:
    """Return *value* with one letter or digit dropped, doubled, replaced or swapped with the next."""
    places = [index for index, character in enumerate(value) if character.isalnum()]
    index = lot.choice(places)
    before, sign, after = value[:index], value[index], value[index + 1 :]
    other = lot.choice("123456789" if sign.isdigit() else "QWERTYUIPASDFGHJKLZXCVBNM")
    return lot.choice(
        [before + after, before + sign * 2 + after, before + other + after, before + after[:1] + sign + after[1:]]
    )


def preferred(field: str, value: str, lot: Random) -> str | None:
    """Return *value* as somebody with a preference of format writes it, where there is such a way."""
    if field == "total":
        plain = value.upper().removeprefix("RM").strip(" $")
        return lot.choice([f"RM {plain}" if plain == value else plain, plain.split(".")[0]])
    if field == "date" and len(value) == 10 and value[2] == value[5] and int(value[3:5]) <= 12:
        return f"{value[6:]}-{value[3:5]}-{value[:2]}"
    return None


def test_slips_and_preferences_of_format_do_not_pass_and_right_corrections_do(shared_data: Path) -> None:
    """Of 100 real receipts less than 4 % of wrong corrections pass as defects, and less than 8 % of right ones fail."""
    lot = Random("triage figures")
    runs: list[Trace] = []
    right: list[Correction] = []
    wrong: list[Correction] = []
    for path in sorted((shared_data / "receipts" / "box").glob("*.csv"))[:100]:
        name = path.stem
        truth = json.loads((shared_data / "receipts" / "key" / f"{name}.json").read_text())
        rows = path.read_text(encoding="utf-8").splitlines()
        lines = [row.split(",", 8)[8] for row in rows if row.strip()]
        runs.append(
            run({"company": lines[0], "date": None, "total": None, "address": lines[1]}, name=name, lines=lines)
        )
        for field in FIELDS:
            value = truth[field]
            submitted = {"company": lines[0], "address": lines[1]}.get(field)
            bad = preferred(field, value, lot) if lot.random() < 0.4 else slip(value, lot)
            is_wrong = lot.random() < 0.2 and bad is not None and KEY(bad) not in ("", KEY(value))
            given = bad if is_wrong else value
            if KEY(given) != KEY(submitted):
                made = correction(field, submitted, given, trace=name, document=None, by=lot.choice("abc"))
                (wrong if is_wrong else right).append(made)
    found = proposed(*right, *wrong, traces=runs)
    accepted = {item.correction_id for item in found if item.decision is TriageClass.defect}
    passed = [item for item in wrong if item.correction_id in accepted]
    refused = [item for item in right if item.correction_id not in accepted]
    assert len(wrong) > 40
    assert len(passed) < 0.04 * len(wrong), [(item.field, item.corrected) for item in passed]
    assert len(refused) < 0.08 * len(right), [(item.field, item.corrected) for item in refused]
