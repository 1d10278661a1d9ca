"""What loading the package costs the agent that uses it."""

import subprocess
import sys

PROGRAM = """
import sys, time
import pydantic
class First(pydantic.BaseModel):
    value: int
first = First(value=1)
before = set(sys.modules)
began = time.process_time()
import naoshi.confirm
for name in naoshi.confirm.__all__:
    getattr(naoshi.confirm, name)
took = time.process_time() - began
roots = {name.partition(".")[0] for name in set(sys.modules) - before}
print(took, *sorted(roots - set(sys.stdlib_module_names)))
"""
ALLOWED = {"naoshi", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}


def test_all_of_confirm_loads_pydantic_alone() -> None:
    """Protects other people's agents from our dependencies, and their start from ours, whatever they use of it."""
    output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    took, *roots = output.split()
    assert set(roots) <= ALLOWED
    assert float(took) < 0.25
