"""The matrix: assertion × edge case. Each cell is one case, run natively and in the real Promptfoo."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from naoshi.records import Assertion, EvalCase

HOLES = {
    "no assertion": "Promptfoo passes a test that asserts nothing",
    "no weight": "Promptfoo passes a test whose assertions carry no weight, which show as little",
    "score above 1": "Promptfoo passes on a score above 1",
    "score below 0": "Promptfoo takes a score below 0 for a grade",
    "score is no number": "Promptfoo takes a judge's NaN for full marks",
    "pass is missing": "Promptfoo takes a judge's grade without `pass` for a pass",
}
"""The intended differences, and why each is one. There is no other."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One case. ``hole`` names the intended difference that it shows, "" where the two must agree."""

    name: str
    output: JsonValue
    assertions: tuple[Assertion, ...]
    threshold: float | None = None
    variables: dict[str, JsonValue] = field(default_factory=dict)
    hole: str = ""

    def case(self, number: int) -> EvalCase:
        return EvalCase(
            case_id=f"cell-{number:03d}",
            description=self.name,
            vars={"output": self.output, "cell": number, **self.variables},
            assertions=self.assertions,
            threshold=1.0 if self.threshold is None else self.threshold,
            every=self.threshold is None,
        )


def check(name: str, value: JsonValue = None, **more: object) -> Assertion:
    return Assertion.model_validate({"type": name, "value": value, **more})


