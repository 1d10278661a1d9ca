"""Triage: what becomes of a correction, by stated rules that a person confirms or overrides."""

from naoshi.triage.bundle import TriageBundle, TriageItem, bundle
from naoshi.triage.decide import decide
from naoshi.triage.propose import propose
from naoshi.triage.question import TriageAnswer, TriageChoice, TriageDecision, TriageQuestion, questions
from naoshi.triage.settings import Language, TriageSettings

__all__ = [
    "Language",
    "TriageAnswer",
    "TriageBundle",
    "TriageChoice",
    "TriageDecision",
    "TriageItem",
    "TriageQuestion",
    "TriageSettings",
    "bundle",
    "decide",
    "propose",
    "questions",
]
