"""Puzzles as SVG drawings, with the marks of their constraints."""
