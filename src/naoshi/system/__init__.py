"""The machine below the stages: durable files, bounded child processes, and git."""
