"""An agent that answers nothing at all is not one to mend, but one to start properly."""

from naoshi.errors import AgentError
from naoshi.records import EvalRun, ResultState


def require_some_answer(run: EvalRun) -> None:
    """Check that the agent answered at least one case of *run* that has cases.

    Raises:
        AgentError: it answered none; the message has the first reason.
    """
    if run.results and all(result.state is ResultState.agent_error for result in run.results):
        reason = " ".join(run.results[0].reason.split())[:300]
        raise AgentError(f"the agent answered none of {len(run.results)} cases: {reason}")
