"""Writes the generated pages again: `python -m scripts.write_docs`, or `make docs`."""

import subprocess
import sys
from pathlib import Path

from scripts import architecture, cli_reference, settings_reference

ROOT = Path(__file__).resolve().parents[1]
GENERATORS = (architecture, cli_reference, settings_reference)


def main() -> int:
    """Write each page; say on the standard output what became of it; return 1 when one could not be made."""
    failed = 0
    for generator in GENERATORS:
        try:
            page = generator.render()
        except (ImportError, subprocess.CalledProcessError) as error:
            failed = 1
            print(f"{generator.PAGE}: left as it is, since {generator.SOURCE} cannot be loaded: {error}")
        else:
            (ROOT / generator.PAGE).write_text(page, encoding="utf-8")
            print(f"{generator.PAGE}: written")
    return failed


if __name__ == "__main__":
    sys.exit(main())
