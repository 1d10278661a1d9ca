"""The people of the demo: practitioners who correct, triagers and reviewers who answer."""

import json
from collections import Counter
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.confirm.reply import resolve_reply
from naoshi.demo.people import ScriptedPeople, WrongKind, believing_everything, corrections_of, kept_out
from naoshi.demo.people.practitioners import PractitionersWork
from naoshi.demo.people.slip import slip
from naoshi.demo.people.typed_number import not_ready, typed_number
from naoshi.demo.people.written_date import read_date
from naoshi.demo.receipts import FIELDS, field_is_right, read_receipts
from naoshi.flow.people import Question
from naoshi.records.correction import Cause, Triage, TriageClass, TriageProposal
from naoshi.records.source_document import SourceDocument, SourceLine
from naoshi.records.text_comparison import loosened

NOW = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
TEXT = (
    "HARBOUR BEAN", "HARBOUR BEAN COFFEE LTD", "12 QUAY STREET", "OLD DOCKS", "BRISTOL BS1 4RW", "TEL: 02-4108233",
    "DATE: 25/12/2018", "FLAT WHITE 4.50", "SUBTOTAL 9.00", "TAX 0.45", "TOTAL 9.45", "CASH 10.00", "CHANGE 0.55",
)  # fmt: skip
TRUTH = {
    "company": "HARBOUR BEAN COFFEE LTD",
    "date": "25/12/2018",
    "address": "12 QUAY STREET, OLD DOCKS, BRISTOL BS1 4RW",
    "total": "9.45",
}
WRONG = {"company": "HARBOUR BEAN", "date": None, "address": "12 QUAY STREET", "total": "10.00"}


def document(path: str = "box/000.csv", text: tuple[str, ...] = TEXT) -> SourceDocument:
    lines = tuple(SourceLine(number=number, text=line) for number, line in enumerate(text, start=1))
    return SourceDocument(path=path, lines=lines)


def work_on(
    path: str, output: dict[str, str | None] | None, *, noise: float, seed: int = 1, text: tuple[str, ...] = TEXT
) -> PractitionersWork:
    return corrections_of(document(path, text), output, TRUTH, trace_id=path, noise=noise, seed=seed, now=NOW)


def mixed_outputs(count: int, *, right: float) -> list[tuple[str, dict[str, str | None]]]:
    lot = Random(f"outputs {right}")
    return [
        (f"box/{number:04d}.csv", {name: TRUTH[name] if lot.random() < right else WRONG[name] for name in FIELDS})
        for number in range(count)
    ]


def test_without_noise_exactly_the_wrong_fields_are_corrected_to_the_truth() -> None:
    """Practitioners without noise correct what differs and nothing else."""
    output = {**TRUTH, "total": "10.00", "date": None}
    work = work_on("box/000.csv", output, noise=0)
    assert {item.field: (item.submitted, item.corrected) for item in work.corrections} == {
        "date": (None, TRUTH["date"]),
        "total": ("10.00", TRUTH["total"]),
    }
    assert not work.wrong
    assert all((item.document, item.trace_id, item.at) == ("box/000.csv",) * 2 + (NOW,) for item in work.corrections)


def test_case_spacing_and_points_are_no_reason_to_correct() -> None:
    """A field is right when letters and digits are equal, so nobody touches it."""
    output = {name: f" {value.lower().replace(',', ' ')} " for name, value in TRUTH.items()}
    assert work_on("box/000.csv", output, noise=0).corrections == ()


def test_an_agent_without_an_answer_has_every_field_corrected() -> None:
    """No output at all is four wrong fields, not an error."""
    work = work_on("box/000.csv", None, noise=0)
    assert {item.field: item.corrected for item in work.corrections} == TRUTH


