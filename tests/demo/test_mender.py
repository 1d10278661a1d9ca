"""The mender: it learns general rules from corrected values, and no more than the evidence bears."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from naoshi.demo.agent import write_agent
from naoshi.demo.agent.receipts_agent.document import parse_document, read_document
from naoshi.demo.agent.receipts_agent.extract import read_fields
from naoshi.demo.agent.receipts_agent.harness import parse_harness
from naoshi.demo.generator import write_receipts
from naoshi.demo.mender.evidence import HandoffError, read_handoff
from naoshi.demo.mender.forms import learn_cuts, learn_value_forms
from naoshi.demo.mender.harness_file import HarnessFiles, read_files
from naoshi.demo.mender.mend import blamed_fields, mend
from naoshi.demo.mender.scores import ScoringExample, learn_scores
from naoshi.demo.receipts import FIELDS, Receipt, ReceiptScore, field_is_right, read_receipts, score_receipts, set_aside

BASIC = Path(__file__).resolve().parents[2] / "src" / "naoshi" / "demo" / "agent" / "harness"
Case = tuple[str, str, str]


def _read(root: Path, document: str, files: HarnessFiles) -> dict[str, str | None]:
    found = read_fields(read_document(root, document), parse_harness(files))
    return {field: reading.value for field, reading in found.items()}


def _block(
    root: Path,
    files: HarnessFiles,
    cases: Sequence[Case],
    *,
    attempt: int = 1,
    failures: Sequence[str] = (),
    every_case: bool = False,
) -> dict[str, Any]:
    """Return the handoff's block for corrections of (document, field, expected)."""
    now = {document: _read(root, document, files) for document in {case[0] for case in cases}}
    failing = [case for case in cases if not field_is_right(case[2], now[case[0]][case[1]])]
    return {
        "schema": "naoshi.handoff/1",
        "attempt": attempt,
        "previous_failures": list(failures),
        "every_case": every_case,
        "cases": [{"field": field, "vars": {"document": path}, "expected": value} for path, field, value in failing],
        "confirmed": [
            {"field": field, "vars": {"document": path}, "value": value}
            for path, field, value in cases
            if (path, field, value) not in failing
        ],
        "traces": [],
    }


def _write_handoff(folder: Path, block: Mapping[str, Any]) -> Path:
    path = folder / "codex_handoff.md"
    path.write_text(f"# Handoff\n\n```json\n{{}}\n```\n\n```json\n{json.dumps(block, ensure_ascii=False)}\n```\n")
    return path


def _mended(root: Path, folder: Path, files: HarnessFiles, cases: Sequence[Case], **given: Any) -> HarnessFiles:
    path = _write_handoff(folder, _block(root, files, cases, **given))
    return mend(files, read_handoff(path, data_root=root)).files


def _corrections(root: Path, receipts: Sequence[Receipt], files: HarnessFiles) -> list[Case]:
    """Return a true correction of each field that the harness gets wrong."""
    return [
        (receipt.document, field, str(receipt.truth[field]))
        for receipt in receipts
        for read in [_read(root, receipt.document, files)]
        for field in FIELDS
        if not field_is_right(receipt.truth[field], read[field])
    ]


def _score(root: Path, receipts: Sequence[Receipt], files: HarnessFiles) -> ReceiptScore:
    return score_receipts([(receipt.truth, _read(root, receipt.document, files)) for receipt in receipts])


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Receipt], list[Receipt]]:
    folder = tmp_path_factory.mktemp("receipts")
    write_receipts(folder, count=130, seed=11)
    working, held = set_aside(read_receipts(folder), seed=1)
    return folder, working, held


@pytest.fixture(scope="module")
def basic() -> HarnessFiles:
    return read_files(BASIC)


@pytest.fixture(scope="module")
def once_mended(
    generated: tuple[Path, list[Receipt], list[Receipt]], basic: HarnessFiles, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Case], HarnessFiles]:
    root, working, _ = generated
    cases = _corrections(root, working, basic)
    return cases, _mended(root, tmp_path_factory.mktemp("once"), basic, cases)


