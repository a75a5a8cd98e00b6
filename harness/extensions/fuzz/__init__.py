"""Fuzzing: a stream of random puzzles on which backends are compared."""
