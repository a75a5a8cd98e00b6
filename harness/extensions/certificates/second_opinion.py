"""A second opinion: the package dratify checks the same proof of the same formula.

dratify (https://pypi.org/project/dratify) checks forward and shares no code with
`checker`. Its rule RAT is switched off, so that both have the same rule.

The process takes one proof after another on standard input and writes its judgements to standard
output. It ends when its standard input does, even in the middle of a proof.
"""

import atexit
import json
import os
import struct
import sys
from contextlib import suppress
from functools import cache
from io import BytesIO
from queue import SimpleQueue
from select import select
from subprocess import PIPE
from threading import Thread
from typing import IO, Any, Final

import numpy as np

from harness.base.child import kill_group, start_module
from harness.base.errors import InputError
from harness.extensions.certificates.certificate import ProofSteps
from harness.extensions.certificates.checker import NOT_RUP, CheckResult
from harness.extensions.certificates.formula import Binaries, Formula

# A second opinion: the package dratify checks the same proof of the same formula.


DISTRIBUTION: Final = "dratify"


def version() -> str | None:
    """The installed version of dratify; None if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return None


def require() -> None:
    """Check that dratify is installed.

    Raises:
        InputError: it is not.
    """
    if version() is None:
        raise InputError(
            "a second opinion needs the package dratify, which is not installed",
            expected="pip install dratify",
        )


def estimated_s(formula: Formula, verdict: CheckResult) -> float:
    """Roughly the seconds that dratify needs, from the work of the harness's own checker."""
    return 1e-5 * len(formula) + 4e-7 * verdict.work


def second_opinion(formula: Formula, steps: ProofSteps) -> CheckResult:
    """The judgement of dratify whether `steps` prove that `formula` has no model.

    Raises:
        InputError: dratify is not installed.
    """
    require()
    from dratify import CNF, check_proof, from_dimacs

    cnf = CNF(formula.variables)
    for clause in formula.clauses():
        cnf.add_dimacs(clause)
    proof = [
        ("d" if is_deletion else "a", tuple(map(from_dimacs, literals)))
        for is_deletion, literals in steps.steps()
    ]
    judgement = check_proof(cnf, proof, check_rat=False)
    if judgement.ok:
        return CheckResult(True, steps=judgement.steps)
    if judgement.failed_step < 1:
        return CheckResult(False, reason=judgement.reason, steps=judgement.steps)
    return CheckResult(False, judgement.failed_step - 1, NOT_RUP, judgement.steps - 1)


# A process in which dratify checks proofs, so that its time can be limited.


_LENGTH: Final = struct.Struct("<q")


class NoOpinionError(Exception):
    """dratify has not judged; the message says why."""


def opinion_within(formula: Formula, steps: ProofSteps, seconds: float) -> CheckResult:
    """The judgement of dratify, in a process of its own.

    Args:
        formula: the formula.
        steps: the steps of the proof.
        seconds: wall time after which the process is ended.

    Raises:
        NoOpinionError: there is no judgement within this time, or the process has ended.
    """
    process = _process()
    try:
        return process.judgement(formula, steps, seconds)
    except BaseException:
        _process.cache_clear()
        process.end()
        raise


@cache
def _process() -> "_Process":
    """The process, which stays for further proofs."""
    process = _Process()
    atexit.register(process.end)
    return process


class _Process:
    """The harness's side."""

    def __init__(self) -> None:
        # It ends with its input, also where it serves threads that end before this process.
        self._child = start_module(
            "harness.extensions.certificates.second_opinion", dies_by=0, stdin=PIPE, stdout=PIPE
        )
        assert self._child.stdin
        assert self._child.stdout
        self._requests: IO[bytes] = self._child.stdin
        self._judgements: IO[bytes] = self._child.stdout

    def judgement(self, formula: Formula, steps: ProofSteps, seconds: float) -> CheckResult:
        """See `opinion_within`."""
        data = _pack(formula, steps)
        with suppress(BrokenPipeError):  # its end is noticed when nothing can be read
            self._requests.write(_LENGTH.pack(len(data)))
            self._requests.write(data)
            self._requests.flush()
        readable, _, _ = select([self._judgements], [], [], seconds)
        if not readable:
            raise NoOpinionError(f"dratify did not end within {seconds:,.0f} s")
        line = self._judgements.readline()
        if not line:
            raise NoOpinionError("dratify ended without a judgement")
        return CheckResult(**json.loads(line))

    def end(self) -> None:
        """Kill the process."""
        kill_group(self._child)
        self._child.wait()
        with suppress(BrokenPipeError):
            self._requests.close()
        self._judgements.close()


def serve() -> None:
    """Judge each proof on standard input, in the process."""
    requests: SimpleQueue[bytes] = SimpleQueue()
    judgements = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no judgement
    Thread(target=_receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    while True:
        judgement = second_opinion(*_unpack(requests.get()))
        result: dict[str, Any] = {
            "accepted": judgement.accepted,
            "failed_step": judgement.failed_step,
            "reason": judgement.reason,
            "steps": judgement.steps,
        }
        judgements.write(json.dumps(result).encode() + b"\n")
        judgements.flush()


def _pack(formula: Formula, steps: ProofSteps) -> bytes:
    """The arrays of a formula and of the steps of a proof."""
    arrays = {
        "variables": np.array([formula.variables]),
        "units": formula.units,
        "binaries": formula.binaries.clauses,
        "literals": formula.literals,
        "starts": formula.starts,
        "of_steps": steps.literals,
        "starts_of_steps": steps.starts,
        "is_deletion": steps.is_deletion,
    }
    file = BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _unpack(data: bytes) -> tuple[Formula, ProofSteps]:
    arrays = np.load(BytesIO(data), allow_pickle=False)
    variables = int(arrays["variables"][0])
    binaries = Binaries(arrays["binaries"], variables)
    formula = Formula(variables, arrays["units"], binaries, arrays["literals"], arrays["starts"])
    return formula, ProofSteps(
        "", arrays["of_steps"], arrays["starts_of_steps"], arrays["is_deletion"]
    )


def _receive(file: IO[bytes], requests: "SimpleQueue[bytes]") -> None:
    """Put each request into the queue; end the process with the file."""
    while head := file.read(_LENGTH.size):
        requests.put(file.read(_LENGTH.unpack(head)[0]))
    os._exit(0)


if __name__ == "__main__":
    serve()
