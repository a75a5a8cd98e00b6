"""Run interchangeable Sudoku solvers under equal conditions; report correctness and speed.

>>> import harness
>>> harness.solve("1...........2...", backend="cpsat").verdict  # doctest: +SKIP
<Verdict.SOLVED: 'solved'>

`solve` and `count` run one backend on one puzzle and return a `Reply`; a `Session` runs
several backends on one puzzle. `run` runs a sweep and `load` reads its results, both as a
`Run`. Errors are `HarnessError` and its kinds.
"""


def __getattr__(name: str) -> object:
    """Import a name at its first use, as `harness/__init__.pyi` has it.

    The command starts without pandas, and imports nothing before it takes care of Ctrl-C.
    """
    from harness.base.plugins import lazily

    return lazily(__name__, __file__)[0](name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))  # type: ignore[call-overload]
