"""The gate judges a suite only after it has passed its test of itself on it."""

from naoshi.errors import GateUntrustedError
from naoshi.flow.loop import Loop
from naoshi.gate.self_test import self_test, self_test_key
from naoshi.gate.trials import is_unknown
from naoshi.records import EvalRun, GateSelfTest


def require_trusted(loop: Loop, candidate: EvalRun, held_against: EvalRun | None) -> None:
    """Check that the gate can be trusted on the suite of these runs; what was tested once is remembered.

    The results of the run that is *held_against* are used, or else the candidate's. Where neither says anything of the
    agent there is nothing to test with, and no verdict on them can be a pass.

    Raises:
        GateUntrustedError: it let a known regression through, or blocked a run held against itself.
    """
    run = next((run for run in (held_against, candidate) if run is not None and _says_anything(run)), None)
    if run is None:
        return
    found = _remembered(loop, run) or have_gate_tested(loop, run)
    if not found.passed:
        wrong = [probe for probe in found.probes if not probe.held]
        told = [f"{probe.name}{f' of {probe.category}' if probe.category else ''}" for probe in wrong]
        named = "; ".join(told[:3]) or "no category can block"
        raise GateUntrustedError(f"the gate failed its test of itself on this suite: {named}")


def have_gate_tested(loop: Loop, run: EvalRun) -> GateSelfTest:
    """Have the gate test itself on the suite of *run*, with the policy of the settings, and keep what came of it."""
    found = self_test(run, loop.settings.gate, now=loop.clock())
    loop.store.self_tests.put(found)
    return found


def _remembered(loop: Loop, run: EvalRun) -> GateSelfTest | None:
    tests = loop.store.self_tests.find(key=self_test_key(run, loop.settings.gate))
    return tests[-1] if tests else None


def _says_anything(run: EvalRun) -> bool:
    return any(not is_unknown(result) for result in run.results)
