"""Models of a puzzle as files for other solvers, line by line.

    variable     "cell c holds value v"; its number is c * size + v, from 1
    exactly one  variables of a cell, or of a value in a house
    at most one  variables of a value in two cells that differ (`Shape.pairs`)
    fixed        variables that givens and pencilmarks decide

The model has all candidates, for every shape, as solvers read it from files. A given removes no
candidate of another cell: that follows from the constraints.

The encodings are those of Lynce and Ouaknine, "Sudoku as a SAT problem" (AIMATH 2006): *minimal*
says that every cell has a value and no value occurs twice in a house; *extended* adds that every
value is in each house and no cell has two values. Each clause appears once, although a row and a
box share pairs of cells. *cardinality* has an "at most one" over each set in place of the pairs;
only solvers that read ``p cnf+`` accept it (Liffiton and Maglalang, "A cardinality solver", SAT
2012).

In exact cover, the first line has the items, the names of what must be covered: cells ``R1C2`` and
values in houses ``row1=5``; after ``|`` those that may be covered at most once: values in two cells
that differ. Each further line is an option, a cell and a value, with its items. Lines with ``|``
at the start are comments. The same cover can be written as a matrix of zeros and ones.
See Knuth, "The art of computer programming", volume 4B, section 7.2.2.1.

Integer programs have a binary variable for each cell and value, an equation for each set with
exactly one that holds, and an inequality for each pair. Bounds fix the givens; in OPB, equations
do. The objective is zero; LP and MPS state it, since some readers require one.

Constraints of the shape have further variables, in the forms of `harness.puzzles.search.encoding`;
MiniZinc and XCSP3 state them over the cells. Exact cover and cardinality refuse them.

Each model but XCSP3 and exact cover can exclude solutions, so that its solver finds another one.
SMT-LIB and answer set programming state the clauses of the extended encoding.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import chain, combinations, islice
from typing import Final, NamedTuple

from harness.base.errors import OptionError
from harness.puzzles import Grid, Puzzle, values_in
from harness.puzzles.constraints import Distinct, Line, Primitive, Relation, Sum, ValueCount
from harness.puzzles.search import Encoder

# A puzzle as constraints over Booleans, one for each cell and value.


class Constraints:
    """The variables of a puzzle, in sets: exactly one of a set holds, or at most one."""

    def __init__(
        self, puzzle: Puzzle, excluded: Sequence[Grid], cages: str, *, linear: bool = False
    ) -> None:
        """Number the variables.

        Args:
            puzzle: the puzzle.
            excluded: solutions that are not to be found.
            cages: "combinations" for a variable for each combination of values of a sum.
            linear: whether constraints of the shape become rows rather than clauses.
        """
        shape = puzzle.shape
        size = shape.size
        self.puzzle = puzzle
        self.size = size
        values = range(1, size + 1)
        number = {(cell, v): self.number(cell, v) for cell in range(size**2) for v in values}
        domains = [(1 << size) - 1] * size**2
        combine = cages == "combinations"
        encoder = Encoder(number, domains, shape.peers, linear=linear, combine=combine)
        self.encoding = encoder.encode(shape.primitives)
        """The constraints of the shape, with further variables."""
        self.cells = [[self.number(cell, value) for value in values] for cell in range(size**2)]
        """The variables of each cell."""
        self.houses = [
            [self.number(cell, value) for cell in house.cells]
            for house in shape.houses
            for value in values
        ]
        """The variables of each value in each house, house by house."""
        self.pairs = [
            (self.number(first, value), self.number(second, value))
            for first, second in shape.pairs
            for value in values
        ]
        """The variables of each value in two cells that differ."""

        self.excluded = [
            [self.number(cell, value) for cell, value in enumerate(grid)] for grid in excluded
        ]
        """The variables of each excluded solution."""

    @property
    def variables(self) -> int:
        """The number of variables."""
        return self.encoding.literals

    def number(self, cell: int, value: int) -> int:
        """The number of a variable, from 1. `cell` is from 0, `value` from 1."""
        return cell * self.size + value

    def meaning(self, variable: int) -> tuple[int, int]:
        """The cell and the value of a variable."""
        cell, before = divmod(variable - 1, self.size)
        return cell, before + 1

    def label(self, variable: int) -> str:
        """A variable in words: ``R1C2=5``, or ``auxiliary 1`` for a further variable."""
        if variable > self.size**3:
            return f"auxiliary {variable - self.size**3}"
        cell, value = self.meaning(variable)
        return f"{self.puzzle.shape.cell_name(cell)}={self.puzzle.shape.symbol(value)}"

    def identifier(self, variable: int) -> str:
        """A name that every format of linear programs allows: ``x_1_2_5``, row, column, value."""
        if variable > self.size**3:
            return f"y_{variable - self.size**3}"
        cell, value = self.meaning(variable)
        row, column = divmod(cell, self.size)
        return f"x_{row + 1}_{column + 1}_{value}"

    def decisions(self) -> Iterator[tuple[int, bool]]:
        """The variables that are decided: a given holds, a value without a pencilmark does not."""
        for cell, bits in enumerate(self.puzzle.allowed):
            if value := self.puzzle.givens[cell]:
                yield self.number(cell, value), True
                continue
            for value in range(1, self.size + 1):
                if not bits >> value - 1 & 1:
                    yield self.number(cell, value), False


def _title(puzzle: Puzzle) -> str:
    """The puzzle in one line, for the comment at the head of a file."""
    return f"Sudoku {puzzle.shape}, {puzzle.clues} givens, puzzle {puzzle.id}"


def grid(puzzle: Puzzle, _: Sequence[Grid]) -> Iterator[str]:
    """The rows of a puzzle: a symbol for each cell, ``.`` for a blank."""
    line, size = puzzle.line, puzzle.shape.size
    return (line[start : start + size] for start in range(0, len(line), size))


# DIMACS CNF, and the CNF of MiniCard with cardinality constraints.


def cnf(puzzle: Puzzle, excluded: Sequence[Grid], encoding: str, cages: str) -> Iterator[str]:
    """The lines of an encoding: `minimal`, `extended`, `commander` or `cardinality`.

    For 9x9 they have 7,371, 10,530 and 7,749 clauses and 648 constraints, and one for each given.
    """
    is_cardinality = encoding == "cardinality"
    if is_cardinality:
        _require_plain(puzzle, "cnf-cardinality")
    model = Constraints(puzzle, excluded, cages)
    every = _clauses(model, encoding)
    sets = [*model.cells, *model.houses]
    at_most = [f"{' '.join(map(str, group))} <= 1" for group in sets] if is_cardinality else []
    yield f"c {_title(puzzle)}, {encoding} encoding"
    yield "c variables: number, row, column and value"
    for variable in range(1, model.variables + 1):
        yield f"c {variable} {model.label(variable)}"
    yield f"p cnf{'+' * is_cardinality} {model.variables} {len(every) + len(at_most)}"
    for clause in every:
        yield f"{' '.join(map(str, clause))} 0"
    yield from at_most


def _clauses(model: Constraints, encoding: str = "extended") -> list[tuple[int, ...]]:
    """The clauses of an encoding, each once."""
    is_cardinality = encoding == "cardinality"
    sets = [*model.cells, *model.houses]
    further = model.encoding
    at_most = [] if is_cardinality else model.houses if encoding == "minimal" else sets
    if encoding == "commander":
        at_most = [further.commanders(variables) for variables in sets]
    clauses = chain(
        map(tuple, model.cells if encoding == "minimal" else sets),
        _at_most_one(at_most),
        ((-first, -second) for first, second in model.pairs),
        map(tuple, further.groups),
        _at_most_one([*further.groups, *further.at_most]),
        map(tuple, further.clauses),
        ((variable if holds else -variable,) for variable, holds in model.decisions()),
        (tuple(-variable for variable in variables) for variables in model.excluded),
    )
    return list(dict.fromkeys(clauses))


# The clauses in the languages of SMT-LIB 2 and of answer set programming (clingo).


def smt2(puzzle: Puzzle, excluded: Sequence[Grid], cages: str) -> Iterator[str]:
    """The lines of a script of SMT-LIB 2, which asks for the variables of all cells."""
    model = Constraints(puzzle, excluded, cages)
    yield f"; {_title(puzzle)}"
    yield "; x_N says that cell (N - 1) div size has the value (N - 1) mod size + 1"
    yield "(set-option :produce-models true)"
    yield "(set-logic QF_UF)"
    for variable in range(1, model.variables + 1):
        yield f"(declare-fun x_{variable} () Bool)"
    for clause in _clauses(model):
        literals = (f"x_{x}" if x > 0 else f"(not x_{-x})" for x in clause)
        yield f"(assert (or false {' '.join(literals)}))"
    yield "(check-sat)"
    yield f"(get-value ({' '.join(f'x_{x}' for x in range(1, model.size**3 + 1))}))"


def asp(puzzle: Puzzle, excluded: Sequence[Grid], cages: str) -> Iterator[str]:
    """The lines of a program for clingo and its kin: a choice of atoms, and constraints."""
    model = Constraints(puzzle, excluded, cages)
    yield f"% {_title(puzzle)}"
    yield "% x(N) says that cell (N - 1) / size has the value (N - 1) \\ size + 1"
    yield f"{{x(1..{model.variables})}}."
    for clause in _clauses(model):
        literals = (f"not x({x})" if x > 0 else f"x({-x})" for x in clause)
        yield f":- {', '.join(literals)}."
    yield f"#show x(N) : x(N), N <= {model.size**3}."


def _require_plain(puzzle: Puzzle, name: str) -> None:
    """Require a puzzle without constraints.

    Raises:
        OptionError: the puzzle has constraints.
    """
    if puzzle.shape.primitives:
        raise OptionError(
            f"{name} cannot express {puzzle.shape.constraints[0].kind}",
            where="format",
            expected="asp, cnf, lp, mps, mzn, opb, smt2 or xcsp3",
        )


def _at_most_one(sets: Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    for variables in sets:
        for first, second in combinations(variables, 2):
            yield -first, -second


# Constraint programs with an integer for each cell: MiniZinc and XCSP3.


_GLOBALS: Final[dict[type[Primitive], str]] = {
    Relation: "table",
    Sum: "",
    Distinct: "alldifferent",
    ValueCount: "among",
    Line: "regular",
}
"""The file of MiniZinc's library for the constraint of each primitive."""


