"""A harness that is only configuration."""

from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import AgentConfig


def test_instructions_have_prompt_policy_and_run_and_nothing_of_the_evals():
    """Protects the agent from knowing how it is judged: `eval_metadata` is never in its instructions."""
    config = AgentConfig(
        version="v3",
        system_prompt="Answer from the documents.\n",
        model_settings={"temperature": 0},
        tool_policy={"search": "always", "nrr": {"validated": True}},
        eval_metadata={"suite": "evals/secret.yaml"},
    )
    assert config.build_instructions(today="2026-01-01") == (
        "Answer from the documents.\n\n## Tool policy\n\n"
        '- nrr: {"validated": true}\n- search: always\n\n## This run\n\n- today: 2026-01-01\n'
    )
    assert AgentConfig.model_validate_json(config.to_json()) == config


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=5))
def test_the_same_configuration_gives_the_same_text(policy: dict[str, str]):
    """Protects comparisons of versions: the order of keys is no difference."""
    first = AgentConfig(version="1", system_prompt="p", tool_policy=dict(policy))
    turned = AgentConfig(version="1", system_prompt="p", tool_policy=dict(reversed(policy.items())))
    assert first.build_instructions() == turned.build_instructions()
