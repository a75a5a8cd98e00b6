"""The models of the harness: what writes each, and what reads the answers of its solvers."""

from dataclasses import replace
from functools import partial
from typing import Final

from harness.contract import Model, Restriction
from harness.extensions.models import answers, writers

_PLAIN: Final = frozenset({Restriction.PENCILMARKS, Restriction.PAIRS})

_IN_CLAUSES: Final = {"cages": ("combinations", "partial-sums")}
_LINEAR: Final = {"cages": ("combinations", "linear")}

CNF: Final = Model(
    title="DIMACS CNF",
    suffix=".cnf",
    lines=writers.cnf,
    options={"encoding": ("extended", "minimal", "commander"), **_IN_CLAUSES},
    read=answers.read_literals,
    read_proof=answers.read_proof,
)
_OTHER: Final = replace(CNF, read_proof=None)
CNF_CARDINALITY: Final = replace(
    _OTHER,
    title="CNF with cardinality constraints, MiniCard",
    lines=partial(writers.cnf, encoding="cardinality", cages="combinations"),
    options={},
    takes=_PLAIN,
)
OPB: Final = replace(
    _OTHER,
    title="pseudo-Boolean constraints, OPB",
    suffix=".opb",
    lines=writers.opb,
    options=_LINEAR,
)
LP: Final = Model(
    title="integer program, CPLEX LP",
    suffix=".lp",
    lines=writers.lp,
    options=_LINEAR,
    read=answers.read_columns,
)
MPS: Final = replace(LP, title="integer program, free MPS", suffix=".mps", lines=writers.mps)
MZN: Final = Model(
    title="MiniZinc with alldifferent",
    suffix=".mzn",
    lines=writers.minizinc,
    read=answers.read_minizinc,
)
XCSP3: Final = Model(
    title="XCSP3 with allDifferent",
    suffix=".xml",
    lines=writers.xcsp3,
    read=answers.read_xcsp3,
    excludes=False,
)
SMT2: Final = Model(
    title="SMT-LIB 2 with Booleans",
    suffix=".smt2",
    lines=writers.smt2,
    options=_IN_CLAUSES,
    read=answers.read_atoms,
)
ASP: Final = replace(SMT2, title="answer set program, clingo", suffix=".asp", lines=writers.asp)
DLX: Final = Model(
    title="exact cover, items and options of Knuth's DLX",
    suffix=".dlx",
    lines=writers.dlx,
    takes=_PLAIN,
    excludes=False,
)
GRID: Final = replace(DLX, title="a row of symbols a line", lines=writers.grid, takes=frozenset())
MATRIX: Final = replace(
    DLX, title="exact cover, matrix of zeros and ones", suffix=".txt", lines=writers.matrix
)
