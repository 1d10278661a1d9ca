"""Rules about which actions a person is asked about."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.confirm import ActionClass, ActionRule, ArgumentTest, ConfirmSettings, Guard, MemoryStore, Policy
from naoshi.confirm.confirmations import Confirmations
from naoshi.confirm.name_pattern import fits
from naoshi.confirm.policy import checked_settings
from naoshi.errors import ConfigError


def rule(tool: str, kind: str = "reversible", name: str = "", **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "class": kind, "name": name, "arguments": arguments}


def policy(*rules: dict[str, Any], **more: Any) -> Policy:
    return Policy(checked_settings({"rules": list(rules), **more}, place="naoshi.toml"))


def asks(rules: Policy, tool: str, **arguments: Any) -> bool:
    return rules.ruling(tool, arguments).asks


@pytest.mark.parametrize(
    ("pattern", "tool", "passes"),
    [
        ("bash", "bash", True), ("bash", "bash_session", False), ("bash", "xbash", False), ("bash", "Bash", False),
        ("bash", "bash ", False), ("bash", "bash\n", False), ("bash", "ｂａｓｈ", False), ("bash", "", False),
        ("bash*", "bash_session", True), ("read_*", "read_", True), ("read_*", "xread_a", False),
        ("read_?", "read_a", True), ("read_?", "read_ab", False), ("*", "anything", True), ("*", "rm\nx", False),
        ("a.b", "a.b", True), ("a.b", "axb", False), ("[ab]", "a", False), ("[ab]", "[ab]", True),
        ("mcp__mail__*", "mcp__mail__send", True), ("*_read", "x_read", True), ("*_read", "x_read_all", False),
    ],
)  # fmt: skip
def test_a_tools_name_is_matched_whole(pattern: str, tool: str, passes: bool) -> None:
    """Protects a tool from a rule for another whose name begins the same."""
    assert asks(policy(rule(pattern)), tool) is not passes


@pytest.mark.parametrize(
    ("test", "value", "passes"),
    [
        ("a", "a", True), ("a", "A", False), (1, 1, True), (1, 1.0, True), (1, True, False), (True, 1, False),
        (True, True, True), ("1", 1, False), ([1, 2], [1, 2], True), ([1, 2], [2, 1], False),
        ({"equals": {"k": 1}}, {"k": 1}, True), ({"equals": {"k": 1}}, {"k": 1, "l": 2}, False),
        ({"one_of": ["a", "b"]}, "b", True), ({"one_of": ["a", "b"]}, ["a"], False),
        ({"glob": "drafts/*"}, "drafts/a.md", True), ({"glob": "drafts/*"}, "/drafts/a.md", False),
        ({"glob": "*"}, 1, False), ({"glob": "*"}, ["a"], False), ({"glob": "*"}, None, False),
        ({"at_most": 100}, 100, True), ({"at_most": 100}, 100.01, False), ({"at_most": 100}, "5", False),
        ({"at_most": 100}, True, False), ({"at_least": 1, "at_most": 5}, 0, False),
        ({"at_least": 1, "at_most": 5}, 3, True),
    ],
)  # fmt: skip
def test_arguments_are_matched_as_json(test: Any, value: Any, passes: bool) -> None:
    """Protects a rule from values that only look like the one it names."""
    rules = policy(rule("t", to=test))
    assert asks(rules, "t", to=value) is not passes
    assert asks(rules, "t")
    assert asks(rules, "t", cc=value)


@pytest.mark.parametrize("value", ["b@example.org", ["b"], {"k": 1}, 0, False, " "])
def test_an_argument_that_must_not_be_given(value: Any) -> None:
    """Protects a harmless call from one that carries the effect elsewhere by one argument more."""
    rules = policy(rule("send", to={"glob": "*@example.com"}, bcc={"given": False}))
    ours = {"to": "a@example.com"}
    for absent in ({}, {"bcc": None}, {"bcc": ""}, {"bcc": []}, {"bcc": {}}):
        assert not asks(rules, "send", **ours, **absent)
    assert asks(rules, "send", **ours, bcc=value)
    assert asks(rules, "send", to="a@example.org")
    wanted = policy(rule("send", bcc={"given": True}))
    assert not asks(wanted, "send", bcc=value)
    assert asks(wanted, "send")
    assert asks(wanted, "send", bcc=None)
    assert "bcc is not given" in rules.ruling("send", dict(ours)).why


@pytest.mark.parametrize(
    "command",
    [
        "git status; rm -r .", "git status && rm x", "git status | sh", "git status `rm x`", "git status $(rm x)",
        "git status > x", "git status\nrm x", "git status\rrm x", "git status \u2028rm", "git status 'a'",
        "git status ../x", "git status --f=../x", "git status \\x", "git status {a,b}",
    ],
)  # fmt: skip
def test_a_star_lets_nothing_pass_but_plain_words(command: str) -> None:
    """Protects against `git status *` letting `git status; rm -r .` pass unasked."""
    rules = policy(rule("bash", command={"glob": "git status *"}))
    assert not asks(rules, "bash", command="git status --short src/a.py")
    assert asks(rules, "bash", command=command)


def test_a_star_in_a_rule_that_asks_covers_everything() -> None:
    """Protects the other way round: what a rule asks about is not got round by a special character."""
    rules = policy(rule("bash", "irreversible", "remove", command={"glob": "*rm *"}), rule("bash"))
    for command in ("rm x", "a; rm x", "a\nrm x\n", "$(rm x)"):
        assert asks(rules, "bash", command=command)
    assert not asks(rules, "bash", command="ls")


def test_the_first_rule_that_matches_counts_and_says_why() -> None:
    """Protects the person who asks why they were asked."""
    rules = policy(
        rule("send_*", "reversible", "to ourselves", to={"glob": "*@example.com"}, size={"at_most": 10}),
        rule("send_*", "irreversible", "mail"),
    )
    inside = rules.ruling("send_mail", {"to": "a@example.com", "size": 3})
    outside = rules.ruling("send_mail", {"to": "a@example.com.evil", "size": 3})
    assert (inside.asks, inside.rule, inside.action_class) == (False, "to ourselves", ActionClass.reversible)
    assert inside.why == (
        'rule "to ourselves": "send_mail" fits "send_*"; to fits "*@example.com"; size is at most 10: reversible'
    )
    assert (outside.asks, outside.rule) == (True, "mail")
    unknown = rules.ruling("delete", {})
    assert (unknown.asks, unknown.rule, unknown.action_class) == (True, "unknown", None)
    assert '"delete"' in unknown.why


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"approval_minutes": float("inf")}, "approval_minutes"), ({"keep_rules_hours": 1e300}, "keep_rules_hours"),
        ({"yes": "いいえ", "no": "はい"}, "the texts say otherwise"),
        ({"rules": [rule("bash", "harmless")]}, "reversible"),
        ({"rules": [{"tool": "bash"}]}, "class"),
        ({"rules": [rule("")]}, "tool"),
        ({"rules": [{**rule("bash"), "tol": "x"}]}, "tol"),
        ({"rule": []}, "rule"),
        ({"rules": [rule("bash"), rule("bash", a=1)]}, "called bash"),
        ({"rules": [rule("bash"), rule("bash", "irreversible", "b", a=1)]}, "can never match"),
        ({"rules": [rule("*"), rule("bash", "irreversible")]}, "can never match"),
        ({"rules": [rule("send_*"), rule("send_mail_*", "irreversible")]}, "can never match"),
        ({"rules": [rule("a", a=1), rule("a", "irreversible", "b", a=1)]}, "can never match"),
        ({"rules": [rule("bash", "reversible", "unknown")]}, "unknown"),
        ({"rules": [rule("bash", a={"glob": "x", "equals": 1})]}, "one of"),
        ({"rules": [rule("bash", a={})]}, "one of"),
        ({"rules": [rule("bash", a={"one_of": []})]}, "one_of"),
        ({"rules": [rule("bash", a={"at_most": float("nan")})]}, "finite"),
        ({"rules": [rule("bash", a={"regex": "x"})]}, "regex"),
        ({"question": "{tool.__class__}?"}, "plain names"),
        ({"question": "{tool!r}?"}, "plain names"),
        ({"question": "{tool"}, "template"),
        ({"yes": "送る"}, "both"),
        ({"yes": "2通送る", "no": "送らない"}, "does not choose"),
        ({"approval_minutes": 0}, "approval_minutes"),
        ({"language": "fr"}, "language"),
    ],
)  # fmt: skip
def test_rules_that_do_not_hold_together_are_refused_when_they_are_made(document: dict[str, Any], told: str) -> None:
    """Protects against finding out at the first mail that goes out: one line names the place."""
    with pytest.raises(ConfigError) as refused:
        checked_settings(document, place="naoshi.toml")
    assert told in refused.value.message
    assert "\n" not in refused.value.line()


def test_rules_in_code_are_the_same_rules() -> None:
    """Protects those who keep no file: same checks, same version for the same rules."""
    with pytest.raises(ConfigError, match="never match"):
        Policy.of(
            [
                ActionRule(tool="*", action_class=ActionClass.reversible),
                ActionRule(tool="x", action_class=ActionClass.irreversible),
            ]
        )
    one = ActionRule(tool="x", action_class=ActionClass.reversible, arguments={"a": ArgumentTest(equals=1)})
    assert Policy.of([one]).version == Policy.of([one]).version
    assert Policy.of([one]).version != Policy.of([]).version
    assert Policy(ConfirmSettings(rules=(one,))).ruling("x", {"a": 1}).asks is False


def test_the_wording_is_the_askers_and_the_action_is_always_shown() -> None:
    """Protects the person: however it is worded, what will be done stands below, and values are filled in once."""
    rules = policy(
        {**rule("send", "irreversible"), "question": "{to} へ送りますか？ {tool} {nothing}"},
        yes="送る",
        no="送らない",
    )
    guard = Guard(Confirmations(MemoryStore()), policy=rules)
    permit = guard("send", {"to": "{tool}", "secret": 1}, conversation_id="c")
    assert permit.confirmation is not None
    assert permit.confirmation.question.split("\n") == [
        '"{tool}" へ送りますか？ send —', "  send", '    to: "{tool}"', "    secret: 1",
    ]  # fmt: skip
    assert permit.confirmation.labels == ("送る", "送らない")
    assert (permit.confirmation.no, permit.confirmation.yes, permit.confirmation.rule) == (2, None, "send")


@given(st.text(max_size=12), st.text(max_size=12))
def test_an_exact_name_passes_only_itself(name: str, tool: str) -> None:
    """Protects against any other name, over all texts."""
    if not name or not name.isprintable() or set(name) & set("*?"):
        return
    assert asks(policy(rule(name)), tool) is (tool != name)


def naively(text: str, pattern: str, *, narrow: bool) -> bool:
    """Match by trying every way, as the plainest reading of the rule."""
    if not pattern:
        return not text
    mark, rest = pattern[0], pattern[1:]
    harmless = bool(text) and not (narrow and text[0] in ";|\n")
    if mark == "*":
        return naively(text, rest, narrow=narrow) or (harmless and naively(text[1:], pattern, narrow=narrow))
    return bool(text) and (harmless if mark == "?" else text[0] == mark) and naively(text[1:], rest, narrow=narrow)


@settings(max_examples=500)
@given(st.text("ab;|\n", max_size=9), st.text("ab;*?", max_size=7), st.booleans())
def test_the_quick_matching_finds_what_trying_every_way_finds(text: str, pattern: str, narrow: bool) -> None:
    """Protects the rules from the matching's own shortcut."""
    assert fits(text, pattern, narrow=narrow) is naively(text, pattern, narrow=narrow)


@pytest.mark.parametrize("narrow", [True, False])
def test_matching_is_quick_whatever_the_pattern(narrow: bool) -> None:
    """Protects the loop from a pattern that takes for ever on a hostile value."""
    began = time.process_time()
    assert not fits("a" * 20_000, "*a*a*a*?*a*a*a*b", narrow=narrow)
    assert time.process_time() - began < 2
