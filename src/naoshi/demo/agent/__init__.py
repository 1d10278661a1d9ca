"""The receipts agent of the demonstration: a small program in a git repository of its own.

`write_agent` puts it where it shall live. What stands there afterwards needs only Python: a fixed runner and
a deliberately basic ``harness/``, which is all that a coding agent may edit.
"""

from naoshi.demo.agent.write_agent import write_agent

__all__ = ["write_agent"]
