"""Where the tests stand in the text of a suite, so that an edit touches nothing else."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from naoshi.evals.yaml_composer import CoreLoader

_YAML: Any = yaml
_BETWEEN = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*[ \t]*")


class Item(NamedTuple):
    """One test in the text: offset of its first character and of the end of its last part."""

    start: int
    end: int


class SuiteLayout(NamedTuple):
    """The list of tests in a text (offsets in characters). ``key_end`` is where the key ``tests`` ends.

    ``flow`` says that the list is written with brackets; ``value_start`` and ``value_end`` are the ends of what
    stands after the key, equal to each other where nothing does; ``column`` is that of the dashes.
    """

    key_end: int
    value_start: int
    value_end: int
    flow: bool
    column: int
    items: tuple[Item, ...]


def suite_layout(text: str) -> SuiteLayout | None:
    """Return where the tests stand in *text*, a valid suite; None when it has no block mapping with ``tests``."""
    events = iter(_YAML.parse(text, Loader=CoreLoader))
    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            break
    else:
        return None
    if event.flow_style:
        return None
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            return None
        is_tests = isinstance(key, yaml.ScalarEvent) and key.value == "tests"
        if not isinstance(key, yaml.ScalarEvent | yaml.AliasEvent):
            _end_of(key, events)
        value = next(events)
        if is_tests:
            return _layout(key, value, events, text)
        _end_of(value, events)
    return None


def _layout(key: Any, value: Any, events: Iterator[Any], text: str) -> SuiteLayout:
    key_end = text.index(":", key.end_mark.index) + 1
    start = value.start_mark
    if not isinstance(value, yaml.SequenceStartEvent):
        end = value.end_mark.index
        return SuiteLayout(key_end=key_end, value_start=start.index, value_end=end, flow=False, column=2, items=())
    items: list[Item] = []
    cursor = value.end_mark.index if value.flow_style else start.index
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            end = event.end_mark.index if value.flow_style else cursor
            break
        first = event.start_mark.index
        cursor, begun = _end_of(event, events), cursor
        items.append(Item(start=first if value.flow_style else _dash(text, begun), end=cursor))
    else:
        end = cursor
    return SuiteLayout(
        key_end=key_end,
        value_start=start.index,
        value_end=end,
        flow=bool(value.flow_style),
        column=start.column,
        items=tuple(items),
    )


def _dash(text: str, cursor: int) -> int:
    """Return the place of the dash after *cursor*; only white space and comments stand between."""
    found = _BETWEEN.match(text, cursor)
    return found.end() if found else cursor


def _end_of(event: Any, events: Iterator[Any]) -> int:
    """Return where the node that begins with *event* really ends; its events are used up.

    The end mark of a block collection lies after the comments that follow it, so its last part is asked.
    """
    end = int(event.end_mark.index)
    if not isinstance(event, yaml.CollectionStartEvent):
        return end
    depth = 1
    while depth:
        part = next(events)
        if isinstance(part, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(part, yaml.CollectionEndEvent):
            depth -= 1
        if not isinstance(part, yaml.CollectionEndEvent) or part.end_mark.index > part.start_mark.index:
            end = int(part.end_mark.index)
    return end
