"""Personal data stays in the store and in the suites, where the evals need it, and is masked in what is handed out."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.capture import import_traces
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out, handed_out_lines, stored
from naoshi.flow.steps.diagnose import diagnose, seen_cases, seen_traces
from naoshi.flow.steps.mint import mint_cases
from naoshi.flow.steps.repair import hand_off
from naoshi.flow.steps.run import run_present
from naoshi.flow.steps.triage import triage
from naoshi.signals.make_correction import make_correction
from naoshi.system.git import Git
from tests.flow.mail_shop import MAILS, Clock, Follower, make_shop, record_traces
from tests.peers.scripted_api.answers import use
from tests.peers.scripted_api.server import ScriptedApi

MASKED = "[phone number]"


def phone_of(number: int) -> str:
    return f"090-1234-{5000 + number}"


def make_phone_shop(folder: Path, *, settings: str = "") -> Path:
    """Make a shop whose agent misses the telephone number in every other mail; the traces are not in yet."""
    make_shop(folder)
    for number in range(1, MAILS, 2):
        text = f"Dear shop,\nYour reference: {phone_of(number)}\nQuantity: {number + 2}\nBye {number}\n"
        (folder / "mails" / f"{number:02}.txt").write_text(text)
    (folder / "naoshi.toml").write_text((folder / "naoshi.toml").read_text() + settings)
    Git.at(folder).commit("mails", paths=["."])
    return folder


def make_cases(folder: Path, loop: Loop) -> None:
    record_traces(folder, loop)
    for trace in loop.store.traces.find():
        number = int(str(trace.vars["mail"])[-6:-4])
        if number % 2:
            correction = make_correction(
                trace=trace,
                artifact="fields",
                field="order_number",
                corrected=phone_of(number),
                practitioner="hana",
                at=datetime(2026, 1, 5, tzinfo=UTC),
            )
            loop.store.corrections.add(correction)
    triage(loop)
    mint_cases(loop)


def test_the_evals_have_the_values_and_what_is_handed_out_has_not(tmp_path: Path) -> None:
    """A telephone number is the very value that a case expects: case, trace and suite keep it, the handoff masks it."""
    folder = make_phone_shop(tmp_path / "shop")
    with open_loop(folder, people=Follower(), clock=Clock()) as loop:
        make_cases(folder, loop)
        run = run_present(loop)
        cases = seen_cases(loop)
        handoff = hand_off(loop, diagnose(loop, run, version=run.version), run)
        lines = "".join(handed_out_lines(loop, seen_traces(loop, cases)).values())
        kept = "".join(trace.model_dump_json() for trace in loop.store.traces.find())
    assert {case.expected for case in handoff.cases} == {MASKED}
    assert all(MASKED in place.quote for case in handoff.cases for place in case.places)
    assert {case.case_id for case in handoff.cases} <= {case.case_id for case in cases}
    assert "090-1234-" not in handoff.model_dump_json() + lines and MASKED in lines
    assert "090-1234-" in kept and "090-1234-" in (folder / "evals" / "diagnose.yaml").read_text()
    assert json.loads(lines.splitlines()[0])["trace_id"] in kept


def test_a_model_that_diagnoses_is_shown_none(tmp_path: Path) -> None:
    """What leaves for a model's provider is masked as a handoff is, the runs of the agent included."""
    folder = make_phone_shop(tmp_path / "shop")
    with ScriptedApi([use("give_diagnosis", recommendations=[])]) as api:
        config = folder / "naoshi.toml"
        model = f'[repair.model]\nmodel = "m"\nbase_url = "{api.url}/v1"\n'
        config.write_text(config.read_text().replace("[repair]\n", '[repair]\nengine = "model"\n') + model)
        with open_loop(folder, people=Follower(), clock=Clock()) as loop:
            make_cases(folder, loop)
            run = run_present(loop)
            diagnose(loop, run, version=run.version)
    assert "Dear shop" in api.requests[0].text and MASKED in api.requests[0].text
    assert "090-1234-" not in api.requests[0].text


def test_a_kind_that_is_off_is_handed_out(tmp_path: Path) -> None:
    """An agent that reads telephone numbers can only be mended by somebody who may see them."""
    folder = make_phone_shop(tmp_path / "shop", settings='[privacy]\nhanded_out = ["email"]\n')
    with open_loop(folder, people=Follower(), clock=Clock()) as loop:
        make_cases(folder, loop)
        run = run_present(loop)
        handoff = hand_off(loop, diagnose(loop, run, version=run.version), run)
    assert all(str(case.expected).startswith("090-1234-") for case in handoff.cases)


@pytest.mark.parametrize(("settings", "keeps"), [("", True), ('[privacy]\nstored = ["phone"]\n', False)])
def test_what_is_stored_is_as_the_settings_say(tmp_path: Path, settings: str, keeps: bool) -> None:
    """By default traces keep what the evals need; whoever may not keep it says so, and quarantine obeys as well."""
    folder = make_phone_shop(tmp_path / "shop", settings=settings)
    with open_loop(folder, people=Follower(), clock=Clock()) as loop:
        record_traces(folder, loop)
        file = folder.parent / f"{folder.name}-traces.jsonl"
        file.write_text(file.read_text().replace('"trace_id": "', '"trace_id": "a') + "no span, tel 090-1234-9999\n")
        report = import_traces(loop.store, [file], now=loop.clock(), redact=stored(loop))
        traces = [
            trace.model_dump_json() for trace in map(loop.store.traces.get, report.trace_ids) if trace is not None
        ]
        (line,) = loop.store.quarantine.find()
    assert len(traces) == MAILS and line.content.startswith("no span")
    assert ("090-1234-" in "".join(traces)) == keeps
    assert ("090-1234-" in line.content) == keeps


@pytest.mark.parametrize("masking", [handed_out, stored])
def test_secrets_are_masked_whatever_the_settings_say(tmp_path: Path, masking: Callable[[Loop], object]) -> None:
    """No setting of personal data lets a key through."""
    folder = make_shop(tmp_path / "shop")
    config = folder / "naoshi.toml"
    config.write_text(config.read_text() + "[privacy]\nhanded_out = []\nstored = []\n")
    with open_loop(folder) as loop:
        mask = masking(loop)
        assert callable(mask)
        assert mask("password: hunter22, a@example.com") == "password: [redacted], a@example.com"
