"""What loading the package costs the agent that uses it."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
import pydantic
class First(pydantic.BaseModel):
    value: int
first = First(value=1)
before = set(sys.modules)
began = time.process_time()
import naoshi.confirm
for name in {names}:
    getattr(naoshi.confirm, name)
took = time.process_time() - began
roots = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(took, *sorted(roots - set(sys.stdlib_module_names)))
"""
ALLOWED = {"naoshi", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
TURN = '("Confirmations", "FileStore")'


def loaded(names: str) -> tuple[float, set[str]]:
    """Return the seconds of the processor that loading *names* took after a first model, and what came with them."""
    program = PROGRAM.format(names=names)
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    took, *roots = output.split()
    return float(took), set(roots)


def test_all_of_confirm_loads_pydantic_alone() -> None:
    """Protects other people's agents from our dependencies, whatever they use of it."""
    assert loaded("naoshi.confirm.__all__")[1] <= ALLOWED


@pytest.mark.parametrize(("names", "seconds"), [("()", 0.05), (TURN, 0.05 * 2)])
def test_it_is_loaded_quickly(names: str, seconds: float) -> None:
    """Protects their start from ours: 0.05 s (twice that for what a turn needs, on a busy machine)."""
    assert min(loaded(names)[0] for _ in range(5)) < seconds
