"""Sweeps: the options of a run, declared once for the command line, TOML and Python."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Final, cast

from msgspec import Meta

from harness.errors import OptionError
from harness.experiment.option import check_names, options_of
from harness.puzzles.address import Address
from harness.puzzles.catalogue import address_of
from harness.records.question import (
    DEFAULT_LIMIT,
    DEFAULT_TIMEOUT_S,
    MOST_MEMORY_MIB,
    Question,
    Start,
    Task,
)

RESULTS: Final = Path("results")
"""Parent folder of runs, relative to the working folder."""
MOST_REPETITIONS: Final = 1_000_000
"""The most repetitions of a trial; more of them make no mean more exact."""
MOST_JOBS: Final = 1024
"""The most trials that run at the same time; each has processes of its own."""

SweepChanges = Mapping[str, object]
"""Options of a sweep by name, unchecked, as a file or a command line gives them."""


@dataclass(frozen=True)
class Sweep:
    """The options of a run. The name of its folder follows from them.

    Numbers have the units of the command line: seconds and MiB.

    Raises:
        OptionError: an option has a wrong type or is out of range; `where` is its name.
    """

    datasets: Annotated[
        tuple[str, ...],
        Meta(
            description="Dataset name or puzzle file.",
            extra={
                "flag": "--dataset",
                "metavar": "NAME_OR_FILE",
                "value": "dataset names or puzzle files, one or more",
            },
        ),
    ]
    backends: Annotated[
        tuple[str, ...],
        Meta(
            description="Backend: cnf, cnf[solver=glucose4], file.py or program.toml.",
            extra={"flag": "--backend", "metavar": "SPEC", "value": "backend specs, one or more"},
        ),
    ]
    tasks: Annotated[
        tuple[Task, ...],
        Meta(
            description="Task: find a solution, or count solutions up to the limit.",
            extra={"flag": "--task"},
        ),
    ] = (Task.SOLVE,)
    limit: Annotated[
        int,
        Meta(
            ge=1,
            description="Number of solutions at which count stops; 2 tests whether a solution is "
            "unique.",
            extra={"metavar": "N"},
        ),
    ] = DEFAULT_LIMIT
    starts: Annotated[
        tuple[Start, ...],
        Meta(
            description="Start: time a new backend object (cold), the call alone (warm), or one "
            "call for many puzzles (batch).",
            extra={"flag": "--start"},
        ),
    ] = (Start.COLD,)
    repeat: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_REPETITIONS,
            description="Number of repetitions on each puzzle.",
            extra={"metavar": "N"},
        ),
    ] = 1
    until_stable: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_REPETITIONS,
            description="Repeat results with unstable times up to N times in all; 0 for no "
            "further repetitions.",
            extra={"metavar": "N"},
        ),
    ] = 0
    timeout: Annotated[
        float,
        Meta(
            gt=0,
            description="Wall time limit of a trial in seconds.",
            extra={"metavar": "SECONDS", "unit": "seconds"},
        ),
    ] = DEFAULT_TIMEOUT_S
    cpu: Annotated[
        float,
        Meta(
            ge=0,
            description="CPU time limit of a trial in seconds, children included; 0 for no limit.",
            extra={"metavar": "SECONDS", "unit": "seconds"},
        ),
    ] = 0.0
    memory: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_MEMORY_MIB,
            description="Memory limit in MiB above the worker's baseline; 0 for no limit.",
            extra={"metavar": "MIB", "unit": "MiB"},
        ),
    ] = 0
    jobs: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_JOBS,
            description="Number of trials that run at the same time, each on its own core.",
            extra={"metavar": "N"},
        ),
    ] = 1
    seed: Annotated[
        int, Meta(description="Random seed for the trial order.", extra={"metavar": "N"})
    ] = 0
    shape: Annotated[
        str | None,
        Meta(
            description="Puzzle shape: 9x9, box5x2, latin7, 6x6+diagonal, jigsaw:REGIONS; by "
            "default the file names it, or it follows from the length.",
            extra={"metavar": "SHAPE", "value": "the name of a shape, such as 9x9 or latin7"},
        ),
    ] = None
    where: Annotated[
        str | None,
        Meta(
            description="Choose puzzles by a condition, such as clues < 20 and minimal; "
            "docs/columns.md lists the names.",
            extra={"metavar": "CONDITION", "value": "a condition as text, such as clues < 20"},
        ),
    ] = None
    scramble: Annotated[
        int | None,
        Meta(
            description="Replace each puzzle by an equivalent one (other values, rows and "
            "columns) that follows from this seed.",
            extra={"metavar": "SEED"},
        ),
    ] = None

    def __post_init__(self) -> None:
        for name, option in options_of(Sweep).items():
            object.__setattr__(self, name, option.checked(getattr(self, name)))
        if self.where is not None:
            from harness.features.where import Where  # a sweep without a condition needs no parser

            Where.parse(self.where)
        if self.until_stable and self.until_stable <= self.repeat:
            raise OptionError(
                f"invalid value {self.until_stable} with repeat = {self.repeat}",
                where="until_stable",
                expected=f"0, or at least {self.repeat + 1} repetitions",
            )

    @staticmethod
    def of(changes: SweepChanges) -> "Sweep":
        """Make a sweep of the defaults and these options, `changes` by their names.

        Raises:
            OptionError: an option is unknown, missing, of a wrong type or out of range.
        """
        check_names(Sweep, changes)
        # The constructor checks the type of every value.
        make = cast("Callable[..., Sweep]", Sweep)
        return make(**{"datasets": (), "backends": ()} | dict(changes))

    @property
    def folder_name(self) -> str:
        """A readable name from the datasets, and a digest of all options except `jobs`.

        A run can be resumed with another number of jobs: its trials are the same.
        """
        stems = [_stem(address_of(name)) for name in self.datasets]
        readable = re.sub(r"[^\w+-]+", "_", "+".join(stems))[:40].strip("_+") or "run"
        options = {name: value for name, value in asdict(self).items() if name != "jobs"}
        content = json.dumps(options, sort_keys=True)
        return f"{readable}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def questions(self) -> list[Question]:
        """Every combination of task and start."""
        return [
            Question.of(task, self.limit, start, self.timeout, self.cpu, self.memory)
            for task, start in product(self.tasks, self.starts)
        ]


def _stem(address: Address) -> str:
    """The dataset in the name of a folder: ``named``, ``named-3``."""
    stem = re.split(r"[\\/]", address.source)[-1].rsplit(".", 1)[0]
    return "-".join(filter(None, [stem, address.selection]))
