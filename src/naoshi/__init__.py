"""Naoshi makes an AI agent better from the corrections that people make to its work."""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"
__all__ = ["__version__", "capture", "confirm", "errors", "records"]  # pyright: ignore[reportUnsupportedDunderAll]

_LAZY = frozenset({"capture", "confirm", "errors", "records"})


def __getattr__(name: str) -> ModuleType:
    """Load a public subpackage when it is first used, so that ``import naoshi`` stays light."""
    if name in _LAZY:
        return import_module(f"naoshi.{name}")
    raise AttributeError(f"module 'naoshi' has no attribute {name!r}")
