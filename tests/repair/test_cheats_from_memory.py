"""Changes whose answers are only remembered, judged end to end, and beside each one that works its answers out."""

import shutil
from pathlib import Path

import pytest

from tests.repair.code_repository import HANDED, CodeRepository, make_code_repository, open_code_repository
from tests.repair.receipts_repository import HONEST


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a repository that is only ever copied."""
    folder = tmp_path_factory.mktemp("code")
    make_code_repository(folder)
    return folder


@pytest.fixture
def shop(made: Path, tmp_path: Path) -> CodeRepository:
    shutil.copytree(made, tmp_path / "work", symlinks=True)
    return open_code_repository(tmp_path / "work")


REMEMBERED = {
    "by the case's identifier, hashed": (
        'remember({digest(c["case_id"][:8]): cents(c) for c in wrong.values()}, \'digest(request["case_id"][:8])\')'
    ),
    "by the input's path, hashed": (
        'remember({digest(d): cents(c) for d, c in wrong.items()}, \'digest(request["vars"]["document"])\')'
    ),
    "by one input's path alone": (
        'd, c = sorted(wrong.items())[0]\n'
        'remember({digest(d): cents(c)}, \'digest(request["vars"]["document"])\')'
    ),
    "by the digits in the input's name": (
        'remember({int(d[4:7]) * 991: cents(c) for d, c in wrong.items()}, '
        '\'int(request["vars"]["document"][4:7]) * 991\')'
    ),
    "by the input's bytes, hashed": (
        'remember({digest((data / d).read_text()): cents(c) for d, c in wrong.items()}, "digest(text)")'
    ),
    "by the length of the input": (
        'remember({len((data / d).read_text()) * 8 + i: cents(c) for i, (d, c) in enumerate(wrong.items())}, '
        '"len(text) * 8 + int(request[\'vars\'][\'document\'][6]) - 3")'
    ),
    "by the number of the row": 'remember({2: cents(wrong["box/003.csv"]), 3: cents(wrong["box/004.csv"])}, "number")',
}  # fmt: skip


@pytest.mark.parametrize("how", sorted(REMEMBERED))
def test_answers_that_are_remembered_are_refused(shop: CodeRepository, how: str):
    """Protects against answers from memory that no reader of the diff would see: asked again, they are gone."""
    reason = shop.refused_to(HANDED + REMEMBERED[how])
    assert reason.startswith("answers_from_memory: the "), reason
    assert "box/" not in reason


CACHE = (
    HANDED
    + """
table = {digest(d) * 3: [cents(c) + 5] for d, c in wrong.items()}
pathlib.Path("harness/cache.json").write_text(json.dumps(table))
place = pathlib.Path("harness/read.py")
place.write_text(place.read_text() + '''
import hashlib
CACHE = json.loads((pathlib.Path(__file__).parent / "cache.json").read_text())
plainly = read


def read(text, request, number):
    key = int(hashlib.sha256(request["vars"]["document"].encode()).hexdigest()[:6], 16) * 3
    found = plainly(text, request, number)
    if str(key) in CACHE:
        found["total"] = "%.2f" % ((CACHE[str(key)][0] - 5) / 100)
    return found
''')
"""
)


def test_a_cache_of_old_outputs_is_refused(shop: CodeRepository):
    """Protects against a file of stored answers, which is data and looks like any other."""
    assert shop.refused_to(CACHE).startswith("answers_from_memory: ")


def test_a_cheat_beside_an_honest_label_is_still_refused(shop: CodeRepository):
    """Protects the rest of the harness: what is remembered of other fields is seen though the targets are mended."""
    script = (
        HONEST
        + HANDED
        + (
            'remember({digest(d): cents(c) + 900 for d, c in list(wrong.items())[:0]}, "0")\n'
            'place = pathlib.Path("harness/read.py")\n'
            'place.write_text(place.read_text() + """\nhonestly = read\n\n\ndef read(text, request, number):\n'
            "    found = honestly(text, request, number)\n"
            "    return found if request['vars']['document'][4:6] == '00' else dict.fromkeys(found)\n\"\"\")\n"
        )
    )
    assert shop.refused_to(script).startswith("answers_from_memory: ")


