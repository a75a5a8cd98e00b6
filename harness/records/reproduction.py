"""Command lines that repeat a question on backends."""

import shlex
from collections.abc import Iterable


def solve_command(
    task: str,
    puzzle: str,
    shape: str,
    backends: Iterable[str],
    *,
    start: str | None = None,
    timeout_s: float | None = None,
    limit: int | None = None,
    cpu_limit_s: float = 0.0,
    memory_limit_mib: int = 0,
) -> str:
    """Build the ``harness solve`` or ``harness count`` that repeats a trial.

    Args:
        task: `Task` as text, ``solve`` or ``count``.
        puzzle: the givens as a line.
        shape: the name of the shape.
        backends: specs of the backends, without the number of a label.
        start: `Start` as text; None for the default of the command.
        timeout_s: limit of wall time in seconds; None for the default.
        limit: number of solutions at which ``count`` stops; None for ``solve``.
        cpu_limit_s: limit of CPU time in seconds; 0 for no limit.
        memory_limit_mib: limit of memory in MiB; 0 for no limit.

    Returns:
        One line, quoted for a POSIX shell.
    """
    words = ["harness", task, puzzle, "--shape", shape]
    for backend in backends:
        words += ["--backend", backend]
    if start is not None:
        words += ["--start", start]
    if timeout_s is not None:
        words += ["--timeout", f"{timeout_s:.15g}"]
    if limit is not None:
        words += ["--limit", str(limit)]
    if cpu_limit_s:
        words += ["--cpu", f"{cpu_limit_s:.15g}"]
    if memory_limit_mib:
        words += ["--memory", str(memory_limit_mib)]
    return shlex.join(words)
