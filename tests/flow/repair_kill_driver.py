"""Repairs a prepared shop and proposes the change, in a process of its own that is ended with SIGKILL at any time.

It is forked from a server that has everything loaded, so that what is killed is work and not the loading of modules.
"""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.flow.attempting import repair
from naoshi.flow.certified import certified_changes
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import present_run
from naoshi.flow.proposing import propose
from naoshi.flow.steps.diagnose import cases_to_mend, present_diagnosis
from tests.flow.mail_shop import Follower, open_shop


def work(folder: Path, how: str, environment: Mapping[str, str]) -> None:
    """Do what is left to be done in the shop *folder*: a repair and its proposal, or a cycle."""
    os.environ.update(environment)
    if how == "cycle":
        with ExitStack() as stack:
            loop, workshop = open_shop(stack, folder, Follower())
            cycles = loop.store.cycles.find()
            if not cycles or not cycles[-1].state.ended:
                workshop.run_cycle()
        return
    with open_loop(folder) as loop:
        if not certified_changes(loop):
            _repair(loop)
        propose(loop, actor="hana")


def _repair(loop: Loop) -> None:
    run = present_run(loop)
    cases = cases_to_mend(loop, run)
    done = repair(loop, present_diagnosis(loop, run, version=run.version, cases=cases), run)
    assert done.change is not None, done.attempts