@pytest.mark.parametrize("noise", [0.05, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("right", [0.2, 0.8])
def test_the_share_of_wrong_corrections_is_the_noise(noise: float, right: float) -> None:
    """`--noise 0.2` makes a fifth of the corrections wrong, whether the agent is poor or good."""
    works = [work_on(path, output, noise=noise) for path, output in mixed_outputs(900, right=right)]
    made = sum(len(work.corrections) for work in works)
    wrong = sum(len(work.wrong) for work in works)
    assert wrong / made == pytest.approx(noise, abs=0.03)
    if noise < 1:
        assert set(Counter(kind for work in works for kind in work.wrong.values())) == set(WrongKind)


def test_the_share_holds_on_real_receipts(shared_data: Path) -> None:
    """The share of noise does not depend on invented documents: it holds on the real ones."""
    folder, lot, made, wrong = shared_data / "receipts", Random(5), 0, 0
    for receipt in read_receipts(folder):
        rows = (folder / receipt.document).read_text(encoding="utf-8").splitlines()
        text = tuple(row.split(",", 8)[-1] for row in rows)
        output = {name: value if lot.random() < 0.5 else lot.choice(text) for name, value in receipt.truth.items()}
        for seed in (1, 2, 3):
            work = corrections_of(
                document(receipt.document, text), output, receipt.truth,
                trace_id=receipt.name, noise=0.2, seed=seed, now=NOW,
            )  # fmt: skip
            made += len(work.corrections)
            wrong += len(work.wrong)
    assert wrong / made == pytest.approx(0.2, abs=0.03)


def test_a_wrong_correction_of_a_wrong_field_is_never_the_truth_and_always_a_change() -> None:
    """Noise must hurt: a slip that is right by chance, or that changes nothing, would be no noise."""
    seen = 0
    for path, output in mixed_outputs(900, right=0.5):
        work = work_on(path, output, noise=0.6)
        for item in work.corrections:
            if item.correction_id not in work.wrong:
                assert field_is_right(TRUTH[item.field], str(item.corrected))
            elif not field_is_right(TRUTH[item.field], output[item.field]):
                seen += 1
                assert loosened(item.corrected) not in {loosened(TRUTH[item.field]), loosened(item.submitted), ""}
            else:
                seen += 1
                assert work.wrong[item.correction_id] is WrongKind.preference
                assert item.corrected != item.submitted
    assert seen > 400


def test_people_who_disagree_are_two_and_write_different_values() -> None:
    """Two people disagreeing is visible as two corrections of one field by two names."""
    seen, first_is_wrong = 0, 0
    for path, output in mixed_outputs(900, right=0.3):
        work = work_on(path, output, noise=0.3)
        for identifier, kind in work.wrong.items():
            if kind is WrongKind.disagreement:
                field = next(item.field for item in work.corrections if item.correction_id == identifier)
                one, two = (item for item in work.corrections if item.field == field)
                assert one.practitioner != two.practitioner
                assert loosened(one.corrected) != loosened(two.corrected)
                seen += 1
                first_is_wrong += one.correction_id == identifier
    assert seen > 50
    assert 0.3 < first_is_wrong / seen < 0.7, "the order must not tell who is right"


def test_what_happens_to_a_field_depends_on_its_own_document_alone() -> None:
    """More documents, another order or a hold-out must change no correction; another seed must."""
    outputs = mixed_outputs(60, right=0.4)
    all_of_them = {path: work_on(path, output, noise=0.4) for path, output in outputs}
    for path, output in reversed(outputs[::3]):
        assert work_on(path, output, noise=0.4) == all_of_them[path]
    assert any(work_on(path, output, noise=0.4, seed=2) != all_of_them[path] for path, output in outputs)


def test_another_field_of_the_document_becoming_right_leaves_a_slip_as_it_was() -> None:
    """A field's own lots do not move when the agent gets better at another field."""
    for path, _ in mixed_outputs(80, right=0):
        before = work_on(path, {**WRONG}, noise=0.5)
        after = work_on(path, {**WRONG, "company": TRUTH["company"]}, noise=0.5)
        slips = {item.correction_id: item for item in before.corrections if item.field != "company"}
        for identifier, kind in before.wrong.items():
            if kind is WrongKind.slip and identifier in slips:
                assert after.wrong.get(identifier) is WrongKind.slip


def test_nothing_in_a_correction_tells_that_it_is_wrong() -> None:
    """Nobody downstream may see which corrections are wrong: the records of both kinds look alike."""
    records = {True: set[str](), False: set[str]()}
    for path, output in mixed_outputs(400, right=0.3):
        work = work_on(path, output, noise=0.4)
        for item in work.corrections:
            shown = json.loads(item.to_json())
            shown = {name: value for name, value in shown.items() if name not in {"correction_id", "submitted"}}
            assert not {"slip", "preference", "disagreement", "wrong", "noise"} & set(json.dumps(shown).split('"'))
            records[item.correction_id in work.wrong].add(
                json.dumps({name: value for name, value in shown.items() if name in {"practitioner", "reason", "at"}})
            )
    assert records[True] == records[False]


def test_each_correction_has_an_identifier_of_its_own() -> None:
    """Two people correcting one field are two records; the same run again gives the same identifiers."""
    works = [work_on(path, output, noise=0.5) for path, output in mixed_outputs(300, right=0.3)]
    identifiers = [item.correction_id for work in works for item in work.corrections]
    assert len(identifiers) == len(set(identifiers))


@given(
    noise=st.floats(0, 1),
    seed=st.integers(0, 2**32),
    text=st.lists(st.text(max_size=30), max_size=6).map(tuple),
    truth=st.fixed_dictionaries({name: st.none() | st.text(max_size=20) for name in FIELDS}),
    output=st.none() | st.fixed_dictionaries({name: st.none() | st.text(max_size=20) for name in FIELDS}),
)
@settings(max_examples=200, deadline=None)
def test_no_document_truth_or_output_breaks_the_practitioners(
    noise: float,
    seed: int,
    text: tuple[str, ...],
    truth: dict[str, str | None],
    output: dict[str, str | None] | None,
) -> None:
    """Whatever the document says, every wrong field gets a correction and no call fails."""
    work = corrections_of(document(text=text), output, truth, trace_id="t", noise=noise, seed=seed, now=NOW)
    wrong_fields = {name for name in FIELDS if not field_is_right(truth[name], (output or {}).get(name))}
    assert wrong_fields <= {item.field for item in work.corrections}
    assert set(work.wrong) <= {item.correction_id for item in work.corrections}


@pytest.mark.parametrize("noise", [-0.1, 1.1, float("nan")])
def test_noise_is_a_share(noise: float) -> None:
    """A noise that is no share is refused rather than clipped."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        work_on("box/000.csv", WRONG, noise=noise)


@given(text=st.text(max_size=40), seed=st.integers(0, 10**6))
@settings(max_examples=200, deadline=None)
def test_a_slip_changes_letters_or_digits_and_avoids_what_it_must(text: str, seed: int) -> None:
    """A slip is never the value it came from, and its letters and digits are never empty."""
    never = frozenset({loosened(text)})
    slipped = slip(text, lot=Random(seed), never=never)
    assert slipped is None or (loosened(slipped) not in never and loosened(slipped))
    if len(set(loosened(text))) > 1 and text.isascii():
        assert slipped is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25/12/2018", date(2018, 12, 25)),
        ("12-01-19", date(2019, 1, 12)),
        ("18 SEP 2017", date(2017, 9, 18)),
        ("14/MAY/2017", date(2017, 5, 14)),
        ("Sep 8, 2017", date(2017, 9, 8)),
        ("(2018/03/14)", date(2018, 3, 14)),
        ("２０２４年３月１日", date(2024, 3, 1)),
        ("令和6年3月1日", date(2024, 3, 1)),
        ("令和元年5月1日", date(2019, 5, 1)),
        ("31/02/2018", None),
        ("9.45", None),
        ("", None),
    ],
)
def test_dates_are_read_as_receipts_print_them(text: str, expected: date | None) -> None:
    """Who prefers another format must first read the date that is printed."""
    assert read_date(text) == expected


def question(number: int, *, kind: str = "triage", proposed: int | None = 1, labels: int = 4) -> Question:
    return Question(
        conversation_id=f"{kind}/{number}",
        kind=kind,
        text="total: 10.00 → 9.45",
        labels=tuple(f"label {chr(96 + place)}" for place in range(1, labels + 1)),
        proposed=proposed,
    )


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("number", [1, 2, 9, 10, 12, 25])
def test_every_way_to_type_a_number_is_read_as_that_number(language: str, number: int) -> None:
    """The script types only what the grammar of confirmations certainly reads."""
    labels = [f"label {chr(64 + place)}" for place in range(1, 27)]
    typed = {typed_number(number, lot=Random(seed), language=language) for seed in range(300)}
    assert len(typed) > 5
    assert {resolve_reply(reply, labels).choice for reply in typed} == {number}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_words_of_someone_not_ready_settle_nothing(language: str) -> None:
    """An undecided answer must never resolve."""
    for seed in range(50):
        assert resolve_reply(not_ready(lot=Random(seed), language=language), ["a", "b", "c"]).choice is None


def final_choice(people: ScriptedPeople, asked: Question) -> tuple[int, list[str]]:
    """Ask until the answer resolves, as the loop does."""
    replies: list[str] = []
    for _ in range(5):
        answer = people.answer(asked)
        assert answer is not None
        replies.append(answer.reply)
        choice = resolve_reply(answer.reply, asked.labels).choice
        if choice is not None:
            return choice, replies
    raise AssertionError(f"never settled: {replies}")


@pytest.mark.parametrize("kind", ["triage", "review"])
@pytest.mark.parametrize("deviate", [0.0, 0.05, 0.5, 1.0])
def test_proposals_are_followed_except_in_the_stated_share(kind: str, deviate: float) -> None:
    """`deviate` is the share of questions that are answered otherwise."""
    people = ScriptedPeople(seed=3, deviate=deviate)
    choices = [final_choice(people, question(number, kind=kind, proposed=2))[0] for number in range(1500)]
    share = sum(choice != 2 for choice in choices) / len(choices)
    assert share == pytest.approx(deviate, abs=0.02 if deviate else 0)


def test_answers_depend_on_seed_and_conversation_alone() -> None:
    """The same demo again, in any order of questions, gets the same answers; another seed gets others."""
    forward, backward = ScriptedPeople(seed=1, deviate=0.3), ScriptedPeople(seed=1, deviate=0.3)
    one = {number: forward.answer(question(number)) for number in range(200)}
    two = {number: backward.answer(question(number)) for number in reversed(range(200))}
    assert one == two
    other = ScriptedPeople(seed=2, deviate=0.3)
    assert one != {number: other.answer(question(number)) for number in range(200)}


def test_some_answer_words_first_and_the_number_when_asked_again() -> None:
    """The loop meets replies that settle nothing, and the question comes to an end all the same."""
    people = ScriptedPeople(seed=1, hesitate=0.3)
    replies = [final_choice(people, question(number))[1] for number in range(300)]
    assert 0.2 < sum(len(reply) > 1 for reply in replies) / len(replies) < 0.4
    assert max(len(reply) for reply in replies) == 2


def test_a_reviewer_who_asked_for_more_follows_the_proposal_when_asked_again() -> None:
    """Asking for the full diff must not go on for ever."""
    people = ScriptedPeople(seed=1, deviate=1.0, hesitate=0.0)
    asked = question(1, kind="review", proposed=1, labels=3)
    first, _ = final_choice(people, asked)
    second, _ = final_choice(people, asked)
    assert first != 1
    assert second == 1


def test_without_a_proposal_nobody_answers() -> None:
    """A script has no judgement of its own: no answer means no."""
    people = ScriptedPeople(seed=1)
    assert people.answer(question(1, proposed=None)) is None
    assert people.answer(question(1, kind="review", proposed=None)) is None


def test_reviewers_rotate_from_cycle_to_cycle() -> None:
    """No reviewer looks at two cycles in a row."""
    actors: list[str] = []
    for cycle in range(6):
        answer = ScriptedPeople(seed=1, turn=cycle).answer(question(cycle, kind="review"))
        assert answer is not None
        actors.append(answer.actor)
    assert all(one != two for one, two in pairwise(actors))
    assert len(set(actors)) == 3


def test_a_question_with_one_choice_has_nothing_to_deviate_to() -> None:
    """Deviating needs another choice."""
    assert final_choice(ScriptedPeople(seed=1, deviate=1.0), question(1, labels=1))[0] == 1


@pytest.mark.parametrize("wrong", [{"deviate": 1.5}, {"hesitate": -0.1}, {"triagers": ()}, {"reviewers": ()}])
def test_a_script_without_people_or_with_shares_that_are_none_is_refused(wrong: dict[str, object]) -> None:
    """Nonsense in the script is refused at once."""
    with pytest.raises(ValueError, match=r"must be|shares"):
        ScriptedPeople(seed=1, **wrong)


def proposal(identifier: str, decision: TriageClass, cause: Cause = Cause.workflow_noise) -> TriageProposal:
    return TriageProposal(correction_id=identifier, decision=decision, cause=cause, rule="rule", statement="words")


def test_the_naive_loop_believes_every_correction() -> None:
    """With triage off, every correction is a defect that can be mended, and nobody is asked."""
    proposals = [
        proposal("c1", TriageClass.noise),
        proposal("c2", TriageClass.defect, Cause.mapping_problem),
        proposal("c3", TriageClass.unclear),
    ]
    triages = believing_everything(proposals, now=NOW)
    assert [triage.correction_id for triage in triages] == ["c1", "c2", "c3"]
    assert {triage.decision for triage in triages} == {TriageClass.defect}
    assert all(triage.cause.is_improvable and triage.confirmation_id is None for triage in triages)
    assert triages[1].cause is Cause.mapping_problem
    assert [triage.overridden for triage in triages] == [True, False, True]
    assert triages == believing_everything(proposals, now=NOW)


def triage_of(identifier: str, decision: TriageClass) -> Triage:
    return Triage(
        triage_id=f"t-{identifier}", correction_id=identifier, decision=decision, cause=Cause.extraction_miss,
        proposal=proposal(identifier, decision), overridden=False, decided_by="mori", decided_at=NOW,
    )  # fmt: skip


def test_statistics_count_what_was_kept_out_and_what_was_refused_by_mistake() -> None:
    """The report tells both sides of triage: wrong ones kept out, right ones lost."""
    triages = [
        triage_of("w1", TriageClass.noise), triage_of("w2", TriageClass.defect), triage_of("w3", TriageClass.unclear),
        triage_of("r1", TriageClass.defect), triage_of("r2", TriageClass.judgement),
    ]  # fmt: skip
    figures = kept_out(triages, {"w1": WrongKind.slip, "w2": WrongKind.preference, "w3": WrongKind.disagreement})
    assert (figures.wrong, figures.wrong_kept_out, figures.right, figures.right_refused) == (3, 2, 2, 1)
