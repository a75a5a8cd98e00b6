"""Ratings of puzzles: how difficult a puzzle is, by one measure per file.

names        the names of rules and levels that ratings have
hardest      the hardest rule that a puzzle needs
level        the level of the Tsinghua project that a puzzle has
nodes        the nodes of a search, with different rules between its guesses
backdoor     the fewest cells whose values let singles finish a puzzle
unique       the solution of a puzzle that has one
"""
