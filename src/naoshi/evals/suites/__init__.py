"""What can be said of all cases together: a smoke suite, weights of sources, likeness, contradiction, flakiness."""
