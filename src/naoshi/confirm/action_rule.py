"""One rule of a policy: which actions it is about, and whether they can be undone."""

import math
from enum import StrEnum
from typing import Any, Self, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, JsonValue, model_validator

from naoshi.confirm.name_pattern import fits, is_pattern
from naoshi.records.base import canonical_json


class ActionClass(StrEnum):
    """Whether an action can be undone. ``reversible`` ones are never asked about."""

    reversible = "reversible"
    irreversible = "irreversible"


class ArgumentTest(BaseModel):
    """What one argument must be for the rule to match. One that is not given matches nothing but ``given = false``.

    A plain value instead of a table means ``equals``: the same JSON value. ``one_of`` is a list of such values.
    ``glob`` is held against the whole of a text, with ``*`` and ``?``; in a rule for reversible actions these do not
    cover quotes, brackets, line breaks, characters that a shell acts on, or ``..`` in a path. ``at_least`` and
    ``at_most`` bound a number, and may stand together. ``given`` says whether the argument is there at all: null and an
    empty text, list or table are not. A rule looks at no other arguments than those that it names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    equals: JsonValue = None
    one_of: tuple[JsonValue, ...] = ()
    glob: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    given: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain_value(cls, value: Any) -> Any:
        if isinstance(value, ArgumentTest | dict):
            return cast("Any", value)
        return {"equals": value}

    @model_validator(mode="after")
    def _is_one_test(self) -> Self:
        tests = self.model_fields_set - {"at_least", "at_most"}
        bounded = len(self.model_fields_set) > len(tests)
        if len(tests) + bounded != 1:
            raise ValueError("give one of equals, one_of, glob, given, or the bounds at_least and at_most")
        if "one_of" in tests and not self.one_of:
            raise ValueError("one_of must name a value")
        bounds = [bound for bound in (self.at_least, self.at_most) if bound is not None]
        if not all(map(math.isfinite, bounds)):
            raise ValueError("a bound must be a finite number")
        return self

    def holds(self, value: JsonValue, *, narrow: bool) -> bool:
        """Return whether *value* passes; *narrow* as in `naoshi.confirm.name_pattern.fits`."""
        if self.given is not None:
            return self.given is _is_given(value)
        if self.glob is not None:
            return isinstance(value, str) and fits(value, self.glob, narrow=narrow)
        if self.at_least is not None or self.at_most is not None:
            low = -math.inf if self.at_least is None else self.at_least
            high = math.inf if self.at_most is None else self.at_most
            return _is_number(value) and low <= value <= high  # type: ignore[operator]
        wanted = self.one_of if "one_of" in self.model_fields_set else (self.equals,)
        return any(_same(value, item) for item in wanted)

    def told(self) -> str:
        """Return the test in a few words."""
        if self.given is not None:
            return "is given" if self.given else "is not given"
        if self.glob is not None:
            return f'fits "{self.glob}"'
        if self.at_least is not None or self.at_most is not None:
            bounds = (("at least", self.at_least), ("at most", self.at_most))
            return "is " + " and ".join(f"{words} {bound:g}" for words, bound in bounds if bound is not None)
        if "one_of" in self.model_fields_set:
            return f"is one of {canonical_json(list(self.one_of))}"
        return f"is {canonical_json(self.equals)}"


class ActionRule(BaseModel):
    """A rule about actions, by the tool's name and, where given, by arguments. The first rule that matches counts.

    ``tool`` is held against the whole name: ``bash`` is no rule for ``bash_session``, ``bash*`` is one for both.
    ``class`` (in Python ``action_class``) is ``reversible`` or ``irreversible``. ``arguments`` names arguments and
    what each must be. ``name`` is how the rule is called where it is counted; without one, its tool. ``question`` is
    what is asked, in place of the question for all rules, and may hold names of arguments in braces.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = Field(min_length=1)
    action_class: ActionClass = Field(validation_alias=AliasChoices("class", "action_class"))
    arguments: dict[str, ArgumentTest] = {}
    name: str = ""
    question: str = ""

    @property
    def title(self) -> str:
        """How the rule is called."""
        return self.name or self.tool

    @property
    def is_reversible(self) -> bool:
        """Whether what the rule is about can be undone."""
        return self.action_class is ActionClass.reversible

    def matches(self, tool: str, arguments: dict[str, JsonValue]) -> bool:
        """Return whether the rule is about the action."""
        narrow = self.is_reversible
        # A name with a line break or the like in it is no name of a tool, and no star makes it one.
        if not tool.isprintable() or not fits(tool, self.tool, narrow=narrow):
            return False
        return all(
            test.holds(arguments[name], narrow=narrow) if name in arguments else test.given is False
            for name, test in self.arguments.items()
        )

    def why(self, tool: str) -> str:
        """Return why the rule matches the tool's action, in one line."""
        how = f'"{tool}" fits "{self.tool}"' if is_pattern(self.tool) else f'the tool is "{tool}"'
        tests = [f"{name} {test.told()}" for name, test in self.arguments.items()]
        return f'rule "{self.title}": {"; ".join([how, *tests])}: {self.action_class}'


def _is_given(value: JsonValue) -> bool:
    return value is not None and value not in ("", [], {})


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(one: JsonValue, other: JsonValue) -> bool:
    if _is_number(one) and _is_number(other):
        return one == other
    return canonical_json(one) == canonical_json(other)
