"""Which model is asked, where, and with which key."""

import pytest
from pydantic import ValidationError

from naoshi.errors import JudgeError, ModelError
from naoshi.models.model_key import key_of
from naoshi.models.model_settings import ModelSettings, Provider


def test_the_address_is_that_of_the_settings_or_of_the_provider() -> None:
    """Protects prompts from going elsewhere: no variable of the environment has a say."""
    assert ModelSettings(provider=Provider.anthropic).address == "https://api.anthropic.com"
    assert ModelSettings(base_url="http://127.0.0.1:9/v1").address == "http://127.0.0.1:9/v1"


def test_a_key_comes_from_the_environment_alone_and_is_needed_away_from_this_machine() -> None:
    """Protects keys and their absence: the variable is named, the error is the asking stage's own."""
    remote = ModelSettings(model="m", key_variable="MY_KEY")
    assert key_of(remote, {"MY_KEY": " k1 "}, section="repair.model") == "k1"
    with pytest.raises(ModelError, match="MY_KEY") as told:
        key_of(remote, {"OPENAI_API_KEY": "k2"}, section="repair.model")
    assert "[repair.model]" in told.value.advice
    with pytest.raises(JudgeError):
        key_of(remote, {}, section="judge", error=JudgeError)
    assert key_of(ModelSettings(model="m", base_url="http://localhost:1/v1"), {}, section="x") == "no-key"


@pytest.mark.parametrize(
    "address",
    ["localhost:8080/v1", "http://me:hunter2@host/v1", "https://host/v1?key=hunter2", "https://", "ftp://host", "http://[::1",
     "http://host:99999/v1", "   "],
)  # fmt: skip
def test_an_address_is_one_and_holds_no_secret(address: str) -> None:
    """Protects keys, which errors and reports would show, and people from an address that nothing answers at."""
    with pytest.raises(ValidationError, match="with no password and no query") as caught:
        ModelSettings(base_url=address)
    assert "hunter2" not in caught.value.errors(include_input=False)[0]["msg"]


@pytest.mark.parametrize("address", ["", "https://host/v1", "http://[::1]:8080", "http://127.0.0.1:8000/openai/v1/"])
def test_an_address_of_any_endpoint_is_taken(address: str) -> None:
    """Protects local servers and gateways."""
    assert ModelSettings(base_url=address).base_url == address
