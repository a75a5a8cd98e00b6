"""Search over a puzzle: propagation, candidates, encodings, the compiled kernel and the solver."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.search.candidates import Candidates, by_singles
    from harness.puzzles.search.compilation import COMPILES, cache_parent, compile_kernel
    from harness.puzzles.search.encoding import Encoder, Encoding, layers_of, layers_of_line
    from harness.puzzles.search.kernel import (
        BITS,
        Integers,
        Prng,
        below,
        compiled,
        index_of,
        integers,
        plain,
        zeros,
    )
    from harness.puzzles.search.propagation import (
        Domains,
        Filter,
        Sets,
        are_plain_and_differ,
        filters_of,
        fitting,
        propagate,
        propagate_puzzle,
        sets_of,
        strengthen,
    )
    from harness.puzzles.search.solver import NO_LIMIT, SearchResult, Solver, solver_of

__all__ = [
    "BITS",
    "COMPILES",
    "NO_LIMIT",
    "Candidates",
    "Domains",
    "Encoder",
    "Encoding",
    "Filter",
    "Integers",
    "Prng",
    "SearchResult",
    "Sets",
    "Solver",
    "are_plain_and_differ",
    "below",
    "by_singles",
    "cache_parent",
    "compile_kernel",
    "compiled",
    "filters_of",
    "fitting",
    "index_of",
    "integers",
    "layers_of",
    "layers_of_line",
    "plain",
    "propagate",
    "propagate_puzzle",
    "sets_of",
    "solver_of",
    "strengthen",
    "zeros",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
