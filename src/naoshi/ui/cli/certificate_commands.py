"""`naoshi certificate`: what was proven of changes, and whether it can be proven again."""

from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, Folder, In
from naoshi.ui.cli.output import Output

_Named = Annotated[
    str,
    typer.Argument(metavar="ID", help="A certificate or its change, or the beginning of either; else the latest."),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    certificates = typer.Typer(help="What was proven of a change, and whether it still is.", no_args_is_help=True)
    certificates.command("list")(list_certificates)
    certificates.command("show")(show)
    certificates.command("verify")(verify)
    app.add_typer(certificates, name="certificate")


def list_certificates(language: In = None, folder: Folder = HERE, as_json: AsJson = False) -> int:
    """List the certificates, granted and refused, oldest first."""
    from naoshi.ui.cli.certificate_show import show_certificates
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_certificates(loop, out, language=language.value if language else loop.settings.language)
    return 0


def show(name: _Named = "", language: In = None, folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Show one certificate: its change, its checks, what it mends.

    Each check tells what was seen. Nothing is verified; `naoshi certificate verify` does that.
    """
    from naoshi.ui.cli.certificate_show import show_certificate
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_certificate(loop, out, name=name, language=language.value if language else loop.settings.language)
    return 0


def verify(
    name: _Named = "",
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Judge the change again, in a fresh folder written from git's objects.")
    ] = False,
    holdout: Annotated[
        bool, typer.Option("--holdout", help="Ask the holdout again too; that is entered, and counts. With --rerun.")
    ] = False,
    language: In = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Verify a certificate; with --rerun, see it hold again.

    Its digest, its change and commit, and both runs are checked. A re-run takes the settings, suites and all protected
    files of the base commit, and says check by check what held then and holds now; nothing of it is kept. Exit status:
    0 it holds; 1 it was altered, was refused, or does not hold again; 4 a case of the certified run is gone.
    """
    from naoshi.ui.cli.certificate_show import verify_and_show
    from naoshi.ui.cli.session import session

    if holdout and not rerun:
        raise typer.BadParameter("the holdout is asked in a re-run only", param_hint="--holdout")
    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        told_in = language.value if language else loop.settings.language
        return verify_and_show(loop, out, name=name, rerun=rerun, holdout=holdout, language=told_in)
