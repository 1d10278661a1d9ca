"""The `[privacy]` section of naoshi.toml."""

from pydantic import BaseModel, ConfigDict

from naoshi.capture.personal_forms import PersonalData


class PrivacySettings(BaseModel):
    """Which kinds of personal data are masked. Secrets (keys, tokens, passwords) are masked whatever stands here.

    ``handed_out`` is masked in all that a repair hands out: handoffs and the traces beside them, exports for HALO, what
    a model is asked that diagnoses or looks for a prompt, pull requests, and what is kept of a coding agent's work.
    ``stored`` is masked in traces as they are taken in; none is by default, since a case is run on what its trace says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    handed_out: tuple[PersonalData, ...] = tuple(PersonalData)
    stored: tuple[PersonalData, ...] = ()
