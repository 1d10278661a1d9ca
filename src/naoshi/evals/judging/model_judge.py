"""A model that grades rubrics, pinned, bounded, and counted."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from naoshi.errors import JudgeError
from naoshi.evals.answer import Answer
from naoshi.evals.judge import Grade
from naoshi.evals.judging.asked import Asked, Client
from naoshi.evals.judging.kinship import Kinship
from naoshi.evals.judging.prompt import RUBRIC_VERSION, GradingPrompt, Order, grading_prompt, prompt_hash
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.records.run_judge import RunJudge


@dataclass(kw_only=True)
class _Tally:
    """What the grades of a run took so far."""

    grades: int = 0
    errors: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    priced: bool = True
    served_by: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, asked: Asked) -> None:
        failed = isinstance(asked.grade, JudgeError)
        self.grades += not failed
        self.errors += failed
        self.requests += asked.requests
        self.input_tokens += asked.input_tokens
        self.output_tokens += asked.output_tokens
        self.cost += asked.cost or 0.0
        self.priced = self.priced and (asked.cost is not None or not asked.requests)
        if asked.served_by:
            self.served_by[asked.served_by] = None


class ModelJudge:
    """Grades by asking the model that ``[judge]`` names; a context manager. Grades may be asked for in many threads.

    With ``advice`` (why the judge does not decide) its grades only advise. ``calibration_id`` names what was measured
    of it. Nothing is loaded or sent before the first grade.
    """

    def __init__(
        self,
        *,
        settings: JudgeSettings,
        environment: Mapping[str, str],
        kinship: Kinship | None = None,
        advice: str = "",
        calibration_id: str | None = None,
    ) -> None:
        """Take the settings; the key is looked for when the first grade is asked for."""
        self.settings = settings
        self._environment = environment
        self._kinship = kinship
        self._advice = advice
        self._calibration_id = calibration_id
        self._pin = judge_pin(settings)
        self._tally = _Tally()
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._lasting: JudgeError | None = None

    def __enter__(self) -> "ModelJudge":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pin(self) -> str:
        """The hash of model, address, temperature, rubric version and prompt."""
        return self._pin

    @property
    def workers(self) -> int:
        """How many grades may be asked for at a time."""
        return self.settings.workers

    def grade(
        self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue], order: Order = Order.rule_first
    ) -> Grade:
        """Return the grade of *output* by *rubric*.

        Raises:
            JudgeError: there is none, for a reason that one line tells; the agent is not to blame.
        """
        with self._lock:
            lasting = self._lasting
        if lasting is not None:
            self._count_error()
            raise lasting
        try:
            prompt = self._prompt(rubric, output, vars, order)
            client = self._open()
        except JudgeError:
            self._count_error()
            raise
        asked = self._of_another_family(client.ask(prompt))
        with self._lock:
            self._tally.add(asked)
            if isinstance(asked.grade, JudgeError) and asked.lasting:
                self._lasting = asked.grade
        if isinstance(asked.grade, JudgeError):
            raise asked.grade
        found = asked.grade
        return Grade(score=found.score, reason=found.told, passed=found.passed, advice=self._advice)

    def see(self, answer: Answer) -> None:
        """Look at the *answer* that is graded next: one made by the judge's own kin ends the grading of this run."""
        if self._kinship is None or self.settings.allow_same_family:
            return
        kin = self._kinship.kin_in(answer.spans)
        if kin:
            error = JudgeError(
                f"the agent answered with {kin}, which is of the judge's own family",
                hint="take a judge of another family, or allow it with --allow-same-family",
            )
            with self._lock:
                self._lasting = self._lasting or error

    def record(self) -> RunJudge:
        """Return who judged, whether it decided, and what that took so far."""
        settings, kinship = self.settings, self._kinship
        with self._lock:
            tally = self._tally
            return RunJudge(
                pin=self._pin,
                provider=settings.provider.value,
                model=settings.model,
                rubric_version=RUBRIC_VERSION,
                temperature=None if settings.temperature == "default" else settings.temperature,
                families=_sorted(kinship.judge if kinship else ()),
                judged_models=kinship.judged_models if kinship else (),
                judged_families=_sorted(kinship.judged if kinship else ()),
                same_family_allowed=bool(kinship and kinship.doubt and settings.allow_same_family),
                decides=not self._advice,
                advice=self._advice,
                calibration_id=self._calibration_id,
                served_by=_sorted(tally.served_by),
                grades=tally.grades,
                errors=tally.errors,
                requests=tally.requests,
                input_tokens=tally.input_tokens,
                output_tokens=tally.output_tokens,
                cost=tally.cost if tally.priced and tally.requests else None,
            )

    def close(self) -> None:
        """Let go of the connections, if there are any."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _of_another_family(self, asked: Asked) -> Asked:
        """Return *asked*, without a grade where a model of the judged one's family gave it."""
        if self._kinship is None or self.settings.allow_same_family or not self._kinship.kin_served(asked.served_by):
            return asked
        error = JudgeError(
            f"the grade came from {asked.served_by}, which is of the agent's own family",
            hint="see what the address under [judge] serves, or allow it with --allow-same-family",
        )
        return replace(asked, grade=error, lasting=True)

    def _open(self) -> Client:
        with self._lock:
            if self._client is None:
                # pydantic-ai and a provider's library take seconds to load; only a run with rubrics needs them.
                from naoshi.evals.judging.model_client import ModelClient

                try:
                    self._client = ModelClient(settings=self.settings, environment=self._environment)
                except JudgeError as error:
                    self._lasting = error
                    raise
            return self._client

    def _prompt(self, rubric: str, output: JsonValue, vars: dict[str, JsonValue], order: Order) -> GradingPrompt:
        try:
            prompt = grading_prompt(rubric=rubric, output=output, vars=vars, order=order)
        except ValueError as error:
            raise JudgeError(f"the case cannot be put before a judge: {error}", hint="look at the case") from error
        if len(prompt.text) > self.settings.longest_input:
            raise JudgeError(
                f"the case takes {len(prompt.text)} characters, more than the judge is shown",
                hint="raise `longest_input` under [judge], or pick a part of the output with a transform",
            )
        return prompt

    def _count_error(self) -> None:
        with self._lock:
            self._tally.errors += 1


def judge_pin(settings: JudgeSettings) -> str:
    """Return the hash of all that the grades of the judge that *settings* name depend on."""
    return settings.pin(prompt_hash=prompt_hash(), rubric_version=RUBRIC_VERSION)


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
