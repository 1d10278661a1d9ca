"""A judge does not grade its own kin."""

from typing import Any

import pytest

from naoshi.errors import JudgeKinError
from naoshi.evals.judging.family import model_families
from naoshi.evals.judging.kinship import Kinship, models_in, require_other_family
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("gpt-4.1-2025-04-14", {"openai"}),
        ("openai/gpt-oss-120b", {"openai"}),
        ("o3-mini", {"openai"}),
        ("ft:gpt-4o-mini:acme::9", {"openai"}),
        ("codex-mini-latest", {"openai"}),
        ("claude-sonnet-4-5", {"anthropic"}),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", {"anthropic"}),
        ("gemini-2.5-pro", {"google"}),
        ("gemma-3-270m-it-Q4_K_M.gguf", {"google"}),
        ("models/gemini-2.0-flash", {"google"}),
        ("meta-llama/Llama-3.1-8B-Instruct", {"meta"}),
        ("codellama:13b", {"meta"}),
        ("mistralai/Mixtral-8x7B", {"mistral"}),
        ("Qwen/QwQ-32B", {"qwen"}),
        ("deepseek-chat", {"deepseek"}),
        ("DeepSeek-R1-Distill-Llama-70B", {"deepseek", "meta"}),
        ("DeepSeek-R1-Distill-Qwen-7B", {"deepseek", "qwen"}),
        ("grok-4", {"xai"}),
        ("command-r-plus", {"cohere"}),
        ("phi-4", {"microsoft"}),
        ("amazon.nova-pro-v1:0", {"amazon"}),
        ("kimi-k2", {"moonshot"}),
        ("glm-4.6", {"zhipu"}),
        ("acme-7b", set()),
        ("foo1", set()),
        ("", set()),
    ],
)
def test_a_name_tells_its_families(name: str, families: set[str]):
    """Protects the refusal: usual spellings of usual models are known, and a distilled one has both families."""
    assert model_families(name) == families


def _kinship(judge: dict[str, Any], agent: dict[str, Any]) -> Kinship:
    return Kinship.of(JudgeSettings(**judge), AgentSettings(**agent))


@pytest.mark.parametrize(
    ("judge", "agent", "refused"),
    [
        ({"model": "gpt-4.1"}, {"model": "claude-sonnet-4-5"}, ""),
        ({"model": "gpt-4.1"}, {"model": "none"}, ""),
        ({"model": "gpt-4.1"}, {"model": ["claude-sonnet-4-5", "gemini-2.5-pro"]}, ""),
        ({"model": "gpt-4.1"}, {"model": "acme-7b", "family": "acme"}, ""),
        ({"model": "claude-opus-4"}, {"model": "prod-1", "family": "Claude"}, "both of the family anthropic"),
        ({"model": "prod", "family": "GPT-4o"}, {"model": "azure/answers", "family": "OpenAI"}, "family openai"),
        ({"model": "judge", "family": "acme", "base_url": "http://x/v1"}, {"model": "gpt-4.1"}, ""),
        ({"model": "deployment-1"}, {"model": "claude-opus-4"}, ""),
        ({"model": "gpt-4.1"}, {"model": "o3"}, "both of the family openai"),
        ({"model": "gpt-4.1"}, {"model": ["claude-opus-4", "gpt-5-mini"]}, "both of the family openai"),
        ({"model": "llama-3.1-70b"}, {"model": "deepseek-r1-distill-llama-8b"}, "both of the family meta"),
        ({"model": "gpt-4.1"}, {"model": "acme", "family": "OpenAI"}, "both of the family openai"),
        ({"model": "deployment-1"}, {"model": "gpt-5"}, "both of the family openai"),
        ({"model": "gpt-4.1"}, {}, "nobody named"),
        ({"model": "gpt-4.1"}, {"model": "  "}, "nobody named"),
        ({"model": "gpt-4.1"}, {"model": "acme-7b"}, "the family of acme-7b is not known"),
        ({"model": "judge", "base_url": "http://x/v1"}, {"model": "gpt-4.1"}, "the family of judge is not known"),
    ],
)
def test_only_another_family_may_judge(judge: dict[str, Any], agent: dict[str, Any], refused: str):
    """Protects grades from self-preference: the same family and an unknown one are refused, and leave lets them be."""
    kinship = _kinship(judge, agent)
    require_other_family(kinship, allowed=True)
    if not refused:
        require_other_family(kinship, allowed=False)
        return
    with pytest.raises(JudgeKinError, match=refused) as caught:
        require_other_family(kinship, allowed=False)
    assert "\n" not in caught.value.line()
    assert "--allow-same-family" in caught.value.advice


@pytest.mark.parametrize(
    "span",
    [
        {"attributes": {"gen_ai.request.model": "gpt-4.1"}},
        {"attributes": {"gen_ai.response.model": "gpt-4.1"}},
        {"attributes": {"llm.model_name": "gpt-4.1"}},
        {"gen_ai.request.model": "gpt-4.1"},
        {"attributes": [{"key": "gen_ai.request.model", "value": {"stringValue": "gpt-4.1"}}]},
    ],
)
def test_spans_tell_which_model_answered(span: dict[str, Any]):
    """Protects against an agent that answers with another model than it is said to: all common spellings are read."""
    assert list(models_in([span, {"name": "x", "attributes": {"other": "gpt-5"}}])) == ["gpt-4.1"]
    kinship = _kinship({"model": "gpt-5"}, {"model": "claude-opus-4"})
    assert kinship.kin_in([span]) == "gpt-4.1"
    assert _kinship({"model": "gemini-2.5-pro", "provider": "google"}, {"model": "none"}).kin_in([span]) == ""


def test_spans_of_any_shape_do_no_harm():
    """Protects the run from hostile spans: nesting, numbers and odd keys tell nothing and break nothing."""
    deep: Any = "gpt-4.1"
    for _ in range(90):
        deep = {"a": [deep]}
    odd: Any = {"gen_ai.request.model": 7, "key": "gen_ai.request.model", "value": "x", "b": deep}
    assert list(models_in([odd])) == []
