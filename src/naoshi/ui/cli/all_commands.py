"""The command line with every command, for what describes it (`make docs`) rather than runs it."""

from naoshi.ui.cli.command_line import command_line

app = command_line()
