"""What a pipeline reads of a run and its verdict: JUnit XML and a step summary."""
