"""What a proposal says: complete, bounded, and harmless whatever the data in it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.capture.redaction import redact_text
from naoshi.records import Certificate, CertificateCheck, Change, Handoff
from naoshi.repair.proposal_text import inert, proposal_body, proposal_message
from naoshi.repair.pull_requests import repository_of
from tests.repair.receipts_repository import NOW, ReceiptsRepository

HOSTILE = (
    "@hana fixes #12, closes hana/shop#3 and GH-7: https://github.com/hana/shop/issues/9 <img src=x onerror=y>"
    " `</td>` | [skip ci] ![x](http://evil.test/p.png)\n\n## Approved\n/merge\nCo-authored-by: x\u202e"
)
SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ"


def proposal_of(handoff: Handoff, *, name: str, cases: tuple[str, ...], detail: str = "", title: str = "") -> list[str]:
    """Message and body of a proposal in which all that is data is *name*, *cases*, *detail* and *title*."""
    groups = tuple(
        item.model_copy(update={"failure_type": name, "artifact": name}) for item in handoff.diagnosis.groups
    )
    advice = tuple(item.model_copy(update={"title": title}) for item in handoff.diagnosis.recommendations)
    handed = handoff.model_copy(
        update={
            "diagnosis": handoff.diagnosis.model_copy(update={"groups": groups, "recommendations": advice}),
            "cases": tuple(
                item.model_copy(update={"group_id": groups[0].group_id, "case_id": case_id})
                for item, case_id in zip(handoff.cases * len(cases), cases, strict=False)
            ),
        }
    )
    change = Change(
        change_id="change_1", handoff_id=handoff.handoff_id, attempt=1, coding_agent="codex", base_version="v1",
        base_commit="a" * 40, commit="b" * 40, tree="c" * 40, branch="naoshi/change/change_1",
        files=("harness/labels.json", f"harness/{name}"), diff="", made_at=NOW,
    )  # fmt: skip
    certificate = Certificate(
        certificate_id="certificate_1", change_id="change_1", before_run_id="run_1", after_run_id="run_2",
        targets=cases, mended=cases, worse=(), granted=True, digest="d" * 64, made_at=NOW,
        checks=(CertificateCheck(name="targets_mended", held=True, detail=detail),),
    )  # fmt: skip
    return [
        proposal_message(change, certificate, handed, mask=redact_text),
        proposal_body(change, certificate, handed, mask=redact_text),
    ]


def assert_harmless(text: str) -> None:
    assert not re.search(r"@\w", text), "nobody is told"
    assert not re.search(r"#\w", re.sub(r"(?m)^#+ ", "", text)), "no issue is referred to"
    assert not re.search(r"(?i)\bGH-\d", text) and "://" not in text and "[skip" not in text
    assert not re.search(r"<\w|</", text), "no HTML"
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f]", text), "nothing that cannot be seen"


def test_hostile_text_is_shown_and_does_nothing(repository: ReceiptsRepository) -> None:
    """Protects the people and issues of a code host from what agents, documents and models wrote."""
    texts = proposal_of(
        repository.handoff(), name=HOSTILE, cases=(HOSTILE, "case_2"), detail=HOSTILE, title=HOSTILE
    )  # fmt: skip
    for text in texts:
        assert_harmless(text)
        lines = text.splitlines()
        assert "/merge" not in lines and "## Approved" not in lines
        assert not any(line.startswith("Co-authored-by") for line in lines)
        assert "closes hana/shop" in text, "it can be read"
    rows = [line for line in texts[1].splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {3, 4}, "no cell was added"
    for line in texts[1].splitlines():
        assert line.count("`") % 2 == 0, "every code span ends on its line"


def test_secrets_are_masked(repository: ReceiptsRepository) -> None:
    """Protects keys that came into a name, a case or a detail."""
    texts = proposal_of(repository.handoff(), name=f"x {SECRET}", cases=(f"case {SECRET}",), detail=f"saw {SECRET}")
    assert all(SECRET not in text for text in texts)
    assert "[redacted]" in texts[1]


def test_a_long_proposal_fits(repository: ReceiptsRepository) -> None:
    """Protects the pull request of a large suite: the code host takes 65 536 characters."""
    cases = tuple(f"case_{number:05}_{'x' * 400}" for number in range(5000))
    message, body = proposal_of(repository.handoff(), name="total", cases=cases, detail="y" * 100_000)
    assert len(body) < 65_000 and "and 4950 more" in body
    assert len(message) < 10_000 and "and 4980 more" in message


@given(st.text(alphabet=st.sampled_from("@#!GH-1a:/w.[skip ci]*NO_C \u200b"), max_size=60))
def test_no_reference_survives(text: str) -> None:
    """A property: whatever is written, no mention, reference or address is left, and nothing but breaks was added."""
    made = inert(text)
    assert not re.search(r"@\w|[#!]\w|(?i:\bGH-\d)|://|(?i:\bwww\.)", made)
    assert made.replace("\u200b", "") == text.replace("\u200b", "")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/hana/shop.git", "hana/shop"),
        ("https://token@github.com/hana/shop", "hana/shop"),
        ("git@github.com:hana/shop.git", "hana/shop"),
        ("ssh://git@ssh.github.com:443/hana/shop.git", "hana/shop"),
        ("https://ghe.example.com/hana/shop.js/", "ghe.example.com/hana/shop.js"),
        ("git@ghe.example.com:hana/shop", "ghe.example.com/hana/shop"),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("C:/code/shop", None),
        ("file:///srv/git/shop", None),
        ("https://github.com/hana", None),
        ("https://github.com/hana/shop/more", None),
        ("-oProxyCommand=x", None),
    ],
)
def test_the_repository_of_a_remote(address: str, name: str | None) -> None:
    """Protects against asking `gh` about another repository than the one that was pushed to."""
    assert repository_of(address) == name
