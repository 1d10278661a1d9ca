"""Looking through all cases for those that say the same, and for those that cannot all pass."""

from dataclasses import dataclass

from naoshi.errors import InputError
from naoshi.evals.suites.contradictions import Contradicting, contradictions
from naoshi.evals.suites.likeness import NearDuplicates, near_duplicates
from naoshi.flow.loop import Loop
from naoshi.flow.suites import load_cases
from naoshi.system.files import inside

_LONGEST_PATH = 300
_LONGEST_DOCUMENT = 200_000


@dataclass(frozen=True, kw_only=True)
class CaseCheck:
    """What was found among ``cases`` cases."""

    cases: int
    near_duplicates: tuple[NearDuplicates, ...]
    contradictions: tuple[Contradicting, ...]


def check_cases(loop: Loop) -> CaseCheck:
    """Return the near-duplicates and contradictions among the cases of all suites, the holdout's too.

    Where an input names a document below the data root, the document's text is compared.

    Raises:
        SuiteError: a suite cannot be read.
    """
    cases = load_cases(loop)
    documents = _Documents(loop)
    return CaseCheck(
        cases=len(cases),
        near_duplicates=near_duplicates(cases, threshold=loop.settings.evals.near_duplicate, text_of=documents.text_of),
        contradictions=contradictions(cases),
    )


class _Documents:
    def __init__(self, loop: Loop) -> None:
        self._root = loop.data_root
        self._known: dict[str, str] = {}

    def text_of(self, value: str) -> str:
        """Return the text of the document that *value* names, or *value* where it names none."""
        if value not in self._known:
            self._known[value] = self._read(value) or value
        return self._known[value]

    def _read(self, value: str) -> str | None:
        if not value or len(value) > _LONGEST_PATH or "\n" in value:
            return None
        try:
            path = inside(self._root, value)
            if not path.is_file() or path.stat().st_size > _LONGEST_DOCUMENT:
                return None
            return path.read_bytes().decode("utf-8")
        except (InputError, OSError, UnicodeDecodeError):
            return None
