"""Promptfoo reads texts in a suite as Nunjucks templates; here are the parts of that language that we read and write.

A text that we write is escaped, so that Promptfoo and we both see it as it is. Of the templates that people write,
we read ``{{ name }}``, ``{{ name.part }}``, ``{{ 'text' }}`` and ``{% raw %}…{% endraw %}``; anything else is refused.
"""

import re
from collections.abc import Mapping

from pydantic import JsonValue

from naoshi.evals.javascript import number_text

_MARKER = re.compile(r"\{\{|\{%|\{#|#\}|\A(?:file|package)(?=:)")
_TAG = re.compile(
    r"""
    \{%-?\s*raw\s*-?%\}(?P<raw>.*?)\{%-?\s*endraw\s*-?%\}
    | \{\{\s*(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}
    | \{\{\s*(?:'(?P<single>[^'\\]*)'|"(?P<double>[^"\\]*)")\s*\}\}
    | (?P<other>\{\{|\{%|\{\#|\#\})
    """,
    re.VERBOSE | re.DOTALL,
)


class TemplateError(ValueError):
    """A text holds a template that we cannot read as Promptfoo would."""


def escape(text: str) -> str:
    """Return the template that renders to *text*, whatever it holds."""
    return text if not may_hold_template(text) else _MARKER.sub(lambda found: "{{ '" + found[0] + "' }}", text)


def may_hold_template(text: str) -> bool:
    """Return False where *text* renders to itself for certain and needs no escape, as nearly every text does."""
    return "{" in text or "#}" in text or text.startswith(("file:", "package:"))


def render(text: str, names: Mapping[str, JsonValue]) -> str:
    """Return *text* with its templates filled from *names*.

    Raises:
        TemplateError: a template is outside what we read, names nothing, or names a value that is not plain.
    """
    if not may_hold_template(text):
        return text
    if text.startswith(("file:", "package:")):
        raise TemplateError(f"a value that is read from elsewhere ({text[:80]!r}) is not supported; write it here")
    return _TAG.sub(lambda found: _filled(found, names), text)


def _filled(found: re.Match[str], names: Mapping[str, JsonValue]) -> str:
    if found["other"]:
        shown = found.string[found.start() : found.start() + 60]
        raise TemplateError(f"the template at {shown!r} is not supported")
    for literal in ("raw", "single", "double"):
        if found[literal] is not None:
            return found[literal]
    return _looked_up(found["name"], names)


def _looked_up(path: str, names: Mapping[str, JsonValue]) -> str:
    value: JsonValue | Mapping[str, JsonValue] = names
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise TemplateError(f"the template {{{{ {path} }}}} names nothing in `vars`")
        value = value[part]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if not isinstance(value, str):
        raise TemplateError(f"the template {{{{ {path} }}}} names a value that is not text or a number")
    return value