def test_corrections_make_it_read_receipts_that_it_never_saw(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    basic: HarnessFiles,
    once_mended: tuple[list[Case], HarnessFiles],
) -> None:
    """The rules generalise: what was learned from one part of the receipts holds for the other."""
    root, _, held = generated
    assert _score(root, held, basic).at_least_75 <= 0.35
    assert _score(root, held, once_mended[1]).at_least_75 >= 0.9


def test_the_same_handoff_gives_the_same_bytes(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    basic: HarnessFiles,
    once_mended: tuple[list[Case], HarnessFiles],
    tmp_path: Path,
) -> None:
    """Mending can be repeated; not even the order of the cases matters."""
    cases, files = once_mended
    again = _mended(generated[0], tmp_path, basic, list(reversed(cases)))
    assert json.dumps(again) == json.dumps(files)


def test_no_answer_and_no_document_enters_the_harness(once_mended: tuple[list[Case], HarnessFiles]) -> None:
    """Dates, totals and names of documents are never written down; a merchant needs two documents."""
    cases, files = once_mended
    text = json.dumps(files, ensure_ascii=False)
    for document, field, value in cases:
        assert document not in text
        if field in {"date", "total"}:
            assert not re.search(rf'"[^"]*(?<![\w.,-]){re.escape(value)}(?![\w.,-])[^"]*"', text), (field, value)
    assert files["merchants.json"]["merchants"]
    assert all(entry["support"] >= 2 for entry in files["merchants.json"]["merchants"])


def test_some_wrong_corrections_do_little_harm(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    basic: HarnessFiles,
    once_mended: tuple[list[Case], HarnessFiles],
    tmp_path: Path,
) -> None:
    """One case in fifteen names another line of its document; the rules still come out right."""
    root, _, held = generated
    wrong = [
        (document, field, read_document(root, document).lines[number % 5].text if number % 15 == 0 else value)
        for number, (document, field, value) in enumerate(once_mended[0])
    ]
    assert _score(root, held, _mended(root, tmp_path, basic, wrong)).at_least_75 >= 0.85


def test_a_single_document_teaches_no_rule(tmp_path: Path, basic: HarnessFiles) -> None:
    """One correction could be anybody's mistake: without a second document nothing is written."""
    (tmp_path / "a.csv").write_text("0,0,90,0,90,9,0,9,ODD SHOP 443322-K\n0,20,90,20,90,29,0,29,SUM: 12345\n")
    case = ("a.csv", "total", "12345"), ("a.csv", "company", "ODD SHOP")
    assert _mended(tmp_path, tmp_path, basic, case) == basic


def test_where_every_case_is_true_a_single_document_is_proof_enough(tmp_path: Path, basic: HarnessFiles) -> None:
    """Told to believe each case it satisfies even one that stands alone, and says so with its support of one."""
    (tmp_path / "a.csv").write_text("0,0,90,0,90,9,0,9,ODD SHOP 443322-K\n0,20,90,20,90,29,0,29,SUM: 12345\n")
    case = ("a.csv", "total", "12345"), ("a.csv", "company", "ODD SHOPP")
    files = _mended(tmp_path, tmp_path, basic, case, every_case=True)
    assert _read(tmp_path, "a.csv", files)["total"] == "12345"
    assert _read(tmp_path, "a.csv", files)["company"] == "ODD SHOPP"
    assert "12345" not in json.dumps(files)


def test_believed_cases_still_give_way_to_confirmed_ones(tmp_path: Path, basic: HarnessFiles) -> None:
    """A case that can only be satisfied by losing a confirmed value is not: such a change would be refused."""
    for name, number in (("a.csv", "1.00"), ("b.csv", "2.00")):
        (tmp_path / name).write_text(f"0,0,90,0,90,9,0,9,ODD SHOP 443322-K\n0,20,90,20,90,29,0,29,TOTAL {number}\n")
    cases = [("a.csv", "company", "ODD SHOPP"), ("b.csv", "company", "ODD SHOP 443322-K")]
    files = _mended(tmp_path, tmp_path, basic, cases, every_case=True)
    assert _read(tmp_path, "b.csv", files)["company"] == "ODD SHOP 443322-K"


