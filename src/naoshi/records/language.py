"""The languages that people are spoken to in."""

from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "ja"]
"""English or Japanese, as settings and options name them. A table of words has a row for each."""
