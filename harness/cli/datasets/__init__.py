"""`harness datasets`: the datasets of the catalogue, and puzzle files."""

import typer

from harness.cli.commands import Catalogue, add_command
from harness.cli.datasets.files import convert, import_, remove
from harness.cli.datasets.show import AllOption, list_, show_
from harness.cli.datasets.stats import stats
from harness.cli.options import JsonOption

app = typer.Typer(cls=Catalogue, help="List, import, remove, show and convert datasets.")
add_command(app, "show", show_)
add_command(app, "import", import_)
add_command(app, "remove", remove)
add_command(app, "convert", convert)
add_command(app, "stats", stats)


@app.callback(invoke_without_command=True)
def datasets(
    context: typer.Context, everything: AllOption = False, as_json: JsonOption = False
) -> None:
    """List, import, remove, show and convert datasets. Without a command: list them."""
    if context.invoked_subcommand is None:
        list_(everything=everything, as_json=as_json)
