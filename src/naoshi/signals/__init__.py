"""Failure signals from traces, by machine: output contract, evidence coverage, field corrections, and their groups."""
