"""`naoshi propose`: one pull request for a certified change, whatever goes wrong on the way."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.ui.cli.main import run
from tests.ui.command_line import CommandLine, copy_shop
from tests.ui.proposing_shop import CodeHost, open_host


@pytest.fixture(scope="session")
def repaired_shop(tmp_path_factory: pytest.TempPathFactory, triaged_shop: Path) -> Path:
    """A shop whose coding agent has made a change that is certified."""
    folder = copy_shop(triaged_shop, tmp_path_factory.mktemp("repaired") / "shop")
    assert run(["repair", "-C", str(folder)]) == 0
    return folder


@pytest.fixture
def shop(repaired_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(folder=copy_shop(repaired_shop, tmp_path / "shop"), capsys=capsys)


@pytest.fixture
def host(shop: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CodeHost:
    return open_host(shop, monkeypatch)


def propose_settings(line: CommandLine, text: str) -> None:
    config = line.folder / "naoshi.toml"
    config.write_text(f"{config.read_text()}\n[repair.proposal]\n{text}\n")


def test_a_certified_change_becomes_a_pull_request(shop: CommandLine, host: CodeHost) -> None:
    """One commit with the judged tree, which cites groups, cases and certificate; the certificate is the body."""
    done = shop("propose", "--by", "hana", "--json")
    assert done.status == 0 and done.document["made"]
    proposal = done.document["proposal"]
    (request,) = host.requests
    assert (proposal["state"], proposal["url"], proposal["number"]) == ("open", request["url"], 1)
    assert host.branches() == [proposal["branch"]] and request["commit"] == proposal["commit"]
    with open_loop(shop.folder) as loop:
        change, certificate = loop.store.changes.find()[-1], loop.store.certificates.find()[-1]
        entries = [entry for entry in loop.store.ledger.entries() if entry.kind == "proposal"]
    assert shop.git("rev-parse", f"{proposal['commit']}^") == change.base_commit
    assert shop.git("rev-parse", f"{proposal['commit']}^{{tree}}") == change.tree
    message = shop.git("log", "-1", "--format=%B", proposal["commit"])
    assert message.startswith("fix(harness): mend 6 of 6 failing cases")
    for cited in (*certificate.mended, "missing_order_number in fields: 6 cases", "Naoshi-Group: group_",
                  f"Naoshi-Judged-Commit: {change.commit}",
                  f"Naoshi-Certificate: {certificate.certificate_id} sha256:{certificate.digest}"):  # fmt: skip
        assert cited in message
    for shown in (certificate.digest, "| `targets_mended` | yes |", *certificate.mended, "harness/labels.json",
                  f"naoshi certificate verify {certificate.certificate_id} --rerun"):  # fmt: skip
        assert shown in request["body"]
    assert (request["base"], request["title"]) == ("main", "fix(harness): mend 6 of 6 failing cases")
    assert [(entry.actor, entry.subject, entry.payload["url"]) for entry in entries] == [
        ("hana", change.change_id, request["url"])
    ]
    assert shop.git("rev-parse", "HEAD") == change.base_commit and shop.git("status", "--porcelain") == ""


def test_asked_again_there_is_no_second_one(shop: CommandLine, host: CodeHost) -> None:
    """However often it is asked for, one pull request, one commit, one entry in the ledger."""
    first = shop("propose", "--json").document["proposal"]
    again = shop("propose", "--json")
    assert again.status == 0 and not again.document["made"]
    assert again.document["proposal"] == first
    assert len(host.requests) == host.created() == 1
    assert shop("ledger").out.count("proposal") == 1
    shop.git("branch", "-D", first["branch"])
    assert shop("propose", "--json").document["proposal"]["commit"] == first["commit"]


@pytest.mark.parametrize("mode", ["made_and_failed", "slow_after"])
def test_one_that_was_made_though_it_seemed_to_fail_is_found(mode: str, shop: CommandLine, host: CodeHost) -> None:
    """The answer of the code host may get lost; asking again finds what is there."""
    propose_settings(shop, "timeout = 2")
    host.behave(mode)
    failed = shop("propose")
    assert (failed.status, failed.code) == (1, "proposal-failed")
    host.behave("ok")
    found = shop("propose")
    assert found.status == 0 and "there already (open): https://github.com/hana/shop/pull/1" in found.out
    assert len(host.requests) == host.created() == 1


def test_one_that_names_no_address_is_looked_up(shop: CommandLine, host: CodeHost) -> None:
    """What `gh` prints is not all that is believed."""
    host.behave("made_and_silent")
    assert shop("propose", "--json").document["proposal"]["number"] == 1


def test_one_that_was_closed_is_not_opened_again(shop: CommandLine, host: CodeHost) -> None:
    """People who closed a pull request meant it."""
    shop("propose")
    known = host.state
    known["requests"][0]["state"] = "CLOSED"
    host.place.write_text(json.dumps(known))
    assert "there already (closed)" in shop("propose").out
    assert len(host.requests) == 1


def test_a_stranger_s_branch_of_the_same_name_is_not_ours(shop: CommandLine, host: CodeHost) -> None:
    """Somebody's fork can have any branch; its pull request does not stand for ours."""
    branch = shop("propose", "--branch-only", "--json").document["name"]
    host.add(head=branch, isCrossRepository=True)
    made = shop("propose", "--json").document
    assert made["made"] and made["proposal"]["number"] == 2


