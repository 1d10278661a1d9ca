"""The real HALO program, offline: a scripted Responses API on loopback is its model."""

import os
from pathlib import Path

import pytest

from naoshi.errors import HaloError
from naoshi.repair import (
    HaloEngine,
    HaloProgram,
    HaloSettings,
    build_handoff,
    checked,
    parse_handoff,
    render_handoff,
)
from scripts.install_halo import peer
from tests.peers.scripted_api.answers import Answer, use
from tests.peers.scripted_api.server import ScriptedApi
from tests.repair.engines.failing_receipts import failing, lookup
from tests.repair.engines.halo_reports import FOUR_SECTIONS, WHOLE
from tests.repair.receipts_repository import NOW, seen_cases

KEY = "sk-scripted-key-0123456789"


@pytest.fixture(scope="module")
def installed() -> HaloProgram:
    """The real HALO in its own environment, of the version that the settings pin."""
    if os.environ.get("NAOSHI_TEST_PEERS") != "1":
        pytest.skip("the tests against real peers run with `make test-peers`")
    program = peer()
    assert program.installed and program.has_ripgrep(), (
        f"HALO or ripgrep is missing: {program.folder}; run `make peers`"
    )
    return program


def engine(installed: HaloProgram, api: ScriptedApi, kept: Path) -> HaloEngine:
    settings = HaloSettings(
        model="scripted", base_url=f"{api.url}/v1", folder=str(installed.folder), max_depth=0, timeout=240
    )
    program = HaloProgram(settings=settings, environment={**os.environ, "OPENAI_API_KEY": KEY})
    return HaloEngine(program=program, kept=kept)


def look_then(report: str) -> list[Answer]:
    """The model looks at the traces and at the harness as HALO's instructions say, and then answers."""
    return [
        use("get_dataset_overview", filters={}),
        use("view_trace", trace_id="trace_003"),
        use("grep_files", regex_pattern="TOTAL"),
        use("final_answer", answer=report),
    ]


@pytest.mark.parametrize("report", [WHOLE, FOUR_SECTIONS], ids=["seven", "four"])
def test_its_report_becomes_our_diagnosis_and_both_handoffs(
    installed: HaloProgram, tmp_path: Path, report: str
) -> None:
    """Protects the whole way: export, the real program, its report, citations looked up, handoffs read back."""
    with ScriptedApi(look_then(report)) as api:
        drafted = engine(installed, api, tmp_path / "halo").diagnose(failing(), now=NOW)
        seen = [request.text for request in api.requests]
        assert api.faults == [] and {request.wire for request in api.requests} == {"responses"}
    assert "trace_003" in seen[1] and "AMOUNT DUE" in seen[2], "HALO read our export"
    assert "labels.json" in seen[3], "HALO looked into the copy of the harness"
    found = checked(drafted, lookup(tmp_path / "repository"))
    (item,) = found.recommendations
    assert found.engine == "halo" and "AMOUNT DUE" in item.title
    assert {evidence.path for evidence in item.evidence} >= {"harness/labels.json", "box/003.csv"}
    assert any(struck.evidence.trace_id == "trace_999" for struck in found.struck)
    made = build_handoff(found, cases=seen_cases(), run=failing().run, traces=failing().traces)  # type: ignore[arg-type]
    for layout in ("four", "seven"):
        text = render_handoff(made, layout=layout)
        assert parse_handoff(text) == made and item.title in text
    files = {path.name for path in (tmp_path / "halo").iterdir()}
    assert {"v0-halo.jsonl", "v0-halo.report.md", "v0-halo.report.log"} <= files
    assert KEY not in (tmp_path / "halo" / "v0-halo.report.log").read_text()


def test_a_report_without_the_sections_is_kept_and_refused(installed: HaloProgram, tmp_path: Path) -> None:
    """Protects against prose taken for a diagnosis; the person finds the report where the error says."""
    with ScriptedApi([use("final_answer", answer="All is well. Nothing to do.")]) as api:
        with pytest.raises(HaloError, match="neither layout") as refused:
            engine(installed, api, tmp_path).diagnose(failing(), now=NOW)
    assert "v0-halo.report.md" in refused.value.advice
    assert (tmp_path / "v0-halo.report.md").read_text() == "All is well. Nothing to do."
