"""The command line, a file for each group of commands. A command loads what it needs when it runs."""
