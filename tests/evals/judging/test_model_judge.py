"""A model that grades: what is sent, what counts as a grade, and what becomes of everything else."""

import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from naoshi.errors import JudgeError
from naoshi.evals.answer import Answer
from naoshi.evals.judge import Grade
from naoshi.evals.judging.kinship import Kinship
from naoshi.evals.judging.model_judge import ModelJudge, judge_pin
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings
from naoshi.models.model_settings import AnswerForm, Provider
from tests.evals.judging.scripted_endpoint import (
    Question,
    Refused,
    Said,
    Script,
    ScriptedEndpoint,
    Silent,
    always,
    grade,
    in_turn,
    wait_for,
)
from tests.evals.judging.test_prompt import HOSTILE

each_provider = pytest.mark.parametrize("provider", list(Provider))
KEYS = {"OPENAI_API_KEY": "sk-secret", "ANTHROPIC_API_KEY": "sk-secret", "GOOGLE_API_KEY": "sk-secret"}
BAD_GRADES = {
    "score above 1": (grade(True, 1.5), "score: Input should be less than or equal to 1"),
    "score below 0": (grade(True, -0.1), "score: Input should be greater than or equal to 0"),
    "score in words": (grade(True, "0.9"), "score: Input should be a valid number"),
    "score of null": (grade(True, None), "score: Input should be a valid number"),
    "score of true": (grade(True, True), "score: Input should be a valid number"),
    "pass in words": (grade("yes", 1.0), "pass: Input should be a valid boolean"),
    "pass of 1": (grade(1, 1.0), "pass: Input should be a valid boolean"),
    "pass missing": (Said(fields={"reason": "x", "score": 1.0, "mark": "m"}), "pass: Field required"),
    "score missing": (Said(fields={"reason": "x", "pass": True, "mark": "m"}), "score: Field required"),
    "mark missing": (Said(fields={"reason": "x", "pass": True, "score": 1.0}), "mark: Field required"),
    "another mark": (grade(mark="0123456789abcdef"), "is not the mark"),
    "only words": (Said(text='{"pass": true, "score": 1, "reason": "all good"}'), "no grade that can be read"),
    "nothing": (Said(), "no grade"),
}


def _judge(endpoint: ScriptedEndpoint, provider: Provider = Provider.openai, **other: Any) -> ModelJudge:
    return ModelJudge(settings=endpoint.settings(provider, **other), environment=KEYS)


def _grade(judge: ModelJudge, output: Any = "Good morning.", rubric: str = "It is polite.") -> Grade:
    return judge.grade(rubric=rubric, output=output, vars={"question": "say hello"})


def _failure(script: Script, provider: Provider = Provider.openai, **other: Any) -> tuple[JudgeError, ScriptedEndpoint]:
    with ScriptedEndpoint(script) as endpoint, _judge(endpoint, provider, **other) as judge:
        with pytest.raises(JudgeError) as caught:
            _grade(judge)
        assert judge.record().errors == 1
        assert judge.record().grades == 0
    line = caught.value.line()
    assert line.startswith("naoshi: judge-failed: ")
    assert "sk-secret" not in line
    return caught.value, endpoint


@each_provider
def test_a_grade_comes_through(provider: Provider):
    """Protects the way there and back in the shapes of all three providers, and the count of what it took."""
    with ScriptedEndpoint(always(grade(False, 0.25, reason="too\nshort"))) as endpoint:
        with _judge(endpoint, provider) as judge:
            found = _grade(judge)
            took = judge.record()
    assert found == Grade(score=0.25, reason="too short", passed=False)
    assert (took.grades, took.errors, took.requests) == (1, 0, 1)
    assert (took.input_tokens, took.output_tokens) == (100, 20)
    assert len(took.served_by) == 1


@each_provider
def test_hostile_output_does_not_leave_its_document_on_the_wire(provider: Provider):
    """Protects the grade where it counts: in the very bytes that the endpoint gets, output is data on one line."""
    with ScriptedEndpoint(always(grade(False, 0.0))) as endpoint, _judge(endpoint, provider) as judge:
        _grade(judge)
        for text in HOSTILE:
            assert _grade(judge, output={"said": text}, rubric=text).passed is False
    plain, *hostile = endpoint.questions
    for text, question in zip(HOSTILE, hostile, strict=True):
        assert question.document == {"rule": text, "input": {"question": "say hello"}, "output": {"said": text}}
        assert len(question.texts) == 1
        assert question.instructions == plain.instructions
        assert _around(question) == [line.replace(plain.mark, question.mark) for line in _around(plain)]


