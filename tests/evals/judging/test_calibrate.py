"""How far a judge agrees with people, and what that decides."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.errors import InputError, JudgeError
from naoshi.evals.judging.agreement import Graded, kappa, rate
from naoshi.evals.judging.calibrate import calibrate
from naoshi.evals.judging.calibrations import UNMEASURED, below_mark, calibration_of, calibration_path, keep_calibration
from naoshi.evals.judging.labels import read_labels
from naoshi.evals.judging.model_judge import ModelJudge
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.judging.told import _HOLE, _TEXTS, in_japanese, told
from naoshi.records import Calibration, Estimate, Probe
from tests.evals.judging.scripted_endpoint import Question, Refused, Said, Script, ScriptedEndpoint, always, grade

NOW = datetime(2026, 3, 8, tzinfo=UTC)


def _file(folder: Path, *rows: str, header: str = "input,output,rubric,label") -> Path:
    path = folder / "labels.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def _rows(count: int) -> Iterator[str]:
    for number in range(count):
        good = number % 2 == 0
        yield f"q{number},{'good' if good else 'bad'} {number},be good,{'pass' if good else 'fail'}"


def _honest(question: Question) -> Said:
    good = "good" in question.document["output"]
    return grade(good, float(good))


def _measured(path: Path, script: Script, *, probes: bool = False) -> tuple[Calibration, ScriptedEndpoint]:
    labels = read_labels(path)
    with ScriptedEndpoint(script) as endpoint, ModelJudge(settings=endpoint.settings(), environment={}) as judge:
        return calibrate(judge, labels, now=NOW, probes=probes), endpoint


def test_a_judge_that_agrees_decides_and_one_that_passes_all_does_not(tmp_path: Path):
    """Protects the release: agreement is measured, and who passes everything may only advise."""
    path = _file(tmp_path, *_rows(40))
    honest, _ = _measured(path, _honest)
    assert (honest.true_passes.value, honest.false_passes.value, honest.kappa.value) == (1.0, 0.0, 1.0)
    assert honest.kappa.low is not None and 0.7 < honest.kappa.low < 1
    assert below_mark(honest, JudgeSettings(model="m")) == ""
    lax, _ = _measured(path, always(grade()))
    assert (lax.true_passes.value, lax.false_passes.value, lax.kappa.value) == (1.0, 1.0, 0.0)
    assert "kappa 0.00" in below_mark(lax, JudgeSettings(model="m"))


def test_probes_see_a_judge_that_likes_length_place_and_kin(tmp_path: Path):
    """Protects against known biases: each probe moves for a judge that has just that bias, and not for another."""
    path = _file(
        tmp_path,
        *(f"q{n},{'x' * (40 if n % 3 else 400)} {n},be good,fail,{'qwen' if n % 2 else 'openai'}" for n in range(40)),
        header="input,output,rubric,label,family",
    )

    def probe(script: Script) -> dict[str, Probe]:
        return {item.name: item for item in _measured(path, script, probes=True)[0].probes}

    def shifted(found: dict[str, Probe]) -> set[str]:
        return {name for name, item in found.items() if item.shift and (item.shift.low or 0) > 0}

    def likes_length(question: Question) -> Said:
        return grade(True, min(1.0, len(question.document["output"]) / 500))

    def likes_place(question: Question) -> Said:
        first = next(iter(question.document)) == "output"
        return grade(first, float(first))

    def likes_kin(question: Question) -> Said:
        kin = int(question.document["output"].split()[-1]) % 2 == 1
        return grade(kin, float(kin))

    assert shifted(probe(likes_length)) >= {"length"}
    assert shifted(probe(likes_place)) == {"position"}
    assert shifted(probe(likes_kin)) == {"self_preference"}
    assert shifted(probe(_honest)) == set()


def test_what_cannot_be_probed_says_why(tmp_path: Path):
    """Protects against a silent gap: a probe without material is shown as not measured."""
    found, _ = _measured(_file(tmp_path, "q,\"{\"\"a\"\": 1}\",be good,pass", "q2,\"{\"\"a\"\": 2}\",be good,fail"),
                         always(grade()), probes=True)  # fmt: skip
    skipped = {probe.name: probe.skipped for probe in found.probes if probe.skipped}
    assert set(skipped) == {"length", "long_outputs", "self_preference"}
    assert "qwen" in skipped["self_preference"]


def test_outputs_without_a_grade_are_counted(tmp_path: Path):
    """Protects the denominator: a judge that fails often may not decide, however right its other grades are."""

    def script(question: Question) -> Said | Refused:
        return Refused(status=500) if question.document["output"].endswith("0") else _honest(question)

    found, _ = _measured(_file(tmp_path, *_rows(40)), script)
    assert (found.labels, found.errors, found.kappa.count) == (40, 4, 36)
    assert "4 of 40 labelled outputs got no grade" in below_mark(found, JudgeSettings(model="m"))
    with pytest.raises(JudgeError, match="refused the key"):
        _measured(_file(tmp_path, *_rows(4)), always(Refused(status=401)))


def test_where_two_people_disagree_there_is_no_truth(tmp_path: Path):
    """Protects the figures: disputed outputs are counted, and in no rate; people's own agreement is shown."""
    rows = [f"q{n},good {n},be good,pass,{'fail' if n < 5 else 'pass'}" for n in range(20)]
    rows += [f"r{n},bad {n},be good,fail,fail" for n in range(20)]
    found, _ = _measured(_file(tmp_path, *rows, header="input,output,rubric,label,label_2"), _honest)
    assert (found.labels, found.disputed, found.kappa.count, found.kappa.value) == (40, 5, 35, 1.0)
    assert found.people_kappa is not None and found.people_kappa.value == pytest.approx(0.75)