def refused_push(shop: CommandLine, host: CodeHost) -> None:
    hook = host.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'protected: ask ghp_0123456789abcdefghij' >&2\nexit 1\n")
    hook.chmod(0o755)


def no_gh(shop: CommandLine, host: CodeHost) -> None:
    propose_settings(shop, 'program = "gh-of-nobody"')


def no_remote(shop: CommandLine, host: CodeHost) -> None:
    shop.git("remote", "rename", "origin", "elsewhere")


def other_host(shop: CommandLine, host: CodeHost) -> None:
    shop.git("remote", "set-url", "origin", str(host.bare))


def not_logged_in(shop: CommandLine, host: CodeHost) -> None:
    host.behave("not_logged_in")


def refused_request(shop: CommandLine, host: CodeHost) -> None:
    host.behave("refuse")


def slow_host(shop: CommandLine, host: CodeHost) -> None:
    host.behave("slow_before")
    propose_settings(shop, "timeout = 1")


def garbage(shop: CommandLine, host: CodeHost) -> None:
    host.behave("garbage")


@pytest.mark.parametrize(
    ("trouble", "status", "code"),
    [
        (no_gh, 2, "program-missing"),
        (no_remote, 2, "config-invalid"),
        (other_host, 2, "config-invalid"),
        (not_logged_in, 2, "proposal-credentials"),
        (refused_push, 1, "proposal-push-refused"),
        (refused_request, 1, "proposal-failed"),
        (slow_host, 1, "proposal-failed"),
        (garbage, 1, "proposal-failed"),
    ],
)
def test_each_trouble_is_one_line_and_the_same_command_goes_on(
    trouble: Callable[[CommandLine, CodeHost], None], status: int, code: str, shop: CommandLine, host: CodeHost
) -> None:
    """What is missing or refused is named, no secret is in it, and once it is mended the same command ends well."""
    config = (shop.folder / "naoshi.toml").read_text()
    trouble(shop, host)
    done = shop("propose")
    assert (done.status, done.code) == (status, code)
    assert "ghp_" not in done.err and host.requests == []
    (shop.folder / "naoshi.toml").write_text(config)
    host.behave("ok")
    (host.bare / "hooks" / "pre-receive").unlink(missing_ok=True)
    if trouble is no_remote:
        shop.git("remote", "rename", "elsewhere", "origin")
    shop.git("remote", "set-url", "origin", "https://github.com/hana/shop.git")
    assert shop("propose").status == 0
    assert len(host.requests) == 1


def test_drafts_and_labels_are_asked_for(shop: CommandLine, host: CodeHost) -> None:
    """Protects the settings of [repair.proposal]."""
    propose_settings(shop, 'draft = true\nlabels = ["naoshi", "harness"]\nrepository = "ghe.example.com/hana/shop"')
    assert shop("propose").status == 0
    call = next(words for words in host.state["calls"] if words[:2] == ["pr", "create"])
    assert call[-5:] == ["--draft", "--label", "naoshi", "--label", "harness"]
    assert call[call.index("--repo") + 1] == "ghe.example.com/hana/shop"


def test_a_branch_alone_needs_neither_remote_nor_gh(shop: CommandLine) -> None:
    """`--branch-only` is for every other host; the commit is the same each time, and a branch of others stays."""
    first = shop("propose", "--branch-only", "--json").document
    assert shop.git("rev-parse", first["name"]) == first["commit"]
    assert shop("propose", "--branch-only", "--json").document == first
    shop.git("branch", "--force", first["name"], "main")
    assert shop("propose", "--branch-only").code == "repository-unusable"
    assert shop.git("rev-parse", first["name"]) == shop.git("rev-parse", "main")


def test_what_a_person_rejected_is_not_proposed(shop: CommandLine, host: CodeHost) -> None:
    """A rejection stands; nothing is pushed, and nobody on the code host hears of the change."""
    assert shop("gate").status == 0
    identifier = shop("review", "--list", "--json").document["questions"][0]["conversation_id"]
    assert shop("review", "--answer", identifier, "2", "--by", "hana").status == 1
    done = shop("propose")
    assert (done.status, done.code) == (1, "change-refused")
    assert host.branches() == [] and host.state["calls"] == []


def test_what_is_released_is_not_proposed_any_more(shop: CommandLine, host: CodeHost) -> None:
    """A released change is on the agent's branch; the line says so, and status still names the pull request."""
    assert shop("propose").status == 0
    assert "pull request https://github.com/hana/shop/pull/1" in shop("status").out
    assert shop("gate").status == 0
    identifier = shop("review", "--list", "--json").document["questions"][0]["conversation_id"]
    assert shop("review", "--answer", identifier, "1", "--by", "hana").status == 0
    assert shop("release").status == 0
    done = shop("propose")
    assert (done.status, done.code) == (1, "change-refused") and "is released as v1" in done.err
    assert "pull request https://github.com/hana/shop/pull/1" in shop("status").out


def test_without_a_certified_change_there_is_nothing_to_propose(triaged: CommandLine) -> None:
    """The line says how to get one."""
    assert triaged("propose").code == "not-found"
