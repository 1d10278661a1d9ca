"""An action as the guard knows it: a tool's name and its arguments as plain JSON."""

import inspect
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

from naoshi.errors import InputError
from naoshi.records.base import content_hash

_OF_THE_OBJECT = frozenset({"self", "cls"})


@dataclass(frozen=True, kw_only=True)
class GuardedAction:
    """One call of a tool. ``arguments`` is a copy as plain JSON, so that nothing changes it afterwards."""

    tool: str
    arguments: dict[str, JsonValue]

    @classmethod
    def checked(cls, tool: str, arguments: Mapping[str, Any]) -> "GuardedAction":
        """Return the action.

        Raises:
            InputError: the arguments are no JSON, nor values that pydantic can write as JSON.
        """
        try:
            text = json.dumps(
                dict(arguments), ensure_ascii=False, sort_keys=True, allow_nan=False, default=to_jsonable_python
            )
        except (TypeError, ValueError, RecursionError, PydanticSerializationError) as error:
            hint = "leave the argument out of what is approved with `guard.wrap(function, leave_out=[...])`"
            raise InputError(f"the arguments of {tool} cannot be written as JSON: {error}", hint=hint) from error
        plain = json.loads(text)
        # In the order of the call, as the person will read them.
        return cls(tool=tool, arguments={name: plain[name] for name in arguments if name in plain})

    @property
    def document(self) -> dict[str, JsonValue]:
        """The action as it is kept with its question."""
        return {"tool": self.tool, "arguments": self.arguments}

    @cached_property
    def digest(self) -> str:
        """The hash of the canonical JSON; one more space in an argument makes it another."""
        return content_hash(self.document)


def called_with(
    function: Callable[..., Any], positional: tuple[Any, ...], named: Mapping[str, Any], leave_out: Collection[str]
) -> dict[str, Any]:
    """Return the arguments of a call by name, defaults filled in, without the object of a method and *leave_out*.

    Raises:
        TypeError: *function* cannot be called so.
    """
    signature = inspect.signature(function)
    bound = signature.bind(*positional, **named)
    bound.apply_defaults()
    arguments: dict[str, Any] = {}
    for place, (name, value) in enumerate(bound.arguments.items()):
        if place == 0 and name in _OF_THE_OBJECT:
            continue
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            arguments |= value
        else:
            arguments[name] = value
    return {name: value for name, value in arguments.items() if name not in leave_out}
