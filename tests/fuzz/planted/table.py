"""The planted faults: what each breaks, how often, and the least case that is known to show it.

A case is a sequence of calls in one process, with one backend for each shape; the last answer
is wrong.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from harness.puzzles import Puzzle, Shape


class Kind(StrEnum):
    """What a fault is about."""

    MISSING = "missing constraint"
    ROW = "relation or right side"
    PROPAGATION = "unsound rule"
    ENUMERATION = "enumeration"
    STATE = "kept state"
    CHANCE = "chance"
    RESTRICTION = "pencilmarks or pairs"
    OPTION = "value of an option"
    START = "certain puzzles or batches"
    OUTSIDE = "defect known from outside"


class Task(StrEnum):
    """A method of a backend."""

    SOLVE = "solve"
    COUNT = "count"
    SOLVE_MANY = "solve_many"
    COUNT_MANY = "count_many"


@dataclass(frozen=True)
class Call:
    """A call of a backend.

    Attributes:
        shape: the name or the definition of the shape.
        puzzle: the puzzle as a line, or the last row of a batch.
        task: the method.
        limit: the limit of a count.
        times: how often the call is made.
        rows: the rows of a batch before the puzzle, as lines.
    """

    shape: str
    puzzle: str
    task: Task = Task.SOLVE
    limit: int = 1
    times: int = 1
    rows: tuple[str, ...] = ()

    @property
    def parsed(self) -> Puzzle:
        """The puzzle."""
        return Puzzle.of_line(self.puzzle, Shape.parse(self.shape))


@dataclass(frozen=True)
class Planted:
    """A planted fault.

    Attributes:
        file: the file in this folder, without its suffix.
        name: the class.
        kind: what the fault is about.
        backend: the name of the backend that has it.
        case: the calls after which the last answer is wrong.
        right: the number of solutions of the last puzzle, up to the limit of the call.
        rate: the share of wrong answers in a random sample of 200 to 5000 calls with `options`,
            of shapes, tasks and limits that can show the fault; None if the sample had none.
        options: settings of the backend, as in a spec.
        compiles: whether it compiles a kernel, which takes two seconds.
        requires: what must be installed besides the core libraries.
        varies: whether the answers of the solver vary from call to call.
    """

    file: str
    name: str
    kind: Kind
    backend: str
    case: tuple[Call, ...]
    right: int
    rate: float | None
    options: str = ""
    compiles: bool = False
    requires: str = ""
    varies: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def by_chance(self) -> bool:
        """Whether the case shows the fault once in many repetitions only."""
        return self.varies or self.kind is Kind.CHANCE


JIGSAW: Final = "jigsaw:1112122233343444"
ANTIKNIGHT: Final = "9x9+antiknight"


def _solve(shape: str, puzzle: str) -> tuple[Call, ...]:
    return (Call(shape, puzzle),)


def _count(shape: str, puzzle: str, limit: int) -> tuple[Call, ...]:
    return (Call(shape, puzzle, Task.COUNT, limit),)


CLAUSES: Final = (
    Planted(
        "clauses",
        "LastPairIsMissing",
        Kind.MISSING,
        "cnf",
        _count("6x6+antiking", "...............6...............2....", 1),
        1,
        0.001,
    ),
    Planted(
        "clauses",
        "HousesAfter28",
        Kind.MISSING,
        "cnf",
        _count("9x9+diagonal", "." * 81, 2),
        2,
        0.027,
    ),
    Planted(
        "clauses",
        "WideCellsMayBeEmpty",
        Kind.OPTION,
        "cnf",
        _count("8x8", "." * 64, 1),
        1,
        0.06,
        "encoding=minimal",
    ),
    Planted(
        "clauses",
        "TwoCandidatesMayBothHold",
        Kind.ROW,
        "cnf",
        _count("latin2", "....", 3),
        2,
        0.048,
    ),
    Planted(
        "clauses",
        "GivensOfThreeHouses",
        Kind.MISSING,
        "cnf",
        _count("4x4+diagonal", "...2..........23", 1),
        1,
        0.011,
        "encoding=minimal",
    ),
    Planted(
        "clauses",
        "LowerBoxesOf12x12",
        Kind.MISSING,
        "cpsat",
        _count("12x12", "." * 144, 2),
        2,
        0.41,
    ),
    Planted(
        "clauses",
        "IntegersOf25Houses",
        Kind.MISSING,
        "cpsat",
        _count("9x9+diagonal", "." * 81, 2),
        2,
        0.027,
        "formulation=integer",
    ),
)

ROWS: Final = (
    Planted("rows", "FullGroupsArePacked", Kind.ROW, "milp", _solve("latin2", "...."), 1, 0.12),
    Planted(
        "rows",
        "CutWithATolerance",
        Kind.ROW,
        "milp",
        _count(
            "9x9",
            "7...2....4.6...........1....954....6.....68....8...7.1.6.21..84....3..7...9....2.",
            3,
        ),
        2,
        0.004,
    ),
    Planted(
        "rows",
        "GivensDoNotReachPairs",
        Kind.MISSING,
        "milp",
        _count("latin4+antiknight", "....32..23......", 6),
        2,
        0.015,
    ),
    Planted(
        "rows",
        "LastUpperBoundIsKept",
        Kind.STATE,
        "milp",
        (
            Call("latin3", "1231231231231231231231.3123", Task.COUNT, 1),
            Call("latin3", ".1...2...", Task.COUNT, 2),
        ),
        1,
        0.016,
        "model=full",
    ),
    Planted(
        "rows",
        "CutsAreKept",
        Kind.STATE,
        "milp",
        (
            Call("latin3", "312123231", Task.COUNT, 1),
            Call("latin3", ".........", Task.COUNT, 2),
        ),
        2,
        0.13,
        "model=full",
    ),
    Planted(
        "rows", "LastTwoRegions", Kind.MISSING, "milp", _solve(JIGSAW, "..........3....."), 1, 0.013
    ),
    Planted(
        "rows", "FullGridsAreExact", Kind.ENUMERATION, "milp", _count("latin2", "1221", 1), 1, 0.018
    ),
    Planted(
        "rows",
        "TwoValuesInPairs",
        Kind.RESTRICTION,
        "milp",
        _count("6x6+antiking", "." * 36, 2),
        2,
        0.11,
    ),
    Planted(
        "rows",
        "LargestValueIsNeverExcluded",
        Kind.RESTRICTION,
        "milp",
        _solve("latin3", "1231231231..12312.1231..123"),
        1,
        0.026,
        "model=full",
    ),
)

PROPAGATION: Final = (
    Planted(
        "propagation",
        "LargestValueInTheLastCell",
        Kind.PROPAGATION,
        "native",
        _solve("latin2", "...."),
        1,
        0.033,
    ),
    Planted(
        "propagation",
        "NineCandidatesAreNone",
        Kind.START,
        "native",
        _count("9x9", "." * 81, 1),
        1,
        0.014,
    ),
    Planted(
        "propagation",
        "LastOptionIsNotCounted",
        Kind.PROPAGATION,
        "dlx",
        _solve("latin2", "...1"),
        1,
        0.43,
    ),
    Planted(
        "propagation",
        "PairsOfTheLastHouse",
        Kind.PROPAGATION,
        "reasoning",
        _solve("latin2", "...."),
        1,
        0.14,
    ),
    Planted(
        "propagation",
        "LargeValuesInTheirLastWay",
        Kind.PROPAGATION,
        "native-jit",
        _count(
            "9x9",
            "..16.9.2.......3..3.6.2.1.824..1.......5...1..5...7..2...7...4...53....7..4......",
            3,
        ),
        3,
        0.012,
        compiles=True,
    ),
    Planted(
        "propagation",
        "OpenCellsInTheLastRows",
        Kind.PROPAGATION,
        "native-jit",
        _solve("9x9", "." * 81),
        1,
        0.083,
        compiles=True,
    ),
    Planted(
        "propagation",
        "LargestValueInTheLastHouse",
        Kind.PROPAGATION,
        "native-jit",
        _count("latin2", "....", 3),
        2,
        0.3,
        compiles=True,
    ),
)

ENUMERATION: Final = (
    Planted(
        "enumeration",
        "StopsAfter2000Nodes",
        Kind.ENUMERATION,
        "dlx",
        _count("9x9+antiking", f"{'.' * 40}2{'.' * 40}", 2),
        2,
        0.006,
    ),
    Planted(
        "enumeration",
        "AtMost32Models",
        Kind.ENUMERATION,
        "clingo",
        _count("4x4", "." * 16, 33),
        33,
        0.022,
        requires="clingo",
    ),
    Planted(
        "enumeration",
        "LimitsBeyond31Bits",
        Kind.ENUMERATION,
        "dlx",
        _count("latin2", "...1", 2**31),
        1,
        0.41,
    ),
    Planted(
        "enumeration",
        "BlocksFortyCells",
        Kind.ENUMERATION,
        "cnf",
        _count(
            "9x9+antiking",
            ".....93.82..8...9.......6......53...1..2..5.....1.............33..6....44.1......",
            9,
        ),
        9,
        0.002,
    ),
    Planted(
        "enumeration",
        "Finds32ndTwice",
        Kind.ENUMERATION,
        "cnf",
        _count("4x4+diagonal", "." * 16, 50),
        48,
        0.003,
    ),
    Planted(
        "enumeration",
        "SolutionsByAChecksum",
        Kind.ENUMERATION,
        "native",
        _count("latin3", "." * 9, 6),
        6,
        0.019,
    ),
    Planted(
        "enumeration",
        "ExactAtTheLastSolution",
        Kind.ENUMERATION,
        "cpsat",
        _count("latin2", "...1", 1),
        1,
        0.079,
    ),
    Planted(
        "enumeration",
        "ExactAtAThousand",
        Kind.ENUMERATION,
        "dlx",
        _count("latin5", "." * 25, 1_000),
        1_000,
        None,
    ),
    Planted(
        "enumeration",
        "ExactLimitIsExceeded",
        Kind.ENUMERATION,
        "dlx",
        _count("4x4", f"1{'.' * 15}", 72),
        72,
        None,
    ),
    Planted(
        "enumeration",
        "ExactAtNine",
        Kind.ENUMERATION,
        "reasoning",
        _count("latin3", "." * 9, 9),
        9,
        0.024,
    ),
    Planted(
        "enumeration",
        "LosesAStateInAPause",
        Kind.ENUMERATION,
        "native-jit",
        _count("latin5", "." * 25, 200_000),
        161_280,
        0.025,
    ),
    Planted(
        "enumeration",
        "LosesTheFullStack",
        Kind.START,
        "native-jit",
        _solve("latin5", "." * 25),
        1,
        0.0004,
    ),
)

STATE: Final = (
    Planted(
        "state",
        "ExcludedValuesAreKept",
        Kind.STATE,
        "cpsat",
        (
            Call("latin3", "1231231.3123123123123123123", Task.COUNT, 1),
            Call("latin3", "3....3...", Task.COUNT, 2),
        ),
        2,
        0.073,
    ),
    Planted(
        "state",
        "LastGivenOfAnUnsatisfiablePuzzle",
        Kind.STATE,
        "cpsat",
        (Call("latin2", "..11"), Call("latin2", "...2")),
        1,
        0.027,
    ),
    Planted(
        "state",
        "NewModelAfter150Calls",
        Kind.STATE,
        "cpsat",
        (Call("latin2", "...1", times=150), Call("latin2", "..11")),
        0,
        0.006,
    ),
    Planted(
        "state",
        "TablesByTheirSize",
        Kind.STATE,
        "native-jit",
        (Call("4x4", "." * 16), Call(JIGSAW, "." * 16)),
        1,
        0.34,
    ),
    Planted(
        "state",
        "PencilmarksWithTheSameBeginning",
        Kind.STATE,
        "native-jit",
        (
            Call("latin4", f"123.{'1234' * 15}"),
            Call("latin4", f"123.{'1234' * 14}123.", Task.COUNT, 1000),
        ),
        336,
        None,
    ),
    Planted(
        "state",
        "LinksOfTheSamePuzzle",
        Kind.STATE,
        "dlx",
        (Call("latin2", "...."), Call("latin2", "....", Task.COUNT, 3)),
        2,
        0.09,
    ),
    Planted(
        "state",
        "CountOfTheSamePuzzle",
        Kind.STATE,
        "native",
        (Call("latin2", "....", Task.COUNT, 1), Call("latin2", "....", Task.COUNT, 2)),
        2,
        None,
    ),
    Planted(
        "state",
        "AssumptionsOfTheSameCells",
        Kind.STATE,
        "cnf",
        (Call("latin2", "1..."), Call("latin2", "2...")),
        1,
        0.007,
        "reuse=true",
    ),
    Planted(
        "state",
        "SelectorOfAnUnsatisfiableCount",
        Kind.STATE,
        "cnf",
        (
            Call("latin2", "..11", Task.COUNT, 1),
            Call("latin2", "...1", Task.COUNT, 1),
        ),
        1,
        0.041,
        "reuse=true",
    ),
)

CHANCE: Final = (
    Planted(
        "chance", "InterruptedSearches", Kind.CHANCE, "cnf", _solve("latin2", "...."), 1, 0.003
    ),
    Planted(
        "chance", "LosesACandidate", Kind.CHANCE, "native", _count("latin2", "....", 3), 2, 0.002
    ),
    Planted(
        "chance", "SwapsTwoCells", Kind.CHANCE, "native-jit", _solve("latin2", "...."), 1, 0.0006
    ),
    Planted(
        "chance", "ReadsAnotherStatus", Kind.CHANCE, "cpsat", _solve("latin2", "...."), 1, 0.0008
    ),
    Planted("chance", "LosesAnOption", Kind.CHANCE, "dlx", _count("latin2", "....", 3), 2, None),
    Planted(
        "chance",
        "FindsASolutionTwice",
        Kind.CHANCE,
        "reasoning",
        _count("latin2", "....", 9),
        2,
        None,
    ),
)

OPTIONS: Final = (
    Planted(
        "options",
        "IntegersWithoutPairs",
        Kind.OPTION,
        "cpsat",
        _solve("latin4+antiknight", "." * 16),
        1,
        0.091,
        "formulation=integer",
    ),
    Planted(
        "options",
        "BranchesBeyondTheLimit",
        Kind.OPTION,
        "native-jit",
        _count("4x4", "." * 16, 40),
        40,
        0.059,
        "split=20",
    ),
    Planted(
        "options",
        "WitnessOfTheFirstBranch",
        Kind.OPTION,
        "native-jit",
        _count(
            ANTIKNIGHT,
            "...9....69............2..7....................2.68.....5......1..4......3...7....",
            10,
        ),
        7,
        0.004,
        "split=2",
    ),
    Planted(
        "options",
        "TailOfABatch",
        Kind.OPTION,
        "native-jit",
        (Call("latin2", "1...", Task.SOLVE_MANY, rows=("1...",) * 16),),
        1,
        None,
        "threads=2",
    ),
    Planted(
        "options",
        "UnitsOfTheMinimalEncoding",
        Kind.OPTION,
        "cnf",
        _solve("latin2", "...1"),
        1,
        0.6,
        "counting=enumerate,encoding=minimal",
    ),
    Planted(
        "options",
        "GlucoseWithABudget",
        Kind.OPTION,
        "cnf",
        _count(ANTIKNIGHT, "." * 81, 100),
        100,
        0.003,
        "solver=glucose4",
    ),
    Planted(
        "options",
        "FirstCellBreadthFirst",
        Kind.OPTION,
        "reasoning",
        _solve("latin6", "." * 36),
        1,
        0.042,
        "order=first,search=breadth-first",
    ),
)

RESTRICTIONS: Final = (
    Planted(
        "restrictions",
        "LastPencilmarksOfABand",
        Kind.RESTRICTION,
        "native-jit",
        _count("9x9", f"{'123456789' * 80}...6...8.", 3),
        3,
        0.014,
    ),
    Planted(
        "restrictions",
        "PencilmarksOfTheLastCell",
        Kind.RESTRICTION,
        "cnf",
        _count("latin3", f"{'123' * 8}12.", 12),
        8,
        0.005,
    ),
    Planted(
        "restrictions",
        "GapsOfOneValue",
        Kind.RESTRICTION,
        "cpsat",
        _count("latin3", f"{'123' * 8}1.3", 12),
        8,
        0.023,
        "formulation=integer",
    ),
    Planted(
        "restrictions",
        "PairsBeyond64",
        Kind.RESTRICTION,
        "dlx",
        _count("latin5+antiking", "." * 25, 2),
        2,
        0.02,
    ),
    Planted(
        "restrictions",
        "LargestGivenAmongPencilmarks",
        Kind.RESTRICTION,
        "native",
        _solve("latin3", "1231231231.3123..3123123123"),
        1,
        0.021,
    ),
)

STARTS: Final = (
    Planted(
        "starts",
        "FillsTheLastBlanks",
        Kind.START,
        "native",
        _solve(
            "9x9",
            "714.59.8..26174.5.953..61..3954.762868293.4174.168239...85.37.114726853.53.7.1862",
        ),
        1,
        0.006,
    ),
    Planted(
        "starts", "FullGridsAreSolutions", Kind.START, "dlx", _solve("latin2", "1111"), 0, 0.002
    ),
    Planted(
        "starts",
        "FullGridsWithoutBoxes",
        Kind.START,
        "native",
        _solve("4x4", "1234234134124123"),
        0,
        None,
    ),
    Planted(
        "starts",
        "LimitOfTheWholeBatch",
        Kind.START,
        "native",
        (Call("latin3", "." * 9, Task.COUNT_MANY, 12, rows=("." * 9,) * 6),),
        12,
        None,
    ),
    Planted(
        "starts", "FullGridsHaveNoModel", Kind.START, "cnf", _count("latin2", "1221", 1), 1, 0.046
    ),
    Planted(
        "starts",
        "LargestValueTwiceInAPair",
        Kind.START,
        "cnf",
        _solve("6x6+antiking", f"......6......6{'.' * 22}"),
        0,
        None,
    ),
    Planted(
        "starts",
        "LargeMatrices",
        Kind.START,
        "exact-cover",
        _solve("9x9", "." * 81),
        1,
        0.034,
        requires="exact-cover",
    ),
    Planted(
        "starts",
        "RowsModulo256",
        Kind.START,
        "native-jit",
        (Call("latin2", "2...", Task.SOLVE_MANY, rows=("1...",) * 256),),
        1,
        None,
    ),
    Planted(
        "starts",
        "SamePatternInABatch",
        Kind.START,
        "cnf",
        (Call("latin2", "2...", Task.SOLVE_MANY, rows=("1...",)),),
        1,
        None,
    ),
    Planted(
        "starts",
        "TurnsSymmetricPuzzles",
        Kind.START,
        "dlx",
        _solve("latin3", "312123231"),
        1,
        0.027,
    ),
)

OUTSIDE: Final = (
    Planted(
        "defects_from_outside",
        "CountsWithAllWorkers",
        Kind.OUTSIDE,
        "cpsat",
        _count("4x4", "." * 16, 300),
        288,
        0.16,
        "workers=4",
        varies=True,
    ),
    Planted(
        "defects_from_outside",
        "StoppedSearchIsOptimal",
        Kind.OUTSIDE,
        "milp",
        _solve("6x6", "..............................5....."),
        1,
        0.2,
    ),
    Planted(
        "defects_from_outside",
        "StoppedSearchIsInfeasible",
        Kind.OUTSIDE,
        "milp",
        _solve(
            "9x9",
            "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
        ),
        1,
        0.075,
    ),
    Planted(
        "defects_from_outside",
        "InfeasibleArrivesLate",
        Kind.OUTSIDE,
        "cpsat",
        (Call("latin2", "..11"), Call("latin2", "....")),
        1,
        0.037,
    ),
    Planted(
        "defects_from_outside",
        "GivingUpIsAProof",
        Kind.OUTSIDE,
        "reasoning",
        _solve("latin3", "." * 9),
        1,
        0.22,
        "search=breadth-first,most_boards=5",
    ),
    Planted(
        "defects_from_outside",
        "NodeLimitIsAProof",
        Kind.OUTSIDE,
        "native-jit",
        _solve("latin3", "." * 9),
        1,
        0.25,
        "nodes=3",
    ),
    Planted(
        "defects_from_outside",
        "AssumptionsBeyond48",
        Kind.OUTSIDE,
        "cnf",
        _count(
            "9x9",
            "5726.3148.8475.2.6.6.8.49..2.83.9..41364.2.9.49.165.2..4..1.7597..5..3.2.25.37.6.",
            2,
        ),
        1,
        0.072,
        "reuse=true",
    ),
    Planted(
        "defects_from_outside",
        "SlacksOfPairs",
        Kind.OUTSIDE,
        "cnf",
        _count("latin4+antiknight", "..4.3..4...2....", 2),
        1,
        0.037,
        "counting=enumerate",
    ),
)

PLANTED: Final = (
    *CLAUSES,
    *ROWS,
    *PROPAGATION,
    *ENUMERATION,
    *STATE,
    *CHANCE,
    *OPTIONS,
    *RESTRICTIONS,
    *STARTS,
    *OUTSIDE,
)
