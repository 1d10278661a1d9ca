"""The assertions: what each needs, when it holds, and what is said when it does not."""

from naoshi.evals.assertions.kinds import KNOWN_TYPES, Kind, kind_of
from naoshi.evals.assertions.subject import Finding, Subject

__all__ = ["KNOWN_TYPES", "Finding", "Kind", "Subject", "kind_of"]