def minizinc(puzzle: Puzzle, excluded: Sequence[Grid]) -> Iterator[str]:
    """The lines of a MiniZinc model: ``alldifferent`` over houses, cells numbered from 1."""
    shape = puzzle.shape
    size = shape.size
    yield f"% {_title(puzzle)}"
    for name in sorted({"alldifferent", *(_GLOBALS[type(p)] for p in shape.primitives)} - {""}):
        yield f'include "{name}.mzn";'
    yield f"int: n = {size};"
    yield "array[1..n*n] of var 1..n: cell;  % row by row"
    for house in shape.houses:
        cells = ", ".join(f"cell[{at + 1}]" for at in house.cells)
        yield f"constraint alldifferent([{cells}]);  % {house}"
    for first, second in shape.pairs:
        yield f"constraint cell[{first + 1}] != cell[{second + 1}];"
    for at, (clue, bits) in enumerate(zip(puzzle.givens, puzzle.allowed, strict=True), 1):
        if clue:
            yield f"constraint cell[{at}] = {clue};"
        elif not bits:
            yield f"constraint false;  % cell {at} has no candidate"
        elif len(values := values_in(bits)) < size:
            yield f"constraint cell[{at}] in {{{', '.join(map(str, values))}}};"
    for primitive in shape.primitives:
        yield f"constraint {_minizinc(primitive, size)};"
    for grid in excluded:
        other = " \\/ ".join(f"cell[{at}] != {value}" for at, value in enumerate(grid, 1))
        yield f"constraint {other};"
    yield "solve satisfy;"
    yield ('output [ show(cell[i]) ++ if i mod n = 0 then "\\n" else " " endif | i in 1..n*n ];')


