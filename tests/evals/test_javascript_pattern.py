"""JavaScript's regular expressions, read as JavaScript reads them."""

import json
import shutil
import subprocess

import pytest

from naoshi.errors import SuiteError
from naoshi.evals.javascript_pattern import PatternTimeoutError, check_pattern, found_in

TEXTS = [
    "", "12\n", "a\u2028b", "ab", "a\nb", "x@", "2018-2018", "aa{,3}", "{x}", "x{", "foo bar", " b", "\u3000b", "あ",
    "日本語", "/x/", "[a]", ":", "aa", "b", "é", "12", "٣", "\b", "\0", "a-", "--", "&&", "|", "a{e<=1}", "aaa", "]",
    "aaaa", "aab", "\ufeff", "A_1",
]  # fmt: skip
READ = [
    r"^\d+$", "a.b", r"[\w.]+@", r"(?<y>\d{4})-\k<y>", "a{2,3}?", "{x}", "x{", "[[:alpha:]]", r"[^\s]b", r"\bfoo\b",
    r"\/x\/", r"[\b]", r"(a)\1", r"(a)?\1b", "a|", "(?=a)b", r"(?<!\d)\d{2}", r"[a-\d]", r"[\]]", "[a&&b]", r"\u3042",
    "^$", r"\0", "a{,3}", "[--a]", "日本.", "[|~&]+", "(?=a)*", "(a{2}){2}", "((a))", "a{0}b", r"\s", r"\S", r"[\s]",
    r"\W", r"\x61", "a{e<=1}", "(?!a).", r"^\w+$", "[^a]b", "(?:a|b)+?b", "]", "}", r"\-",
]  # fmt: skip
REFUSED = [
    "a++", "(?>a)", "(?i)a", r"\p{L}", "(?P<x>a)", "[]a", r"\Z", r"\A", "x*{2}", "^*", ")", "(", "[a", r"\k<q>", "\\",
    "(?R)", "(?#x)", "(" * 200 + ")" * 200, "a{100000}", "((a{100}){100}){100}", "x" * 10_001, r"\2(a)",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine")
def test_patterns_mean_what_they_mean_in_javascript():
    """Protects suites that people wrote for Promptfoo: the same pattern finds the same texts."""
    program = (
        "const [p, t] = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(p.map(x => t.map(y => new RegExp(x).test(y)))))"
    )
    told = subprocess.run(
        ["node", "-e", program], input=json.dumps([READ, TEXTS]), capture_output=True, text=True, timeout=60, check=True
    )
    differing = [
        (pattern, text)
        for pattern, row in zip(READ, json.loads(told.stdout), strict=True)
        for text, expected in zip(TEXTS, row, strict=True)
        if found_in(pattern, text) != expected
    ]
    assert differing == []


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_the_two_languages_read_differently_is_refused(pattern: str):
    """Protects against a pattern that silently means something else, or that costs all memory to compile."""
    with pytest.raises(SuiteError):
        check_pattern(pattern)


def test_a_pattern_that_does_not_end_is_stopped():
    """Protects the run: the limit on time holds."""
    with pytest.raises(PatternTimeoutError):
        found_in(r"^(a|aa)+$", "a" * 60 + "b", seconds=0.1)
