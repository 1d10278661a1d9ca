"""Settings of triage. An empty section of naoshi.toml gives settings that work."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Language(StrEnum):
    """The language of statements and questions."""

    ja = "ja"
    en = "en"


class TriageSettings(BaseModel):
    """How the rules decide and how people are asked.

    With ``source_settles_disagreement`` a value that stands in the source is not in dispute with one that stands
    nowhere in it; without, two people who disagree are both noise.

    ``near_distance`` is how many single changes of a character make a near miss. ``bias_support`` is how many
    corrections of one kind a person must have made (and others as many without it) before it counts as that
    person's own habit. ``convention_support`` is how many corrections of a field must show the same custom before
    one that breaks it is doubted, ``convention_share`` (0.5 to 1) the least share of them. ``misread_characters`` are
    groups of characters that OCR takes for one another.

    ``bundle_size`` is how many alike corrections one question may hold, ``longest_shown`` how many characters of a
    value a person is shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    near_distance: int = Field(default=2, ge=0, le=8)
    source_settles_disagreement: bool = False
    bias_support: int = Field(default=5, ge=2)
    convention_support: int = Field(default=8, ge=2)
    convention_share: float = Field(default=0.9, gt=0.5, le=1.0)
    misread_characters: tuple[str, ...] = (
        "0O",
        "1IL",
        "5S",
        "8B",
        "2Z",
        "6G",
        "日曰",
        "ロ口",
        "カ力",
        "ニ二",
        "エ工",
        "タ夕",
    )
    bundle_size: int = Field(default=8, ge=1, le=50)
    longest_shown: int = Field(default=120, ge=20)
