"""What stands in a page of ours, as it is written and as a real browser shows it."""

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class ShownPage(HTMLParser):
    """The tags of a page with their attributes, and its text; ``source`` is all of it."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def in_browser(page: Path) -> ShownPage:
    """Return *page* as a real browser has it after all that runs in it has run; skip where there is none."""
    if _BROWSER is None:
        pytest.skip("there is no Chromium on this machine")
    words = [_BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}",
             "--virtual-time-budget=2000", "--dump-dom", page.as_uri()]  # fmt: skip
    shown = subprocess.run(words, capture_output=True, text=True, timeout=90)
    assert "<title>" in shown.stdout, shown.stderr[-500:]
    return ShownPage(shown.stdout)
