"""Diagnosis by HALO: an export of the material, the program's report, and what it recommends."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import HaloError
from naoshi.records import Diagnosis, content_hash
from naoshi.records.language import Language
from naoshi.repair.engines.base import DiagnosisMaterial
from naoshi.repair.engines.drafts import diagnosis_of, require_visible
from naoshi.repair.engines.halo_export import HaloExport, halo_export
from naoshi.repair.engines.halo_program import HaloProgram
from naoshi.repair.engines.halo_prompt import halo_prompt
from naoshi.repair.engines.halo_report import KnownNames, drafts_of_report
from naoshi.repair.engines.material_document import failing_first
from naoshi.system.files import write_durably

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")


@dataclass(frozen=True, kw_only=True)
class HaloEngine:
    """Runs HALO. ``kept`` is the folder where exports, reports and logs stay, one of each for each version."""

    program: HaloProgram
    kept: Path
    language: Language = "en"
    mask: Callable[[JsonValue], JsonValue] | None = None
    name: str = "halo"

    def diagnose(self, material: DiagnosisMaterial, *, now: datetime) -> Diagnosis:
        """Return the diagnosis. Its citations have not been looked up yet.

        Raises:
            InputError: the material holds cases that no coding agent may see.
            MissingProgramError: HALO is not installed.
            ModelError: there is no model or no key.
            HaloError: HALO gave no report, or one without the sections of either layout, which is kept.
        """
        require_visible(material)
        export = halo_export(material, mask=self.mask)
        place = self.kept / version_name(material.agent_version)
        traces, report = place.with_suffix(".jsonl"), place.with_suffix(".report.md")
        write_durably(traces, "".join(f"{line}\n" for line in export.lines))
        prompt = halo_prompt(
            agent_version=material.agent_version,
            failing=len(failing_first(material)),
            japanese=self.language == "ja",
        )
        text = self.program.run(traces=traces, prompt=prompt, report=report, harness=material.harness)
        try:
            drafts = drafts_of_report(text, _known(material, export))
        except HaloError as error:
            raise HaloError(error.message, hint=f"the report is kept as {report}; run the command again") from error
        return diagnosis_of(drafts, material, engine=self.name, now=now, aliases=export.aliases)


def version_name(version: str) -> str:
    """Return the name of a version's files; any version gives a safe one."""
    plain = _PLAIN.fullmatch(version) is not None and not version.endswith(".")
    return f"{version if plain else content_hash(version)[:32]}-halo"


def _known(material: DiagnosisMaterial, export: HaloExport) -> KnownNames:
    return KnownNames(
        traces=[trace.trace_id for trace in material.traces],
        spans=[*(span.span_id for trace in material.traces for span in trace.spans), *export.aliases],
        cases=[case.case_id for case in material.cases],
        corrections=[item.correction_id for item in material.corrections],
    )