def _minizinc(primitive: Primitive, size: int) -> str:
    """A primitive as a constraint of MiniZinc's library."""

    def array(cells: Iterable[int]) -> str:
        return f"[{', '.join(f'cell[{cell + 1}]' for cell in cells)}]"

    match primitive:
        case Relation(first, second, table):
            pairs = (f"{u}, {w}" for u, row in enumerate(table, 1) for w in values_in(row))
            return f"table({array((first, second))}, [| {' | '.join(pairs)} |])"
        case Sum(cells, coefficients, totals):
            terms = zip(coefficients, cells, strict=True)
            total = " + ".join(f"{factor}*cell[{cell + 1}]" for factor, cell in terms)
            return f"{total} in {{{', '.join(map(str, totals))}}}"
        case Distinct(cells):
            return f"alldifferent({array(cells)})"
        case ValueCount(cells, values, least, most):
            among = f"among({array(cells)}, {{{', '.join(map(str, values_in(values)))}}})"
            return f"{among} >= {least} /\\ {among} <= {most}"
        case Line(cells, automaton):
            rows = (", ".join(str(after + 1) for after in row) for row in automaton.transitions)
            ends = (str(state) for state, ends in enumerate(automaton.accepting, 1) if ends)
            moves = f"[| {' | '.join(rows)} |]"
            number = len(automaton.accepting)
            return f"regular({array(cells)}, {number}, {size}, {moves}, 1, {{{', '.join(ends)}}})"


