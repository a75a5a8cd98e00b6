"""`harness backends install`, `uninstall` and `prune`: environments of backends."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import OptionError
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import backend_names, environment_names
from harness.cli.options import value_option, whole_number
from harness.cli.terminal import notice, show
from harness.contract.environments import Environment
from harness.records.run_files import SETTINGS_FILE
from harness.report.formatting import span


def install(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC",
            help="Backends, each with a version or without: z3, cpsat@9.14, 'cnf@[1.8,1.9]'.",
            autocompletion=backend_names,
        ),
    ] = None,
    sweep: Annotated[
        Path | None,
        value_option("--for", "SWEEP.toml", "Install what the backends of this sweep need."),
    ] = None,
) -> None:
    """Install backends into environments of their own.

    Without a version, a backend is installed only if it is not available. @9.14 is the newest
    9.14.x. Packages come from the index that uv is set up for, or pip where there is no uv.
    """
    texts = [text for text in specs or [] if text != lazy.EVERY_BACKEND]
    if sweep is not None:
        texts += [text for one in lazy.read_sweeps(sweep, {}) for text in one.backends]
    elif not texts:
        raise OptionError(
            "nothing to install", expected="a backend such as z3, or --for SWEEP.toml"
        )
    install_missing(texts, sweep, say=show)


def install_missing(
    texts: Sequence[str], file: Path | None, say: "lazy.installation.Notice" = notice
) -> None:
    """Install what the backends that these specs name need.

    Args:
        texts: the specs.
        file: the sweep file that has them; its shard or its run says the exact versions.
        say: receives a line for each.
    """
    wanted = lazy.expand_specs([text for text in texts if text != lazy.EVERY_BACKEND])
    if file is not None:
        shard = lazy.shards.read_shard(file)
        of_run = lazy.read_invocations(file.parent) if file.name == SETTINGS_FILE else []
        known = shard.backends if shard else {k: v for of in of_run for k, v in of.backends.items()}
        wanted = [lazy.installation.as_recorded(spec, known) for spec in wanted]
    with interruptible("harness.extensions.versions.installation"):
        for found in lazy.installation.install(wanted, notice):
            if found.seconds is None:
                has = found.environment
                what = f"{has.package} {has.version}" if has else "the packages of the harness"
                say(f"{found.spec}: available, with {what}")
            elif found.environment:
                size = lazy.installation.disk_bytes([found.environment.folder])
                say(f"{described(found.environment, size)}: installed in {span(found.seconds)}")


def uninstall(
    specs: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC",
            help="Environments: z3 for all of z3, cpsat@9.14 for all that begin with 9.14.",
            autocompletion=environment_names,
        ),
    ],
) -> None:
    """Remove environments of backends."""
    for environment, size in lazy.installation.uninstall(lazy.expand_specs(specs)):
        show(f"removed: {described(environment, size)}")


def prune(
    unused: Annotated[
        int | None,
        value_option(
            "--unused",
            "DAYS",
            "Environments that no command used for this time, too.",
            whole_number("--unused", 0),
        ),
    ] = None,
) -> None:
    """Remove what interrupted installations left, and environments whose Python is gone."""
    number = 0
    for name in lazy.installation.prune(unused, notice):
        number += 1
        show(f"removed: {name}")
    show(f"{number_of(number, 'folder')} removed")


def described(environment: Environment, size: int) -> str:
    """An environment in a line: ``cpsat@9.14.6206 (ortools, Python 3.11.7, 251 MB)``."""
    facts = (environment.package, f"Python {environment.python}", f"{size / 1e6:,.0f} MB")
    return f"{environment.spec} ({', '.join(facts)})"