@pytest.mark.parametrize("said", [None, False, "true", 1])
def test_nothing_but_a_plain_true_makes_it_believe(tmp_path: Path, basic: HarnessFiles, said: object) -> None:
    """A handoff without the word, or with another one in its place, is read with care."""
    (tmp_path / "a.csv").write_text("0,0,90,0,90,9,0,9,SHOP\n")
    block = {**_block(tmp_path, basic, [("a.csv", "company", "SHAP")]), "every_case": said}
    assert not read_handoff(_write_handoff(tmp_path, block), data_root=tmp_path).every_case


def test_believing_true_cases_does_no_harm(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    basic: HarnessFiles,
    once_mended: tuple[list[Case], HarnessFiles],
    tmp_path: Path,
) -> None:
    """It is wrong cases that believing pays for: with true ones alone it mends as well as with care."""
    root, _, held = generated
    believing = _mended(root, tmp_path, basic, once_mended[0], every_case=True)
    careful = _score(root, held, once_mended[1]).fields_right
    assert _score(root, held, believing).fields_right >= 0.97 * careful


def test_contradictory_cases_prove_nothing(tmp_path: Path, basic: HarnessFiles) -> None:
    """Where one document has two values for a field, neither is believed."""
    (tmp_path / "a.csv").write_text("0,0,90,0,90,9,0,9,SHOP\n0,20,90,20,90,29,0,29,SUM: 1.00\n")
    block = _block(tmp_path, basic, [("a.csv", "total", "2.00"), ("a.csv", "total", "3.00")])
    handoff = read_handoff(_write_handoff(tmp_path, block), data_root=tmp_path)
    assert not [item for item in handoff.evidence if item.field == "total" and item.confirmed]


def test_a_blamed_field_is_narrowed_and_then_left_out(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    basic: HarnessFiles,
    once_mended: tuple[list[Case], HarnessFiles],
    tmp_path: Path,
) -> None:
    """The third attempt leaves the rules of a field alone that made things worse, and mends the others."""
    reasons = ["worse: case_1 (field total)", "validate worse: date 2"]
    assert blamed_fields(reasons) == {"total", "date"}
    third = _mended(generated[0], tmp_path, basic, once_mended[0], attempt=3, failures=reasons)
    assert third["labels.json"] == basic["labels.json"]
    assert third["patterns.json"]["values"] == basic["patterns.json"]["values"]
    assert third["layouts.json"] == once_mended[1]["layouts.json"]


def test_rules_that_a_person_keeps_are_not_touched(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    basic: HarnessFiles,
    once_mended: tuple[list[Case], HarnessFiles],
    tmp_path: Path,
) -> None:
    """An entry with ``"keep": true`` survives every mending as it is."""
    files = json.loads(json.dumps(basic))
    cue = {"where": "left", "text": "GRAND TOTAL", "score": 3.0, "keep": True}
    merchant = {"name": "Mine", "identify": ["T-999-888-777"], "company": "MINE LTD", "keep": True}
    files["labels.json"]["total"].append(cue)
    files["merchants.json"]["merchants"].append(merchant)
    mended = _mended(generated[0], tmp_path, files, once_mended[0])
    assert mended != files
    assert cue in mended["labels.json"]["total"]
    assert merchant in mended["merchants.json"]["merchants"]


def test_forms_are_general_and_keep_their_bounds() -> None:
    """Dates of one kind make one form, which takes unseen dates and no part of a longer number."""
    pairs = [
        (parse_document("d", f"0,0,9,0,9,9,0,9,DATE: {day} 10:22\n"), day)
        for day in ("25/12/2018", "5/3/2018", "11/10/2019")
    ]
    (form,) = learn_value_forms(pairs)
    assert (form.name, form.support) == ("9/9/9", 3)
    assert re.search(form.pattern, "on 1/10/2021!")
    assert not re.search(form.pattern, "7/1/10/20219")
    assert learn_value_forms(pairs[:1]) == []


