"""Keeps pydantic from looking for plugins through every installed package; none of our commands uses one."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_LOADER = "pydantic.plugin._loader"


class NoPlugins(ModuleType):
    """Stands in for the module of pydantic that finds plugins, and makes way for it when asked for anything else.

    With ``PYDANTIC_DISABLE_PLUGINS=__all__`` pydantic finds none either, but has loaded by then what reads the metadata
    of packages, mail headers and archives, which takes as long as asking and grading a hundred cases.
    """

    @classmethod
    def stand_in(cls) -> None:
        """Take the module's place, if it is not loaded yet."""
        sys.modules.setdefault(_LOADER, cls(_LOADER))

    def get_plugins(self) -> tuple[()]:
        """Return the plugins: none."""
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(_LOADER) is self:
            del sys.modules[_LOADER]
        return getattr(import_module(_LOADER), name)
