"""Which actions a person is asked about: rules, checked when they are made, that can say why they matched."""

import string
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from naoshi.confirm.action_rule import ActionClass, ActionRule
from naoshi.confirm.label_numbers import label_warnings
from naoshi.confirm.name_pattern import covers, fits, is_pattern
from naoshi.errors import ConfigError
from naoshi.records.base import Record, content_hash
from naoshi.records.language import Language

UNKNOWN = "unknown"
"""The name under which actions that no rule is about are counted."""
_TEN_YEARS = 87_600


class ConfirmSettings(BaseModel):
    """The guard's rules and wording: what an agent's person is asked about, and in which words.

    An action that no rule is about is always asked about. ``language`` is that of the guard's own words; without it,
    that of the whole file. ``question``, ``yes`` and ``no`` replace its wording; ``{tool}``, ``{rule}`` and names of
    arguments in braces are filled in, and the whole action is always shown below. ``approval_minutes`` is how long
    after a person's yes the action may begin. ``keep_rules_hours`` is how long a conversation keeps the rules that
    it began with when this file changes. ``rules`` are tried in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language | None = None
    question: str = ""
    yes: str = ""
    no: str = ""
    approval_minutes: float = Field(default=60.0, gt=0, le=_TEN_YEARS * 60)
    keep_rules_hours: float = Field(default=24.0, ge=0, le=_TEN_YEARS)
    rules: tuple[ActionRule, ...] = ()

    @model_validator(mode="after")
    def _hold_together(self) -> Self:
        for fault in (*_wording_faults(self), *_rule_faults(self.rules)):
            raise ValueError(fault)
        return self


class Ruling(Record):
    """What the rules say about one action. ``why`` is one line for people; ``rule`` is ``unknown`` where none matched.

    ``question`` is the rule's own wording, empty where it has none.
    """

    asks: bool
    rule: str
    action_class: ActionClass | None = None
    why: str
    question: str = ""


class PolicySource(Protocol):
    """Where a guard takes its rules from: a `Policy` itself, or a `RulesFile`."""

    def current(self) -> "Policy":
        """Return the rules for what begins now."""
        ...

    def at(self, version: str) -> "Policy | None":
        """Return the rules of an earlier version, or None where they are not kept."""
        ...

    @property
    def fault(self) -> str | None:
        """Why the newest rules are not in force, where they are not."""
        ...


class Policy:
    """Rules in force.

    Args:
        settings: rules and wording; without them, every action is asked about.
    """

    def __init__(self, settings: ConfirmSettings | None = None) -> None:
        self.settings = settings or ConfirmSettings()

    @classmethod
    def of(cls, rules: Iterable[ActionRule]) -> "Policy":
        """Return a policy of *rules*, in the wording that comes with Naoshi.

        Raises:
            ConfigError: two rules have one name, or one can never match.
        """
        return cls(checked_settings({"rules": tuple(rules)}, place="the rules"))

    @cached_property
    def version(self) -> str:
        """12 hexadecimal digits that are equal for equal rules and wording."""
        return content_hash(self.settings.model_dump(mode="json", exclude_unset=True))[:12]

    def ruling(self, tool: str, arguments: dict[str, JsonValue]) -> Ruling:
        """Return what the rules say about calling *tool* with *arguments*."""
        rule = next((rule for rule in self.settings.rules if rule.matches(tool, arguments)), None)
        if rule is None:
            return Ruling(
                asks=True, rule=UNKNOWN, why=f'no rule is about "{tool}" with these arguments: a person is asked'
            )
        return Ruling(
            asks=not rule.is_reversible,
            rule=rule.title,
            action_class=rule.action_class,
            why=rule.why(tool),
            question=rule.question,
        )

    def current(self) -> "Policy":
        """Return the policy itself."""
        return self

    def at(self, version: str) -> "Policy | None":
        """Return the policy itself where it has this *version*."""
        return self if version == self.version else None

    @property
    def fault(self) -> str | None:
        """Rules given in code have none."""
        return None


def checked_settings(document: dict[str, object], *, place: str) -> ConfirmSettings:
    """Return the settings that *document* holds.

    Raises:
        ConfigError: they do not hold together; the first fault is named, with *place* before it.
    """
    try:
        return ConfirmSettings.model_validate(document)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, fault["loc"]))
        told = fault["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{place}: {where}: {told}" if where else f"{place}: {told}") from error


def _wording_faults(settings: ConfirmSettings) -> Iterable[str]:
    templates = {"question": settings.question}
    templates |= {f"the question of {rule.title}": rule.question for rule in settings.rules}
    for place, template in templates.items():
        fault = _template_fault(template)
        if fault:
            yield f"{place} {fault}"
    if bool(settings.yes) != bool(settings.no):
        yield "give both yes and no, or neither"
    if settings.yes and (warnings := label_warnings([settings.yes, settings.no], no=2)):
        yield warnings[0]


def _template_fault(template: str) -> str | None:
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        return f"is no template: {error}"
    for _, name, specification, conversion in parts:
        if name is not None and (not name.isidentifier() or specification or conversion):
            return f"may hold plain names in braces alone, not {{{name}}}"
    return None


def _rule_faults(rules: Sequence[ActionRule]) -> Iterable[str]:
    for earlier, later in combinations(rules, 2):
        if earlier.title == later.title:
            yield f"two rules are called {earlier.title}; give each a name"
        if _takes_all_of(earlier, later):
            yield f"the rule {later.title} can never match: {earlier.title} stands before it and takes all its actions"
    if any(rule.title == UNKNOWN for rule in rules):
        yield f"no rule may be called {UNKNOWN}"


def _takes_all_of(earlier: ActionRule, later: ActionRule) -> bool:
    if earlier.arguments and earlier.arguments != later.arguments:
        return False
    if is_pattern(later.tool):
        return covers(earlier.tool, later.tool)
    return fits(later.tool, earlier.tool, narrow=earlier.is_reversible)
