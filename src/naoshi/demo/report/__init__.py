"""What the demo puts out: the JSON document, the rows on the terminal, and the HTML report."""

from naoshi.demo.report.document import CycleRow, DemoReport, HoldoutScore, KeptOut
from naoshi.demo.report.rows import RowTable

__all__ = ["CycleRow", "DemoReport", "HoldoutScore", "KeptOut", "RowTable"]
