"""Judges a candidate run against the baseline, category by category, with every reason."""