def _around(question: Question) -> list[str]:
    """Return the lines around the document."""
    lines = question.text.splitlines()
    assert len(lines) == 5
    return [*lines[:2], *lines[3:]]


@each_provider
def test_temperature_and_model_are_sent_as_they_are_pinned(provider: Provider):
    """Protects the pin: what is hashed is what is asked for, and "default" sends no temperature."""
    with ScriptedEndpoint(always(grade())) as endpoint:
        with _judge(endpoint, provider, temperature=0.5) as judge:
            _grade(judge)
        with _judge(endpoint, provider, temperature="default") as judge:
            _grade(judge)
    first, second = (question.body | question.body.get("generationConfig", {}) for question in endpoint.questions)
    assert first["temperature"] == 0.5
    assert "temperature" not in second
    model = first.get("model") or endpoint.questions[0].path
    assert endpoint.settings(provider).model in model


@each_provider
def test_what_is_no_grade_is_an_error_of_the_judge(provider: Provider):
    """Protects against holes: a grade that is not whole never becomes a pass, nor a failure of the agent."""
    replies = [said for said, _ in BAD_GRADES.values()]
    with ScriptedEndpoint(in_turn(*replies)) as endpoint, _judge(endpoint, provider) as judge:
        for name, (_, told) in BAD_GRADES.items():
            with pytest.raises(JudgeError) as caught:
                _grade(judge)
            assert told in caught.value.message, name
        took = judge.record()
    assert (took.grades, took.errors) == (0, len(BAD_GRADES))


@pytest.mark.parametrize(
    "arguments",
    [
        '{"pass": true, "score": NaN, "reason": "x", "mark": "m"}',
        '{"pass": true, "score": Infinity, "reason": "x", "mark": "m"}',
        '{"pass": true, "score": 1.0, "reason": "x"',
        "true",
        "",
    ],
)
def test_arguments_that_are_no_json_are_no_grade(arguments: str):
    """Protects against NaN and cut answers, which come as text where a tool's arguments are text."""
    _failure(always(Said(fields=arguments)))


@each_provider
@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "refused the key"),
        (403, "refused the key"),
        (404, "is not there (404)"),
        (429, "is asked too often (429)"),
        (500, "failed (500)"),
        (503, "failed (503)"),
        (400, "refused the request (400)"),
    ],
)
def test_a_refusal_of_the_endpoint_is_one_clear_line(provider: Provider, status: int, told: str):
    """Protects the person who reads it: each status says what happened, and whose it is."""
    error, endpoint = _failure(always(Refused(status=status)), provider)
    assert told in error.message
    assert len(endpoint.questions) == 1


@each_provider
def test_a_model_that_will_not_grade_is_an_error_of_the_judge(provider: Provider):
    """Protects against a safety filter that would pass for a failing output."""
    error, _ = _failure(always(Said(refusal="I cannot help with that.")), provider)
    assert "refused to grade" in error.message


@each_provider
def test_a_silent_endpoint_is_left_after_its_time(provider: Provider):
    """Protects the run from hanging: the time for a grade ends, tries included."""
    error, _ = _failure(always(Silent(seconds=30)), provider, timeout=0.4, retries=3)
    assert "gave no grade within 0.4 s" in error.message


def test_nobody_at_the_address_is_one_clear_line():
    """Protects against a server that is not up."""
    with ScriptedEndpoint(always(grade())) as endpoint:
        settings = endpoint.settings()
    with ModelJudge(settings=settings, environment={}) as judge, pytest.raises(JudgeError, match="cannot be reached"):
        _grade(judge)


@each_provider
def test_a_busy_endpoint_is_asked_again_but_not_for_ever(provider: Provider):
    """Protects both ways: one 429 costs no grade, and retries have an end."""
    busy = Refused(status=429, headers={"retry-after-ms": "1"})
    with ScriptedEndpoint(in_turn(busy, grade())) as endpoint, _judge(endpoint, provider, retries=1) as judge:
        assert _grade(judge).passed
    assert len(endpoint.questions) == 2
    _, endpoint = _failure(always(busy), provider, retries=1)
    assert len(endpoint.questions) == 2


@each_provider
def test_a_grade_that_cannot_be_read_is_asked_for_again(provider: Provider):
    """Protects grades from a slip of the model: it is told what was wrong, and its second answer counts."""
    with ScriptedEndpoint(in_turn(grade(True, 7), grade(False, 0.5))) as endpoint:
        with _judge(endpoint, provider, retries=1) as judge:
            assert _grade(judge) == Grade(score=0.5, reason="it keeps the rule", passed=False)
            assert judge.record().requests == 2


