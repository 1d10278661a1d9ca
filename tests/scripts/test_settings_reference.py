"""The generator of docs/settings.md, on settings of the tests' own."""

from enum import StrEnum

import pytest
from pydantic import BaseModel, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from scripts import settings_reference


class Colour(StrEnum):
    """Which colour: ``red`` or ``blue``."""

    red = "red"
    blue = "blue"


class Space(BaseModel):
    """A space. ``size`` is in square metres."""

    size: float = 12.5


class Room(Space):
    """A room."""

    colour: Colour = Colour.red
    silent: int | None = None


class House(BaseSettings):
    """A house."""

    model_config = SettingsConfigDict(env_prefix="HOUSE_", env_nested_delimiter="__")

    kitchen: Room = Room()
    rooms: dict[str, Room] = {}
    owner: str = Field(description="Who pays | and lives here.")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines of the page about a house."""
    monkeypatch.setattr(settings_reference, "settings_model", lambda: House)
    return settings_reference.render().splitlines()


def test_sections_are_named_as_in_toml(page: list[str]):
    """Protects the reader who copies a heading into naoshi.toml; a free name is shown as one."""
    headings = [line for line in page if line.startswith("## ")]
    assert headings == ["## At the top of the file", "## `[kitchen]`", "## `[rooms.<name>]`"]


def test_a_row_says_type_default_variable_and_meaning(page: list[str]):
    """Protects the columns: what pydantic-settings reads is what the page promises."""
    assert "| `owner` | `str` | (must be given) | `HOUSE_OWNER` | Who pays \\| and lives here. |" in page
    assert "| `size` | `float` | `12.5` | `HOUSE_KITCHEN__SIZE` | see above |" in page
    assert '| `colour` | `Colour` | `"red"` | `HOUSE_KITCHEN__COLOUR` | Which colour: `red` or `blue`. |' in page


def test_a_setting_under_a_free_name_has_no_variable(page: list[str]):
    """Protects against the promise of a variable that nobody can spell."""
    assert "| `size` | `float` | `12.5` |  | see above |" in page


def test_the_variable_on_the_page_is_the_one_that_is_read(monkeypatch: pytest.MonkeyPatch):
    """Protects the page against pydantic-settings itself: setting that variable changes that setting."""
    monkeypatch.setenv("HOUSE_OWNER", "Ono")
    monkeypatch.setenv("HOUSE_KITCHEN__SIZE", "9")
    assert House().kitchen.size == 9  # pyright: ignore[reportCallIssue]


def test_an_inherited_setting_is_explained_where_it_is_inherited(page: list[str]):
    """Protects settings that come from a base: its docstring stands below that of the section."""
    start = page.index("## `[kitchen]`")
    assert page[start + 2 : start + 5] == ["A room.", "", "A space. `size` is in square metres."]


def test_a_setting_that_nothing_explains_is_found():
    """Protects the check of the house: a setting without a word is told apart from one with."""
    section = settings_reference.Section(path=("kitchen",), model=Room)
    assert settings_reference.explanation(section, "silent") is None
    assert settings_reference.explanation(section, "size") is not None
