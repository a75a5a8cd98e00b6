"""`harness prove`: proves how many solutions puzzles have, or what the answers of a run state."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import OptionError
from harness.base.files import require_folder
from harness.base.interruption import interruptible
from harness.cli import lazy
from harness.cli.completers import backend_names, datasets
from harness.cli.options import (
    WRITTEN,
    JsonOption,
    ShapeOption,
    same_command,
    shape_of,
    show_json,
    sweep_option,
    value_option,
)
from harness.cli.puzzle_argument import PuzzleSource
from harness.cli.terminal import notice
from harness.runs import SINGLE_LIMIT, SINGLE_TIMEOUT_S, Sweep

if TYPE_CHECKING:
    from harness.contract import BackendSpec


def prove(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PUZZLE_OR_RUN",
            help="A puzzle line, a file, - for standard input, puzzles of a dataset or file: "
            "named/3, named/3-7, file.txt/3; or the folder of a run.",
            autocompletion=datasets,
        ),
    ],
    out: Annotated[
        Path | None,
        value_option(
            "--out",
            "FILE",
            "File for the certificates of puzzles. A name that ends with .gz compresses it.",
        ),
        WRITTEN,
    ] = None,
    max_solutions: Annotated[
        int | None,
        sweep_option(
            "max_solutions",
            default=SINGLE_LIMIT,
            text="Number of solutions of a puzzle at which its proof stops; the claim is then "
            "that there are at least as many.",
        ),
    ] = None,
    backend: Annotated[
        str | None,
        value_option(
            "--backend",
            "SPEC",
            "Backend that proves. [default: cnf[solver=glucose4], and native-jit from 10000 "
            "solutions]",
            completer=backend_names,
        ),
    ] = None,
    shape: ShapeOption = None,
    timeout: Annotated[
        float | None,
        sweep_option(
            "timeout",
            default=f"{SINGLE_TIMEOUT_S:g}, or that of the run",
            text="Wall time limit of a proof in seconds.",
        ),
    ] = None,
    memory: Annotated[
        int | None, sweep_option("memory", default=f"{Sweep.memory}, or that of the run")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Prove how many solutions puzzles have, and write certificates.

    prove writes proofs; verify checks them without trusting any backend.

    For a run, prove each exact number of solutions that an answer states, including `no solution`;
    the certificates go into its folder, and the same command resumes after Ctrl-C. Every proof is
    checked before it is written. Exit code 1: nothing is proven about a puzzle, or a proof refutes
    an answer of the run.
    """
    specs = [] if backend is None else [lazy.single_spec(backend)]
    if os.path.isdir(source):  # noqa: PTH112  False for a puzzle, longer than the name of a file
        options = {"--out": out, "--max-solutions": max_solutions, "--shape": shape}
        for flag in (flag for flag, value in options.items() if value is not None):
            fault = f"is an option for a puzzle, and {source} is a folder"
            raise OptionError(fault, where=flag, expected="a puzzle, or a run without the option")
        _prove_run(Path(source), specs, timeout, memory, as_json=as_json)
        return
    if out is None:
        raise OptionError("missing", where="--out", expected="a file for the certificates")
    _require_writable(out)
    puzzles = PuzzleSource.parse(source)
    instances = puzzles.read(shape_of(shape))
    from harness.extensions.certificates.cli.proving import prove_puzzles

    documents = prove_puzzles(
        instances,
        out,
        specs,
        max_solutions or SINGLE_LIMIT,
        timeout_s=timeout or SINGLE_TIMEOUT_S,
        memory_mib=memory or Sweep.memory,
        shows=not as_json,
    )
    if as_json:
        puzzles.show_json(documents)
    if not all(document.proven for document in documents):
        raise typer.Exit(1)


def _require_writable(file: Path) -> None:
    """Require that ``--out`` names a file that can be made, before a backend runs.

    Raises:
        InputError: it names no such file.
    """
    if str(file) in ("-", ".") or file.is_dir():
        raise OptionError("cannot hold certificates", where=f"--out {file}", expected="a file")
    if not file.parent.is_dir():
        raise OptionError(
            f"no such folder: {file.parent}",
            where=f"--out {file}",
            expected="a file in a folder that exists",
        )
    if not file.exists():
        require_folder(file.parent)


def _prove_run(
    folder: Path,
    specs: "list[BackendSpec]",
    timeout: float | None,
    memory: int | None,
    *,
    as_json: bool,
) -> None:
    """Prove what the answers of a run claim, within its limits if none are given."""
    from harness.extensions.certificates.cli.proving import prove_run, show_run

    run = lazy.load(folder)
    timeouts, memories = run.trials["timeout_s"], run.trials["memory_limit_mib"].dropna()
    with interruptible():
        proven, interruption = prove_run(
            run,
            specs,
            timeout_s=timeout or float(max(timeouts, default=SINGLE_TIMEOUT_S)),
            memory_mib=int(max(memories, default=Sweep.memory)) if memory is None else memory,
        )
    if as_json:
        show_json(proven)
    else:
        show_run(proven)
    if interruption:
        notice(f"interrupted: certificates are missing; to resume: {same_command()}")
        raise interruption
    if proven.refuted:
        raise typer.Exit(1)
