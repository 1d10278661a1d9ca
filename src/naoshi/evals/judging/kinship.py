"""Whether a judge may grade a model: only one of another family, or with somebody's leave that the run records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import JudgeKinError
from naoshi.evals.judging.family import families_of
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings
from naoshi.models.model_settings import Provider

_MODEL_ATTRIBUTES = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name")
_DEEPEST = 20


@dataclass(frozen=True, kw_only=True)
class Kinship:
    """The families of judge and judged; ``unknown`` are the names, of either, that tell none."""

    judge: frozenset[str]
    judged: frozenset[str]
    judged_models: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: JudgeSettings, agent: AgentSettings) -> "Kinship":
        """Return what the settings say of both."""
        judge, nameless = families_of([settings.model], said=settings.family or _own_family(settings))
        models = (agent.model,) if isinstance(agent.model, str) else agent.model
        models = tuple(model for model in models if model.strip())
        judged, unknown = families_of(models, said=agent.family)
        missing = () if models or agent.family.strip() else ("the agent's model, which nobody named",)
        return cls(judge=judge, judged=judged, judged_models=models, unknown=(*nameless, *unknown, *missing))

    @property
    def doubt(self) -> str:
        """Why the judge must not grade without somebody's leave; "" where nothing speaks against it."""
        shared = sorted(self.judge & self.judged)
        if shared:
            return f"judge and agent are both of the family {', '.join(shared)}"
        if self.unknown:
            return f"the family of {', '.join(self.unknown)} is not known"
        return ""

    def kin_served(self, model: str) -> bool:
        """Return whether *model*, which gave a grade by its own account, is of the judged model's family.

        A gateway, or a model under another name, may answer with whatever it likes.
        """
        families, _ = families_of([model])
        return bool(families & self.judged)

    def kin_in(self, spans: Iterable[Mapping[str, JsonValue]]) -> str:
        """Return the first model named in *spans* that is of the judge's family, or ""."""
        for model in models_in(spans):
            families, _ = families_of([model])
            if families & self.judge:
                return model
        return ""


def require_other_family(kinship: Kinship, *, allowed: bool) -> None:
    """Check that the judge may grade.

    Raises:
        JudgeKinError: it is, or may be, of the judged model's family, and nobody allowed that.
    """
    if kinship.doubt and not allowed:
        hint = None if kinship.judge & kinship.judged else _NAME_IT
        raise JudgeKinError(f"the rubrics are not judged: {kinship.doubt}", hint=hint)


_NAME_IT = (
    'name the agent\'s model as `model` under [agent] ("none" if it uses none), or the `family` under [agent] or '
    "[judge]; --allow-same-family goes on without"
)


def models_in(spans: Iterable[Mapping[str, JsonValue]]) -> Sequence[str]:
    """Return the names of models that *spans* tell of, in whatever form an agent writes spans, each once."""
    found: dict[str, None] = {}
    for span in spans:
        _gather(span, found, 0)
    return tuple(found)


def _gather(value: JsonValue | Mapping[str, JsonValue], found: dict[str, None], depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            _gather(item, found, depth + 1)
    elif isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        # OpenTelemetry's JSON writes an attribute as {"key": …, "value": {"stringValue": …}}.
        if entries.get("key") in _MODEL_ATTRIBUTES and isinstance(entries.get("value"), dict):
            _keep(cast("dict[str, Any]", entries["value"]).get("stringValue"), found)
        for name, item in entries.items():
            if name in _MODEL_ATTRIBUTES:
                _keep(item, found)
            else:
                _gather(item, found, depth + 1)


def _keep(name: object, found: dict[str, None]) -> None:
    if isinstance(name, str) and name.strip():
        found[name.strip()] = None


def _own_family(settings: JudgeSettings) -> str:
    """Return the family that a provider's own address stands for; any other address serves whatever it serves."""
    if settings.base_url:
        return ""
    return {Provider.openai: "openai", Provider.anthropic: "anthropic", Provider.google: "google"}[settings.provider]
