"""The compiled native solver: kernels that Numba compiles to machine code.

    backend     the backend: options, answers, counts, batches, proofs
    search      runs a kernel on puzzles, slice by slice, and checks the time limit
    branches    splits the search of one puzzle into branches, for several threads
    compiled    compiles a kernel, or loads it from the user's cache
    vectors     the kernel for plain 9x9, which works on a third of the grid at once
    rounds      its rules
    choice      its choice of a guess
    layer       its vector type
    houses      the kernel for all other shapes
    wide        the kernel `houses` for more than 32 values
    constrained the kernel `houses` for shapes with constraints
    constraints its rules for constraints; they work on the tables of `constraint_tables`
    board       its memory and the tables of a shape
    singles     its rules for words with one alternative
    sets        its rules for several places
    guess       its choice of a guess
    words       its instructions
    learner     runs the kernel `learning` on one puzzle of any size
    learning    the kernel that learns clauses from conflicts
    clauses     its memory and its unit propagation
    progress    the interface between kernels and search

Before `NativeJit.load` only `backend` is imported, so that the backend can be listed
without Numba.
"""

from .backend import NativeJit

__all__ = ["NativeJit"]
