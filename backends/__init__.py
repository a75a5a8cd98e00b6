"""The built-in backends, one module each.

Each uses only the contract and the puzzle. The registry finds them through the
entry-point group ``harness.backends``, like any other package's.
"""
