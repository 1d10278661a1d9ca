"""No file grows past what a person reads in one go."""

from tests.meta.source_tree import ROOT, project_files

MOST_LINES = 400


def test_no_module_has_more_than_400_lines():
    """Protects readability: a module that outgrows the bound is two modules."""
    folders = ("src", "scripts", "bench")
    sizes = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in project_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders
    }
    assert sizes
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}
