"""Failure signals from traces, by machine: output contract, evidence coverage, field corrections, and their groups.

The checks are loaded when they are first used, since the contract needs the JSON schema library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from naoshi.signals.failure_type import FailureType, correction_failure
from naoshi.signals.group import group
from naoshi.signals.make_correction import make_correction
from naoshi.signals.settings import ArtifactContract, ArtifactKind, ContractSettings, EvidenceSettings

if TYPE_CHECKING:
    from naoshi.signals.contract import check_contract
    from naoshi.signals.corrections import signals_of_corrections
    from naoshi.signals.corrections_reader import CorrectionTable, read_corrections
    from naoshi.signals.evidence import check_evidence

__all__ = [
    "ArtifactContract",
    "ArtifactKind",
    "ContractSettings",
    "CorrectionTable",
    "EvidenceSettings",
    "FailureType",
    "check_contract",
    "check_evidence",
    "correction_failure",
    "group",
    "make_correction",
    "read_corrections",
    "signals_of_corrections",
]

_HOME = {
    "CorrectionTable": "corrections_reader",
    "check_contract": "contract",
    "check_evidence": "evidence",
    "read_corrections": "corrections_reader",
    "signals_of_corrections": "corrections",
}


def __getattr__(name: str) -> Any:
    """Load the check's module at its first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'naoshi.signals' has no attribute {name!r}")
    value = getattr(import_module(f"naoshi.signals.{home}"), name)
    globals()[name] = value
    return value