def test_a_key_comes_from_the_environment_only():
    """Protects secrets: without the variable there is no grade, its name is told, and nothing is sent."""
    settings = JudgeSettings(model="gpt-4.1", base_url="https://judge.invalid/v1", key_variable="MY_JUDGE_KEY")
    with ModelJudge(settings=settings, environment={"OPENAI_API_KEY": "other"}) as judge:
        for _ in range(2):
            with pytest.raises(JudgeError, match="the variable MY_JUDGE_KEY is not set"):
                _grade(judge)
        assert judge.record().errors == 2
    assert "api_key" not in JudgeSettings.model_fields


def test_the_environment_does_not_move_the_judge(monkeypatch: pytest.MonkeyPatch):
    """Protects the pin: no variable of a provider's library sends the question elsewhere."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for provider in Provider:
        with ScriptedEndpoint(always(grade())) as endpoint, _judge(endpoint, provider) as judge:
            assert _grade(judge).passed


def test_a_lasting_failure_is_not_asked_again():
    """Protects the account: after a refused key, a thousand cases do not ask a thousand times."""
    with ScriptedEndpoint(always(Refused(status=401))) as endpoint, _judge(endpoint, retries=2) as judge:
        for _ in range(3):
            with pytest.raises(JudgeError, match="refused the key"):
                _grade(judge)
        assert judge.record().errors == 3
    assert len(endpoint.questions) == 1


def test_so_many_are_asked_at_a_time_and_no_more():
    """Protects the endpoint: `workers` bounds what is under way, and reaches it."""
    gate = threading.Event()

    def script(question: object) -> Said:
        gate.wait(10)
        return grade()

    with ScriptedEndpoint(script) as endpoint, _judge(endpoint, workers=3) as judge:
        asking = [threading.Thread(target=_grade, args=(judge, f"output {number}")) for number in range(8)]
        for thread in asking:
            thread.start()
        wait_for(lambda: endpoint.at_once == 3)
        gate.set()
        for thread in asking:
            thread.join()
        assert judge.record().grades == 8
    assert endpoint.most_at_once == 3


def test_closing_ends_what_is_under_way():
    """Protects the person who gives up: a grade that is waited for ends as an error, and nothing hangs."""
    found: list[str] = []
    with ScriptedEndpoint(always(Silent(seconds=30))) as endpoint:
        judge = _judge(endpoint)

        def ask() -> None:
            try:
                _grade(judge)
            except JudgeError as error:
                found.append(error.message)

        asking = threading.Thread(target=ask)
        asking.start()
        wait_for(lambda: endpoint.at_once == 1)
        judge.close()
        asking.join(10)
    assert found == ["the run was given up before the grade came"]


def test_what_is_too_long_is_not_cut():
    """Protects the grade: half an output is not graded as if it were all of it."""
    with ScriptedEndpoint(always(grade())) as endpoint, _judge(endpoint, longest_input=2000) as judge:
        with pytest.raises(JudgeError, match="more than the judge is shown"):
            _grade(judge, output="x" * 2000)
        assert judge.record().errors == 1
    assert endpoint.questions == []


def test_a_grade_may_come_as_json_in_text():
    """Protects servers without tools: with `answer_form` schema or text the same grade is asked for and held to it."""
    for form in (AnswerForm.schema, AnswerForm.text):

        def script(question: Any) -> Said:
            return Said(text=f'{{"reason": "x", "pass": true, "score": 0.75, "mark": "{question.mark}"}}')

        with ScriptedEndpoint(script) as endpoint, _judge(endpoint, answer_form=form) as judge:
            assert _grade(judge) == Grade(score=0.75, reason="x", passed=True)
        with ScriptedEndpoint(
            always(Said(text='{"reason": "x", "pass": true, "score": 0.75, "mark": "m"}'))
        ) as endpoint:
            with _judge(endpoint, answer_form=form) as judge, pytest.raises(JudgeError, match="is not the mark"):
                _grade(judge)


def test_two_grades_in_one_answer_are_none():
    """Protects the grade: of two that contradict each other the first is not silently taken for the judge's word."""

    def twice(question: Any) -> Said:
        fields = '{"reason": "x", "pass": %s, "score": 1.0, "mark": "' + question.mark + '"}'
        return Said(text=f"```json\n{fields % 'true'}\n```\nor\n```json\n{fields % 'false'}\n```")

    called = replace(grade(), times=2)
    for script, form in ((always(called), AnswerForm.tool), (twice, AnswerForm.text)):
        with ScriptedEndpoint(script) as endpoint, _judge(endpoint, answer_form=form) as judge:
            with pytest.raises(JudgeError, match="more than one grade"):
                _grade(judge)
    quoted = grade(reason='it says "pass": false, and {"pass": true}')
    with ScriptedEndpoint(always(quoted)) as endpoint, _judge(endpoint) as judge:
        assert _grade(judge).passed


