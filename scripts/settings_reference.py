"""The page of all settings, as their pydantic models describe them."""

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

PAGE = Path("docs/settings.md")
SOURCE = "naoshi.app.settings"

_PREFACE = """\
# Settings

<!-- Written by `make docs` from the models of the settings; change their docstrings instead. -->

Settings stand in `naoshi.toml` at the top of your repository, in the sections below. Every one has a default, and an
unknown name is refused. Where a variable of the environment is named, it wins over the file.
"""


@dataclass(frozen=True, kw_only=True)
class Section:
    """One table of `naoshi.toml`: ``path`` holds its names, ``<name>`` standing for one that the user chooses."""

    path: tuple[str, ...]
    model: type[BaseModel]

    @property
    def title(self) -> str:
        """Return the heading, as the table is written in TOML."""
        return f"`[{'.'.join(self.path)}]`" if self.path else "At the top of the file"


def settings_model() -> type[BaseModel]:
    """Return the model of all settings."""
    return import_module(SOURCE).Settings


def sections(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[Section]:
    """Yield *model* and all models inside it, outer ones first."""
    yield Section(path=path, model=model)
    for name, field in settings_of(model).items():
        for inner in _models_in(field.annotation):
            many = _type_text(field).startswith("dict[")
            yield from sections(inner, (*path, name, "<name>") if many else (*path, name))


def settings_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of *model* that a person may set; the version of a record's schema is none of them."""
    return {name: field for name, field in model.model_fields.items() if name != "schema_version"}


def about(model: type[BaseModel]) -> str:
    """Return the docstrings of *model* and of the models that it takes settings from, its own first."""
    names = settings_of(model).keys()
    sources = [
        kind for kind in model.__mro__ if issubclass(kind, BaseModel) and inspect.get_annotations(kind).keys() & names
    ]
    texts = (kind.__doc__ for kind in sources)
    return "\n\n".join(inspect.cleandoc(text) for text in texts if text)


def explanation(section: Section, name: str) -> str | None:
    """Return how the setting called *name* is explained, or None when it is not.

    Its own description comes first; else the model's docstring names it in double back-ticks, or its values are an
    enumeration's or a section's, which explain themselves.
    """
    field = section.model.model_fields[name]
    if field.description:
        return field.description
    enumeration = next(_enumerations_in(field.annotation), None)
    if enumeration is not None:
        return " ".join((enumeration.__doc__ or "").split()).replace("``", "`")
    if f"``{name}``" in about(section.model):
        return "see above"
    inner = next(_models_in(field.annotation), None)
    return "a section of its own" if inner is not None else None


def render() -> str:
    """Return the page in Markdown."""
    model = settings_model()
    return "\n".join([_PREFACE, *(_section_text(model, section) for section in sections(model))])


def _section_text(root: type[BaseModel], section: Section) -> str:
    meaning = about(section.model).replace("``", "`")
    lines = [
        f"## {section.title}",
        "",
        meaning,
        "",
        "| setting | type | default | variable | about |",
        "|---|---|---|---|---|",
    ]
    for name, field in settings_of(section.model).items():
        cells = (
            f"`{field.alias or name}`",
            f"`{_type_text(field)}`",
            _default_text(field),
            _variable(root, section, name, field),
            explanation(section, name) or "",
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _type_text(field: FieldInfo) -> str:
    text = inspect.formatannotation(field.annotation)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def _default_text(field: FieldInfo) -> str:
    if field.is_required():
        return "(must be given)"
    default = field.get_default(call_default_factory=True, validated_data={})
    if default is None:
        return "(none)"
    if isinstance(default, BaseModel):
        return "(its own defaults)"
    return f"`{json.dumps(to_jsonable_python(default), ensure_ascii=False)}`"


def _variable(root: type[BaseModel], section: Section, name: str, field: FieldInfo) -> str:
    """Return the variable of the environment that sets the field, as pydantic-settings looks for it."""
    if isinstance(field.validation_alias, str):
        return f"`{field.validation_alias}`"
    configuration: dict[str, Any] = dict(root.model_config)
    delimiter = configuration.get("env_nested_delimiter")
    if "env_prefix" not in configuration or "<name>" in section.path or (section.path and not delimiter):
        return ""
    return f"`{configuration['env_prefix']}{(delimiter or '').join((*section.path, name))}`".upper()


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _enumerations_in(annotation: object) -> Iterator[type[Enum]]:
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        yield annotation
    for argument in get_args(annotation):
        yield from _enumerations_in(argument)
