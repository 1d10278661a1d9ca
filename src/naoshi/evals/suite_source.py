"""The files that a suite refers to. They lie in the suite's own folder or below, where no change may touch them."""

from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import InputError, SuiteError
from naoshi.evals.javascript import as_compact_json, trimmed
from naoshi.evals.yaml_document import YamlDocument
from naoshi.system.files import inside

_PREFIX = "file://"
_DATA = frozenset({".json", ".yaml", ".yml"})
_TEXT = frozenset({".csv", ".eml", ".htm", ".html", ".json", ".jsonl", ".log", ".md", ".tsv", ".txt", ".xml"})
_MAGIC = frozenset("*?[")


def bytes_of(path: Path) -> bytes:
    """Return the content of *path*.

    Raises:
        SuiteError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise SuiteError(f"cannot read {path.name}: {error.strerror or error}") from error


class ReadsOtherFilesError(Exception):
    """The suite refers to another file, so that its own bytes do not tell all that it says."""


class SuiteSource:
    """The folder that references start from, None where the suite may refer to nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def found(self, reference: str) -> list[Path]:
        """Return the files that *reference* (a path or a pattern, with or without ``file://``) stands for, sorted.

        Raises:
            SuiteError: there is none, or it leads out of the folder.
            ReadsOtherFilesError: there is no folder.
        """
        if self._folder is None:
            raise ReadsOtherFilesError
        name = reference.removeprefix(_PREFIX)
        if "://" in name:
            raise SuiteError(f"what lies at an address ({name[:200]!r}) is not supported; put it beside the suite")
        try:
            paths = self._meant(self._folder, name)
            missing = [path for path in paths if not path.is_file()]
        except (OSError, ValueError) as error:
            raise SuiteError(f"{name[:200]!r} is no path of a file: {str(error)[:80]}") from error
        if missing or not paths:
            raise SuiteError(f"there is no file {name[:200]!r} beside the suite")
        return paths

    def _meant(self, folder: Path, name: str) -> list[Path]:
        found = self._inside(name)
        if _MAGIC.isdisjoint(name):
            return [found]
        return sorted(self._inside(str(path.relative_to(folder))) for path in folder.glob(name))

    def text(self, reference: str) -> str:
        """Return the text of the one file that *reference* stands for.

        Raises:
            SuiteError: there is none, it leads out of the folder, or is not UTF-8.
        """
        paths = self.found(reference)
        if len(paths) != 1:
            raise SuiteError(f"{reference[:200]!r} stands for {len(paths)} files, where one is meant")
        try:
            return bytes_of(paths[0]).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SuiteError(f"{reference[:200]!r} is not UTF-8 text") from error

    def value(self, reference: str) -> JsonValue:
        """Return what the file holds: JSON or YAML as data, ``.txt`` as text without white space at its ends.

        Raises:
            SuiteError: it is of another kind, or cannot be read.
        """
        suffix = Path(reference).suffix.lower()
        if suffix in _DATA:
            document = YamlDocument(name=reference, data=self.text(reference).encode())
            return document.value(document.root)
        if suffix == ".txt":
            return self.text(reference).strip()
        raise SuiteError(f"a value from {reference[:200]!r} is not supported; take .json, .yaml or .txt")

    def variable(self, reference: str) -> str:
        """Return what a variable becomes that names the file: its text, as Promptfoo has it, also where that is JSON.

        Raises:
            SuiteError: it is of a kind that is no text, or cannot be read.
        """
        suffix = Path(reference).suffix.lower()
        if suffix in (".yaml", ".yml"):
            return as_compact_json(self.value(reference))
        if suffix not in _TEXT:
            known = ", ".join(sorted(_TEXT | {".yaml", ".yml"}))
            raise SuiteError(f"a variable from {reference[:200]!r} is not supported; take one of {known}")
        return trimmed(self.text(reference))

    def _inside(self, name: str) -> Path:
        folder = self._folder or Path()
        try:
            return inside(folder, name)
        except InputError as error:
            raise SuiteError(
                f"{name[:200]!r} lies outside the suite's folder", hint="put it beside the suite or below it"
            ) from error
