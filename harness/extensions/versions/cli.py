"""`harness backends install`, `uninstall` and `prune`: environments of backends."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import OptionError
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import backend_names, environment_names
from harness.cli.options import number_option, value_option
from harness.cli.terminal import notice, show
from harness.records.folder import RunFile
from harness.report import span

if TYPE_CHECKING:
    from harness.records.folder import ConfigurationVersions


def install(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC",
            help="Backends, each with or without a version: z3, cpsat@9.14, 'cnf@[1.8,1.9]'.",
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
    9.14.x. Packages come from the index configured for uv, or for pip where uv is missing.
    """
    from harness.extensions.versions import installation

    texts = list(specs or [])
    if sweep is not None:
        texts += [text for part in lazy.read_sweeps(sweep, {}) for text in part.backends]
    texts = [text for text in texts if text != lazy.EVERY_BACKEND]
    if not texts and sweep is None:
        raise OptionError(
            "nothing to install", expected="a backend such as z3, or --for SWEEP.toml"
        )
    backends = lazy.expand_specs(texts)
    if sweep is not None:
        versions = _versions(sweep)
        backends = [installation.as_recorded(spec, versions) for spec in backends]
    with interruptible():
        for result in installation.install(backends, notice):
            environment = result.environment
            if environment and result.seconds is not None:
                show(f"{environment.in_words}: installed in {span(result.seconds)}")
                continue
            packages = "the packages of the harness"
            if environment:
                packages = f"{environment.package} {environment.version}"
            show(f"{result.spec}: available, with {packages}")


def _versions(sweep: Path) -> "Mapping[str, ConfigurationVersions]":
    """The exact versions in a sweep file by label, if it is a shard or lies in the run's folder."""
    if shard := lazy.Shard.read(sweep):
        return shard.backends
    invocations = lazy.read_invocations(sweep.parent) if sweep.name == RunFile.SETTINGS else []
    return {
        label: versions
        for invocation in invocations
        for label, versions in invocation.backends.items()
    }


def uninstall(
    specs: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC",
            help="Environments: z3 for every version of z3, cpsat@9.14 for 9.14, 9.14.1 and so on.",
            autocompletion=environment_names,
        ),
    ],
) -> None:
    """Remove environments of backends."""
    from harness.extensions.versions import installation

    for environment in installation.uninstall(lazy.expand_specs(specs)):
        show(f"removed: {environment}")


def prune(
    unused: Annotated[
        int | None,
        number_option(
            "--unused",
            "Also remove environments that no command has used for this many days.",
            0,
            metavar="DAYS",
        ),
    ] = None,
) -> None:
    """Remove remains of interrupted installations, and environments that can no longer run."""
    from harness.extensions.versions import installation

    number = 0
    for name in installation.prune(unused):
        number += 1
        show(f"removed: {name}")
    show(f"{number_of(number, 'folder')} removed")
