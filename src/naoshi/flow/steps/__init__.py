"""What a cycle does, step by step. Each step takes the cycle's record and returns it with the next step named."""

from collections.abc import Callable, Mapping

from naoshi.flow.loop import Loop
from naoshi.flow.steps.attempt import certify_step, hand_off_step, repair_step
from naoshi.flow.steps.diagnose import diagnose_step
from naoshi.flow.steps.gate import gate_step
from naoshi.flow.steps.mint import mint_step
from naoshi.flow.steps.observe import observe_step
from naoshi.flow.steps.release import release_step
from naoshi.flow.steps.review import review_step
from naoshi.flow.steps.run import run_step
from naoshi.flow.steps.triage import triage_step
from naoshi.records import Cycle

Step = Callable[[Loop, Cycle], Cycle]

FIRST_STEP = "triage"
STEPS: Mapping[str, Step] = {
    "triage": triage_step,
    "signals": observe_step,
    "mint": mint_step,
    "run": run_step,
    "diagnose": diagnose_step,
    "handoff": hand_off_step,
    "repair": repair_step,
    "certify": certify_step,
    "gate": gate_step,
    "review": review_step,
    "release": release_step,
}
