"""The `[review]` section of naoshi.toml."""

from pydantic import BaseModel, ConfigDict, Field

from naoshi.records.language import Language


class ReviewSettings(BaseModel):
    """Who reviews changes, and how a review that has become a formality is noticed.

    ``reviewers`` take turns; without any, whoever runs the command reviews. ``sample_rate`` is the share (0 to 1) of
    production traces that experts look at. ``alarm_above`` is the share (0 to 1) of approvals without change above
    which an alarm is raised, once there are ``alarm_minimum`` decisions. ``shown_lines`` of the diff are shown at once.
    ``language`` (``en`` or ``ja``) is that of the question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reviewers: tuple[str, ...] = ()
    sample_rate: float = Field(default=0.05, ge=0, le=1)
    alarm_above: float = Field(default=0.99, ge=0, le=1)
    alarm_minimum: int = Field(default=50, ge=1)
    shown_lines: int = Field(default=60, ge=1)
    language: Language = "en"
