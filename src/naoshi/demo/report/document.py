"""The JSON document of the demo: what each cycle came to, from which rows, report and picture are made."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, computed_field, model_validator

from naoshi.demo.receipts import ReceiptScore
from naoshi.records.base import Record
from naoshi.records.language import Language

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    """A part of the document, frozen and closed; only the whole carries a version of the schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HoldoutScore(_Part):
    """How a version does on the documents that are only ever scored.

    ``at_least_75``, ``at_least_90`` and ``all`` are shares (0 to 1) of documents with at least 75 %, 90 % and 100 %
    of their fields right, ``by_field`` is the share of documents in which a field is right, and ``fields_right``
    counts right fields over all documents.
    """

    documents: Count
    at_least_75: Share
    at_least_90: Share
    all: Share
    by_field: dict[str, Share]
    fields_right: Count

    @classmethod
    def of(cls, score: ReceiptScore) -> Self:
        """Return *score* as a part of the document."""
        return cls(
            documents=score.documents,
            at_least_75=score.at_least_75,
            at_least_90=score.at_least_90,
            all=score.all,
            by_field=dict(score.by_field),
            fields_right=score.fields_right,
        )


class KeptOut(_Part):
    """What triage made of the right and of the wrong corrections of a cycle; known to the demo's statistics alone.

    ``wrong`` and ``right`` are all that were triaged, ``wrong_kept_out`` and ``right_refused`` those of them that were
    not accepted as defects.
    """

    wrong: Count = 0
    wrong_kept_out: Count = 0
    right: Count = 0
    right_refused: Count = 0

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.wrong_kept_out > self.wrong or self.right_refused > self.right:
            raise ValueError("more corrections refused than there were")
        return self

    def __add__(self, other: "KeptOut") -> "KeptOut":
        """Return the sums."""
        return KeptOut(
            wrong=self.wrong + other.wrong,
            wrong_kept_out=self.wrong_kept_out + other.wrong_kept_out,
            right=self.right + other.right,
            right_refused=self.right_refused + other.right_refused,
        )


class CycleRow(_Part):
    """One cycle; number 0 is the state before the first.

    ``version`` is the one in force after the cycle and ``holdout`` its score, so that both stay the same where nothing
    was released. ``cases`` is the size of the suite then; the other counts are of this cycle alone. ``corrections``
    were made, ``refused_corrections`` of them became no case. ``wrong_cases`` of the suite were made of wrong
    corrections, as the demo's statistics alone know (None where they do not). ``seconds`` is how long the cycle took.
    """

    cycle: Count
    version: str
    released: bool
    reason: str = ""
    holdout: HoldoutScore
    cases: Count = 0
    questions: Count = 0
    overridden: Count = 0
    corrections: Count = 0
    refused_corrections: Count = 0
    kept_out: KeptOut | None = None
    wrong_cases: Count | None = None
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _wrong_ones_are_cases(self) -> Self:
        if self.wrong_cases is not None and self.wrong_cases > self.cases:
            raise ValueError("more wrong cases than there are cases")
        return self


class DemoReport(Record):
    """All that a demo came to.

    ``naive`` holds the rows of the loop that believes every correction, when both were run. ``artifacts`` are files
    by name; ``settings`` is what the demo was started with.
    """

    cycles: Annotated[tuple[CycleRow, ...], Field(min_length=1)]
    artifacts: dict[str, str] = Field(default_factory=dict)
    naive: tuple[CycleRow, ...] | None = None
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    language: Language = "ja"

    @model_validator(mode="before")
    @classmethod
    def _derived_is_not_read(cls, data: Any) -> Any:
        """Leave out what `to_json` wrote and is computed here, so that the document reads back."""
        if isinstance(data, dict):
            return {key: value for key, value in cast("dict[str, Any]", data).items() if key != "regressions_shipped"}
        return data

    @computed_field
    @property
    def regressions_shipped(self) -> int:
        """How many released versions get fewer holdout fields right than the version before."""
        return regressions_shipped(self.cycles)

    @property
    def wrong_corrections(self) -> KeptOut | None:
        """The sums of ``kept_out`` over all cycles, or None where no cycle says."""
        known = [row.kept_out for row in self.cycles if row.kept_out is not None]
        return sum(known, start=KeptOut()) if known else None


def regressions_shipped(cycles: Sequence[CycleRow]) -> int:
    """Count the released rows of *cycles* with fewer holdout fields right than the version that was in force before."""
    return sum(
        row.released and row.holdout.fields_right < before.holdout.fields_right for before, row in pairwise(cycles)
    )
