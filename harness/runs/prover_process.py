"""The processes of a prover: a guard, a monitor and its worker.

`harness.runs.prover` starts the guard with `harness.engine.processes.GuardedProcess`. Guard and
monitor are those of a run: they end a worker that exceeds a limit, with all its descendants.
"""

import os
import socket
import sys
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.contract import registry
from harness.contract.answers import Proof
from harness.contract.backend import Backend, Unavailable, Unsupported
from harness.contract.options import Options
from harness.contract.registry import take_over
from harness.engine.guard import GuardArguments, guard
from harness.engine.monitor import run_monitored
from harness.engine.system.kernel import limit_address_space
from harness.engine.system.processes import run_and_exit
from harness.engine.wire.channel import Connection
from harness.engine.wire.messages import MIB, Preparing, Refused
from harness.engine.wire.shared import CurrentTrial
from harness.errors import InputError
from harness.puzzles.puzzle import Puzzle, line_of_values
from harness.puzzles.shape import Shape
from harness.runs.prover import (
    PIECE,
    ProofEnded,
    ProofRequest,
    ProverArguments,
    ProverLoaded,
    SolutionsFound,
    StepsWritten,
)
from harness.text import described, encodable, short_repr

LOADING: Final = -1
"""The serial number of the import of the backend."""


def work(arguments: ProverArguments, current_trial: CurrentTrial) -> None:
    """Prove what the harness requests, in a process that a monitor has forked."""
    connection: Connection[ProofRequest] = Connection(
        socket.socket(fileno=arguments.connection), ProofRequest
    )
    current_trial.start(LOADING)
    spec = arguments.backend.spec
    take_over(arguments.backend.installed)
    try:
        backend, options = registry.load_backend(
            spec.locator, spec.settings, lambda text: connection.send(Preparing(text))
        )
    except (InputError, Unavailable) as error:
        connection.send(Refused.of(error))
        return
    found = registry.describe(backend, spec.locator).distributions.items()
    versions = ", ".join(f"{name} {version}" for name, version in found)
    current_trial.stop()
    if arguments.memory_limit_mib:
        limit_address_space(arguments.memory_limit_mib * MIB)
    connection.send(ProverLoaded(versions))
    worker = _Worker(backend, options, connection)
    serials = count(LOADING + 1)
    for request in connection.receive_all():
        current_trial.start(next(serials))
        worker.prove(request)
        current_trial.stop()


class _Worker:
    """A backend, kept from one puzzle to the next of the same shape."""

    def __init__(
        self, kind: type[Backend[Any]], options: Options, connection: Connection[ProofRequest]
    ) -> None:
        self._kind = kind
        self._options = options
        self._connection = connection
        self._backend: Backend[Any] | None = None

    def prove(self, request: ProofRequest) -> None:
        """Send the solutions and the proof, or why there is none."""
        shape = Shape.parse(request.shape)
        puzzle = Puzzle.of_line(request.puzzle, shape)
        try:
            if self._backend is None or self._backend.shape != shape:
                self._backend = self._kind(shape, self._options)
            if puzzle.pencilmarks is not None and not self._kind.takes_pencilmarks:
                raise Unsupported(f"{self._kind.name} does not take pencilmarks")
            proof = self._backend.prove(puzzle, request.limit)
            fault = _fault(proof)
            ended = ProofEnded(False, fault) if fault else self._send(proof, shape)
        except Unsupported as error:
            ended = ProofEnded(False, described_reason(error), unsupported=True)
        except Exception as error:  # noqa: BLE001  whatever a backend raises
            ended = ProofEnded(False, encodable(described(error)))
        self._connection.send(ended)

    def _send(self, proof: Proof, shape: Shape) -> ProofEnded:
        lines = []
        for grid in proof.solutions:
            line = line_of_values(grid, shape)
            if line is None:
                return ProofEnded(False, f"one of its solutions is no grid of {shape}")
            lines.append(line)
        a_message = max(1, PIECE // shape.size**2)
        for at in range(0, len(lines), a_message):
            self._connection.send(SolutionsFound("".join(lines[at : at + a_message])))
        for at in range(0, len(proof.steps), PIECE):
            self._connection.send(StepsWritten(encodable(proof.steps[at : at + PIECE])))
        return ProofEnded(proof.complete)


def _fault(proof: Any) -> str:
    """Why the result of `prove` is no proof; empty if it is one."""
    expected = "expected a harness.contract.Proof"
    if not isinstance(proof, Proof):
        return f"prove returns {short_repr(proof)}; {expected}"
    for name, kinds in (("solutions", (list, tuple)), ("complete", bool), ("steps", str)):
        value = getattr(proof, name)
        if not isinstance(value, kinds):
            return f"prove returns a Proof with {name} = {short_repr(value)}; {expected}"
    return ""


def described_reason(error: Unsupported) -> str:
    """The message of a backend, as one line."""
    return encodable(" ".join(str(error).split()))[:500]


def monitor(arguments: ProverArguments, folder: Path) -> None:
    """Run the monitor of a worker in the folder of the guard."""
    run_monitored(
        socket.socket(fileno=arguments.control),
        folder / "worker",
        partial(work, arguments),
        worker_descriptors=(arguments.connection,),
    )


def main() -> None:
    """Run as the guard: its arguments, and the `ProverArguments`."""
    of_guard = GuardArguments.decode(sys.argv[1:])
    arguments = msgspec.json.decode(sys.argv[5], type=ProverArguments)
    # The sandbox of the worker has another home: compiled code stays in the user's cache.
    os.environ.setdefault("XDG_CACHE_HOME", str(Path("~/.cache").expanduser()))
    descriptors = (arguments.control, arguments.connection)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    run_and_exit(
        partial(guard, of_guard, partial(monitor, arguments, of_guard.folder), descriptors)
    )


if __name__ == "__main__":
    main()
