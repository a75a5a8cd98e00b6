"""Models of a puzzle as files for other solvers: CNF, LP, MPS, OPB, MiniZinc, XCSP3, exact cover.

Each module writes one format, from `Constraints` or from the houses. `FORMATS` names them.
"""

from harness.puzzles.models.format import FORMATS, ModelFormat, model_format

__all__ = ["FORMATS", "ModelFormat", "model_format"]
