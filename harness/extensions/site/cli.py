"""`harness site`: the records of runs as a site."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import InputError
from harness.base.text import number_of
from harness.cli.completers import runs
from harness.cli.options import value_option
from harness.cli.terminal import notice, show, wrapped
from harness.records.folder import INSTALL


def site(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDS",
            help="A folder of records, such as results/records; or folders of runs and records.",
            autocompletion=runs,
        ),
    ],
    out: Annotated[Path, value_option("--out", "DIR", "Folder of the site.")],
    replaces: Annotated[
        bool, typer.Option("--replace", help="Replace an earlier site in this folder.")
    ] = False,
) -> None:
    """Write a site of records: rankings, comparisons, claims, badges and the raw data.

    The site is static and needs neither a network nor scripts. It has pages for datasets,
    backends, paradigms, pairs of backends and published claims. Each record is checked; one that
    fails is listed as refused. A finished run becomes an anonymized record of the site. The
    command needs pyarrow.

    BIAS.md and claims.toml beside the (first) folder become pages too.
    """
    from harness.extensions.site import write

    if find_spec("pyarrow") is None:
        raise InputError("a site needs pyarrow", where="harness site", expected=INSTALL)
    pages, records, refusals = write(folders, out, replaces=replaces)
    for record in refusals:
        notice(wrapped(f"refused: {record.name}: {record.reason}", indent=2, first=0))
    show(f"{out / 'index.html'}: {number_of(records, 'record')}, {number_of(pages, 'page')}")
