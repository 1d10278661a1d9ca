"""What `naoshi doctor` found."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at. ``state`` is ``ok``, ``missing`` (work stops without it) or ``optional``."""

    subject: str
    state: str
    detail: str
    remedy: str = ""
