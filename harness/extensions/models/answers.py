"""What solver programs print, by the format of their model: a status, a solution, or a number.

The conventions are those of the competitions of SAT, pseudo-Boolean, XCSP3 and model counting
solvers, of MiniZinc's command line, of SMT-LIB 2 and of clingo. Programs for LP and MPS have no
common one: their solutions are names of columns with values. A text in which no convention finds
an answer is None; the harness checks every solution.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from harness.contract import Answer, Count
from harness.puzzles import Shape
from harness.puzzles.formats import solution_in

_STATUS: Final = re.compile(
    r"^\s*(?:s )?(?:(sat|SAT(?:ISFIABLE)?|OPTIMUM FOUND)|unsat|UNSAT(?:ISFIABLE)?)\s*$",
    re.MULTILINE,
)
_COUNT: Final = re.compile(r"(?:c s exact arb int|s mc) ([0-9]+)\s*")
_LITERALS: Final = re.compile(r"(?:v )?((?:[-~+]?x?[0-9]+\s+)*[-~+]?x?[0-9]+)\s*")
_NO_VALUES: Final = "it says that there is a solution, but prints no values of variables"
_BY_EXIT_CODE: Final = {10: True, 20: False}


def _statuses(output: str) -> Iterator[bool]:
    """Whether there is a solution, each time that an output says so."""
    return (bool(match[1]) for match in _STATUS.finditer(output))


def _answer(is_satisfiable: Iterable[bool], grid: Callable[[], tuple[int, ...]]) -> Answer | None:
    """The answer of a program that says whether there is a solution.

    Raises:
        ValueError: it says both, or its solution is none.
    """
    statuses = {*is_satisfiable}
    if len(statuses) > 1:
        raise ValueError("it says both that there is a solution and that there is none")
    if statuses == {False}:
        return Answer.unsatisfiable()
    if not statuses:
        return None
    values = grid()
    return Answer.solved(values) if values else Answer.unknown(reason=_NO_VALUES)


def _grid_of(values: Iterable[tuple[int, int]], shape: Shape) -> tuple[int, ...]:
    """The grid of pairs of a cell and its value; empty without any.

    Raises:
        ValueError: a cell has no value, or two.
    """
    grid = [0] * shape.size**2
    for cell, value in values:
        if grid[cell] not in (0, value):
            raise ValueError(f"its solution has two values for {shape.cell_name(cell)}")
        grid[cell] = value
    if any(grid) and not all(grid):
        raise ValueError(f"its solution has no value for {shape.cell_name(grid.index(0))}")
    return tuple(grid) if any(grid) else ()


def _grid_of_numbers(numbers: Iterable[int], shape: Shape) -> tuple[int, ...]:
    """The grid of the true variables, ``cell * size + value``; others are further variables."""
    size = shape.size
    cells = (divmod(number - 1, size) for number in numbers if 0 < number <= size**3)
    return _grid_of(((cell, before + 1) for cell, before in cells), shape)


def read_literals(output: str, code: int, shape: Shape) -> Answer | Count | None:
    """The answer of a SAT or pseudo-Boolean solver, or the number of a model counter.

    MiniSat and its kin write ``SAT`` and the literals to a file.
    """
    statuses: list[bool] = [_BY_EXIT_CODE[code]] if code in _BY_EXIT_CODE else []
    literals: list[str] = []
    for line in output.splitlines():
        if match := _COUNT.fullmatch(line):
            number = int(match[1])
            return Count(number, exact=True)
        if match := _STATUS.fullmatch(line):
            statuses.append(bool(match[1]))
        elif line[:2] == "v " or statuses:
            match = _LITERALS.fullmatch(line)
            literals += match[1].split() if match else []
    true = (int(word.lstrip("+x")) for word in literals if word[0] not in "-~")
    return _answer(statuses, lambda: _grid_of_numbers(true, shape))


_STEP: Final = re.compile(rb"([ad])((?:[\x80-\xff]{0,4}[\x01-\x7f])*)\0")
_STEPS: Final = re.compile(rb"(?:%s)*+" % _STEP.pattern)
_LITERAL: Final = re.compile(rb"[\x80-\xff]*[\x01-\x7f]")
_NO_STEP: Final = re.compile(r"^(?:[c%]|[of] [0-9]).*\n", re.MULTILINE)
_OF_FRAT: Final = re.compile(r"^(?:a |(d ))[0-9]+ ((?:-?[0-9]+ )*?0)(?: l .*)?$", re.MULTILINE)


def read_proof(data: bytes) -> str:
    """The steps of a proof in DRAT, one on each line.

    In binary a step is ``a`` or ``d``, its literals in bytes of seven bits, the lowest first, and
    a zero byte; the number of a literal is twice its variable, and one more for a negation
    (Wetzler, Heule and Hunt, "DRAT-trim", SAT 2014). FRAT, which numbers the clauses, repeats the
    formula and may give hints after a lemma, is read as text (Baek, Carneiro and Heule, "A flexible
    proof format for SAT solver-elaborator communication", LMCS 2022).

    Raises:
        ValueError: a step in binary is malformed; those of a text are not checked.
    """
    if b"\0" in data:  # each step in binary ends with a zero byte, and no text has one
        if not _STEPS.fullmatch(data):
            raise ValueError("the proof is neither text nor binary DRAT")
        return "".join(map(_text_of, _STEP.finditer(data)))
    text = data.decode("ascii", errors="backslashreplace")
    steps = _NO_STEP.sub("", text)
    return _OF_FRAT.sub(r"\1\2", steps) if text.startswith("o ") else steps


def _text_of(step: re.Match[bytes]) -> str:
    words: list[bytes] = _LITERAL.findall(step[2])
    numbers = (sum((byte & 127) << 7 * at for at, byte in enumerate(word)) for word in words)
    literals = (f"{'-' * (number & 1)}{number >> 1} " for number in numbers)
    return f"{'d ' * (step[1] == b'd')}{''.join(literals)}0\n"


_COLUMN: Final = re.compile(
    r"\bx_([0-9]+)_([0-9]+)_([0-9]+)\b[\"'*=:\s]+(?:value=\")?([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)"
)
_NUMBERED: Final = re.compile(r"^j ([0-9]+) ([-+.0-9eE]+)$", re.MULTILINE)
_INFEASIBLE: Final = re.compile(
    r"^\W*(?:[\w -]*\b(?:problem|model|status|mip)\b[\w \t:[-]*|(?:proven |primal |integer )*)"
    r"\b(?:infeasible\b(?! (?:nodes|leaves))|no (?:integer |primal )?feasible solution)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that says so; the word alone stands in help and statistics, too."""
_TOLERANCE: Final = 1e-6


def read_columns(output: str, code: int, shape: Shape) -> Answer | None:  # noqa: ARG001
    """The answer of a solver of integer programs: names of columns, each with its value.

    GLPK's ``-w`` writes the numbers of columns, which are in the order of the variables.
    """
    if re.search(r"^(?:Integer )?Infeasible", output, re.MULTILINE | re.IGNORECASE):
        return Answer.unsatisfiable()  # CBC writes the values of the failed search, too
    size = shape.size
    values = {
        ((int(row) - 1) * size + int(column) - 1) * size + int(value): float(number)
        for row, column, value, number in _COLUMN.findall(output)
    }
    if not values:
        values = {int(column): float(number) for column, number in _NUMBERED.findall(output)}
    true = [number for number, value in values.items() if abs(value - 1) <= _TOLERANCE]
    if true:
        return Answer.solved(_grid_of_numbers(true, shape))
    is_infeasible = _INFEASIBLE.search(output) or re.search(r"^s mip \d+ \d+ n ", output, re.M)
    return Answer.unsatisfiable() if is_infeasible else None


def read_minizinc(output: str, code: int, shape: Shape) -> Answer | None:  # noqa: ARG001
    """The answer of MiniZinc's command line."""
    solution, mark, _ = output.partition("-" * 10)
    if mark:
        grid = solution_in(solution, shape)
        return Answer.solved(grid) if grid else None
    return Answer.unsatisfiable() if "=====UNSATISFIABLE=====" in output else None


_INSTANTIATION: Final = re.compile(r"<list>(.*?)</list>\s*<values>(.*?)</values>", re.DOTALL)
_NAME: Final = re.compile(r"x\[([0-9]+)\]\[([0-9]+)\]")


def read_xcsp3(output: str, code: int, shape: Shape) -> Answer | None:  # noqa: ARG001
    """The answer of a solver of the XCSP3 competitions; a value may be ``5x3``, three fives."""

    def grid() -> tuple[int, ...]:
        text = " ".join(line[2:] for line in output.splitlines() if line.startswith("v "))
        if not (match := _INSTANTIATION.search(text)):
            return ()
        names, size = match[1].split(), shape.size
        if names == ["x[][]"]:
            names = [f"x[{row}][{column}]" for row in range(size) for column in range(size)]
        values = [
            int(word.partition("x")[0])
            for word in match[2].split()
            for _ in range(int(word.partition("x")[2] or 1))
        ]
        places = [_NAME.fullmatch(name) for name in names]
        pairs = zip(places, values, strict=True)
        return _grid_of(
            ((int(at[1]) * size + int(at[2]), value) for at, value in pairs if at), shape
        )

    return _answer(_statuses(output), grid)


_DEFINITION: Final = re.compile(r"\(\s*x_([0-9]+)\s+true\s*\)|\bx\(([0-9]+)\)")


def read_atoms(output: str, code: int, shape: Shape) -> Answer | None:  # noqa: ARG001
    """The answer of a solver of SMT-LIB 2, ``(x_5 true)``, or of answer sets, ``x(5)``."""
    numbers = {int(first or second) for first, second in _DEFINITION.findall(output)}
    return _answer(_statuses(output), lambda: _grid_of_numbers(numbers, shape))
