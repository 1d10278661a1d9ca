"""``python -m receipts_agent``: the same as ``python runner.py``."""

import sys

from .serve import main

if __name__ == "__main__":
    sys.exit(main())