def test_a_key_that_the_endpoint_gives_back_is_not_kept():
    """Protects the key: whoever grades knows it, and what it says of an output is stored and shown."""
    with ScriptedEndpoint(always(grade(reason="by sk-of-ours"))) as endpoint:
        settings = endpoint.settings(key_variable="JUDGE_KEY")
        with ModelJudge(settings=settings, environment={"JUDGE_KEY": "sk-of-ours"}) as judge:
            assert _grade(judge).reason == "by ***"


@pytest.mark.parametrize("body", ["<html>log in</html>", "", {"error": {"message": "no"}}, {"choices": []}])
def test_what_is_no_endpoint_is_one_line_that_says_where_to_look(body: Any):
    """Protects whoever set a wrong address: a page with status 200 is neither a grade nor a riddle."""
    with ScriptedEndpoint(always(Refused(status=200, body=body))) as endpoint, _judge(endpoint) as judge:
        with pytest.raises(JudgeError, match="does not speak the protocol of openai") as caught:
            _grade(judge)
    assert "base_url" in caught.value.advice


def test_an_answer_of_the_judge_s_kin_ends_the_grading():
    """Protects against an agent that answers with another model than it is said to."""
    spans: tuple[dict[str, Any], ...] = ({"attributes": {"gen_ai.request.model": "qwen-max"}},)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    answer = Answer(case_id="c", vars={}, started_at=now, ended_at=now, latency_ms=1.0, spans=spans)
    with ScriptedEndpoint(always(grade())) as endpoint:
        for allowed in (False, True):
            settings = endpoint.settings(allow_same_family=allowed)
            kinship = Kinship.of(settings, AgentSettings(model="claude-opus-4"))
            with ModelJudge(settings=settings, environment=KEYS, kinship=kinship) as judge:
                assert _grade(judge).passed
                judge.see(answer)
                if allowed:
                    assert _grade(judge).passed
                else:
                    with pytest.raises(JudgeError, match="qwen-max, which is of the judge's own family"):
                        _grade(judge)


def test_a_grade_of_the_agent_s_kin_is_no_grade():
    """Protects against a gateway that answers with the agent's own model, whatever name the judge goes by."""
    with ScriptedEndpoint(always(grade())) as endpoint:
        for allowed in (False, True):
            settings = endpoint.settings(model="judge", family="acme", allow_same_family=allowed)
            kinship = Kinship.of(settings, AgentSettings(model="qwen-max"))
            assert not kinship.doubt
            with ModelJudge(settings=settings, environment=KEYS, kinship=kinship) as judge:
                if allowed:
                    assert _grade(judge).passed
                    continue
                with pytest.raises(
                    JudgeError, match="came from qwen-judge-2026-11, which is of the agent's own family"
                ):
                    _grade(judge)
                asked = len(endpoint.questions)
                with pytest.raises(JudgeError, match="agent's own family"):
                    _grade(judge)
                assert (len(endpoint.questions), judge.record().grades) == (asked, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"model": "qwen-judge-2"},
        {"temperature": 0.1},
        {"temperature": "default"},
        {"provider": Provider.anthropic},
        {"base_url": "http://127.0.0.1:1/v1"},
        {"max_tokens": 100},
        {"answer_form": AnswerForm.text},
    ],
)
def test_the_pin_changes_with_all_that_grades_depend_on(other: dict[str, Any]):
    """Protects comparison: another model, address, temperature, form or length of answer is another judge."""
    base: dict[str, Any] = {"model": "qwen-judge", "base_url": "http://127.0.0.1:2/v1"}
    assert judge_pin(JudgeSettings(**base)) != judge_pin(JudgeSettings(**{**base, **other}))


def test_the_pin_stays_with_what_grades_do_not_depend_on():
    """Protects baselines: how often, how fast and by what mark the judge is used is not what it says."""
    base = JudgeSettings(model="qwen-judge")
    other = JudgeSettings(model="qwen-judge", timeout=1, retries=5, workers=1, min_kappa=0.9, allow_same_family=True)
    assert judge_pin(base) == judge_pin(other)


def test_the_pin_changes_with_the_prompt(monkeypatch: pytest.MonkeyPatch):
    """Protects comparison: other words to the judge make it another judge."""
    before = judge_pin(JudgeSettings(model="qwen-judge"))
    monkeypatch.setattr("naoshi.evals.judging.prompt.INSTRUCTIONS", "Grade it.")
    assert judge_pin(JudgeSettings(model="qwen-judge")) != before
