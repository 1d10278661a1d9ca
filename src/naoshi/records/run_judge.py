"""The judge of rubrics in one run: who it was, whether it decided, and what it took."""

from naoshi.records.base import Record


class RunJudge(Record, defer_build=True):
    """The judge of one run, which is kept with the run.

    ``pin`` is the hash of all that its grades depend on (model, rubric version, temperature, prompt). ``families`` and
    ``judged_families`` say whose models judge and judged one are; ``same_family_allowed`` that somebody let them be
    the same, or unknown. ``decides`` is false where it only advised, for the reason in ``advice``. ``served_by`` are
    the models that answered, by their own account. ``cost`` is US dollars, None where the price is not known.
    """

    pin: str
    provider: str
    model: str
    rubric_version: str
    temperature: float | None
    families: tuple[str, ...] = ()
    judged_models: tuple[str, ...] = ()
    judged_families: tuple[str, ...] = ()
    same_family_allowed: bool = False
    decides: bool = False
    advice: str = ""
    calibration_id: str | None = None
    served_by: tuple[str, ...] = ()
    grades: int = 0
    errors: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
