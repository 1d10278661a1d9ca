"""Pydantic looks for no plugins in a command, and nothing else of it changes."""

import json
import subprocess
import sys

BEGIN = "import sys, json\nfrom naoshi.ui.cli.no_plugins import NoPlugins\nNoPlugins.stand_in()\n"


def told_by(code: str) -> object:
    done = subprocess.run([sys.executable, "-I", "-c", BEGIN + code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_models_work_and_the_metadata_of_packages_is_not_read():
    """Protects the time that each command takes to start."""
    code = (
        "from pydantic import BaseModel, ValidationError\n"
        "class Model(BaseModel):\n    number: int\n"
        "try: Model(number='x'); refused = False\n"
        "except ValidationError: refused = True\n"
        "print(json.dumps([Model(number='3').number, refused, 'importlib.metadata' in sys.modules]))\n"
    )
    assert told_by(code) == [3, True, False]


def test_it_makes_way_for_the_real_module():
    """Protects against other releases of pydantic: what we do not stand in for is pydantic's own."""
    code = (
        "from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP\n"
        "from pydantic.plugin import _loader\n"
        "print(json.dumps([PYDANTIC_ENTRY_POINT_GROUP, type(sys.modules['pydantic.plugin._loader']).__name__]))\n"
    )
    assert told_by(code) == ["pydantic", "module"]


def test_a_loaded_module_is_left_in_place():
    """Protects programs that have loaded pydantic, with its plugins, before."""
    code = (
        "del sys.modules['pydantic.plugin._loader']\nimport pydantic.plugin._loader as real\nNoPlugins.stand_in()\n"
        "print(json.dumps(sys.modules['pydantic.plugin._loader'] is real))\n"
    )
    assert told_by(code) is True
