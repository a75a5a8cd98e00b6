"""The built-in backends, one file a way of solving.

Each knows only the contract and the puzzle. Nothing imports them but by looking
them up in the entry-point group ``harness.backends``, as a stranger's are.
"""
