"""Permanent cases: minted from corrections, kept as Promptfoo suites, run against versions of the agent."""
