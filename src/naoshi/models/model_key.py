"""The key of a model, from the environment."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from naoshi.errors import ModelError
from naoshi.models.model_settings import ModelSettings

_ON_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def key_of(
    settings: ModelSettings, environment: Mapping[str, str], *, section: str, error: type[ModelError] = ModelError
) -> str:
    """Return the key of the model; an endpoint on this machine needs none. *section* is the settings' table.

    Raises:
        ModelError: (as *error*) the environment holds no key.
    """
    key = environment.get(settings.key_name, "").strip()
    if not key and (urlsplit(settings.address).hostname or "") not in _ON_THIS_MACHINE:
        raise error(
            f"there is no key for {settings.model}: the variable {settings.key_name} is not set",
            hint=f"set {settings.key_name}, or name another variable as `key_variable` under [{section}]",
        )
    return key or "no-key"
