"""The clauses of the contract, and checks of a backend's declarations."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final, NamedTuple

from harness.base.errors import OptionError
from harness.contract import Answer, Backend, Count, Options, describe_options
from harness.puzzles import Puzzle, SolutionCount

# The clauses of the contract, and breaches of them.


TINY: Final = 4
"""The largest size whose questions every backend must answer in time."""
SMALL: Final = 6
"""The largest size whose questions every backend must answer if half of the cells are given."""
FEW: Final = 24
"""The largest number of solutions that every backend must count in time."""


class Clause(Enum):
    """A clause of the contract, as one sentence."""

    NAMES = "A backend declares its name, its paradigm, its packages and its options."
    ANSWER = "An answer is an Answer or a Count of plain ints, tuples and numbers."
    SOLUTION = "A solution keeps givens, marks and constraints, fills houses and separates pairs."
    PROOF = "A backend claims only what it has proved, and otherwise reports unknown."
    COUNT = "A count is the number of solutions, or the limit if there are more."
    EXACT = "A count is exact if it is complete and below the limit, and never at the limit."
    BATCH = "Row i of the result of a batch is the answer to puzzle i."
    MEMORY = "A backend keeps nothing from one puzzle for the next and shares nothing with others."
    PUZZLE = "A backend does not modify puzzles."
    OPTIONS = "A backend reads all its options and keeps the contract with every value."
    QUIET = "A backend prints nothing and leaves the standard streams alone."
    TRACES = "A call leaves no file, thread or process, and the folder and environment unchanged."
    TIME = "Small puzzles take moments; a backend without time left reports unknown."
    LIFE = "A backend raises no exception but Unsupported, and its process survives."

    @property
    def id(self) -> str:
        """The short name of the clause."""
        return self.name.lower()


class Fault(NamedTuple):
    """What is wrong, and the clause that it breaks."""

    clause: Clause
    message: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question with a known answer."""

    title: str
    """The title of the question, for example "a solution"."""
    puzzle: Puzzle
    """The puzzle of the question."""
    solutions: int
    """The number of solutions, or a lower bound if `at_least`."""
    limit: int | None = None
    """The limit of `count`; None for `solve`."""
    time_limit: float | None = None
    """A time limit in seconds that may be too short, so that unknown is right; None for
    no limit."""
    at_least: bool = False
    """Whether there may be more solutions than `solutions`, which then decides the answer to
    `solve`, and to `count` with a limit up to it."""

    def __str__(self) -> str:
        return f"{self.title} ({self.puzzle.shape})"

    @property
    def known(self) -> SolutionCount:
        """What is known about the number of solutions."""
        return SolutionCount.from_number(self.solutions, not self.at_least)

    @property
    def blanks(self) -> int:
        """The number of blank cells."""
        return len(self.puzzle.givens) - self.puzzle.clues

    @property
    def is_sparse(self) -> bool:
        """Whether fewer than half of the cells are given."""
        return self.blanks > self.puzzle.clues

    @property
    def counted(self) -> int:
        """The number of solutions that must be found for the answer."""
        return min(1 if self.limit is None else self.limit, self.solutions)

    @property
    def is_demanding(self) -> bool:
        """Whether a slow backend may need more than the time limit: a large search or count."""
        size = TINY if self.is_sparse else SMALL
        return self.puzzle.shape.size > size or self.counted > FEW

    def put_to(self, backend: Backend[Any], puzzle: Puzzle) -> Answer | Count:
        """The unchecked answer of `backend` to this question about `puzzle`, a copy of its own."""
        if self.limit is None:
            return backend.solve(puzzle)
        return backend.count(puzzle, self.limit)

    @property
    def call(self) -> str:
        """The call to the backend: ``solve`` or ``count, limit 2``."""
        return "solve" if self.limit is None else f"count, limit {self.limit}"


@dataclass(frozen=True, slots=True)
class Breach:
    """A fault of a backend, found by a part of the suite."""

    clause: Clause
    """The clause of the contract that is violated."""
    message: str
    """What the backend did, and what was expected."""
    part: str
    """The title of the part."""
    case: Case | None = None
    """The question, if the fault is in the answer to one."""

    def __str__(self) -> str:
        if self.case is None:
            return f"{self.part}: {self.message}"
        return f"{self.part}: {self.message}: {self.case.puzzle.line}"


