"""The `[repair]` section."""

import pytest
from pydantic import ValidationError

from naoshi.repair import RepairSettings
from naoshi.repair.protect import is_within


@pytest.mark.parametrize("place", ["/etc/", "../up/", "harness/../../x", "", " ", "a\0b"])
@pytest.mark.parametrize("name", ["editable", "protected", "hidden"])
def test_paths_stay_inside_the_repository(name: str, place: str):
    """Protects the rest of the machine from a slip in naoshi.toml."""
    with pytest.raises(ValidationError, match="does not stay inside"):
        RepairSettings.model_validate({name: [place]})


@pytest.mark.parametrize("wrong", [{"attempts": 4}, {"attempts": 0}, {"editable": []}, {"timeout": 0}, {"unknown": 1}])
def test_what_cannot_be_meant_is_refused(wrong: dict[str, object]):
    """Protects L10's three attempts and every name against typing errors."""
    with pytest.raises(ValidationError):
        RepairSettings.model_validate(wrong)


def test_suites_in_another_folder_are_guarded_too():
    """Protects evals that do not lie in `evals/`: all suites are protected, the validate suite is hidden as well."""
    settings = RepairSettings().guarding("quality/suites/")
    assert is_within("quality/suites/diagnose.yaml", settings.protected)
    assert is_within("quality/suites/validate.yaml", settings.hidden)
    assert not is_within("quality/suites/diagnose.yaml", settings.hidden)
    assert settings.guarding("quality/suites") == settings