def test_too_few_labels_do_not_make_a_judge_decide(tmp_path: Path):
    """Protects against a handful of lucky labels."""
    found, _ = _measured(_file(tmp_path, *_rows(20)), _honest)
    assert "20 labels, fewer than 30" in below_mark(found, JudgeSettings(model="m"))
    assert below_mark(None, JudgeSettings(model="m")) == UNMEASURED


def test_one_output_many_times_is_one_observation(tmp_path: Path):
    """Protects the mark: a row that was copied forty times, without an input to tell it by, makes no judge decide."""
    rows = [f"{'good' if n % 2 else 'bad'},be good,{'pass' if n % 2 else 'fail'}" for n in range(40)]
    found, _ = _measured(_file(tmp_path, *rows, header="output,rubric,label"), _honest)
    assert (found.labels, found.kappa.value) == (40, 1.0)
    assert "may lie below" in below_mark(found, JudgeSettings(model="m"))


def test_a_family_may_be_said_by_the_name_of_its_model(tmp_path: Path):
    """Protects the probe: `Qwen3` and `qwen` are the judge's own family, and never counted among the others."""
    rows = [f"q{n},{n},be good,fail,{'Qwen3-32B' if n % 2 else 'GPT'}" for n in range(20)]
    path = _file(tmp_path, *rows, header="input,output,rubric,label,family")

    def likes_kin(question: Question) -> Said:
        kin = int(question.document["output"]) % 2 == 1
        return grade(kin, float(kin))

    probes = {item.name: item for item in _measured(path, likes_kin, probes=True)[0].probes}
    shift = probes["self_preference"].shift
    assert shift is not None and shift.value == 1.0


def test_a_calibration_is_kept_for_its_judge_alone(tmp_path: Path):
    """Protects the pin: what was measured of one judge says nothing of another, and a spoilt file is no measure."""
    found, _ = _measured(_file(tmp_path, *_rows(30)), _honest)
    path = keep_calibration(tmp_path / "kept", found)
    assert calibration_of(tmp_path / "kept", found.pin) == found
    assert calibration_of(tmp_path / "kept", "0" * 64) is None
    path.rename(calibration_path(tmp_path / "kept", "1" * 64))
    with pytest.raises(InputError, match="of another judge"):
        calibration_of(tmp_path / "kept", "1" * 64)
    calibration_path(tmp_path / "kept", found.pin).write_text("{}")
    with pytest.raises(InputError, match="is no calibration"):
        calibration_of(tmp_path / "kept", found.pin)


@pytest.mark.parametrize(
    ("header", "row", "told"),
    [
        ("input,output,label", "q,a,pass", "no column rubric"),
        ("input,output,rubric,label,mood", "q,a,r,pass,x", "'mood' that means nothing here"),
        ("output,rubric,label,label", "a,r,pass,fail", "one column twice"),
        ("output,rubric,label", "a,r,maybe", "line 2: 'maybe' is no label"),
        ("output,rubric,label", "a,r,", "line 2: there is no label"),
        ("output,rubric,label", "a,,pass", "line 2: there is no rubric"),
        ("output,rubric,label", "a,r", "not as many cells"),
        ("output,rubric,label", "a,r,pass,more", "not as many cells"),
        ("output,rubric,label", 'a,"r', "unexpected end of data"),
    ],
)
def test_a_table_that_is_none_is_told_with_its_line(tmp_path: Path, header: str, row: str, told: str):
    """Protects the person who wrote it: what is wrong, and where; nothing is guessed."""
    with pytest.raises(InputError, match=told) as caught:
        read_labels(_file(tmp_path, row, header=header))
    assert "\n" not in caught.value.line()


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffOutput; Rubric ;LABEL\r\na;r;合格\r\n".encode(),
        b"output\trubric\tlabel\ra\tr\tPass\r",
    ],
)
def test_a_table_of_any_spreadsheet_is_read(tmp_path: Path, data: bytes):
    """Protects people from their spreadsheet: its separators, line ends, capitals and byte-order mark."""
    path = tmp_path / "labels.csv"
    path.write_bytes(data)
    (found,) = read_labels(path).outputs
    assert (found.output, found.rubric, found.passes) == ("a", "r", True)


