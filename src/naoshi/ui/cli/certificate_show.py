"""Certificates listed, shown and verified, as people read them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from naoshi.app.settings import settings_at
from naoshi.errors import ConfigError
from naoshi.flow.certificate_evidence import CertificateEvidence, all_certificates, certificate_named
from naoshi.flow.certificate_rerun import CertificateRerun, judge_again
from naoshi.flow.judging import Judging
from naoshi.flow.loop import Loop
from naoshi.records import Certificate, EvalCase
from naoshi.records.language import Language
from naoshi.ui.cli.certificate_words import WORDS, check_title, problem_told
from naoshi.ui.cli.output import Output, cell_width, one_line

_NAMED = 5
_INCOMPARABLE = 4


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What `naoshi certificate verify` found; ``rerun`` is None where the change was not judged again."""

    certificate: Certificate
    problems: tuple[str, ...]
    rerun: CertificateRerun | None
    holds: bool


def show_certificates(loop: Loop, out: Output, *, language: Language) -> None:
    """List every certificate, oldest first."""
    words, found = WORDS[language], all_certificates(loop)
    if not found:
        out.say(words["none"])
    else:
        head = [words[name] for name in ("certificate", "change", "made", "result", "mends", "worse")]
        out.table(head, [_row(item, language) for item in found])
    out.result({"certificates": found})


def show_certificate(loop: Loop, out: Output, *, name: str, language: Language) -> None:
    """Show the certificate called *name* with its checks.

    Raises:
        NotFoundError: there is none, or *name* stands for several.
    """
    found = certificate_named(loop, name)
    _say_certificate(loop, found, out, language)
    words = WORDS[language]
    out.table(
        [words[name] for name in ("check", "held", "seen")],
        [
            (check_title(check.name, language), words["yes" if check.held else "NO"], one_line(check.detail))
            for check in found.checks
        ],
    )
    out.say(words["prove_again"].format(name=found.certificate_id))
    change = loop.store.changes.get(found.change_id)
    out.result({"certificate": found, "change": change})


def verify_and_show(
    loop: Loop, out: Output, *, name: str, rerun: bool, holdout: bool, language: Language
) -> int:  # fmt: skip
    """Verify the certificate called *name*, with *rerun* by judging its change again; return the exit status.

    Raises:
        NotFoundError: there is no such certificate, or its change or a run is not in the store.
        RepositoryError: a commit is gone.
        HoldoutBudgetError: the holdout was asked often enough.
    """
    words = WORDS[language]
    evidence = CertificateEvidence.of(loop, certificate_named(loop, name))
    certificate = evidence.certificate
    judged = _at_base(loop, evidence, out, language)
    problems = evidence.problems(judged)
    _say_certificate(loop, certificate, out, language)
    out.say(*(words["broken"].format(problem=problem_told(item, language)) for item in problems))
    if not problems:
        out.say(words["whole"])
    again = None
    if rerun:
        place = Judging.of(judged).place.told()
        out.progress(words["judging"].format(change=evidence.change.change_id, place=place))
        again = judge_again(judged, evidence, holdout=holdout)
        _say_rerun(again, out, language)
    if not certificate.granted:
        out.say(words["was_refused"])
    holds = certificate.granted and not problems and (again is None or (again.same and again.granted))
    if holds and again is None:
        out.say(words["prove_again"].format(name=certificate.certificate_id))
    comparable = again is None or not again.missing
    out.result(
        Verification(certificate=certificate, problems=problems, rerun=again, holds=holds and comparable)
    )  # fmt: skip
    return (0 if comparable else _INCOMPARABLE) if holds else 1


def _at_base(loop: Loop, evidence: CertificateEvidence, out: Output, language: Language) -> Loop:
    """Return *loop* with the settings of the base commit, by which the change was judged."""
    try:
        settings = settings_at(loop.git, evidence.change.base_commit).for_loop()
    except ConfigError as error:
        out.progress(WORDS[language]["base_settings"].format(reason=error.message))
        return loop
    return replace(loop, settings=settings, left_alone=dict[tuple[str, ...], tuple[EvalCase, ...]]())


def _row(item: Certificate, language: Language) -> tuple[object, ...]:
    words = WORDS[language]
    result = words["granted" if item.granted else "refused"]
    made = item.made_at.strftime("%Y-%m-%d %H:%M:%SZ")
    mended = f"{len(item.mended)}/{len(item.targets)}"
    return item.certificate_id, item.change_id, made, result, mended, len(item.worse)


def _say_certificate(loop: Loop, found: Certificate, out: Output, language: Language) -> None:
    words, change = WORDS[language], loop.store.changes.get(found.change_id)
    rows = [
        ("certificate", f"{found.certificate_id} ({words['granted' if found.granted else 'refused']})"),
        ("made", found.made_at.isoformat()),
        ("change", found.change_id if change else f"{found.change_id} ({words['change_gone']})"),
    ]
    if change is not None:
        rows.append(("base", f"{change.base_version}, {change.coding_agent}"))
        rows.append(("files", ", ".join(change.files)))
        rows.append(("commits", f"git diff {change.base_commit[:12]} {change.commit[:12]}"))
    rows.append(("mends", f"{len(found.mended)}/{len(found.targets)}{_in_brackets(found.mended)}"))
    rows.append(("worse", f"{len(found.worse)}{_in_brackets(found.worse)}"))
    rows.append(("protected", words["protected_files"].format(count=len(found.protected))))
    rows.append(("digest", found.digest))
    width = max(cell_width(words[label]) for label, _ in rows)
    for label, value in rows:
        out.say(f"{words[label]}{' ' * (width - cell_width(words[label]))}  {one_line(value, most=300)}")


def _say_rerun(again: CertificateRerun, out: Output, language: Language) -> None:
    words = WORDS[language]
    out.table(
        [words[name] for name in ("check", "then", "now", "seen")],
        [
            (
                check_title(check.name, language),
                _held(check.then, language),
                _held(check.now, language),
                one_line(check.detail),
            )
            for check in again.checks
        ],
    )
    if again.other:
        out.say(words["other"].format(count=len(again.other), cases=again.cases, names=_listed(again.other)))
    if again.holdout is not None:
        found = again.holdout
        out.say(words["holdout"].format(cases=found.cases, then=found.passed_then, now=found.passed_now))
    if again.missing:
        out.say(words["missing"].format(count=len(again.missing), names=_listed(again.missing)))
    different = [check_title(check.name, language) for check in again.checks if not check.same]
    if different:
        out.say(words["differs"].format(names="; ".join(different)))
    else:
        out.say(words["same"].format(checks=len(again.checks), cases=again.cases))


def _held(held: bool | None, language: Language) -> str:
    return WORDS[language]["unknown" if held is None else "yes" if held else "NO"]


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({_listed(names)})" if names else ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown + (f" … +{len(names) - _NAMED}" if len(names) > _NAMED else "")
