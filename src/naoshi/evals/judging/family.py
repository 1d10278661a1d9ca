"""Whose model a model is, by its name: a judge must not grade its own kin, which it tends to prefer."""

import re
from collections.abc import Iterable

NO_MODEL = "none"
"""What `[agent] model` says of an agent that uses no model."""

_PATTERNS = {
    "openai": r"gpt|openai|codex|davinci|(?<![a-z0-9])o[1-9](?![a-z0-9])",
    "anthropic": r"claude|anthropic",
    "google": r"gemini|gemma|google|(?<![a-z])palm(?![a-z])",
    "meta": r"llama",
    "mistral": r"mistral|mixtral|codestral|ministral|magistral|devstral|pixtral",
    "qwen": r"qwen|qwq|qvq|alibaba|tongyi",
    "deepseek": r"deepseek",
    "xai": r"grok",
    "cohere": r"cohere|command-?(?:r|a|light|nightly)|c4ai|(?<![a-z])aya(?![a-z])",
    "microsoft": r"(?<![a-z])phi-?[0-9]|microsoft",
    "amazon": r"(?<![a-z])nova-|(?<![a-z])titan-|amazon",
    "zhipu": r"(?<![a-z])glm-?[0-9]|zhipu|(?<![a-z0-9])z-ai(?![a-z])",
    "moonshot": r"kimi|moonshot",
    "minimax": r"minimax|(?<![a-z])abab[0-9]",
    "ibm": r"granite",
    "nvidia": r"nemotron",
    "ai21": r"jamba|ai21",
    "01": r"(?<![a-z])yi-(?:[0-9]|large|lightning|medium|vision)",
    "baidu": r"ernie",
    "tencent": r"hunyuan",
    "ai2": r"olmo|(?<![a-z])tulu",
    "tii": r"falcon",
}
_FAMILIES = {family: re.compile(pattern) for family, pattern in _PATTERNS.items()}


def model_families(name: str) -> frozenset[str]:
    """Return the families that the model called *name* belongs to, in lower case; none where the name tells nothing.

    A model made from another one's weights or answers carries both names and is of both families.
    """
    plain = name.strip().lower()
    return frozenset(family for family, pattern in _FAMILIES.items() if pattern.search(plain))


def families_said(said: str) -> frozenset[str]:
    """Return what a person means who says whose a model is: "Claude" and "anthropic" are the same family."""
    plain = said.strip().lower()
    return model_families(plain) or (frozenset({plain}) if plain else frozenset())


def families_of(names: Iterable[str], *, said: str = "") -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the families of the models called *names*, and the names that tell none.

    ``said`` is what a person says the family is, by its name or by that of any of its models; it comes on top, and
    answers for names that tell nothing.
    """
    families = set(families_said(said))
    unknown: list[str] = []
    for name in names:
        if name.strip().lower() == NO_MODEL:
            continue
        found = model_families(name)
        families |= found
        if not found and not said.strip():
            unknown.append(name)
    return frozenset(families), tuple(unknown)
