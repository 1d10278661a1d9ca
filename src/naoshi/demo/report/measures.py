"""Which shares of the holdout are worth a line or a column of their own."""

from collections.abc import Sequence

from naoshi.demo.report.document import CycleRow
from naoshi.demo.report.words import ReportWords


def measures_of(rows: Sequence[CycleRow], words: ReportWords) -> list[tuple[str, str]]:
    """Return names of shares in `HoldoutScore` with their labels.

    Two shares that are equal in every row are one, as with four fields ≥ 90 % and all always are.
    """
    if all(row.holdout.at_least_90 == row.holdout.all for row in rows):
        return [("at_least_75", words.at_least_75), ("all", words.at_least_90_and_all)]
    return [("at_least_75", words.at_least_75), ("at_least_90", words.at_least_90), ("all", words.all)]