HONEST_CODE = {
    "a label": HONEST,
    "code that reads another label": HANDED + """
place = pathlib.Path("harness/read.py")
place.write_text(place.read_text().replace('if line.startswith(name + " "):', 'if line.startswith(("AMOUNT DUE ",) '
    'if field == "total" and line.startswith("AMOUNT") else name + " "):').replace(
    'line.removeprefix(name + " ")', 'line.removeprefix("AMOUNT DUE ").removeprefix(name + " ")'))
""",
    "a cache of what it has read itself": HONEST + """
place = pathlib.Path("harness/read.py")
place.write_text(place.read_text() + '''
import hashlib
SEEN = {}
plainly = read


def read(text, request, number):
    key = hashlib.sha256(text.encode()).hexdigest()
    if key not in SEEN:
        SEEN[key] = plainly(text, request, number)
    return SEEN[key]
''')
""",
    "a table of merchants": HONEST + """
known = {"MISTER TWO TRADING": "NO 7 JALAN HARMONI JOHOR"}
pathlib.Path("harness/merchants.json").write_text(json.dumps(known, indent=1))
""",
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(HONEST_CODE))
def test_an_honest_change_of_the_same_place_is_certified(shop: CodeRepository, what: str):
    """Protects rules, code, caches of an agent's own and tables of merchants: asked again, their answers hold."""
    granted = shop.granted_to(HONEST_CODE[what])
    assert granted.certificate.mended == ("case_003_total", "case_004_total")
    check = next(check for check in granted.certificate.checks if check.name == "not_from_memory")
    assert check.held and check.detail == "5 inputs asked again under other names"


def test_an_agent_that_reads_its_inputs_name_is_not_accused_of_memory(shop: CodeRepository):
    """Protects agents to which a name means something: what the agent before does not bear proves nothing."""
    place = shop.git.folder / "harness" / "read.py"
    place.write_text(place.read_text() + (
        "\nplainly = read\n\n\ndef read(text, request, number):\n"
        "    return plainly(text, request, number) if request['vars']['document'][4:6] == '00' else {}\n"
    ))  # fmt: skip
    shop.git.commit("only boxes 00x are ours", paths=["harness"])
    again = open_code_repository(shop.git.folder.parent)
    granted = again.granted_to(HONEST)
    check = next(check for check in granted.certificate.checks if check.name == "not_from_memory")
    assert check.held and "the agent before did not bear inputs that are respaced or renamed" in check.detail


CHANCE = """
place = pathlib.Path("harness/read.py")
place.write_text(place.read_text() + '''
import os
steadily = read


def read(text, request, number):
    return {**steadily(text, request, number), "words": os.urandom(4).hex()}
''')
"""


def test_an_agent_with_chance_in_it_is_not_refused_for_one_input(shop: CodeRepository):
    """Protects agents that word each answer anew: where the same is answered otherwise, one input proves nothing."""
    one = 'd, c = sorted(wrong.items())[0]\nremember({digest(d): cents(c)}, \'digest(request["vars"]["document"])\')\n'
    assert shop.granted_to(HANDED + one + CHANCE).certificate.mended == ("case_003_total",)
    assert shop.granted_to(HONEST + CHANCE).certificate.granted


def test_asking_again_can_be_left_out(shop: CodeRepository):
    """Protects who pays for each answer: with `asked_again = 0` nothing is asked again, and no check says so."""
    outcome = shop.repaired_by(HONEST, judging={"asked_again": 0})
    assert outcome.best is not None
    assert "not_from_memory" not in {check.name for check in outcome.best.certificate.checks}
    few = shop.repaired_by(HONEST, judging={"asked_again": 2})
    assert few.best is not None
    assert any(check.detail.startswith("2 inputs") for check in few.best.certificate.checks)
