"""From ranked failures to a change that is proven: diagnosis, handoff, coding agents, scan and certificate."""
