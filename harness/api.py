"""The Python interface for sweeps; `harness.session` has the one for single puzzles."""

from collections.abc import Iterable
from pathlib import Path

from harness.analysis import Run, load
from harness.base.errors import flag_of, path_of
from harness.puzzles import Shape
from harness.runs import RESULTS, Sweep, options_of, run_sweep
from harness.session import OneOrMany


def run(
    datasets: OneOrMany,
    backends: OneOrMany,
    *,
    tasks: str | Iterable[str] = Sweep.tasks,
    max_solutions: int = Sweep.max_solutions,
    starts: str | Iterable[str] = Sweep.starts,
    repeat: int = Sweep.repeat,
    processes: int = Sweep.processes,
    until_stable: int = Sweep.until_stable,
    timeout: float = Sweep.timeout,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
    jobs: int = Sweep.jobs,
    seed: int = Sweep.seed,
    shape: str | Shape | None = Sweep.shape,
    where: str | None = Sweep.where,
    sample: int | None = Sweep.sample,
    scramble: int | Iterable[int] = Sweep.scramble,
    out: Path | str | None = None,
    fresh: bool = False,
    skip_unavailable: bool = False,
    oversubscribe: bool = False,
) -> Run:
    """Run a sweep, or the rest of an interrupted one, and load its results.

    `datasets`, `backends`, `tasks`, `starts` and `scramble` take one value or several.

    Args:
        datasets: names of shipped datasets or paths of puzzle files.
        backends: backend specs; a grid such as ``cnf[solver=[glucose4,cadical153]]``
            stands for several backends.
        tasks: ``solve`` to find a solution, ``count`` to count solutions up to `max_solutions`.
        max_solutions: number of solutions at which ``count`` stops.
        starts: ``cold``, ``warm`` or ``batch``: what the measured time covers.
        repeat: number of repetitions: trials of each result.
        processes: number of processes of each backend, one after another, which share the trials.
        until_stable: repeat unstable results up to this number of repetitions in all; 0
            for no further repetitions.
        timeout: wall time limit of a trial in seconds.
        cpu: CPU time limit of a trial in seconds, children included; 0 for no limit.
        memory: memory limit in MiB above the worker's baseline; 0 for no limit.
        jobs: number of trials that run at the same time, each on its own core.
        seed: random seed of the trial order and of `sample`.
        shape: the shape of all puzzles; by default it follows from their length.
        where: a condition that chooses puzzles, such as ``clues < 20``.
        sample: choose this number of puzzles of each dataset at random; all if there are fewer.
        scramble: seeds; for each, replace each puzzle by an equivalent one that follows from the
            seed; 0 for the puzzles as they are.
        out: folder of the run; by default a folder in ``results`` named after the sweep.
        fresh: delete the trials of an earlier run in the folder.
        skip_unavailable: leave out backends that cannot be used here.
        oversubscribe: allow more jobs than this process may use cores.

    Raises:
        InputError: a dataset, a backend, an option or the folder cannot be used; the
            kinds are `PuzzleError`, `UnknownBackendError`, `BackendUnavailableError` and
            `OptionError`.
        StorageError: trials cannot be written.
    """
    arguments = locals()
    options = {name: arguments[name] for name in options_of(Sweep)}
    options["shape"] = shape.definition if isinstance(shape, Shape) else shape
    sweep = Sweep.from_options(options)
    folder = RESULTS / sweep.folder_name if out is None else path_of(out, "out", "a path")
    run_sweep(
        sweep,
        folder,
        fresh=flag_of(fresh, "fresh"),
        skip_unavailable=flag_of(skip_unavailable, "skip_unavailable"),
        oversubscribe=flag_of(oversubscribe, "oversubscribe"),
    )
    return load(folder)
