"""Triage: what becomes of a correction, by stated rules that a person confirms or overrides."""
