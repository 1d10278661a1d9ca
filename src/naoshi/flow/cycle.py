"""One cycle of the loop as a durable workflow: killed anywhere and started again, it goes on from there.

The cycle's record says which step comes next, and each step puts the record into the store. DBOS remembers each
finished step, takes up a workflow that was killed, and never does a finished step again. A cycle that waits for a
person, or that was stopped by an error, ends its workflow; the next one begins at the step that the record names.
"""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from dbos import DBOS, SetWorkflowID, WorkflowHandle

from naoshi.flow.alone import alone_in
from naoshi.flow.loop import Loop
from naoshi.flow.old_sqlite import connect_arguments
from naoshi.flow.steps import FIRST_STEP, STEPS
from naoshi.flow.stopping import StepUnderWay, Stopped
from naoshi.flow.versions import present_version
from naoshi.records import Cycle, CycleState, content_id

FLOW_VERSION = "naoshi-flow-1"
"""DBOS takes up only workflows of the same application version. It changes when the steps' order does."""

_POLL_SECONDS = 0.02
_UNFINISHED = ("PENDING", "ENQUEUED", "DELAYED")

Watcher = Callable[[str, Cycle], None]
"""Is told ``before NAME`` and ``after NAME`` of each step, with the cycle as it is then."""


class Workshop:
    """A place where cycles are run: one loop, and the durable workflows of it. Made by `open_workshop`."""

    def __init__(self, *, loop: Loop, watcher: Watcher | None) -> None:
        self.loop = loop
        self._watcher = watcher
        self._driving = False
        self._taken_up: Cycle | None = None
        self.under_way = StepUnderWay()

    def run_cycle(self) -> Cycle:
        """Go on with the cycle that is under way, or begin the next; return it ended or waiting.

        Raises:
            NaoshiError: a step could not be done; run again after mending what the message says.
            KeyboardInterrupt: a person stopped it; what the step had begun is cleaned up.
        """
        try:
            return self._run_cycle()
        except Stopped as error:
            raise KeyboardInterrupt from error
        except KeyboardInterrupt:
            self.under_way.stop()
            raise

    def _run_cycle(self) -> Cycle:
        self._await_taken_up()
        if self._taken_up is not None:
            cycle, self._taken_up = self._taken_up, None
            return cycle
        cycle = self._open_cycle()
        self._driving = True
        try:
            with SetWorkflowID(self._free_name(cycle)):
                return Cycle.model_validate_json(_naoshi_cycle(cycle.to_json()))
        finally:
            self._driving = False

    def perform(self, cycle: Cycle) -> Cycle:
        """Do the step that *cycle* names, keep the record, and return it."""
        self._tell(f"before {cycle.stage}", cycle)
        done = STEPS[cycle.stage](self.loop, cycle)
        self.loop.store.cycles.put(done)
        if not self._driving:
            self._taken_up = done
        self._tell(f"after {cycle.stage}", done)
        return done

    def _await_taken_up(self) -> None:
        """Wait for the workflows that a killed process left and that DBOS has taken up in the background."""
        for status in DBOS.list_workflows(status=list(_UNFINISHED), load_input=False, load_output=False):
            handle: WorkflowHandle[str] = DBOS.retrieve_workflow(status.workflow_id)
            # One that a person stopped is over; the cycle's record says where to go on.
            with suppress(Stopped):
                handle.get_result(polling_interval_sec=_POLL_SECONDS)

    def _tell(self, moment: str, cycle: Cycle) -> None:
        if self._watcher is not None:
            self._watcher(moment, cycle)

    def _open_cycle(self) -> Cycle:
        cycles = self.loop.store.cycles.find()
        last = cycles[-1] if cycles else None
        if last is not None and not last.state.ended:
            running = last.model_copy(update={"state": CycleState.running})
            return running
        version = present_version(self.loop)
        number = 1 if last is None else last.number + 1
        cycle = Cycle(
            cycle_id=content_id("cycle", number, version.commit),
            number=number,
            stage=FIRST_STEP,
            base_version=version.name,
            base_commit=self.loop.git.commit_of("HEAD"),
            started_at=self.loop.clock(),
        )
        self.loop.store.cycles.add(cycle)
        return cycle

    def _free_name(self, cycle: Cycle) -> str:
        """Return the first name for a workflow of *cycle* that is not taken by an ended one."""
        return next(name for life in count() if DBOS.get_workflow_status(name := f"{cycle.cycle_id}/{life}") is None)


_open: list[Workshop] = []


@DBOS.workflow(name="naoshi-cycle")
def _naoshi_cycle(document: str) -> str:
    cycle = Cycle.model_validate_json(document)
    while cycle.state is CycleState.running:
        document = DBOS.run_step({"name": f"{cycle.stage}-{cycle.attempt}"}, _perform, document)
        cycle = Cycle.model_validate_json(document)
    return document


def _perform(document: str) -> str:
    workshop = _open[-1]
    with workshop.under_way():
        return workshop.perform(Cycle.model_validate_json(document)).to_json()


@contextmanager
def open_workshop(loop: Loop, *, database_url: str = "", watcher: Watcher | None = None) -> Generator[Workshop]:
    """Open the durable workflows of *loop*; those that were killed are taken up at once.

    *database_url* is a `postgresql://` address; empty keeps them in SQLite beside the store.

    Raises:
        StoreError: another process runs a cycle or a repair of this repository.
    """
    with alone_in(loop):
        workshop = Workshop(loop=loop, watcher=watcher)
        _open.append(workshop)
        try:
            _launch(database_url or f"sqlite:///{loop.state / 'flow.db'}", loop.state)
            yield workshop
        finally:
            DBOS.destroy()
            _open.remove(workshop)


def _launch(url: str, state: Path) -> None:
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    DBOS(
        config={
            "name": "naoshi",
            "system_database_url": url,
            "application_version": FLOW_VERSION,
            "executor_id": _executor(url, state),
            "log_level": "CRITICAL",
            "enable_otlp": False,
            "db_engine_kwargs": {"connect_args": connect_arguments() if url.startswith("sqlite:") else {}},
            "notification_listener_polling_interval_sec": 0.05,
        }
    )
    DBOS.launch()


def _executor(url: str, state: Path) -> str:
    """Return who takes up killed workflows: whoever has the file; in a shared database, this repository alone."""
    return "local" if url.startswith("sqlite:") else content_id("executor", str(state.resolve()))