def xcsp3(puzzle: Puzzle, _: Sequence[Grid]) -> Iterator[str]:
    """The lines of an XCSP3 instance (xcsp.org): ``allDifferent`` over houses.

    Givens and pencilmarks are the domains of the cells.
    """
    shape = puzzle.shape
    size = shape.size

    def name(cell: int) -> str:
        row, column = divmod(cell, size)
        return f"x[{row}][{column}]"

    yield f"<!-- {escape(_title(puzzle))} -->"
    yield '<instance format="XCSP3" type="CSP">'
    yield "  <variables>"
    yield f'    <array id="x" size="[{size}][{size}]">'
    every = (1 << size) - 1
    cells_of: dict[int, list[int]] = {}
    for cell, bits in enumerate(puzzle.allowed):
        cells_of.setdefault(bits or every, []).append(cell)
    for bits, cells in cells_of.items():
        domain = " ".join(map(str, values_in(bits)))
        if bits == every:
            domain = f"1..{size}"
        yield f'      <domain for="{" ".join(map(name, cells))}"> {domain} </domain>'
    yield "    </array>"
    yield "  </variables>"
    yield "  <constraints>"
    for house in shape.houses:
        names = " ".join(map(name, house.cells))
        yield f'    <allDifferent note="{house}"> {names} </allDifferent>'
    for pair in shape.pairs:
        yield f"    <allDifferent> {' '.join(map(name, pair))} </allDifferent>"
    for primitive in shape.primitives:
        yield _xcsp3(primitive, name)
    if not all(puzzle.allowed):
        yield '    <intension note="a cell without a candidate"> eq(0,1) </intension>'
    yield "  </constraints>"
    yield "</instance>"


def _xcsp3(primitive: Primitive, name: Callable[[int], str]) -> str:
    """A primitive as a constraint of XCSP3."""

    def element(kind: str, cells: Iterable[int], **parts: str) -> str:
        content = {"list": " ".join(map(name, cells)), **parts}
        inside = " ".join(f"<{part}> {text} </{part}>" for part, text in content.items())
        return f"    <{kind}> {inside} </{kind}>"

    match primitive:
        case Relation(first, second, table):
            pairs = (f"({u},{w})" for u, row in enumerate(table, 1) for w in values_in(row))
            return element("extension", (first, second), supports="".join(pairs))
        case Sum(cells, coefficients, totals):
            condition = f"(in,{{{','.join(map(str, totals))}}})"
            factors = " ".join(map(str, coefficients))
            return element("sum", cells, coeffs=factors, condition=condition)
        case Distinct(cells):
            return f"    <allDifferent> {' '.join(map(name, cells))} </allDifferent>"
        case ValueCount(cells, values, least, most):
            values_text = " ".join(map(str, values_in(values)))
            return element("count", cells, values=values_text, condition=f"(in,{least}..{most})")
        case Line(cells, automaton):
            moves = (
                f"(q{before},{value},q{after})"
                for before, row in enumerate(automaton.transitions)
                for value, after in enumerate(row, 1)
                if after >= 0
            )
            ends = " ".join(f"q{state}" for state, end in enumerate(automaton.accepting) if end)
            parts = {"transitions": "".join(moves), "start": "q0", "final": ends}
            return element("regular", cells, **parts)


# Exact cover in the text format of Knuth's DLX programs.


