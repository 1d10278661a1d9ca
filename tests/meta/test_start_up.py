"""What is loaded at start-up; what that costs in seconds is measured by `make bench`, not asserted."""

import json
import subprocess
import sys

import pytest

from tests.meta.source_tree import once_written

HEAVY = frozenset(
    {"sqlalchemy", "dbos", "scipy", "numpy", "altair", "vl_convert", "rich", "yaml", "jinja2", "jsonschema"}
)
# Other people's agents import these: pydantic is all that may come along.
LIGHT = HEAVY | {"typer", "click", "pydantic_settings", "regex", "psycopg", "redis", "asyncio"}
# Loading it costs as much as all the rest of `naoshi --help` together.
PYDANTIC = frozenset({"pydantic", "pydantic_settings"})
OF_OURS = frozenset({"store", "evals", "repair", "ui", "app", "flow", "signals", "triage", "gate", "release", "demo"})


def _loaded_by(module: str) -> set[str]:
    """Return what a fresh interpreter has loaded after `import module`, beyond what it starts with."""
    code = (
        "import json, sys; before = set(sys.modules); "
        f"import {module}; print(json.dumps(list(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def _roots(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_the_package_itself_loads_nothing_from_outside():
    """Protects `import naoshi` < 0.05 s: not even pydantic comes along."""
    loaded = _loaded_by("naoshi")
    assert _roots(loaded) - sys.stdlib_module_names <= {"naoshi"}
    assert {name for name in loaded if name.startswith("naoshi.")} == set()


@pytest.mark.parametrize("module", ["naoshi.confirm", "naoshi.capture"])
def test_what_runs_in_other_peoples_agents_stays_light(module: str):
    """Protects other people's processes: pydantic and the standard library, and none of our stages."""
    loaded = _loaded_by(module)
    assert _roots(loaded) & LIGHT == set()
    assert {name for name in loaded if name.startswith("naoshi.") and name.split(".")[1] in OF_OURS} == set()


@pytest.mark.parametrize("module", ["naoshi.errors", "naoshi.records", "naoshi.system", "naoshi.store"])
def test_the_layers_below_the_stages_load_nothing_heavy(module: str):
    """Protects every command: what all of them import costs no library that only some need."""
    assert _roots(_loaded_by(module)) & HEAVY == set()


def test_the_command_line_loads_nothing_heavy():
    """Protects `naoshi --help` < 0.3 s: a library is loaded by the command that needs it."""
    once_written("naoshi.ui.cli.command_line")
    assert _roots(_loaded_by("naoshi.ui.cli.all_commands")) & (HEAVY | PYDANTIC) == set()


def test_help_itself_loads_nothing_heavier_than_its_own_renderer():
    """Protects the first command that anybody types, from the parsing of it to its last line."""
    once_written("naoshi.ui.cli.main")
    code = (
        "import sys, json, atexit\n"
        "atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr))\n"
        "sys.argv = ['naoshi', '--help']\n"
        "from naoshi.ui.cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout
    # That one is ours, in the place of pydantic's.
    loaded = set(json.loads(done.stderr.splitlines()[-1])) - {"pydantic.plugin._loader"}
    assert _roots(loaded) & (HEAVY - {"rich"} | PYDANTIC) == set()
