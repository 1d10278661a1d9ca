"""Tests written as a table: a column for each variable, and Promptfoo's columns that begin with two underscores."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.assertions.kinds import KNOWN_TYPES
from naoshi.evals.yaml_nodes import LARGEST_BYTES

_TABLE_DISTANCE = 0.75
# Words that begin an assertion in Promptfoo, and not a text to be equal to. Those that we lack are refused by name.
_PROMPTFOO_TYPES = {name for name in KNOWN_TYPES if not name.startswith("not-")} | {
    "answer-relevance", "bleu", "classifier", "contains-html", "contains-sql", "contains-xml", "context-faithfulness",
    "context-recall", "context-relevance", "conversation-relevance", "factuality", "finish-reason",
    "g-eval", "gleu", "guardrails", "is-html", "is-refusal", "is-sql", "is-valid-function-call",
    "is-valid-openai-function-call", "is-valid-openai-tools-call", "is-xml", "javascript", "meteor",
    "model-graded-closedqa", "model-graded-factuality", "moderation", "perplexity", "perplexity-score", "pi",
    "rouge-n", "ruby", "search-rubric", "similar", "similar:cosine", "similar:dot", "similar:euclidean", "skill-used",
    "tool-call-f1", "trace-error-spans", "trace-span-count", "trace-span-duration", "trajectory:goal-success",
    "trajectory:step-count", "trajectory:tool-args-match", "trajectory:tool-sequence", "trajectory:tool-used",
    "webhook", "word-count",
}  # fmt: skip
# The type ends where its name does: what follows the colon may look like the rest of a name.
_TYPE = "|".join(sorted(_PROMPTFOO_TYPES, key=len, reverse=True))
_ASSERTION = re.compile(rf"(not-)?({_TYPE})(?:\((\d+(?:\.\d+)?)\))?(?::(.*))?", re.DOTALL)
_GRADE, _CODE = "grade:", ("fn:", "eval:")


def csv_tests(text: str, *, name: str) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield each row of the table *text* as a test, with the line (from 1) at which it ends.

    Raises:
        SuiteError: a row has more or fewer fields than the head, or a column is not supported or stands twice.
    """
    # A field may hold a whole document. The limit is one for the process.
    csv.field_size_limit(LARGEST_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        nothing: list[str] = []
        head = [column.strip() for column in next(reader, nothing)]
        twice = next((column for column, times in Counter(head).items() if column and times > 1), None)
        if twice is not None:
            raise SuiteError(f"{name}, line 1: the column {twice[:80]!r} stands twice")
        for row in reader:
            if not any(row):
                continue
            if len(row) != len(head):
                raise SuiteError(f"{name}, line {reader.line_num}: {len(row)} fields under a head of {len(head)}")
            yield reader.line_num, _test(dict(zip(head, row, strict=True)), f"{name}, line {reader.line_num}")
    except csv.Error as error:
        raise SuiteError(f"{name}, line {reader.line_num}: {error}") from error


def assertion_from_text(text: str) -> dict[str, JsonValue]:
    """Return the assertion that a field ``__expected`` stands for, as it would stand in YAML."""
    if text.startswith(_GRADE):
        return {"type": "llm-rubric", "value": text.removeprefix(_GRADE)}
    if text.startswith(_CODE):
        return {"type": "javascript", "value": text.partition(":")[2]}
    if text.startswith("file://"):
        return {"type": "python" if ".py" in text else "javascript", "value": text}
    found = _ASSERTION.fullmatch(text)
    if found is None:
        return {"type": "equals", "value": text}
    kind, threshold, value = found[2], found[3], found[4]
    assertion: dict[str, JsonValue] = {"type": f"{found[1] or ''}{kind}"}
    if kind.endswith(("contains-any", "contains-all")):
        assertion["value"] = [part.strip() for part in (value or "").split(",")]
    elif value:
        assertion["value"] = value if kind in ("is-json", "contains-json", "llm-rubric") else value.strip()
    if threshold:
        assertion["threshold"] = float(threshold)
    elif kind == "levenshtein":
        assertion["threshold"] = _TABLE_DISTANCE
    return assertion


def _test(row: dict[str, str], where: str) -> dict[str, JsonValue]:
    variables: dict[str, JsonValue] = {}
    asserts: list[dict[str, JsonValue]] = []
    metadata: dict[str, JsonValue] = {}
    test: dict[str, JsonValue] = {"vars": variables}
    for column, field in row.items():
        if re.fullmatch(r"__expected\d*", column):
            if field.strip():
                asserts.append(assertion_from_text(field.strip()))
        elif column in ("__description", "__metric"):
            test[column[2:]] = field
        elif column == "__threshold":
            if field.strip():
                test["threshold"] = _number(field, where)
        elif column.startswith("__metadata:") and not column.endswith("[]"):
            if field.strip():
                metadata[column.removeprefix("__metadata:")] = field
        elif column.startswith("__"):
            raise SuiteError(f"{where}: the column {column[:80]!r} is not supported")
        else:
            variables[column] = field
    metric = test.pop("metric", None)
    test["assert"] = [{**item, "metric": metric} if metric else item for item in asserts]
    return {**test, "metadata": metadata}


def _number(field: str, where: str) -> float:
    try:
        return float(field)
    except ValueError as error:
        raise SuiteError(f"{where}: the threshold {field[:40]!r} is no number") from error
