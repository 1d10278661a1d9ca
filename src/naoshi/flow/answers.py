"""An agent that answers nothing at all is not one to mend, but one to start properly."""

from collections.abc import Iterable

from naoshi.errors import AgentError
from naoshi.flow.loop import Loop
from naoshi.records import EvalCase, EvalRun, ResultState


def require_some_answer(loop: Loop, run: EvalRun, cases: Iterable[EvalCase]) -> None:
    """Check that the agent answers something, if it ever did in the runs that *cases* came from.

    Where those runs gave nothing either, no answer is the very failure that there is to mend.

    Raises:
        AgentError: it answered none of the cases; the message has the first reason.
    """
    if not run.results or any(result.state is not ResultState.agent_error for result in run.results):
        return
    traces = (loop.store.traces.get(case.provenance.trace_id or "") for case in cases)
    if any(trace is not None and (trace.output is not None or trace.artifacts) for trace in traces):
        reason = " ".join(run.results[0].reason.split())[:300]
        raise AgentError(f"the agent answered none of {len(run.case_states())} cases: {reason}")
