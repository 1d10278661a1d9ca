"""Which approvals this process is using at this moment."""

from collections import Counter
from threading import Lock


class RunningClaims:
    """Counts, for each approval, the attempts to use it that are under way. Of several, one alone gets the claim."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    def begin(self, confirmation_id: str) -> None:
        """Count one attempt more."""
        with self._lock:
            self._counts[confirmation_id] += 1

    def end(self, confirmation_id: str) -> None:
        """Count one attempt less."""
        with self._lock:
            self._counts[confirmation_id] -= 1
            if self._counts[confirmation_id] <= 0:
                del self._counts[confirmation_id]

    def __contains__(self, confirmation_id: str) -> bool:
        return confirmation_id in self._counts
