"""Charts of a run: each a function from a frame to a description, for a page and for paper."""
