"""What a change does to each file, read from git's objects rather than from a text that could be forged."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from naoshi.system.git import Git

NO_MODE = "000000"
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"
EXECUTABLE_MODE = "100755"


@dataclass(frozen=True, kw_only=True)
class AddedLine:
    """A line that the change brought: its number in the new file (from 1) and its text."""

    number: int
    text: str


@dataclass(frozen=True, kw_only=True)
class FileDiff:
    """One file of a change. Modes are git's (``000000``: not there); ``before`` and ``after`` are the texts.

    ``added`` are the lines of the new file that the old one does not have, moved lines not counted.
    ``is_text`` is False for content with NUL bytes or that is not UTF-8.
    """

    path: str
    old_mode: str
    new_mode: str
    before: str
    after: str
    added: tuple[AddedLine, ...]
    is_text: bool


@dataclass(frozen=True, kw_only=True)
class TreeDiff:
    """All that a change does, by path."""

    files: tuple[FileDiff, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that the change adds, alters or removes; a renamed file counts under both names."""
        return tuple(item.path for item in self.files)


def read_tree_diff(git: Git, base: str, tree: str) -> TreeDiff:
    """Return what leads from *base* to *tree* (names of commits or trees).

    Raises:
        RepositoryError: one of them is not there.
    """
    raw = git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", base, tree).split("\0")
    entries = [(raw[index].lstrip(":").split(" "), raw[index + 1]) for index in range(0, len(raw) - 1, 2)]
    names = [name for words, _ in entries for name, mode in ((words[2], words[0]), (words[3], words[1])) if _blob(mode)]
    contents = _contents(git, list(dict.fromkeys(names)))
    return TreeDiff(
        files=tuple(
            _file_diff(path, words[0], words[1], contents.get(words[2], ""), contents.get(words[3], ""))
            for words, path in entries
        )
    )


def _blob(mode: str) -> bool:
    return mode not in (NO_MODE, SUBMODULE_MODE)


def _file_diff(path: str, old_mode: str, new_mode: str, before: str, after: str) -> FileDiff:
    old = Counter(before.split("\n"))
    added: list[AddedLine] = []
    for number, text in enumerate(after.split("\n") if after else (), start=1):
        if old[text] > 0:
            old[text] -= 1
        elif text:
            added.append(AddedLine(number=number, text=text))
    return FileDiff(
        path=path,
        old_mode=old_mode,
        new_mode=new_mode,
        before=before,
        after=after,
        added=tuple(added),
        is_text="\0" not in after and ("\ufffd" not in after or "\ufffd" in before),
    )


def _contents(git: Git, names: Sequence[str]) -> dict[str, str]:
    """Return the contents of all *names* with one call of git; a random word tells them apart."""
    if not names:
        return {}
    mark = secrets.token_hex(16)
    told = git("cat-file", f"--batch=%(objectname) {mark}", stdin=("\n".join(names) + "\n").encode())
    contents: dict[str, str] = {}
    for name, following in zip(names, [*names[1:], None], strict=True):
        begin = told.index(f"{name} {mark}\n") + len(name) + len(mark) + 2
        end = told.index(f"\n{following} {mark}\n", begin - 1) if following else len(told)
        contents[name] = told[begin:end]
    return contents
