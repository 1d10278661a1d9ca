"""Search for a better wording of one prompt file, where a change of the harness is only wording."""
