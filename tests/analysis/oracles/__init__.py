"""Oracles: every measure computed again from its definition in the documentation.

They know the rows of trials, `docs/reference/measures.md`, `docs/tables.md` and
`docs/statistics.md`, and share no code with `harness.analysis`.
"""
