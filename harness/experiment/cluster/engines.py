"""The engines by the text that chooses them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from harness.errors import InputError, OptionError
from harness.experiment.cluster.engine import Engine

KINDS = "local, local:N, dask://HOST:PORT, slurm or slurm:PARTITION"
"""The texts that choose an engine."""
SLURM = "slurm"
"""The folder for jobs and results, in that of the run."""
_LOCAL = re.compile(r"local(?::([1-9][0-9]{0,2}))?")
_DASK = re.compile(r"dask://(\S+):([0-9]{1,5})")
_LARGEST_PORT: Final = 65_535

_SLURM = re.compile(r"slurm(?::([A-Za-z0-9_.-]{1,64}))?")


def require_engine(text: str) -> None:
    """Require that a text chooses an engine.

    Raises:
        OptionError: it does not.
    """
    if not any(pattern.fullmatch(text) for pattern in (_LOCAL, _DASK, _SLURM)):
        raise OptionError(f"unknown engine {text!r:.60}", where="--on", expected=KINDS)
    if (found := _DASK.fullmatch(text)) and not 0 < int(found[2]) <= _LARGEST_PORT:
        raise OptionError(
            f"port {found[2]}", where=f"--on {text}", expected=f"a port up to {_LARGEST_PORT:,}"
        )


def engine_of(
    text: str, run: str, cores: int, folder: Path, notice: Callable[[str], None] = lambda _: None
) -> Engine:
    """The engine that a text chooses.

    Args:
        text: ``local``, ``local:3``, ``dask://HOST:PORT`` or ``slurm:PARTITION``.
        run: the name of the run.
        cores: trials of a shard that run at the same time.
        folder: the folder of the run.
        notice: called with a line about the cluster.

    Raises:
        OptionError: the text chooses none.
        InputError: the engine cannot be reached, or its library is missing.
    """
    require_engine(text)
    if found := _LOCAL.fullmatch(text):
        from harness.experiment.cluster.local_engine import LocalEngine

        return LocalEngine(run, cores, int(found[1]) if found[1] else None)
    try:
        if found := _SLURM.fullmatch(text):
            from harness.experiment.cluster.slurm_engine import SlurmEngine

            return SlurmEngine(folder / SLURM, cores, found[1])
        from harness.experiment.cluster.dask_engine import DaskEngine
    except ImportError as error:
        raise InputError(
            f"the package {error.name} is not installed",
            where=f"--on {text}",
            expected="pip install 'sudoku-harness[cluster]'",
        ) from None
    return DaskEngine(f"tcp://{text.removeprefix('dask://')}", run, notice)
