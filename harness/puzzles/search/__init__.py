"""Search over a puzzle: propagation, candidates, encodings, the compiled kernel and the solver."""

from harness.base.plugins import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
