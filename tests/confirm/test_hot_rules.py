"""Rules that take effect when their file changes, without ending what runs under the old ones (C18)."""

import os
import time
from pathlib import Path

import pytest

from naoshi.confirm import (
    ConfirmationEvent,
    Confirmations,
    Detector,
    EventKind,
    FileStore,
    Guard,
    PermitState,
    RulesFile,
    detect,
    read_policy,
)
from naoshi.errors import ConfigError, MissingPathError
from tests.confirm.conftest import Clock

ASKING = '[confirm]\nlanguage = "ja"\n[[confirm.rules]]\ntool = "send"\nclass = "irreversible"\n'
LETTING = '[confirm]\nyes = "送る"\nno = "送らない"\n[[confirm.rules]]\ntool = "send"\nclass = "reversible"\n'


class Hot:
    """A guard on a rules file that the test changes."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.path = folder / "naoshi.toml"
        self.events: list[ConfirmationEvent] = []
        self.write(ASKING)
        self.start()

    def start(self) -> None:
        """Begin as a fresh program would."""
        self.rules = RulesFile(self.path)
        self.confirmations = Confirmations(
            FileStore(self.folder / "state"), clock=self.clock, on_event=self.events.append
        )
        self.guard = Guard(self.confirmations, policy=self.rules)

    def write(self, text: str, *, still: bool = True) -> None:
        """Change the file; *still* says that it has not been touched for a while."""
        self.path.write_text(text, encoding="utf-8")
        if still:
            before = time.time() - 10
            os.utime(self.path, (before, before))

    def call(self, conversation: str) -> PermitState:
        with self.guard("send", {"to": "a"}, conversation_id=conversation) as permit:
            return permit.state


@pytest.fixture
def hot(tmp_path: Path, clock: Clock) -> Hot:
    return Hot(tmp_path, clock)


def test_new_conversations_get_the_new_rules_and_old_ones_keep_theirs(hot: Hot) -> None:
    """Protects a running conversation from a change of rules, and the change from having to wait for a restart."""
    assert hot.call("old") is PermitState.asked
    hot.write(LETTING)
    assert hot.call("new") is PermitState.allowed
    assert hot.call("old") is PermitState.asked
    hot.confirmations.receive("old", "2")
    assert hot.call("old") is PermitState.refused
    hot.write(ASKING)
    assert hot.call("newest") is PermitState.asked
    assert hot.call("new") is PermitState.allowed


def test_a_conversation_keeps_its_rules_over_a_restart(hot: Hot) -> None:
    """Protects it from a program that ends: every version that was in force is kept."""
    first = hot.rules.current().version
    assert hot.call("old") is PermitState.asked
    hot.write(LETTING)
    hot.start()
    assert hot.call("new") is PermitState.allowed
    assert hot.call("old") is PermitState.asked
    pending = hot.confirmations.pending("old")
    assert pending is not None
    assert pending.rules_version == first


def test_a_conversation_takes_the_new_rules_when_its_time_with_the_old_ones_is_over(hot: Hot) -> None:
    """Protects against a channel that lives for years and would never get a new rule."""
    assert hot.call("old") is PermitState.asked
    hot.write(LETTING)
    hot.clock.move(hours=25)
    assert hot.call("old") is PermitState.allowed
    state = hot.confirmations.store.get("old")
    assert state is not None
    assert state.rules_version == hot.rules.current().version


def test_while_a_question_is_open_its_rules_stay(hot: Hot) -> None:
    """Protects a question from losing its rules before it is answered."""
    hot.call("old")
    hot.clock.move(hours=11)
    hot.call("old")
    hot.clock.move(hours=11)
    hot.call("old")
    hot.write(LETTING)
    hot.clock.move(hours=4)
    assert hot.call("old") is PermitState.asked


@pytest.mark.parametrize(
    "broken",
    [
        "[confirm", "", "x = 1", ASKING.replace("irreversible", "harmless"), "\x00", ASKING + "[[confirm.rules]]\n",
        LETTING + '[[confirm.rules]]\ntool = "send"\nclass = "irreversible"\n', "a = " + "[" * 100_000,
    ],
)  # fmt: skip
def test_a_broken_file_leaves_the_last_good_rules_in_force_and_says_so(
    hot: Hot, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Protects what cannot be undone from a slip of the pen, and the one who slipped from not knowing."""
    good = hot.rules.current().version
    hot.write(broken)
    for _ in range(3):
        assert hot.call("c") is PermitState.asked
    assert hot.rules.current().version == good
    assert hot.rules.fault
    told = [event for event in hot.events if event.kind is EventKind.rules]
    assert [(event.rules_version, event.fault) for event in told] == [(good, hot.rules.fault)]
    assert [finding.detector for finding in detect(told)] == [Detector.rules_fault]
    assert "not in force" in caplog.text
    hot.write(LETTING)
    assert hot.call("d") is PermitState.allowed
    assert hot.rules.fault is None
    assert [event.fault for event in hot.events if event.kind is EventKind.rules][1:] == [None]


def test_a_file_that_is_taken_away_leaves_the_rules_in_force(hot: Hot) -> None:
    """Protects against a deployment that removes the file for a moment, and mends itself when it is back."""
    hot.path.unlink()
    assert hot.call("c") is PermitState.asked
    assert "no file" in (hot.rules.fault or "")
    hot.write(ASKING)
    assert hot.call("c") is PermitState.asked
    assert hot.rules.fault is None


def test_a_file_that_is_being_written_waits(hot: Hot) -> None:
    """Protects against half a file that reads as a wider rule: a change counts once the file has been still."""
    hot.write(LETTING, still=False)
    assert hot.call("c") is PermitState.asked
    assert hot.rules.fault is None
    before = time.time() - 1
    os.utime(hot.path, (before, before))
    assert hot.call("d") is PermitState.allowed
    hot.write(ASKING)
    ahead = time.time() + 3600
    os.utime(hot.path, (ahead, ahead))
    assert hot.call("e") is PermitState.asked


def test_a_kept_version_that_was_tampered_with_is_not_used(hot: Hot) -> None:
    """Protects against rules that were slipped in under an old version's name."""
    assert hot.call("old") is PermitState.asked
    version = hot.rules.current().version
    kept = hot.folder / ".naoshi" / "rules" / f"{version}.json"
    kept.write_text(kept.read_text().replace("irreversible", "reversible"))
    hot.write(LETTING.replace("reversible", "irreversible"))
    hot.start()
    assert hot.rules.at(version) is None
    assert hot.rules.at("../naoshi") is None
    assert hot.call("old") is PermitState.asked


def test_a_program_does_not_start_on_broken_rules(tmp_path: Path) -> None:
    """Protects against beginning without rules: at the start there is no last good version."""
    path = tmp_path / "naoshi.toml"
    with pytest.raises(MissingPathError):
        RulesFile(path)
    path.write_text("[agent]\n")
    with pytest.raises(ConfigError, match="no section"):
        RulesFile(path)
    path.write_text('language = "ja"\n' + ASKING.replace('language = "ja"\n', ""))
    assert read_policy(path).settings.language == "ja"
