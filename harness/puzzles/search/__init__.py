"""Search over a puzzle: propagation, candidates, encodings, the compiled kernel and the solver."""