TEXTS: list[JsonValue] = [
    "hello", "Hello, World", "", " hello ", "a\nb\n", "合計 ¥1,200", "😀 emoji", "{{ x }}", "{% if x %}", "{# x #}",
    'say "hi": it\'s', "İstanbul ß", "12", 12, 12.5, -3, 1e21, 1e-7, True, False, {"total": 12, "name": "合計"},
    ["a", 1, None], "null", "file://x", "a\tb\\n", "#} done",
]  # fmt: skip
EQUALS: list[tuple[JsonValue, JsonValue]] = [
    *((text, text) for text in TEXTS),
    ("hello", "Hello"), ("12", 12), (12, "12"), (12.0, 12), ("12.0", 12), (True, "true"), ("true", True), ("", " "),
    ({"a": 1}, '{"a": 1}'), ({"a": 1}, '{"a":1,"b":2}'), ({"a": [1, 2]}, {"a": [2, 1]}), ({"a": 1}, "no JSON"),
    ([], "[]"), ([1], "[1]"), ({"a": None}, {"a": None}), ({"a": 1}, {"a": "1"}), ({"a": True}, {"a": 1}),
    ({"b": 1, "a": 2}, {"a": 2, "b": 1}), ({"a": 1.0}, {"a": 1}),
]  # fmt: skip
PARTS: list[tuple[str, JsonValue, JsonValue]] = [
    ("contains", "ell", "hello"), ("contains", "ELL", "hello"), ("contains", 12, {"total": 12}),
    ("contains", "合", "合計"),
    ("contains", '"a":1', {"a": 1}), ("contains", "\n", "a\nb"), ("contains", "{{ y }}", "is {{ y }}"),
    ("contains", "x", ""), ("contains", "😀", "a😀b"), ("icontains", "ELL", "hello"), ("icontains", "é", "CAFÉ"),
    ("icontains", "SS", "straße"), ("icontains", "x", "abc"), ("starts-with", "he", "hello"),
    ("starts-with", "lo", "hello"), ("starts-with", "合", "合計"), ("starts-with", '{"a"', {"a": 1}),
    ("contains-any", ["x", "ell"], "hello"), ("contains-any", ["x", "y"], "hello"), ("contains-any", [1, 2], "a2"),
    ("contains-any", "x, ell", "hello"), ("contains-any", '"a, b", c', "say a, b"), ("contains-any", '"a, b", c', "ab"),
    ("contains-any", "a,,b", "b"), ("contains-any", '"a\\"b"', 'xa"by'), ("contains-all", ["he", "lo"], "hello"),
    ("contains-all", ["he", "x"], "hello"), ("contains-all", "he,lo", "hello"), ("contains-all", [True], "so true"),
    ("icontains-any", ["X", "ELL"], "hello"), ("icontains-any", ["X"], "hello"),
    ("icontains-all", ["HE", "LO"], "hello"), ("icontains-all", ["HE", "X"], "hello"),
    ("icontains-all", "HE, LO", "hello"),
]  # fmt: skip
PATTERNS: list[tuple[str, JsonValue]] = [
    (r"^\d{4}-\d{2}$", "2018-03"), (r"^\d{4}-\d{2}$", "2018-03\n"), (r"^\w+$", "合計"), (r"a.c", "a\nc"),
    (r"\s", "\u3000"), (r"^..$", "😀"), (r"[😀]", "😎"), (r"😀+", "x😀"),
    (r"^.$", "😀"), (r"(a)|b\1", "b"), (r"[^\d]", "x"), (r"x{2,3}", "xx"), (r"\bhi\b", "oh hi you"), (r"^$", ""),
    (r"\$1", "costs $1"), (r"{{", "a {{ b"), (r"[\s\S]+", {"a": 1}), (r"(?<y>\d+)-\k<y>", "12-12"), (r"a|", "zzz"),
]  # fmt: skip
SCHEMA: JsonValue = {"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}}
DATED: JsonValue = {"type": "object", "properties": {"on": {"type": "string", "format": "date"}}, "required": ["on"]}
SHAPES: list[JsonValue] = [
    {"total": 12}, {"total": "12"}, {}, '{"total": 12}', '{"total": 12', "no JSON", "12", 12, "[1]", "null", "NaN",
    "", "Infinity", '{"total": 1e400}', "'x'", '{"total": 1,}',
]  # fmt: skip
EMBEDDED: list[JsonValue] = [
    'Here: {"total": 12}. Done.', "no JSON", 'first {"x": 1} then {"total": 3}', '{"total": "no"}', "{loose: 1}",
    "{total: 5}", 'cut off {"total": 7', "[1, 2]", "", {"total": 1}, 'a {"total": 1 // why\n}', "{}", "brace } { brace",
    '{"nested": {"total": 1}}', 'x {"total":\t2} y',
]  # fmt: skip
DISTANCES: list[tuple[str, str, float | None]] = [
    ("kitten", "sitting", 3.0), ("kitten", "sitting", 2.0), ("hello", "hello world", None),
    ("hello", "hello worlds", None),
    ("", "", 0.0), ("合計", "小計", 1.0), ("😀", "", 2.0), ("😀", "", 1.0), ("a", "a", 0.0),
]  # fmt: skip
CODE: list[tuple[str, float | None]] = [
    ("True", None), ("False", None), ("0.4", None), ("0.4", 0.5), ("0.6", 0.5), ("0", None), ("1", 1.0),
    ("'true'", None),
    ("'False'", None), ("'0.25'", None), ("{'pass': True, 'score': 0.5, 'reason': 'half'}", None),
    ("{'pass': True, 'score': 0.5, 'reason': 'half'}", 0.6), ("{'pass': False, 'score': 0.9, 'reason': 'no'}", None),
    ("{'pass_': True, 'score': 1, 'reason': 'snake'}", None),
    ("json.dumps({'pass': True, 'score': 1, 'reason': 'text'})", None),
    ("{'score': 1, 'reason': 'x'}", None), ("{'pass': 'yes', 'score': 1, 'reason': 'x'}", None), ("None", None),
    ("[1]", None), ("'no grade'", None), ("1 / 0", None), ("float('nan')", None), ("float('inf')", None),
    ("output == context['vars']['output']", None), ("len(output) == 5", None), ("return output == 'hello'\n", None),
    ("if output:\n    return {'pass': True, 'score': 1, 'reason': 'ok'}\nreturn False", None), ("undefined_name", None),
]  # fmt: skip
HELLO = "hello"
YES, NO = check("equals", HELLO), check("equals", "x")


def cells() -> list[Cell]:
    """Return every cell of the matrix."""
    return [*_text_cells(), *_json_cells(), *_measured_cells(), *_code_cells(), *_judge_cells(), *_whole_cells()]


def _both(name: str, value: JsonValue, output: JsonValue, **more: object) -> list[Cell]:
    return [
        Cell(name=f"{kind} {value!r} of {output!r}", output=output, assertions=(check(kind, value, **more),))
        for kind in (name, f"not-{name}")
    ]


def _text_cells() -> list[Cell]:
    found = [cell for value, output in EQUALS for cell in _both("equals", value, output)]
    found += [cell for name, value, output in PARTS for cell in _both(name, value, output)]
    found += [cell for pattern, output in PATTERNS for cell in _both("regex", pattern, output)]
    for output, value, most in DISTANCES:
        distance = check("levenshtein", value, threshold=most)
        found.append(Cell(name=f"levenshtein {value!r} of {output!r}", output=output, assertions=(distance,)))
    return found


def _json_cells() -> list[Cell]:
    found = [cell for output in SHAPES for schema in (None, SCHEMA) for cell in _both("is-json", schema, output)]
    found += [
        cell for output in EMBEDDED for schema in (None, SCHEMA) for cell in _both("contains-json", schema, output)
    ]
    for day in ("2018-03-14", "2018-02-30", "14/03/2018"):
        found += _both("is-json", DATED, {"on": day})
    return found


def _measured_cells() -> list[Cell]:
    limits = [("latency", 600_000.0), ("latency", 0.0)]
    found = [
        Cell(name=f"{kind} {most}", output=HELLO, assertions=(check(kind, threshold=most),)) for kind, most in limits
    ]
    for cost in (0.01, 0.02, 0.03, 0):
        limit = check("cost", threshold=0.02)
        found.append(Cell(name=f"cost {cost}", output=HELLO, assertions=(limit,), variables={"cost": cost}))
    found.append(
        Cell(name="cost not told", output=HELLO, assertions=(check("cost", threshold=0.02), YES), threshold=0.5)
    )
    return found


def _code_cells() -> list[Cell]:
    found: list[Cell] = []
    for code, threshold in CODE:
        for name in ("python", "not-python"):
            graded = check(name, code, threshold=threshold)
            found.append(Cell(name=f"{name} {code} at {threshold}", output=HELLO, assertions=(graded,)))
    file: JsonValue = {
        "file": "check.py",
        "function": "holds",
        "code": "def holds(output, context):\n    return output == 'hello'\n",
    }
    found.append(Cell(name="python from a file", output=HELLO, assertions=(check("python", file),)))
    found.append(Cell(name="python from a file, no", output="x", assertions=(check("python", file),)))
    # The `not-` form does not mend a score that is none.
    for code, hole in (
        ("5", "score above 1"),
        ("-1", "score below 0"),
        ("{'pass': True, 'score': 7, 'reason': 'x'}", "score above 1"),
    ):
        for name in ("python", "not-python"):
            found.append(Cell(name=f"{name} {code}", output=HELLO, assertions=(check(name, code),), hole=hole))
    return found


def _judge_cells() -> list[Cell]:
    rubrics = [
        ("grade 0.9", None, ""), ("grade 0.2", None, ""), ("grade 0.7", None, ""), ("grade 0.5", 0.4, ""),
        ("grade 0.5", 0.6, ""), ("grade 1", 1.0, ""), ("grade 0", None, ""), ("no answer", None, ""),
        ("grade 0.8: {{ x }} {% if %} {# \"quoted\": 'so' 合計 😀\n", None, ""),
        ("grade nan", None, "score is no number"), ("grade 1.5", None, "score above 1"),
        ("grade -0.5", None, "score below 0"), ("without pass", None, "pass is missing"),
    ]  # fmt: skip
    found: list[Cell] = []
    for rubric, threshold, hole in rubrics:
        rule = check("llm-rubric", rubric, threshold=threshold)
        found.append(Cell(name=f"llm-rubric {rubric} at {threshold}", output=HELLO, assertions=(rule,), hole=hole))
    return found


def _whole_cells() -> list[Cell]:
    weighed = (check("equals", HELLO, weight=3), check("equals", "x", weight=1))
    deep: JsonValue = {"a": {"b": " Q-1 "}}
    clean = r"output.a.b.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()"
    return [
        Cell(name="all pass", output=HELLO, assertions=(YES, check("contains", "ell"))),
        Cell(name="one fails", output=HELLO, assertions=(YES, NO)),
        Cell(name="one fails, half is enough", output=HELLO, assertions=(YES, NO), threshold=0.5),
        Cell(name="one fails, half is not enough", output=HELLO, assertions=(YES, NO), threshold=0.51),
        Cell(name="weights reach", output=HELLO, assertions=weighed, threshold=0.75),
        Cell(name="weights do not reach", output=HELLO, assertions=weighed, threshold=0.8),
        Cell(name="metric", output=HELLO, assertions=(check("equals", HELLO, metric="exact"),)),
        Cell(name="one has no weight and fails", output=HELLO, assertions=(YES, check("equals", "x", weight=0))),
        Cell(name="one has no weight", output="x", assertions=(YES, check("equals", "x", weight=0))),
        Cell(name="graded, each has to pass", output=HELLO, assertions=(check("python", "1"), check("python", "0"))),
        Cell(name="graded, mean", output=HELLO, assertions=(check("python", "1"), check("python", "0")), threshold=0.5),
        Cell(name="transform", output=deep, assertions=(check("equals", "Q1", transform=clean),)),
        Cell(name="transform to an object", output=deep,
             assertions=(check("equals", {"b": " Q-1 "}, transform="output.a"),)),
        Cell(name="transform, then JSON", output=deep, assertions=(check("is-json", transform="output.a"),)),
        Cell(name="transform finds nothing", output=deep, assertions=(check("equals", "Q1", transform="output.c.b"),)),
        Cell(name="transform of text", output=HELLO, assertions=(check("equals", "x", transform="output.a.b"),)),
        Cell(name="transform gives null", output={"a": None}, assertions=(check("is-json", transform="output.a"),)),
        Cell(name="transform finds nothing, half is enough", output=deep, threshold=0.5,
             assertions=(check("contains", "Q"), check("equals", "Q1", transform="output.c.b"))),
        Cell(name="no output", output=None, assertions=(check("is-json"),)),
        Cell(name="no assertion", output=HELLO, assertions=(), hole="no assertion"),
        Cell(name="no assertion, but a threshold", output=HELLO, assertions=(), threshold=0.5, hole="no assertion"),
        Cell(name="no weight at all", output=HELLO, assertions=(check("equals", "x", weight=0),), hole="no weight"),
        Cell(name="no weight at all, and it holds", output=HELLO, hole="no weight",
             assertions=(check("equals", HELLO, weight=0),)),
        Cell(name="mean above 1", output=HELLO, threshold=0.9,
             assertions=(NO, NO, check("python", "{'pass': True, 'score': 9, 'reason': 'x'}")), hole="score above 1"),
    ]  # fmt: skip