def dlx(puzzle: Puzzle, _: Sequence[Grid]) -> Iterator[str]:
    """The lines of the items and options that givens and pencilmarks leave."""
    primary, secondary, options = _cover(puzzle)
    yield f"| {_title(puzzle)}"
    yield f"{' '.join(primary)}{' | ' if secondary else ''}{' '.join(secondary)}"
    yield from map(" ".join, options)


def matrix(puzzle: Puzzle, _: Sequence[Grid]) -> Iterator[str]:
    """The rows of the matrix as zeros and ones; one row for each option, one column per item.

    9x9 without givens has 729 rows and 324 columns. A given leaves one row of its cell. A pair
    adds for each value a column, and a row with this column alone: options need not cover it.
    """
    primary, secondary, options = _cover(puzzle)
    columns = [*primary, *secondary]
    at = {item: number for number, item in enumerate(columns)}
    yield f"# {_title(puzzle)}"
    yield f"# columns: {' '.join(columns)}"
    for items in [*options, *([item] for item in secondary)]:
        row = ["0"] * len(columns)
        for item in items:
            row[at[item]] = "1"
        yield " ".join(row)


def _cover(puzzle: Puzzle) -> tuple[list[str], list[str], list[list[str]]]:
    """The items of both kinds, and those of each candidate that givens and pencilmarks leave."""
    _require_plain(puzzle, "exact cover")
    model = Constraints(puzzle, (), "combinations")
    shape, name = puzzle.shape, puzzle.shape.cell_name
    symbols = [*map(shape.symbol, range(1, model.size + 1))]
    primary = [*map(name, range(len(model.cells)))]
    primary += [f"{h.kind}{h.number}={symbol}" for h in shape.houses for symbol in symbols]
    secondary = [f"{name(a)}{name(b)}={symbol}" for a, b in shape.pairs for symbol in symbols]
    items_of: dict[int, list[str]] = {v: [] for v in range(1, model.variables + 1)}
    sets = chain(model.cells, model.houses, model.pairs)
    for item, variables in zip(primary + secondary, sets, strict=True):
        for variable in variables:
            items_of[variable].append(item)
    options = [
        items_of[model.number(cell, value)]
        for cell, bits in enumerate(puzzle.allowed)
        for value in values_in(bits)
    ]
    return primary, secondary, options


# Integer programs: CPLEX LP, free MPS, and OPB for pseudo-Boolean solvers.


_ON_A_LINE = 8
"""Terms on a line of an LP file: some readers accept at most 255 characters."""


class _Row(NamedTuple):
    """A row of a linear program."""

    name: str
    variables: Sequence[int]
    relation: str = "="
    """``=``, ``<=`` or ``>=``."""
    right: int = 1
    factors: Sequence[int] | None = None
    """None if all are 1."""

    def terms(self) -> Iterator[tuple[int, int]]:
        """The factor of each variable."""
        return zip(self.factors or [1] * len(self.variables), self.variables, strict=True)


def _rows(model: Constraints) -> Iterator[_Row]:
    """The rows with variables; a row without any that cannot hold becomes a contradiction.

    Formats have no row without variables: one of values that no set fits needs some.
    """
    for row in _sums(model):
        if row.variables:
            yield row
        elif not {"=": row.right == 0, ">=": row.right <= 0, "<=": row.right >= 0}[row.relation]:
            yield _Row(row.name, (1,), ">=", 2)


def _sums(model: Constraints) -> Iterator[_Row]:
    for number, variables in enumerate(model.cells):
        yield _Row(f"cell_{number + 1}", variables)
    for number, variables in enumerate(model.houses):
        yield _Row(f"house_{number // model.size + 1}_{number % model.size + 1}", variables)
    for number, pair in enumerate(model.pairs):
        yield _Row(f"pair_{number // model.size + 1}_{number % model.size + 1}", pair, "<=")
    for number, variables in enumerate(model.encoding.groups, 1):
        yield _Row(f"group_{number}", variables)
    for number, variables in enumerate(model.encoding.at_most, 1):
        yield _Row(f"most_{number}", variables, "<=")
    for number, (variables, factors, least, most) in enumerate(model.encoding.rows, 1):
        if least == most:
            yield _Row(f"sum_{number}", variables, "=", most, factors)
            continue
        yield _Row(f"sum_{number}", variables, "<=", most, factors)
        yield _Row(f"least_{number}", variables, ">=", least, factors)
    for number, variables in enumerate(model.excluded, 1):
        yield _Row(f"other_{number}", variables, "<=", len(variables) - 1)