def test_what_follows_a_name_is_learned_as_a_cut() -> None:
    """A registration number behind the company is cut off, whatever its digits."""
    pairs = [
        (parse_document("d", f"0,0,9,0,9,9,0,9,{name} ({number}-X)\n"), name)
        for name, number in (("ACME SDN BHD", "139386"), ("GOOD S/B", "519537"))
    ]
    cuts = [re.compile(form.pattern) for form in learn_cuts(pairs)]
    assert any(cut.sub("", "NEW FIRM LTD (77001-K)") == "NEW FIRM LTD" for cut in cuts)


@pytest.mark.parametrize(("right", "wrong", "sign"), [("good", "", 1), ("", "bad", -1)])
def test_scores_follow_the_evidence_and_ignore_what_tells_nothing(right: str, wrong: str, sign: int) -> None:
    """A feature of right candidates gets a positive score, one of wrong ones a negative, one of all none."""
    examples = [
        ScoringExample(document=str(number), features=(("all", right), ("all", wrong)), right=(True, False))
        for number in range(6)
    ]
    scores = learn_scores(examples, price=0.5)
    assert scores[right or wrong].score * sign > 0
    assert scores[right or wrong].support == 6
    assert "all" not in scores
    assert learn_scores(examples[:1], price=0.5) == {}


def test_nothing_is_learned_from_nothing() -> None:
    """No examples, or only ones in which every candidate is right, teach no score."""
    assert learn_scores([], price=0.5) == {}
    alike = ScoringExample(document="d", features=(("a",), ("b",)), right=(True, True))
    assert learn_scores([alike] * 5, price=0.5) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no block",
        "```json\n{}",
        "```json\n[]\n```\n",
        "```json\nnot json\n```\n",
        '```json\n{"cases": [{}]}\n```\n',
    ],
)
def test_a_handoff_that_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    """Nothing is guessed from a broken handoff."""
    path = tmp_path / "codex_handoff.md"
    path.write_text(text)
    with pytest.raises(HandoffError, match="codex_handoff"):
        read_handoff(path, data_root=tmp_path)


def test_documents_outside_the_data_root_are_not_read(tmp_path: Path, basic: HarnessFiles) -> None:
    """A case that cites a path out of the data root, or a file that is gone, proves nothing."""
    (tmp_path / "data").mkdir()
    (tmp_path / "secret.csv").write_text("0,0,9,0,9,9,0,9,SECRET\n")
    block: dict[str, Any] = {
        "cases": [
            {"field": "company", "vars": {"document": path}, "expected": "SECRET"}
            for path in ("../secret.csv", str(tmp_path / "secret.csv"), "gone.csv")
        ]
    }
    handoff = read_handoff(_write_handoff(tmp_path, block), data_root=tmp_path / "data")
    assert handoff.documents == {}
    assert mend(basic, handoff).files == basic


def test_as_a_program_it_edits_only_the_harness(
    generated: tuple[Path, list[Receipt], list[Receipt]],
    once_mended: tuple[list[Case], HarnessFiles],
    basic: HarnessFiles,
    tmp_path: Path,
) -> None:
    """Run in a checkout it changes files under harness/ alone, and says each rule with its support."""
    agent = tmp_path / "agent"
    write_agent(agent)
    _write_handoff(agent, _block(generated[0], basic, once_mended[0]))
    before = {path: path.read_bytes() for path in sorted(agent.rglob("*")) if path.is_file()}
    done = subprocess.run(
        [sys.executable, "-m", "naoshi.demo.mender"],
        cwd=agent,
        env={"NAOSHI_DATA_ROOT": str(generated[0]), "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    after = {path: path.read_bytes() for path in sorted(agent.rglob("*")) if path.is_file()}
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed and all(path.parent == agent / "harness" for path in changed)
    assert before.keys() == after.keys()
    assert read_files(agent / "harness") == once_mended[1]
    assert "(support " in done.stderr


def test_as_a_program_it_says_what_is_wrong_in_one_line(tmp_path: Path) -> None:
    """Without a handoff it exits with 2, says why, and changes nothing."""
    agent = tmp_path / "agent"
    write_agent(agent)
    done = subprocess.run(
        [sys.executable, "-m", "naoshi.demo.mender"], cwd=agent, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert "codex_handoff.md" in done.stderr and "Traceback" not in done.stderr
