"""Starts the receipts agent: requests as JSON lines on standard input, answers on standard output.

The data root is the environment variable NAOSHI_DATA_ROOT (the current directory without it).
"""

import runpy

if __name__ == "__main__":
    runpy.run_module("receipts_agent", run_name="__main__")