def lp(puzzle: Puzzle, excluded: Sequence[Grid], cages: str) -> Iterator[str]:
    """The lines of an LP file."""
    model = Constraints(puzzle, excluded, cages, linear=True)
    yield f"\\ {_title(puzzle)}"
    yield "\\ x_ROW_COLUMN_VALUE is 1 if the cell holds the value"
    yield "Minimize"
    yield f" obj: 0 {model.identifier(1)}"
    yield "Subject To"
    for row in _rows(model):
        terms = [_term(factor, model.identifier(x)) for factor, x in row.terms()]
        yield from _fold(f" {row.name}:", terms, f"{row.relation} {row.right}")
    yield "Bounds"
    for variable, holds in model.decisions():
        yield f" {model.identifier(variable)} = {int(holds)}"
    yield "Binary"
    every = (model.identifier(variable) for variable in range(1, model.variables + 1))
    while line := list(islice(every, _ON_A_LINE)):
        yield f" {' '.join(line)}"
    yield "End"


def _term(factor: int, name: str) -> str:
    """``+ x``, ``- 2 x``."""
    sign = "-" if factor < 0 else "+"
    return f"{sign} {name}" if abs(factor) == 1 else f"{sign} {abs(factor)} {name}"


def _fold(name: str, terms: Sequence[str], end: str) -> Iterator[str]:
    """A row over several lines."""
    for begin in range(0, len(terms), _ON_A_LINE):
        part = " ".join(terms[begin : begin + _ON_A_LINE]).removeprefix("" if begin else "+ ")
        last = begin + _ON_A_LINE >= len(terms)
        yield f"{name if not begin else ' '} {part}{f' {end}' if last else ''}"


def mps(puzzle: Puzzle, excluded: Sequence[Grid], cages: str) -> Iterator[str]:
    """The lines of a free MPS file."""
    model = Constraints(puzzle, excluded, cages, linear=True)
    rows, kinds = list(_rows(model)), {"=": "E", "<=": "L", ">=": "G"}
    of_variable: list[list[str]] = [[] for _ in range(model.variables + 1)]
    for row in rows:
        for factor, variable in row.terms():
            of_variable[variable].append(f"{row.name} {factor}")
    yield f"* {_title(puzzle)}"
    yield "* x_ROW_COLUMN_VALUE is 1 if the cell holds the value"
    yield "NAME sudoku"
    yield "ROWS"
    yield " N obj"
    for row in rows:
        yield f" {kinds[row.relation]} {row.name}"
    yield "COLUMNS"
    yield " M1 'MARKER' 'INTORG'"
    for variable in range(1, model.variables + 1):
        for entry in of_variable[variable]:
            yield f" {model.identifier(variable)} {entry}"
    yield " M2 'MARKER' 'INTEND'"
    yield "RHS"
    for row in rows:
        yield f" RHS {row.name} {row.right}"
    yield "BOUNDS"
    decisions = dict(model.decisions())
    for variable in range(1, model.variables + 1):
        name = model.identifier(variable)
        is_decided = variable in decisions
        yield f" FX BND {name} {int(decisions[variable])}" if is_decided else f" UP BND {name} 1"
    yield "ENDATA"


def opb(puzzle: Puzzle, excluded: Sequence[Grid], cages: str) -> Iterator[str]:
    """The lines of an OPB file, as the pseudo-Boolean competitions define it."""
    model = Constraints(puzzle, excluded, cages, linear=True)
    rows, decisions = list(_rows(model)), list(model.decisions())
    yield f"* #variable= {model.variables} #constraint= {len(rows) + len(decisions)}"
    yield f"* {_title(puzzle)}"
    for variable in range(1, model.variables + 1):
        yield f"* x{variable} {model.label(variable)}"
    for row in rows:
        sign = -1 if row.relation == "<=" else 1  # only >= and = are in the format
        terms = " ".join(f"{sign * factor:+d} x{variable}" for factor, variable in row.terms())
        yield f"{terms} {'=' if row.relation == '=' else '>='} {sign * row.right} ;"
    for variable, holds in decisions:
        yield f"+1 x{variable} = {int(holds)} ;"