# Checks of the declarations in a backend's class and options.


def faults_of_class(backend: type[Backend[Any]]) -> Iterator[Fault]:
    """The faults of a class, found without an instance."""
    yield from (Fault(Clause.NAMES, fault) for fault in _faults_of_declaration(backend))
    yield from (Fault(Clause.OPTIONS, fault) for fault in _faults_of_options(backend.options_type))


def has_batches(backend: type[Backend[Any]]) -> bool:
    """Whether a backend has batch methods of its own."""
    defaults = (Backend.solve_many, Backend.count_many)
    return (backend.solve_many, backend.count_many) != defaults


def _faults_of_declaration(backend: type[Backend[Any]]) -> Iterator[str]:
    name = getattr(backend, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w.-]*", name):
        yield f"name is {name!r}, expected a word such as 'cpsat'"
    paradigm = getattr(backend, "paradigm", None)
    if not isinstance(paradigm, str) or not paradigm.strip():
        yield f"paradigm is {paradigm!r}, expected a few words on the method"
    names: Any = backend.distributions
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        yield f"distributions is {names!r}, expected a tuple of names"
    if missing := sorted(backend.__abstractmethods__):
        yield f"{' and '.join(missing)} is not implemented"
    if backend.counts_natively and backend.count is Backend.count:
        yield "counts_natively is set, but count is the default"
    if backend.batches_natively and not has_batches(backend):
        yield "batches_natively is set, but solve_many and count_many are the default"


def _faults_of_options(options: Any) -> Iterator[str]:
    if not (isinstance(options, type) and issubclass(options, Options)):
        yield f"options_type is {options!r}, expected a subclass of Options"
        return
    if "__dataclass_params__" not in vars(options) or not is_dataclass(options):
        yield f"{options.__name__} is not a dataclass"
        return
    if not vars(options)["__dataclass_params__"].frozen:
        yield f"{options.__name__} is not frozen"
    try:
        declared_options = describe_options(options)
    except TypeError as error:
        yield str(error)
        return
    for option in declared_options:
        if option.type not in ("bool", "int", "float", "str"):
            yield f"option {option.name} is a {option.type}, not a bool, int, float or str"
        elif type(option.default).__name__ != option.type:
            yield f"option {option.name} has the default {option.default!r}, not a {option.type}"
        if not option.help:
            yield f"option {option.name} has no help"
        if option.choices and option.default not in option.choices:
            yield f"the default of option {option.name} is not one of its choices"


def settings_of(options: Options) -> Iterator[tuple[str, Options]]:
    """`options` with each other value of each bool or choice, one at a time, with its setting.

    Options that need not keep the contract stay as they are.
    """
    for option in describe_options(type(options)):
        values: tuple[Any, ...] = option.choices
        if option.type == "bool":
            values = (False, True)
        if option.name in options_with_defects(options):
            values = ()
        for value in values:
            if value != getattr(options, option.name):
                text = str(value).lower() if option.type == "bool" else value
                try:
                    other = replace(options, **{option.name: value})
                except OptionError:
                    continue  # the other options exclude it
                yield f"{option.name}={text}", other


def options_with_defects(options: Options) -> list[str]:
    """The names of the options that are declared with ``keeps_contract=False``."""
    return [f.name for f in fields(options) if not f.metadata.get("keeps_contract", True)]


def watched(options: Options, reads: set[str]) -> Options:
    """A copy of `options` that adds the names of fields to `reads` as they are read."""
    names = {f.name for f in fields(options)}

    def read(self: object, name: str) -> Any:
        if name in names:
            reads.add(name)
        return object.__getattribute__(self, name)

    kind = type(options)
    copy: Any = object.__new__(type(kind.__name__, (kind,), {"__getattribute__": read}))
    for name in names:
        with suppress(AttributeError):
            object.__setattr__(copy, name, object.__getattribute__(options, name))
    assert isinstance(copy, Options)
    return copy
