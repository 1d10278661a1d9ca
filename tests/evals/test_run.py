"""Running cases on agents, most of which misbehave."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import JsonValue

from naoshi.errors import ConfigError, MissingProgramError, SuiteError
from naoshi.evals.answer import Answer
from naoshi.evals.run import run_cases
from naoshi.evals.settings import AgentSettings
from naoshi.records import Assertion, CaseResult, EvalCase, EvalRun, ResultState
from tests.evals.examples import NOW, case

AGENT = Path(__file__).parent / "agents" / "misbehaving.py"


def settings(**more: object) -> AgentSettings:
    fields: dict[str, object] = {"command": (sys.executable, str(AGENT)), "timeout": 10.0, "start_timeout": 0.5, **more}
    return AgentSettings.model_validate(fields)


def run(cases: list[EvalCase], folder: Path, *, workers: int = 1, **more: object) -> EvalRun:
    return run_cases(
        cases,
        agent=settings(**more),
        folder=folder,
        version="v1",
        suite="ours",
        environment=os.environ,
        workers=workers,
        clock=lambda: NOW,
    )


def asking(name: str, what: str = "answer", **variables: JsonValue) -> EvalCase:
    wanted = Assertion(type="equals", value=name, transform="output.said")
    return case(name, vars={"do": what, "say": name, **variables}, assertions=(wanted,))


def states(found: EvalRun) -> dict[str, ResultState]:
    return {result.case_id: result.state for result in found.results}


def is_alive(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().split(") ")[1][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def assert_gone(pid_file: Path) -> None:
    process_id = int(pid_file.read_text())
    limit = time.monotonic() + 5
    while is_alive(process_id) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not is_alive(process_id)


def test_every_case_has_its_own_result_in_order(tmp_path: Path):
    """Protects the denominator and the order, with more workers than one."""
    cases = [asking(f"c{number}") for number in range(20)]
    cases.append(case("wrong", vars={"say": "no"}))
    found = run(cases, tmp_path, workers=3)
    assert [result.case_id for result in found.results] == [item.case_id for item in cases]
    assert set(states(found).values()) == {ResultState.pass_, ResultState.fail}
    assert states(found)["wrong"] is ResultState.fail
    assert (found.version, found.suite, found.started_at) == ("v1", "ours", NOW)


def test_cases_that_share_vars_share_the_call(tmp_path: Path):
    """Protects speed: one call for each distinct input, under the identifier of the first case."""
    log = tmp_path / "log"
    one = asking("a", "count_requests", count_file=str(log))
    other = asking("b").model_copy(update={"vars": one.vars})
    found = run([one, other], tmp_path)
    assert log.read_text() == "a\n"
    assert states(found) == {"a": ResultState.pass_, "b": ResultState.fail}


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("crash", "ended with status 7 before it had answered: I cannot go on [31mred"),
        ("killed", "ended with status -9"),
        ("garbage", "not JSON: 'Loading the model...'"),
        ("not_utf8", "not UTF-8"),
        ("wrong_id", "the answer is for case_id 'another', asked was 'bad'"),
        ("partial_line", "not JSON"),
        ("says_error", "the agent says: the document is unreadable"),
        ("no_output", "no `output`"),
        ("a_list", "not a JSON object"),
        ("nan", "not JSON"),
        ("deep", "not JSON|nested deeper"),
        ("big_integer", "beyond what a float holds"),
        ("big_float", "beyond what a float holds"),
        ("spans_as_text", "`spans` is not a list"),
    ],
)
def test_one_bad_answer_costs_one_case(tmp_path: Path, what: str, told: str):
    """Protects the rest of the run: the case is an agent_error with the reason, the others go on."""
    found = run([asking("before"), asking("bad", what), asking("after")], tmp_path)
    assert states(found) == {
        "before": ResultState.pass_, "bad": ResultState.agent_error, "after": ResultState.pass_,
    }  # fmt: skip
    assert any(part in found.results[1].reason for part in told.split("|"))


@pytest.mark.parametrize("what", ["hang", "closes_output", "child_holds_output"])
def test_an_agent_that_says_nothing_is_given_up_in_time(tmp_path: Path, what: str):
    """Protects the run against agents that hang, close their output, or die with the output still open."""
    pid_file = tmp_path / "pid"
    begun = time.monotonic()
    cases = [asking("before"), asking("bad", what, pid_file=str(pid_file)), asking("after")]
    found = run(cases, tmp_path, timeout=1.0)
    assert list(states(found).values()) == [ResultState.pass_, ResultState.agent_error, ResultState.pass_]
    assert time.monotonic() - begun < 8
    if pid_file.exists():
        assert_gone(pid_file)


def test_a_flood_is_stopped_at_the_limit(tmp_path: Path):
    """Protects memory."""
    found = run([asking("bad", "flood"), asking("after")], tmp_path, output_limit=1_000_000)
    assert found.results[0].state is ResultState.agent_error
    assert "more than 1000000 bytes" in found.results[0].reason
    assert found.results[1].state is ResultState.pass_


def test_noise_on_stderr_never_blocks(tmp_path: Path):
    """Protects against a full pipe: twelve megabytes of noise and the answer still comes."""
    assert list(states(run([asking("a", "flood_stderr")], tmp_path)).values()) == [ResultState.pass_]


def test_a_large_request_and_answer_pass(tmp_path: Path):
    """Protects against deadlock: neither side waits for the other to read."""
    text = "長" * 500_000
    assert list(states(run([asking(text)], tmp_path)).values()) == [ResultState.pass_]


def test_an_answer_given_twice_is_not_taken_for_the_next(tmp_path: Path):
    """Protects against answers that slip by one."""
    found = run([asking("a", "twice"), asking("b"), asking("c")], tmp_path)
    assert list(states(found).values()) == [ResultState.pass_, ResultState.agent_error, ResultState.pass_]


@pytest.mark.parametrize("what", ["one_shot", "without_line_break"])
def test_an_agent_that_ends_after_each_answer_is_started_again(tmp_path: Path, what: str):
    """Protects simple agents: a script that serves one request is not a crash."""
    found = run([asking(name, what) for name in "abc"], tmp_path)
    assert set(states(found).values()) == {ResultState.pass_}


@pytest.mark.parametrize("what", ["ignores_sigterm", "ignores_end_of_input", "leaves_child", "leaves_escaped_child"])
def test_nothing_that_the_agent_started_survives(tmp_path: Path, what: str):
    """Protects the machine, against processes that ignore being asked or that left their group."""
    pid_file = tmp_path / "pid"
    run([asking("a", what, pid_file=str(pid_file))], tmp_path, timeout=1.0)
    assert_gone(pid_file)


def test_a_dead_agent_is_given_up_and_every_case_is_counted(tmp_path: Path):
    """Protects time: after five ends without an answer the rest is not asked, and nothing leaves the denominator."""
    begun = time.monotonic()
    found = run([asking(f"c{number}", "crash") for number in range(200)], tmp_path, workers=2)
    assert found.counts()[ResultState.agent_error] == 200
    assert "5 times in a row" in found.results[-1].reason
    assert time.monotonic() - begun < 8


def test_an_answer_resets_the_count_of_ends(tmp_path: Path):
    """Protects agents that fail often but not always."""
    cases = [asking(f"c{number}", "crash" if number % 2 else "answer") for number in range(8)]
    assert run(cases, tmp_path, max_restarts=2).counts()[ResultState.pass_] == 4


def test_the_environment_is_an_allow_list(tmp_path: Path):
    """Protects secrets: of ours only what an agent needs reaches it, besides what its settings say."""
    heard: list[Answer] = []
    run_cases(
        [asking("a", "environment")],
        agent=settings(environment={"MODE": "test"}, max_turns=12),
        folder=tmp_path,
        version="v7",
        suite="ours",
        environment={**os.environ, "NAOSHI_DATABASE_URL": "secret", "OPENAI_API_KEY": "secret", "LC_ALL": "C.UTF-8"},
        data_root=tmp_path,
        on_answer=heard.append,
    )
    output = heard[0].output
    assert isinstance(output, dict)
    seen = output["said"]
    assert isinstance(seen, dict)
    assert "secret" not in seen.values()
    assert (seen["MODE"], seen["NAOSHI_AGENT_VERSION"], seen["LC_ALL"]) == ("test", "v7", "C.UTF-8")
    assert (seen["NAOSHI_DATA_ROOT"], seen["NAOSHI_MAX_TURNS"]) == (str(tmp_path.resolve()), "12")


def test_answers_and_results_are_told_as_they_come(tmp_path: Path):
    """Protects traces and progress: the callbacks get all, artifacts and spans included, answers first."""
    told: list[Answer | CaseResult] = []
    run_cases(
        [asking("a", "full")],
        agent=settings(),
        folder=tmp_path,
        version="v1",
        suite="ours",
        environment=os.environ,
        on_answer=told.append,
        on_result=told.append,
    )
    answer, result = told
    assert isinstance(answer, Answer)
    assert isinstance(result, CaseResult)
    assert (answer.artifacts, answer.spans, answer.error) == ({"fields": {"total": "1"}}, ({"span_id": "s1"},), None)
    assert answer.latency_ms == result.latency_ms


def test_half_a_character_is_replaced(tmp_path: Path):
    """Protects the store, which could not keep such text."""
    assert run([asking("a", "half_character")], tmp_path).results[0].output == {"said": "a\ufffd"}


def test_an_error_in_a_callback_ends_the_run_and_its_agents(tmp_path: Path):
    """Protects against processes left behind by our own failures."""
    pid_file = tmp_path / "pid"

    def refuse(_: Answer) -> None:
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        run_cases(
            [asking("a", "ignores_end_of_input", pid_file=str(pid_file)), asking("b", "hang")],
            agent=settings(),
            folder=tmp_path,
            version="v1",
            suite="ours",
            environment=os.environ,
            on_answer=refuse,
        )
    assert_gone(pid_file)


def test_what_cannot_be_run_is_told_before_anything_is(tmp_path: Path):
    """Protects people: wrong settings and wrong cases are one clear error."""
    with pytest.raises(MissingProgramError, match="no-such-program"):
        run([asking("a")], tmp_path, command="no-such-program --serve")
    for command in ("", (), "python 'unclosed"):
        with pytest.raises(ConfigError):
            run([asking("a")], tmp_path, command=command)
    with pytest.raises(SuiteError, match="two cases"):
        run([asking("a"), asking("a")], tmp_path)
    with pytest.raises(SuiteError, match="bad: the assertion"):
        run([case("bad", assertions=(Assertion(type="vibes"),))], tmp_path)


def test_an_empty_suite_gives_an_empty_run(tmp_path: Path):
    """Protects the gate, which refuses it: nothing is made up."""
    assert run([], tmp_path).results == ()


def test_runs_of_the_same_at_the_same_time_are_one_run(tmp_path: Path):
    """Protects steps that are done twice: the identifier depends on what was run and when, and on nothing else."""
    first, second = run([asking("a")], tmp_path), run([asking("a")], tmp_path)
    assert first.run_id == second.run_id
    assert first.run_id != run([asking("b")], tmp_path).run_id


def test_an_interrupt_ends_the_run_and_its_agents(tmp_path: Path):
    """Protects Ctrl-C: it is heard at once, and nothing is left running."""
    pid_file = tmp_path / "pid"
    program = (
        "import os, sys; from pathlib import Path; from tests.evals.test_run import asking, run\n"
        "run([asking('a', 'ignores_sigterm', pid_file=sys.argv[1])], Path('.'), timeout=60.0)"
    )
    words = [sys.executable, "-c", program, str(pid_file)]
    with subprocess.Popen(words, cwd=AGENT.parents[3], stderr=subprocess.PIPE) as process:
        limit = time.monotonic() + 30
        while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < limit:
            time.sleep(0.05)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in told
    assert time.monotonic() - begun < 10
    assert_gone(pid_file)
