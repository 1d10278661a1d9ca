"""The engine that the settings name."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import ModelError
from naoshi.models.libraries import require_libraries
from naoshi.repair.engines.base import DiagnosisEngine
from naoshi.repair.engines.evidence import EvidenceEngine
from naoshi.repair.engines.halo import HaloEngine
from naoshi.repair.engines.halo_program import HaloProgram
from naoshi.repair.settings import RepairSettings


def open_engine(
    settings: RepairSettings,
    *,
    environment: Mapping[str, str],
    kept: Path,
    mask: Callable[[JsonValue], JsonValue] | None = None,
) -> DiagnosisEngine:
    """Return the engine of *settings*; *kept* is where HALO's exports and reports stay, *mask* hides secrets.

    Raises:
        ModelError: the engine `model` has no model.
        MissingExtraError: what asks models is not installed.
    """
    if settings.engine == "halo":
        program = HaloProgram(settings=settings.halo, environment=environment)
        return HaloEngine(program=program, kept=kept, language=settings.language, mask=mask)
    if settings.engine == "model":
        if not settings.model.model.strip():
            raise ModelError("no model is set for the diagnosis", hint="write `model` under [repair.model]")
        require_libraries(settings.model.provider, doing="diagnosis by a model")
        # It loads pydantic-ai, which takes a second and is an extra.
        from naoshi.repair.engines.model import ModelEngine

        return ModelEngine(settings=settings.model, environment=environment, language=settings.language, mask=mask)
    return EvidenceEngine(language=settings.language)
