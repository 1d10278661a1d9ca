"""Masking secrets before anything is written.

The forms are those of the issuers' own documentation: fixed prefixes, fixed alphabets. Ordinary text, telephone
and registration numbers, hashes and identifiers stay as they are. Every pattern is linear in the text.
"""

import re
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MASK: Final = "[redacted]"

_ASSIGNED = (
    r"pass(?:word|wd|phrase)|secret|api[_-]?key|(?:access|auth|refresh|session|bearer)[_-]?token"
    r"|secret[_-]?access[_-]?key|private[_-]?key|account[_-]?key|client[_-]?secret"
)
_QUOTE = r"\\{0,2}[\"']"
_IS = rf"(?:{_QUOTE}\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}|\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?)"
_KEY_BODY = r"(?:[A-Za-z0-9+/=\s:,.-]|\\[nrt\\])"
_SECRET_NAME = re.compile(
    rf"(?:^|[._\-\s])(?:{_ASSIGNED}|authorization|(?:set[_-])?cookie|credentials?)$", re.IGNORECASE
)
_TOKEN_NAME = re.compile(r"(?:^|[._\-\s])token$", re.IGNORECASE)
_TOKEN_VALUE = re.compile(r"(?=\D{0,200}\d)[A-Za-z0-9._~+/=-]{16,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_START = r"(?<![A-Za-z0-9_-])"


@dataclass(frozen=True, kw_only=True)
class _Form:
    """One form of secret: a text in small letters one of which must be there, the pattern, what of a match stays."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    kept: str = ""


def _form(signs: str, pattern: str, *, kept: str = "") -> _Form:
    return _Form(signs=tuple(signs.split()), pattern=re.compile(pattern), kept=kept)


# The signs make ordinary text cheap: `in` is a hundred times as fast as a pattern without a fixed beginning.
_FORMS: tuple[_Form, ...] = (
    _form(
        "-----begin",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
        rf"{_KEY_BODY}*?(?:-----END [A-Z ]{{0,40}}PRIVATE KEY-----|(?!{_KEY_BODY}))",
    ),
    _form("sk-", _START + r"sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"),
    _form("sk_ rk_", _START + r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    _form("ghp_ gho_ ghu_ ghs_ ghr_", _START + r"gh[pousr]_[A-Za-z0-9]{20,}"),
    _form("github_pat_", _START + r"github_pat_[A-Za-z0-9_]{20,}"),
    _form("glpat-", _START + r"glpat-[A-Za-z0-9_-]{16,}"),
    _form("xox", _START + r"xox[a-z]-[A-Za-z0-9-]{10,}"),
    _form("aiza", _START + r"AIza[A-Za-z0-9_-]{30,}"),
    _form("ya29.", _START + r"ya29\.[A-Za-z0-9_-]{20,}"),
    _form("hf_", _START + r"hf_[A-Za-z0-9]{20,}"),
    _form("npm_", _START + r"npm_[A-Za-z0-9]{30,}"),
    _form("pypi-", _START + r"pypi-[A-Za-z0-9_-]{30,}"),
    _form("akia asia aroa aida", _START + r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _form("eyj", _START + r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*"),
    _form(
        "bearer",
        _START + r"((?:Bearer|bearer|BEARER)\s{1,4})(?=[A-Za-z._~+/=-]{0,80}[0-9])[A-Za-z0-9._~+/=-]{16,}",
        kept=r"\1",
    ),
    _form("authorization", rf"(?i:\b(authorization{_IS}basic\s{{1,4}}))[A-Za-z0-9+/=]{{6,}}", kept=r"\1"),
    _form("://", r"(://[^\s/@:\"'\\]{0,128}+:)(?!\[redacted\]@)[^\s/@\"'\\]{1,128}+(?=@)", kept=r"\1"),
    _form(
        "password passwd passphrase secret apikey api_key api-key privatekey accountkey accesskey _key -key token",
        rf"(?i:((?:{_ASSIGNED}){_IS}))(?!\[redacted\])" + r"[^\s\"'\\,;&<>(){}\[\]]{6,}",
        kept=r"\1",
    ),
)


_SIGNS = tuple((sign, form) for form in _FORMS for sign in form.signs)
_SHORTEST = len("://:x@")


class Redactor(Protocol):
    """Returns a value with its secrets masked; *name* is the attribute's, empty where there is none."""

    def __call__(self, value: Json, /, *, name: str = "") -> Json:
        """Return *value* with its secrets masked."""
        ...


def redact(value: Json, /, *, name: str = "") -> Json:
    """Return *value* with the secrets in its texts masked, however deep; a value whose *name* says so goes whole.

    Masked text is masked once: ``redact(redact(x)) == redact(x)``.
    """
    if isinstance(value, str):
        return MASK if value and _names_a_secret(name, value) else redact_text(value)
    if isinstance(value, list):
        return [redact(item, name=name) for item in value]
    if isinstance(value, dict):
        return {redact_text(key): redact(item, name=key) for key, item in value.items()}
    return value


def redact_text(text: str) -> str:
    """Return *text* with API keys, tokens, private keys and passwords in it masked."""
    if len(text) < _SHORTEST:
        return text
    lowered = text.lower()
    for sign, form in _SIGNS:
        if sign in lowered:
            text = form.pattern.sub(form.kept + MASK, text)
    return text


def keep_everything(value: Json, /, *, name: str = "") -> Json:
    """Mask nothing: for those whose traces never leave a place where secrets may lie."""
    return value


def _names_a_secret(name: str, value: str) -> bool:
    spaced = _CAMEL.sub("_", name[-200:])
    if _SECRET_NAME.search(spaced):
        return True
    return _TOKEN_NAME.search(spaced) is not None and _TOKEN_VALUE.fullmatch(value) is not None
