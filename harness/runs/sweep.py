"""Sweeps: the options of a run, declared once for the command line, TOML and Python.

A field is declared once, with its type, default, limits and help. The command line takes its
options and help from the declaration, and every value is checked against it, whether it comes
from the command line, a TOML file or Python.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from harness.base.errors import (
    InputError,
    OptionError,
    invalid,
    items_of,
    not_among,
    one_of,
    python_value,
    with_home,
)
from harness.base.text import is_writable
from harness.records import DEFAULT_LIMIT, DEFAULT_TIMEOUT_S, MOST_MEMORY_MIB, Question, Start, Task

# Declared options: the fields of a dataclass with their types, limits and help.


_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Option:
    """A declared option."""

    name: str
    """Name of the field in Python and TOML."""
    default: object
    """Default value; None if the option is required."""
    help: str
    flag: str
    """Name on the command line, such as ``--until-stable``."""
    metavar: str
    scalar: type
    """Type of a value, or of one value of a list."""
    is_list: bool
    expected: str
    """Valid values in words, for messages."""
    annotation: Any
    """Type with its limits, as `msgspec.convert` takes it."""

    def convert(self, value: object) -> object:
        """Return `value` in the type of the option, without duplicates in a list.

        A list may be given as one value, or as anything that yields values. In a text of a list,
        which may name a file, a ``~`` at the beginning is the home of a user.

        Raises:
            OptionError: `value` has a wrong type or is out of range; `where` is the name.
        """
        value = python_value(value)
        if self.is_list and isinstance(value, self.scalar):
            value = [value]
        if self.is_list and (items := items_of(value)) is not None:
            if not items:
                raise OptionError("none given", where=self.name, expected=self.expected)
            if issubclass(self.scalar, StrEnum):
                items = [parse_choice(self.scalar, item, self.name) for item in items]
            value = with_home(items, self.name)
        try:
            result: object = msgspec.convert(value, self.annotation)
        except (msgspec.ValidationError, UnicodeEncodeError):  # text with a lone surrogate
            raise self._invalid(value) from None
        if isinstance(result, float) and not math.isfinite(result):
            raise self._invalid(value)
        if isinstance(result, int) and not is_writable(result):
            raise self._invalid(value)
        return tuple(dict.fromkeys(result)) if isinstance(result, tuple) else result

    def parsed(self, text: str) -> object:
        """Return the value, or one value of a list, that `text` on a command line stands for.

        Raises:
            OptionError: `text` is not a valid value; `where` is the name.
        """
        if issubclass(self.scalar, StrEnum):
            return parse_choice(self.scalar, text, self.name)
        if self.scalar is str:
            return text
        try:
            value = self.convert(msgspec.convert(text, self.scalar, strict=False))
            return value[0] if isinstance(value, tuple) else value
        except msgspec.ValidationError:
            raise self._invalid(text) from None

    @property
    def default_text(self) -> str:
        """The default as the user types it; empty without a default."""
        return "" if self.default is None else self.text_of(self.default)

    def text_of(self, value: object) -> str:
        """A value as the user types it."""
        values = value if isinstance(value, tuple) else (value,)
        return " ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)

    def _invalid(self, value: object) -> InputError:
        return invalid(self.name, value, self.expected)


@lru_cache
def options_of(kind: type) -> Mapping[str, Option]:
    """The options that the dataclass `kind` declares, by name, in the order of its fields."""
    hints = get_type_hints(kind)
    return {declared.name: _option(declared, hints[declared.name]) for declared in fields(kind)}


def check_names(kind: type, values: Mapping[str, object]) -> None:
    """Check that the dataclass `kind` declares every option in `values`.

    Raises:
        OptionError: a name is unknown; the error lists the valid names.
    """
    options = options_of(kind)
    for name in values:
        if name not in options:
            raise not_among(OptionError, f"unknown option {name!r}", name, options)


def parse_choice(kind: type[_Choice], text: object, name: str) -> _Choice:
    """Return the member of `kind` called `text`, for the option `name`.

    Raises:
        OptionError: `text` is not a member; the error lists the members.
    """
    if isinstance(text, str):
        with suppress(ValueError):
            return kind(text)
    members = [str(member) for member in kind]
    error = invalid(name, text, one_of(members))
    if isinstance(text, str):
        raise not_among(OptionError, error.what, text, members, where=name)
    raise error


def _option(declared: Field[Any], hint: Any) -> Option:
    details, limits = declared.metadata, declared.metadata["limits"]
    scalar = get_args(hint)[0] if get_args(hint) else hint
    metavar, expected = details["metavar"], details["expected"]
    if issubclass(scalar, StrEnum):
        choices = [str(member) for member in scalar]
        metavar, expected = "|".join(choices), f"a list with any of {', '.join(choices)}"
    elif scalar is not str:
        noun = "whole number" if scalar is int else "number"
        expected = _number(noun, details["unit"], **limits)
    annotation = hint
    if limits:
        annotation = Annotated[scalar, Meta(**limits)]
        annotation = annotation | None if NoneType in get_args(hint) else annotation
    return Option(
        declared.name,
        None if declared.default is MISSING else declared.default,
        details["help"],
        details["flag"] or f"--{declared.name.replace('_', '-')}",
        metavar,
        scalar,
        get_origin(hint) is tuple,
        expected,
        annotation,
    )


def _number(
    noun: str, unit: str, ge: float | None = None, gt: float | None = None, le: float | None = None
) -> str:
    """A number within these limits in words: ``a number of seconds greater than 0``."""
    text = f"a {noun} of {unit}" if unit else f"a {noun}"
    if ge is not None and le is not None:
        return f"{text} from {ge} to {le}"
    if gt is not None:
        return f"{text} greater than {gt:g}"
    if ge is not None:
        return f"{text}{',' if unit else ' of'} at least {ge:g}"
    return text


# Sweeps: the options of a run, declared once for the command line, TOML and Python.


RESULTS: Final = Path("results")
"""Parent folder of runs, relative to the working folder."""
MOST_REPETITIONS: Final = 1_000_000
"""Maximum number of repetitions of a trial; more of them would make no mean more precise."""
MOST_PROCESSES: Final = 1000
"""Maximum number of processes of a backend, one after another; each takes an import."""
MOST_JOBS: Final = 1024
"""Maximum number of trials that run at the same time; each has processes of its own."""

SweepChanges = Mapping[str, object]
"""Options of a sweep by name, unchecked, as a file or a command line gives them."""


def _declared(
    default: Any = MISSING,
    *,
    help: str,  # noqa: A002  as in Typer
    unit: str = "",
    metavar: str = "",
    flag: str = "",
    expected: str = "",
    **limits: float,
) -> Any:
    """A field of `Sweep`.

    Args:
        default: its default; without one, the option is required.
        help: a sentence on the option.
        unit: the unit of a number.
        metavar: what stands for a value in help; by default the unit or ``N``, or the choices.
        flag: its name on the command line, if it is not that of the field.
        expected: valid values in words; by default they follow from the type and the limits.
        limits: the limits `ge`, `gt` and `le` of a number.
    """
    details = {"help": help, "unit": unit, "metavar": metavar or unit.upper() or "N"}
    details |= {"flag": flag, "expected": expected}
    return field(default=default, metadata=details | {"limits": limits})


@dataclass(frozen=True)
class Sweep:
    """The options of a run. The name of its folder follows from them.

    Numbers have the units of the command line: seconds and MiB.

    Raises:
        OptionError: an option has a wrong type or is out of range; `where` is its name.
    """

    datasets: tuple[str, ...] = _declared(
        help="Dataset name or puzzle file.",
        flag="--dataset",
        metavar="NAME_OR_FILE",
        expected="dataset names or puzzle files, one or more",
    )
    backends: tuple[str, ...] = _declared(
        help="Backend: cnf, cnf[solver=glucose4], file.py or program.toml.",
        flag="--backend",
        metavar="SPEC",
        expected="backend specs, one or more",
    )
    tasks: tuple[Task, ...] = _declared(
        (Task.SOLVE,),
        help="Task: find a solution, or count solutions up to a maximum.",
        flag="--task",
    )
    max_solutions: int = _declared(
        DEFAULT_LIMIT,
        help="Number of solutions at which count stops; 2 tests whether a solution is unique.",
        ge=1,
    )
    starts: tuple[Start, ...] = _declared(
        (Start.COLD,),
        help="Start: time a new backend object (cold), the call alone (warm), or one call for many "
        "puzzles (batch).",
        flag="--start",
    )
    repeat: int = _declared(
        1, help="Number of repetitions on each instance.", ge=1, le=MOST_REPETITIONS
    )
    processes: int = _declared(
        1,
        help="Number of processes in which each backend runs, one after another: each imports it "
        "anew, as times differ from process to process.",
        ge=1,
        le=MOST_PROCESSES,
    )
    until_stable: int = _declared(
        0,
        help="Repeat results with unstable times up to N times in all; 0 for no further "
        "repetitions.",
        ge=0,
        le=MOST_REPETITIONS,
    )
    timeout: float = _declared(
        DEFAULT_TIMEOUT_S, help="Wall time limit of a trial in seconds.", unit="seconds", gt=0
    )
    cpu: float = _declared(
        0.0,
        help="CPU time limit of a trial in seconds, children included; 0 for no limit.",
        unit="seconds",
        ge=0,
    )
    memory: int = _declared(
        0,
        help="Memory limit in MiB above the worker's baseline; 0 for no limit.",
        unit="MiB",
        ge=0,
        le=MOST_MEMORY_MIB,
    )
    jobs: int = _declared(
        1,
        help="Number of trials that run at the same time, each on its own core.",
        ge=1,
        le=MOST_JOBS,
    )
    seed: int = _declared(0, help="Random seed of the trial order and of the sample.")
    shape: str | None = _declared(
        None,
        help="Puzzle shape: 9x9, box5x2, latin7, 6x6+diagonal, jigsaw:REGIONS; by default the file "
        "names it, or it follows from the length.",
        metavar="SHAPE",
        expected="the name of a shape, such as 9x9 or latin7",
    )
    where: str | None = _declared(
        None,
        help="Choose puzzles by a condition, such as clues < 20 and minimal; an unknown name "
        "prints all names.",
        metavar="CONDITION",
        expected="a condition as text, such as clues < 20",
    )
    sample: int | None = _declared(
        None,
        help="Choose N puzzles of each dataset at random, from those that meet the condition; all "
        "if there are fewer.",
        ge=1,
    )
    scramble: tuple[int, ...] = _declared(
        (0,),
        help="Replace each puzzle by an equivalent one (other values, rows and columns) that "
        "follows from a seed; with 0 it stays as it is.",
        metavar="SEED",
    )

    def __post_init__(self) -> None:
        for name, option in options_of(Sweep).items():
            object.__setattr__(self, name, option.convert(getattr(self, name)))
        if self.where is not None:
            from harness.puzzles.datasets import Where

            Where.parse(self.where)
        if self.until_stable and self.until_stable <= self.repeat:
            raise OptionError(
                f"invalid value {self.until_stable} with repeat = {self.repeat}",
                where="until_stable",
                expected=f"0, or at least {self.repeat + 1} repetitions",
            )

    @staticmethod
    def from_options(changes: SweepChanges) -> "Sweep":
        """Make a sweep from options by name; those that `changes` lacks have their defaults.

        Raises:
            OptionError: an option is unknown, missing, of a wrong type or out of range.
        """
        check_names(Sweep, changes)
        # The constructor checks the type of every value.
        make = cast("Callable[..., Sweep]", Sweep)
        return make(**{"datasets": (), "backends": ()} | dict(changes))

    @property
    def folder_name(self) -> str:
        """A readable name from the datasets, and a digest of all options that change trials.

        A run can be resumed with another number of jobs or processes: its trials are the same.
        """
        from harness.puzzles.datasets import address_of  # single puzzles need no datasets

        stems = []
        for address in map(address_of, self.datasets):
            stem = re.split(r"[\\/]", address.source)[-1].rsplit(".", 1)[0]
            stems.append("-".join(filter(None, [stem, address.selection])))
        readable = re.sub(r"[^\w+-]+", "_", "+".join(stems))[:40].strip("_+") or "run"
        unnamed = ("jobs", "processes")
        options = {name: value for name, value in asdict(self).items() if name not in unnamed}
        content = json.dumps(options, sort_keys=True)
        return f"{readable}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def questions(self) -> list[Question]:
        """Every combination of task and start."""
        return [
            Question(task, self.max_solutions, start, self.timeout, self.cpu, self.memory)
            for task, start in product(self.tasks, self.starts)
        ]


def folder_name(sweeps: Sequence[Sweep]) -> str:
    """The name of the folder of a run of these sweeps."""
    names = [sweep.folder_name for sweep in sweeps]
    if len(names) == 1:
        return names[0]
    digest = hashlib.sha256(" ".join(names).encode()).hexdigest()
    return f"{names[0].rpartition('-')[0]}-{digest[:8]}"


# Single questions: their defaults, and the checks they share with a sweep.


SINGLE_LIMIT: Final = 1000
"""Number of solutions at which the count of a single puzzle stops."""
SINGLE_TIMEOUT_S: Final = 300.0
"""Wall time limit of a single question in seconds."""


def question_of(
    task: Task,
    *,
    max_solutions: int = SINGLE_LIMIT,
    start: str = Start.COLD,
    timeout: float = SINGLE_TIMEOUT_S,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
) -> Question:
    """Make a question from options with the names, units and bounds that they have in a sweep.

    Raises:
        OptionError: an option has a wrong type or is out of range; `where` is its name.
    """
    values = {"max_solutions": max_solutions, "timeout": timeout, "cpu": cpu, "memory": memory}
    limits: list[Any] = [options_of(Sweep)[name].convert(v) for name, v in values.items()]
    return Question(task, limits[0], parse_choice(Start, start, "start"), *limits[1:])
