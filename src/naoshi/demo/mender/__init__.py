"""The demonstration's mender: a coding agent without a model, which learns rules from corrected values."""
