"""Writes the generated pages again: `python -m scripts.write_docs`, or `make docs`."""

import sys
from importlib.util import find_spec
from pathlib import Path

from scripts import architecture, cli_reference, settings_reference

ROOT = Path(__file__).resolve().parents[1]
GENERATORS = (architecture, cli_reference, settings_reference)


def main() -> int:
    """Write each page whose source is there; say on the standard output what was written."""
    for generator in GENERATORS:
        if find_spec(generator.SOURCE) is None:
            print(f"{generator.PAGE}: left out, {generator.SOURCE} is not written yet")
            continue
        page = ROOT / generator.PAGE
        page.write_text(generator.render(), encoding="utf-8")
        print(f"{generator.PAGE}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
