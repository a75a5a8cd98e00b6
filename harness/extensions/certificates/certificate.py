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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.base.compression import open_target, pieces
from harness.base.errors import InputError
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


_STEPS: Final = re.compile(r"(?:(?:d )?+(?:-?+[1-9][0-9]{0,8}+ )*+0\n)*+")
"""Steps in the plain form: one space between numbers, and no other spaces."""
_BLANKS: Final = " \t\r"
_LITERAL: Final = re.compile(r"-?[1-9][0-9]{0,8}")


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
    words = text.strip(_BLANKS).replace("\t", " ").split(" ")
    words = [word for word in words if word]
    literals = words[1:] if words[:1] == ["d"] else words
    expected = "a step of a proof: d for a deletion, literals, and a final 0"
    for word in literals[:-1]:
        if not _LITERAL.fullmatch(word):
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
_CLAIM: Final = re.compile(r"(exactly|at least) (0|[1-9][0-9]{0,17})")
_END: Final = re.compile(r"^end[ \t\r]*$", re.MULTILINE)


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
    text = _text_of(path, name)
    reader = _Reader(text, name)
    certificates = []
    while reader.skip_to_certificate():
        certificates.append(reader.certificate())
    if not certificates:
        raise InputError("has no certificate", where=name, expected=f"certificate {VERSION}")
    return certificates


def _text_of(path: Path, name: str) -> str:
    """The text of a file, expanded if it is compressed."""
    data = bytearray()
    with opened(path) as file:
        for piece in pieces(file, name):
            data += piece
            if len(data) > LARGEST_BYTES:
                most = f"{LARGEST_BYTES // 2**20:,} MiB"
                raise InputError(f"has more than {most}", where=name)
    return decoded(data, name)


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

    def _value(self, word: str, expected: str) -> str:
        """The rest of the current line, which must begin with `word`; moves to the next line."""
        line = self._current()
        first, _, rest = line.partition(" ")
        if first != word or not rest.strip():
            raise self._fault(expected)
        self._advance()
        return rest.strip()

    def _fault(self, expected: str) -> InputError:
        if self._at >= len(self._text):
            return InputError("the file ends", where=self._place, expected=expected)
        current = repr(printable(shortened(self._current(), 60)))
        return InputError(f"{current} is unexpected", where=self._place, expected=expected)

    def certificate(self) -> Certificate:
        """The certificate that begins in the current line."""
        place = self._place
        version = self._value("certificate", f"certificate {VERSION}")
        if version != VERSION:
            fault = f"version {printable(shortened(version, 20))} is unknown"
            raise InputError(fault, where=place, expected=f"certificate {VERSION}")
        shape = self._shape()
        puzzle = self._puzzle(shape)
        claim = self._claim()
        prover = self._value("prover", "prover") if self._begins("prover") else ""
        solutions = []
        while self._begins("solution"):
            solutions.append(self._solution(shape))
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

    def _shape(self) -> Shape:
        place = self._place
        spec = self._value("shape", "shape and its name, such as shape 9x9")
        try:
            return Shape.parse(spec)
        except InputError as error:
            raise InputError(error.what, where=place, expected=error.expected) from None

    def _puzzle(self, shape: Shape) -> Puzzle:
        place = self._place
        line = self._value("puzzle", "puzzle and its line")
        try:
            puzzle = Puzzle.of_line(line, shape) if line.isascii() else None
        except InputError as error:
            raise InputError(error.what, where=place, expected=error.expected) from None
        if puzzle is None or puzzle.line != line:  # an unknown symbol is read as a blank
            size = shape.size
            raise InputError(
                f"{printable(shortened(line, 60))!r} is not a puzzle of {shape}",
                where=place,
                expected=f"{size**2} symbols, {describe(size)} and . for a blank, or "
                f"{size**3} with pencilmarks",
            )
        return puzzle

    def _claim(self) -> SolutionCount:
        place = self._place
        expected = "claim exactly NUMBER or claim at least NUMBER"
        text = self._value("claim", expected)
        match = _CLAIM.fullmatch(text)
        if not match:
            fault = f"{printable(shortened(text, 40))!r} is not a claim"
            raise InputError(fault, where=place, expected=expected)
        return SolutionCount.from_number(int(match[2]), match[1] == "exactly")

    def _solution(self, shape: Shape) -> Grid:
        place = self._place
        line = self._value("solution", "solution and its line")
        grid = values_of_line(line) if line.isascii() else ()
        if line_of_values(grid, shape) != line:
            raise InputError(
                f"{printable(shortened(line, 60))!r} is not a complete grid of {shape}",
                where=place,
                expected=f"{shape.size**2} symbols {describe(shape.size)}",
            )
        return grid

    def _proof(self, shape: Shape) -> ProofSteps:
        self._advance()
        end = _END.search(self._text, self._at)
        if end is None:
            raise InputError("the proof has no end", where=self._place, expected="a line: end")
        text = self._text[self._at : end.start()]
        from harness.extensions.certificates.formula import variables_of

        steps = read_steps(text, variables_of(shape), self._name, self._line)
        self._at = end.start()
        self._line += text.count("\n")
        return steps
