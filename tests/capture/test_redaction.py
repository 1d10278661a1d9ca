"""What is masked before it is written, and what must stay."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.capture import redact, redact_text

LETTERS = "abcdefghij0123456789"
SECRETS = [
    "sk-" + LETTERS,
    "sk-proj-" + LETTERS + "_-" + LETTERS,
    "sk-ant-api03-" + LETTERS * 4,
    "sk_live_" + LETTERS,
    "ghp_" + LETTERS * 2,
    "github_pat_" + LETTERS * 2,
    "glpat-" + LETTERS,
    "xoxb-" + LETTERS,
    "AIza" + LETTERS * 2,
    "ya29." + LETTERS * 2,
    "hf_" + LETTERS * 2,
    "npm_" + LETTERS * 2,
    "pypi-" + LETTERS * 2,
    "AKIA" + "ABCDEFGH12345678",
    "eyJ" + LETTERS + "." + LETTERS + "." + LETTERS,
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "key={} end", '{{"k":"{}"}}', "直{}直", "({})", "a\n{}\nb"])
def test_a_known_form_is_masked_wherever_it_stands(secret: str, around: str) -> None:
    """The forms of the issuers are fixed, so nothing around them may hide one."""
    masked = redact_text(around.format(secret))
    assert secret not in masked
    assert masked == around.format("[redacted]")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abcdef1234567890xyz", "Authorization: Bearer [redacted]"),
        ('{"Authorization": "Basic dXNlcjpwYXNz"}', '{"Authorization": "Basic [redacted]"}'),
        ("postgresql://user:hunter2@db.example/x", "postgresql://user:[redacted]@db.example/x"),
        ("redis://:hunter2@h", "redis://:[redacted]@h"),
        ("password=hunter22 next", "password=[redacted] next"),
        ('{"api_key": "abcdefgh"}', '{"api_key": "[redacted]"}'),
        ('{\\"client_secret\\":\\"abcdefgh\\"}', '{\\"client_secret\\":\\"[redacted]\\"}'),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("accessToken: abcdef123", "accessToken: [redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nafter", "[redacted]\nafter"),
        ('"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n"', '"[redacted]\\n"'),
        ('{"password": 12345678}', '{"password": 12345678}'),
        ('"-----BEGIN PRIVATE KEY-----\\nMII\\" x"', '"[redacted]\\" x"'),
        ('"password:\\n12345678"', '"password:\\n12345678"'),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb", "[redacted]"),
    ],
)
def test_a_secret_is_masked_and_what_names_it_stays(text: str, masked: str) -> None:
    """A reader still sees what kind of thing stood there."""
    assert redact_text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "TOTAL 12.00 CASH 20.00 CHANGE 8.00",
        "TEL: 03-1234-5678 / 012-345 6789",
        "GST REG NO: 001234567890",
        "登録番号 T1234567890123",
        "https://example.com/a:b?c=d@e",
        "http://localhost:8080/path",
        "see https://host:443/x and mail me@example.com",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "84559aaf5d124026b1da35a7a66d9e94 79d500bda507440f8a237682",
        "resp_040178d62ab444930069ebb27dd8d081968de8fe8131cad2fb",
        "task-management-of-many-things-2 and risk-assessment-report-2026",
        "the bearer of this letter, a basic understanding of authorization",
        "password reset, secret santa, the key to success, token count: 317",
        "llm.token_count.total: 123456789",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """A trace whose evidence is masked by mistake is a trace lost."""
    assert redact_text(text) == text


def test_a_value_whose_name_says_so_goes_whole() -> None:
    """A short password has no form of its own; its name gives it away, at any depth."""
    value = {"password": "abc", "user": "mari", "headers": [{"X-Api-Key": "k", "set-cookie": "a=b", "etag": "k"}]}
    assert redact(value) == {
        "password": "[redacted]",
        "user": "mari",
        "headers": [{"X-Api-Key": "[redacted]", "set-cookie": "[redacted]", "etag": "k"}],
    }
    assert redact("abc", name="http.request.header.authorization") == "[redacted]"
    assert redact("abc", name="openaiApiKey") == "[redacted]"
    assert redact(317, name="llm.token_count.prompt") == 317
    assert redact("hello", name="token") == "hello"
    assert redact("abcdefgh12345678", name="token") == "[redacted]"


PIECES = [
    *SECRETS,
    "password: abcdefg",
    "secret='a\nbcdefgh",
    "://a:b@c",
    '-----BEGIN PRIVATE KEY-----\nMII"\\',
    "Bearer a1\n",
    '{"password": 1234567, "x": "y"}',
    '{"api_key": "a\\nbcdefgh"}',
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(PIECES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("password"), inner, max_size=3),
    max_leaves=8,
)


@given(value=values)
def test_masking_twice_is_masking_once(value: object) -> None:
    """A trace that is exported and imported again does not change."""
    once = redact(value)  # type: ignore[arg-type]
    assert redact(once) == once


@given(value=values)
def test_masked_json_text_is_still_json(value: object) -> None:
    """Attributes hold JSON as text; a mask must not break it."""
    json.loads(redact_text(json.dumps(value)))
    json.loads(redact_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))


@pytest.mark.parametrize(
    "piece",
    ["eyJ-", "sk-", "://a:", "password:", "-----BEGIN PRIVATE KEY-----", "bearer ", "a", "Authorization: basic "],
)
def test_no_text_makes_masking_slow(piece: str) -> None:
    """Agents' output is hostile: a megabyte made to trap a pattern is masked in linear time."""
    begun = time.process_time()
    redact_text(piece * (1_000_000 // len(piece)))
    assert time.process_time() - begun < 2
