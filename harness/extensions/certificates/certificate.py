"""Certificates, their files, and the text of their proofs.

``1 -2 0`` is a lemma, a clause that follows from the formula and the lemmas before it;
``d 1 -2 0`` deletes a clause, so that it is no longer used; ``0`` is the empty clause, the end of
a refutation. Literals are those of DIMACS (Heule, Hunt and Wetzler, "Trimming while checking
clausal proofs", FMCAD 2013).

A certificate has a puzzle, a claim on the number of its solutions, the solutions, and for an
exact number a proof that no other exists. Its text::

    certificate 1
    shape 9x9
    puzzle 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
    claim exactly 1
    prover cnf[solver=cadical153] python-sat 1.9.dev17
    solution 534678912672195348198342567859761423426853791713924856961537284287419635345286179
    proof
    0
    end

A file has one certificate or several, one after another; blank lines, and lines that begin with
``#``, may precede each. The line `prover` is information only.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from harness.base.compression import open_target, pieces
from harness.base.errors import InputError, located
from harness.base.files import decoded, name_of, opened
from harness.base.text import encodable, printable, shortened
from harness.puzzles import (
    Grid,
    Puzzle,
    Shape,
    SolutionCount,
    describe,
    line_of,
    line_of_values,
    values_of_line,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# The text of a proof: a step on each line, in DRUP.


_STEPS: Final = re.compile(r"(?>(?:d )?(?:-?[1-9][0-9]{0,8}+ )*0\n)*+")
"""Steps in the plain form: one space between numbers, and no other spaces. The repetition inside is
not possessive, since Python 3.11 keeps what an incomplete repetition of a group has read."""


@dataclass(frozen=True, eq=False)
class ProofSteps:
    """The steps of a proof."""

    text: str
    """The steps as text, one on each line, in the plain form."""
    literals: "NDArray[np.int32]"
    """int32[n]: the literals of all steps, one after another, as in DIMACS."""
    starts: "NDArray[np.int64]"
    """int64[steps + 1]: where the literals of each step begin, and the end of the last."""
    is_deletion: "NDArray[np.bool_]"
    """bool[steps]: whether a step deletes a clause."""

    def __len__(self) -> int:
        return len(self.is_deletion)

    def text_of(self, step: int) -> str:
        """The text of a step; `step` counts from 0."""
        literals = self.literals[self.starts[step] : self.starts[step + 1]].tolist()
        return f"{'d ' if self.is_deletion[step] else ''}{' '.join(map(str, [*literals, 0]))}"

    def steps(self) -> Iterable[tuple[bool, list[int]]]:
        """Each step: whether it is a deletion, and its literals."""
        literals, starts = self.literals.tolist(), self.starts.tolist()
        for at, is_deletion in enumerate(self.is_deletion.tolist()):
            yield is_deletion, literals[starts[at] : starts[at + 1]]


def read_steps(text: str, variables: int, name: str = "proof", line: int = 1) -> ProofSteps:
    """The steps in `text`, one on each line.

    Args:
        text: lines that end with a line feed; tabs and repeated spaces are allowed.
        variables: the number of variables of the formula.
        name: the name of the file in errors.
        line: the number of the first line in the file.

    Raises:
        InputError: a line is not a step, or a literal exceeds `variables`; the line is named.
    """
    import numpy as np

    if text and not text.endswith("\n"):
        text += "\n"
    if not _STEPS.fullmatch(text):
        text = "".join(
            _plain(step, f"{name}:{number}")
            for number, step in enumerate(text[:-1].split("\n"), line)
        )
    data = np.frombuffer(text.encode("ascii"), np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    first = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    is_deletion = data[first] == ord("d")
    numbers = np.fromstring(text.replace("d ", ""), np.int32, sep=" ")
    zeros = np.flatnonzero(numbers == 0)
    starts = np.concatenate([[0], zeros - np.arange(len(zeros))]).astype(np.int64)
    literals = numbers[numbers != 0]
    if len(literals) and np.abs(literals).max() > variables:
        wrong = int(np.flatnonzero(np.abs(literals) > variables)[0])
        step = int(np.searchsorted(starts, wrong, side="right")) - 1
        raise InputError(
            f"{literals[wrong]} is not a literal of the formula",
            where=f"{name}:{line + step}",
            expected=f"variables 1 to {variables}",
        )
    return ProofSteps(text, literals, starts, is_deletion)


def _plain(text: str, where: str) -> str:
    """A line in the plain form.

    Raises:
        InputError: the line is not a step.
    """
    text = text.strip(" \t\r")
    words = [word for word in text.replace("\t", " ").split(" ") if word]
    literals = words[1:] if words[:1] == ["d"] else words
    expected = "a step of a proof: d for a deletion, literals, and a final 0"
    for word in literals[:-1]:
        if not re.fullmatch("-?[1-9][0-9]{0,8}", word):
            fault = "0 before the end of the line" if word == "0" else repr(shortened(word, 40))
            raise InputError(f"{printable(fault)} is not a literal", where=where, expected=expected)
    if literals[-1:] != ["0"]:
        line = printable(shortened(text.strip(), 60))
        raise InputError(f"{line!r} does not end with 0", where=where, expected=expected)
    return " ".join(words) + "\n"


# Certificates and their files.


LARGEST_BYTES: Final = 2**30
"""Maximum size in bytes of a file of certificates, expanded."""
VERSION: Final = "1"
_CLAIMS: Final = "claim exactly NUMBER or claim at least NUMBER"
_Value = TypeVar("_Value")


@dataclass(frozen=True, eq=False)
class Certificate:
    """A puzzle, a claim on the number of its solutions, and the evidence for the claim."""

    puzzle: Puzzle
    claim: SolutionCount
    """An exact number, or a lower bound."""
    solutions: Sequence[Grid]
    proof: ProofSteps | None = None
    """The proof that no other solution exists; None if the claim is not exact."""
    prover: str = ""
    """The program that made the proof, for information."""
    place: str = ""
    """The file and the line of the certificate; empty if it is not from a file."""

    def text(self) -> Iterator[str]:
        """The text of the certificate, in pieces that end with line feeds."""
        yield f"certificate {VERSION}\nshape {self.puzzle.shape.definition}\n"
        yield f"puzzle {self.puzzle.line}\nclaim {self.claim.as_claim}\n"
        if self.prover:
            yield f"prover {encodable(printable(self.prover))}\n"
        for solution in self.solutions:
            yield f"solution {line_of(solution)}\n"
        if self.proof is not None:
            yield "proof\n"
            yield self.proof.text
        yield "end\n"


def write_certificates(path: Path, certificates: Iterable[Certificate]) -> None:
    """Write a file of certificates, completely or not at all.

    Args:
        path: the file; compressed if its name ends with ``.gz``.
        certificates: at least one.

    Raises:
        InputError: the file would be too large to be read, or cannot be written.
        StorageError: the device is full or broken.
    """
    size = 0
    with open_target(str(path)) as file:
        for certificate in certificates:
            for piece in certificate.text():
                data = piece.encode()
                size += len(data)
                if size > LARGEST_BYTES:
                    raise InputError(
                        f"the certificates have more than {LARGEST_BYTES // 2**20:,} MiB",
                        where=str(path),
                        expected="fewer solutions or a shorter proof",
                    )
                file.write(data)


def read_certificates(path: Path) -> list[Certificate]:
    """The certificates in a file; ``-`` is standard input.

    Raises:
        InputError: the file cannot be read, is too large, or has a malformed line, which is named.
    """
    name = name_of(path)
    data = bytearray()
    with opened(path) as file:
        for piece in pieces(file, name):
            data += piece
            if len(data) > LARGEST_BYTES:
                raise InputError(f"has more than {LARGEST_BYTES // 2**20:,} MiB", where=name)
    reader = _Reader(decoded(data, name), name)
    certificates = []
    while reader.skip_to_certificate():
        certificates.append(reader.certificate())
    if not certificates:
        raise InputError("has no certificate", where=name, expected=f"certificate {VERSION}")
    return certificates


class _Reader:
    """Reads certificates from a text, and counts its lines."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._line = 1

    @property
    def _place(self) -> str:
        return f"{self._name}:{self._line}"

    def _current(self) -> str:
        """The current line without its end."""
        end = self._text.find("\n", self._at)
        return self._text[self._at : None if end < 0 else end].rstrip()

    def _advance(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end + 1
        self._line += 1

    def skip_to_certificate(self) -> bool:
        """Skip blank lines and comments, and return whether anything follows."""
        while self._at < len(self._text):
            line = self._current()
            if line and not line.startswith("#"):
                return True
            self._advance()
        return False

    def _value(self, word: str, expected: str, parse: Callable[[str], _Value]) -> _Value:
        """What `parse` makes of the rest of the current line, which must begin with `word`."""
        first, _, rest = self._current().partition(" ")
        if first != word or not rest.strip():
            raise self._fault(expected)
        with located(self._place, InputError):
            value = parse(rest.strip())
        self._advance()
        return value

    def _fault(self, expected: str) -> InputError:
        if self._at >= len(self._text):
            return InputError("the file ends", where=self._place, expected=expected)
        current = repr(printable(shortened(self._current(), 60)))
        return InputError(f"{current} is unexpected", where=self._place, expected=expected)

    def certificate(self) -> Certificate:
        """The certificate that begins in the current line."""
        place = self._place
        self._value("certificate", f"certificate {VERSION}", _require_version)
        shape = self._value("shape", "shape and its name, such as shape 9x9", Shape.parse)
        puzzle = self._value("puzzle", "puzzle and its line", partial(_puzzle, shape=shape))
        claim = self._value("claim", _CLAIMS, _claim)
        prover = self._value("prover", "prover", str) if self._begins("prover") else ""
        solutions = []
        while self._begins("solution"):
            read = partial(_solution, shape=shape)
            solutions.append(self._value("solution", "solution and its line", read))
        proof = None
        if self._current() == "proof" and claim.exact:
            proof = self._proof(shape)
        elif claim.exact:
            raise self._fault("solution or proof: the claim is exact")
        if self._current() != "end":
            raise self._fault("end" if claim.exact else "solution or end")
        self._advance()
        return Certificate(puzzle, claim, solutions, proof, prover, place)

    def _begins(self, word: str) -> bool:
        return self._text.startswith(f"{word} ", self._at)

    def _proof(self, shape: Shape) -> ProofSteps:
        self._advance()
        end = re.compile(r"^end[ \t\r]*$", re.MULTILINE).search(self._text, self._at)
        if end is None:
            raise InputError("the proof has no end", where=self._place, expected="a line: end")
        text = self._text[self._at : end.start()]
        from harness.extensions.certificates.formula import variables_of

        steps = read_steps(text, variables_of(shape), self._name, self._line)
        self._at = end.start()
        self._line += text.count("\n")
        return steps


def _require_version(text: str) -> None:
    if text != VERSION:
        fault = f"version {printable(shortened(text, 20))} is unknown"
        raise InputError(fault, expected=f"certificate {VERSION}")


def _puzzle(line: str, shape: Shape) -> Puzzle:
    puzzle = Puzzle.of_line(line, shape) if line.isascii() else None
    if puzzle is None or puzzle.line != line:  # an unknown symbol is read as a blank
        fault = f"{printable(shortened(line, 60))!r} is not a puzzle of {shape}"
        symbols = f"{shape.size**2} symbols, {describe(shape.size)} and . for a blank"
        raise InputError(fault, expected=f"{symbols}, or {shape.size**3} with pencilmarks")
    return puzzle


def _claim(text: str) -> SolutionCount:
    match = re.fullmatch("(exactly|at least) (0|[1-9][0-9]{0,17})", text)
    if not match:
        raise InputError(f"{printable(shortened(text, 40))!r} is not a claim", expected=_CLAIMS)
    return SolutionCount.from_number(int(match[2]), match[1] == "exactly")


def _solution(line: str, shape: Shape) -> Grid:
    grid = values_of_line(line) if line.isascii() else ()
    if line_of_values(grid, shape) != line:
        fault = f"{printable(shortened(line, 60))!r} is not a complete grid of {shape}"
        raise InputError(fault, expected=f"{shape.size**2} symbols {describe(shape.size)}")
    return grid