def test_a_table_in_another_encoding_says_how_to_save_it(tmp_path: Path):
    """Protects against letters that were guessed: Shift-JIS is told, and what to do."""
    path = tmp_path / "labels.csv"
    path.write_bytes("output,rubric,label\n良い,規則,合格\n".encode("cp932"))
    with pytest.raises(InputError, match="not UTF-8") as caught:
        read_labels(path)
    assert "CSV in UTF-8" in caught.value.advice


@pytest.mark.parametrize(("label", "word"), [("pass", "all"), ("fail", "none")])
def test_labels_that_all_say_the_same_measure_nothing(tmp_path: Path, label: str, word: str):
    """Protects the mark: who was only ever shown one kind is not called good or bad at telling them apart."""
    rows = [f"q{n},{'good' if label == 'pass' else 'bad'} {n},be good,{label}" for n in range(40)]
    found, _ = _measured(_file(tmp_path, *rows), _honest)
    lax = JudgeSettings(model="m", min_kappa=-1, max_false_passes=1)
    for marks in (lax, JudgeSettings(model="m")):
        assert f"people passed {word} of the outputs" in below_mark(found, marks)


def test_whatever_is_said_of_a_judge_is_said_in_japanese_too():
    """Protects Japanese readers: no sentence of ours is left in English, and none of others' is touched."""
    for key, (english, japanese) in _TEXTS.items():
        names = dict.fromkeys(_HOLE.findall(english), "0.31 [0.10, 0.52]")
        assert in_japanese(told(key, **names)) == japanese.format(**names) != english
    assert in_japanese("something else") == "something else"


def test_a_table_is_read_as_it_is_written(tmp_path: Path):
    """Protects the labels: JSON is read as JSON, everything else as text, and Japanese labels are labels."""
    rows = ['"{""q"": 1}","[1, 2]",r,合格,不合格', '"two\nlines","{broken",r,0,']
    first, second = read_labels(_file(tmp_path, *rows, header="input,output,rubric,label,label_2")).outputs
    assert (first.vars, first.output, first.passes, first.second) == ({"q": 1}, [1, 2], True, False)
    assert (second.vars, second.output, second.passes, second.second) == (
        {"input": "two\nlines"},
        "{broken",
        False,
        None,
    )
    with pytest.raises(InputError, match="no labelled output"):
        read_labels(_file(tmp_path, header="output,rubric,label"))


PAIRS = st.lists(
    st.builds(Graded, truth=st.booleans(), said=st.booleans(), source=st.sampled_from("abcdefgh")),
    min_size=1,
    max_size=40,
)


@settings(max_examples=40)
@given(PAIRS)
def test_intervals_hold_their_values_whatever_the_order(pairs: list[Graded]):
    """Protects the figures: ends in order, within their range, around the value, and the same for any order."""
    hits, sources = [pair.said for pair in pairs], [pair.source for pair in pairs]
    for found, least in ((rate(hits, sources), 0.0), (kappa(pairs), -1.0)):
        if found.value is not None and found.low is not None and found.high is not None:
            assert least <= found.low <= found.value <= found.high <= 1.0
    turned = list(pairs)
    random.Random(1).shuffle(turned)
    assert kappa(turned).value == pytest.approx(kappa(pairs).value)


def test_the_figures_are_those_of_the_books():
    """Protects the formulas: Cohen's kappa of a known table, Wilson's interval of 8 in 10, and what is not defined."""
    table = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    pairs = [Graded(truth=truth, said=said, source=str(number)) for number, (truth, said) in enumerate(table)]
    assert kappa(pairs).value == pytest.approx(0.4)
    found = rate([True] * 8 + [False] * 2, [str(number) for number in range(10)])
    assert (found.low, found.high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert kappa([Graded(truth=True, said=True, source="a")]).value is None
    assert rate([], []) == Estimate()


def test_outputs_of_one_source_are_one_observation():
    """Protects against thirty labels from one document that pose as thirty."""
    many = rate([True] * 30, [str(number) for number in range(30)])
    one = rate([True] * 30, ["a"] * 30)
    assert many.low is not None and one.low is not None and one.low < 0.25 < many.low
