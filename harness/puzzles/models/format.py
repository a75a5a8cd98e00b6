"""The formats of models, by name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from harness.errors import OptionError, meant, one_of
from harness.puzzles.models import cnf, constraint, cover, linear
from harness.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """A format of models."""

    name: str
    title: str
    """What it is, and who reads it."""
    suffix: str
    """Of its files."""
    lines: Callable[[Puzzle], Iterator[str]]
    """The lines of the model of a puzzle, without line feeds."""


FORMATS: Final[Mapping[str, ModelFormat]] = {
    format_.name: format_
    for format_ in (
        ModelFormat("cnf", "DIMACS CNF, extended encoding", ".cnf", cnf.extended),
        ModelFormat("cnf-minimal", "DIMACS CNF, minimal encoding", ".cnf", cnf.minimal),
        ModelFormat(
            "cnf-cardinality", "CNF with cardinality constraints, MiniCard", ".cnf", cnf.cardinality
        ),
        ModelFormat("lp", "integer program, CPLEX LP", ".lp", linear.lp),
        ModelFormat("mps", "integer program, free MPS", ".mps", linear.mps),
        ModelFormat("opb", "pseudo-Boolean constraints, OPB", ".opb", linear.opb),
        ModelFormat("minizinc", "MiniZinc with alldifferent", ".mzn", constraint.minizinc),
        ModelFormat("xcsp3", "XCSP3 with allDifferent", ".xml", constraint.xcsp3),
        ModelFormat("dlx", "exact cover, items and options of Knuth's DLX", ".dlx", cover.dlx),
        ModelFormat("matrix", "exact cover, matrix of zeros and ones", ".txt", cover.matrix),
    )
}
"""The formats, in the order in which the help lists them."""


def model_format(name: str) -> ModelFormat:
    """The format with this name.

    Raises:
        OptionError: there is none.
    """
    if name not in FORMATS:
        what = f"unknown format of models {name!r}{meant(name, FORMATS)}"
        raise OptionError(what, where="--to", expected=one_of(list(FORMATS)))
    return FORMATS[name]
