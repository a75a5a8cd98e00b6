"""`harness workbench`: the web application."""

from typing import Annotated

import typer

from harness.base.errors import InputError
from harness.base.interruption import interruptible
from harness.cli.options import number_option
from harness.cli.terminal import notice, show
from harness.runs import RESULTS


def workbench(
    port: Annotated[
        int,
        number_option(
            "--port", "Port on this machine; 0 for a free one.", 0, 65_535, metavar="PORT"
        ),
    ] = 0,
    opens: Annotated[
        bool, typer.Option("--open", help="Open the page in the default browser.")
    ] = False,
    allow_files: Annotated[
        bool,
        typer.Option("--allow-files", help="Let the page use backends in files, which run code."),
    ] = False,
) -> None:
    """Start the web application: boards, backends side by side, reasoning, runs.

    It listens on this machine only, and prints its address with a token that lets the browser in.
    Ctrl-C ends it. It shows the runs in the folder results/.
    """
    try:
        from harness.extensions.workbench.app import serve
    except ImportError as error:
        raise InputError(
            f"the package {error.name} is not installed",
            where="harness workbench",
            expected="pip install 'sudoku-harness[workbench]'",
        ) from None

    def started(address: str) -> None:
        show(address)
        notice("Ctrl-C ends the workbench")

    with interruptible():
        serve(port, results=RESULTS, allows_files=allow_files, opens=opens, notice=started)
