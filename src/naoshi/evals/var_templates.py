"""Variables that name other variables of the same test."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from naoshi.evals.template import TemplateError, may_hold_template, render


def rendered_vars(variables: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return *variables* with their templates filled from one another.

    Raises:
        TemplateError: a template is outside what we read, names nothing, or two variables name each other.
    """
    if not any(_may_hold_template(value) for value in variables.values()):
        return dict(variables)
    names = _Names(variables)
    return {key: names[key] for key in variables}


def _may_hold_template(value: JsonValue) -> bool:
    return may_hold_template(value) if isinstance(value, str) else isinstance(value, list)


class _Names(Mapping[str, JsonValue]):
    """The variables, each filled when it is first looked up, so that a value is never taken for a template."""

    def __init__(self, variables: Mapping[str, JsonValue]) -> None:
        self._variables = variables
        self._done: dict[str, JsonValue] = {}
        self._open: set[str] = set()

    def __getitem__(self, key: str) -> JsonValue:
        if key in self._done:
            return self._done[key]
        value = self._variables[key]
        if key in self._open:
            raise TemplateError(f"the variable {key[:60]!r} names itself")
        self._open.add(key)
        self._done[key] = filled = self._filled(value)
        self._open.discard(key)
        return filled

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def _filled(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return render(value, self)
        if isinstance(value, list):
            return [render(item, self) if isinstance(item, str) else item for item in value]
        return value
