"""Tells answers that an agent works out from answers that it only remembers, by asking again in another dress."""

import hashlib
import json
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

from naoshi.errors import StoreError
from naoshi.records import CertificateCheck, EvalCase, EvalRun, ResultState, Split
from naoshi.records.base import canonical_json
from naoshi.repair.other_dress import Dress, Dressed, dress

Ask = Callable[[Sequence[EvalCase], Path | None], EvalRun]
"""Runs cases with the documents in a folder (None: as the settings say)."""

CHECK = "not_from_memory"
_LEVEL = 0.05
_LOST = (ResultState.fail, ResultState.agent_error)
_LEAST = {Dress.renamed: 1, Dress.respaced: 2}
_HANGS_ON = {Dress.renamed: "the name of their input", Dress.respaced: "the name or the exact bytes of their input"}


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What asking again needs: the changed agent and the one before, how they answered, and where copies go.

    ``seed`` decides what is asked and under which names. ``first`` are the cases to be asked first (those that the
    change mended), ``most`` is how many inputs are asked.
    """

    changed: Ask
    base: Callable[[], Ask]
    after: EvalRun
    before: EvalRun
    cases: Sequence[EvalCase]
    first: Sequence[str]
    data_root: Path | None
    scratch: Path
    seed: str
    most: int

    def check(self) -> CertificateCheck:
        """Return whether the answers of the changed agent hold in another dress.

        An answer counts that was right, is right when the same is asked again, and twice is wrong or missing in
        another dress, in which the agent before loses no answer. Of an agent that answers the same to the same each
        time, one input that hangs on its name is too much, or two that hang on their bytes, or one on the order of the
        questions. An agent with chance in it is refused when a sign test says at 5 % that the dress is the reason.

        Raises:
            StoreError: a document cannot be copied.
        """
        sample = self._sample()
        if not sample:
            return CertificateCheck(name=CHECK, held=True, detail="nothing was asked again")
        inputs = {case.case_id: canonical_json(case.vars) for case in sample}
        asked = f"{len(set(inputs.values()))} inputs"
        doubtful: list[str] = []
        plain: _Plain | None = None
        for how in (Dress.respaced, Dress.renamed):
            dressed = self._dressed(sample, how)
            once = self._lost(dressed, self.changed(dressed.cases, dressed.data_root))
            if not once:
                break
            plain = plain or self._asked_plainly(sample)
            if plain.hangs_on_order:
                return _refused(f"the answers to {asked} hang on the order in which they are asked")
            if not self._is_borne(dressed):
                doubtful.append(how.value)
                continue
            twice = once & self._lost(dressed, self.changed(dressed.cases, dressed.data_root))
            lost = len({inputs[name] for name in twice - plain.wrong})
            gained = len({inputs[name] for name in plain.wrong - once})
            if _is_memory(lost, gained, has_chance=plain.has_chance, least=_LEAST[how]):
                return _refused(f"the right answers to {lost} of {asked} hang on {_HANGS_ON[how]}")
        detail = f"{asked} asked again under other names"
        if doubtful:
            detail += f"; the agent before did not bear inputs that are {' or '.join(doubtful)}"
        return CertificateCheck(name=CHECK, held=True, detail=detail)

    def _sample(self) -> list[EvalCase]:
        """Return the cases of at most ``most`` inputs that were answered right, in an order that none can foresee."""
        states = self.after.case_states()
        inputs: dict[str, list[EvalCase]] = {}
        for case in self.cases:
            if case.split is not Split.holdout and states.get(case.case_id) is ResultState.pass_ and _is_plain(case):
                inputs.setdefault(canonical_json(case.vars), []).append(case)
        first = set(self.first)
        order = sorted(inputs, key=self._drawn)
        mended = {name for name in order if any(case.case_id in first for case in inputs[name])}
        others = [name for name in order if name not in mended]
        # Half of them are what the change mended, or more where there is not that much else.
        half = max(self.most - len(others), (self.most + 1) // 2)
        chosen = [*[name for name in order if name in mended][:half], *others][: self.most]
        return [case for name in sorted(chosen, key=self._drawn) for case in inputs[name]]

    def _drawn(self, name: str) -> str:
        return hashlib.sha256(f"{self.seed}:{name}".encode("utf-8", "surrogatepass")).hexdigest()

    def _dressed(self, sample: Sequence[EvalCase], how: Dress) -> Dressed:
        try:
            return dress(sample, how, data_root=self.data_root, target=self.scratch / how.value, seed=self.seed)
        except OSError as error:
            raise StoreError(f"cannot copy a document to ask again: {error.strerror or error}") from error

    def _asked_plainly(self, sample: Sequence[EvalCase]) -> "_Plain":
        """Ask *sample* twice more just as it is, but for the order; the agent before is asked where that matters."""
        one, two = self.changed(sample, None), self.changed(sample, None)
        names = {case.case_id for case in sample}
        has_chance = _outputs(one, names) != _outputs(two, names)
        wrong = _wrong(one)
        hangs = bool(wrong) and not has_chance
        if hangs:
            right = {name for name, state in self.before.case_states().items() if state is ResultState.pass_}
            hangs = not _wrong(self.base()(sample, None)) & right
        return _Plain(wrong=wrong, has_chance=has_chance or bool(wrong), hangs_on_order=hangs)

    def _lost(self, dressed: Dressed, run: EvalRun) -> frozenset[str]:
        return frozenset(dressed.names[name] for name, state in run.case_states().items() if state in _LOST)

    def _is_borne(self, dressed: Dressed) -> bool:
        """Return whether the agent before keeps its right answers in this dress, or any answers where none is right."""
        run = self.base()(dressed.cases, dressed.data_root)
        right = {name for name, state in self.before.case_states().items() if state is ResultState.pass_}
        mine = {dressed.names[case.case_id] for case in dressed.cases}
        if mine & right:
            return not self._lost(dressed, run) & right
        said = {dressed.names[result.case_id]: dressed.undressed(result.output) for result in run.results}
        return said == _outputs(self.before, mine)


@dataclass(frozen=True, kw_only=True)
class _Plain:
    """How the same questions, asked again as they are, were answered: those that are wrong now, and what that says."""

    wrong: frozenset[str]
    has_chance: bool
    hangs_on_order: bool


def _is_memory(lost: int, gained: int, *, has_chance: bool, least: int) -> bool:
    """Return whether *lost* inputs are too many, where *gained* have it the other way round."""
    if not has_chance:
        return lost >= least
    tried = lost + gained
    return sum(comb(tried, number) for number in range(lost, tried + 1)) / 2**tried <= _LEVEL


def _wrong(run: EvalRun) -> frozenset[str]:
    return frozenset(name for name, state in run.case_states().items() if state is not ResultState.pass_)


def _is_plain(case: EvalCase) -> bool:
    """Return whether no assertion speaks of the input, whose name will be another one."""
    text = canonical_json([vars(item) for item in case.assertions])
    return not any(word in text for word in ("{{", "vars", "context."))


def _outputs(run: EvalRun, names: Container[str]) -> dict[str, str]:
    """Return the output of the first trial of each case in *names*."""
    return {
        result.case_id: json.dumps(result.output, ensure_ascii=False, sort_keys=True)
        for result in run.results
        if result.trial == 0 and result.case_id in names
    }


def _refused(detail: str) -> CertificateCheck:
    return CertificateCheck(name=CHECK, held=False, detail=detail)
