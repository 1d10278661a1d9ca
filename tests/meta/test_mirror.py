"""Tests stand where their code stands."""

import pytest

from tests.meta.source_tree import ROOT, SOURCE

PACKAGES = sorted(
    path.parent.name
    for path in SOURCE.glob("*/__init__.py")
    if any(other.name != "__init__.py" for other in path.parent.rglob("*.py"))
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_with_content_has_tests_of_its_own(package: str):
    """Protects against a package that nobody tests: its tests are in the folder of the same name."""
    assert list((ROOT / "tests" / package).rglob("test_*.py")) != []
