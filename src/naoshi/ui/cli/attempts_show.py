"""Repairs with all their attempts, and the groups that need a person."""

from naoshi.flow.left_to_people import LeftGroup, left_groups, take_up
from naoshi.flow.loop import Loop
from naoshi.flow.repairs import attempts_of
from naoshi.records import Attempt, Repair
from naoshi.ui.cli.output import Output, counted, one_line
from naoshi.ui.cli.session import actor_of

_SHOWN = 10


def show_attempts(loop: Loop, out: Output) -> None:
    """Show the latest repairs, each attempt of them with why it failed, and the groups that need a person."""
    repairs, left = loop.store.repairs.find(), left_groups(loop)
    attempts = {repair.repair_id: attempts_of(loop, repair) for repair in repairs}
    if not repairs:
        out.say("there was no repair yet")
    for repair in repairs[-_SHOWN:]:
        out.say(*_told(repair, attempts[repair.repair_id]))
    if len(repairs) > _SHOWN:
        out.say(f"and {len(repairs) - _SHOWN} earlier ones (all of them with --json)")
    for item in left:
        out.say(told_left(item))
    if left:
        out.say("to have one tried again: naoshi attempts --again GROUP (or `all`)")
    out.result(
        {
            "repairs": [{"repair": repair, "attempts": attempts[repair.repair_id]} for repair in repairs],
            "needs_person": left,
        }
    )


def take_up_and_show(loop: Loop, out: Output, *, name: str, by: str) -> None:
    """Let the next repair try the group *name* again, or `all`.

    Raises:
        NotFoundError: no group that needs a person is called so, or several are.
    """
    taken = take_up(loop, name, actor=actor_of(loop, by))
    out.say(*(f"{item.group_id} {item.name}: the next cycle or repair tries again" for item in taken))
    out.result({"taken_up": taken})


def told_left(item: LeftGroup) -> str:
    """Return in one line which group needs a person."""
    attempts = counted(item.attempts, "attempt")
    return f"needs a person: {item.group_id} {item.name}, {counted(len(item.cases), 'case')} after {attempts}"


def _told(repair: Repair, attempts: tuple[Attempt, ...]) -> list[str]:
    cases = sum(len(found) for found in repair.groups.values())
    state = repair.state.value.replace("_", " ")
    head = f"{repair.repair_id} on {repair.base_version}: {state}, {counted(cases, 'case')} to mend"
    return [head, *(_told_attempt(attempt) for attempt in attempts)]


def _told_attempt(attempt: Attempt) -> str:
    made = f"change {attempt.change_id}" if attempt.change_id else "no change"
    certified = "certified" if attempt.certificate_id and not attempt.failures else "not certified"
    why = f": {one_line('; '.join(attempt.failures), most=240)}" if attempt.failures else ""
    return f"  attempt {attempt.number}: {made}, {certified}{why}"
