"""`harness check --fuzz` and `harness check --replay`."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.interrupts import interruptible
from harness.cli.options import parsed_option, whole_number
from harness.cli.sweep_options import SWEEP_OPTIONS, flags_in_errors
from harness.cli.terminal import console_of, notice, show, theme_of
from harness.errors import Interrupted, OptionError
from harness.experiment.sweep import SweepChanges
from harness.report.style import Style

if TYPE_CHECKING:
    from harness.experiment.fuzzing.fuzz import FuzzRequest

FOLDER: Final = Path("results") / "disagreements"
"""Where the cases of faults are saved, relative to the working folder."""
_SECONDS: Final[Mapping[str, int]] = {"s": 1, "m": 60, "min": 60, "h": 3600}
_MOST_S: Final = 10**7
_EXPECTED: Final = "seconds, minutes or hours such as 30s, 5m or 2h, or a number of trials"


@dataclass(frozen=True, slots=True)
class Amount:
    """How long to fuzz: seconds or trials."""

    seconds: float | None = None
    trials: int | None = None

    @staticmethod
    def parse(text: str) -> "Amount":
        """The amount that a user types: ``30s``, ``1.5h``, ``10000``.

        Raises:
            OptionError: it is something else, or nothing.
        """
        match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(s|m|min|h)?", text.strip().lower())
        if match and match[2]:
            seconds = float(match[1]) * _SECONDS[match[2]]
            if 0 < seconds <= _MOST_S:
                return Amount(seconds=seconds)
        elif match and match[1].isdigit() and int(match[1]):
            return Amount(trials=int(match[1]))
        raise OptionError(f"invalid value {text!r:.60}", where="--fuzz", expected=_EXPECTED)


FuzzOption = Annotated[
    Amount | None,
    parsed_option(
        "--fuzz",
        "TIME_OR_TRIALS",
        "Compare on random puzzles of many shapes, with the options of each backend varied, for "
        "this time (30s, 5m, 2h) or number of trials (10000). --dataset then gives puzzles to "
        "change; it may be left out. --timeout is 3 s by default.",
        Amount.parse,
    ),
]
ReplayOption = Annotated[
    Path | None,
    typer.Option(
        "--replay",
        metavar="FILE_OR_FOLDER",
        help="Repeat the cases that --fuzz saved, on their backends or on those of --backend.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help=f"Folder for the cases that --fuzz finds. [default: {FOLDER.as_posix()}]",
    ),
]
SeedOption = Annotated[
    int | None,
    parsed_option("--seed", "N", "Random seed of --fuzz. [default: 0]", whole_number("--seed", 0)),
]

_OF_FUZZ: Final = ("datasets", "backends", "timeout", "jobs", "shape", "where")
_OF_REPLAY: Final = ("backends", "timeout")


def require_only(changes: SweepChanges, flag: str, others: Mapping[str, object]) -> None:
    """Check that no option is set that `flag` does not use.

    Args:
        changes: the options of a sweep that the user set.
        flag: ``--fuzz`` or ``--replay``.
        others: further options of the command with their values, by their flags.

    Raises:
        OptionError: one is set.
    """
    used = _OF_FUZZ if flag == "--fuzz" else _OF_REPLAY
    unused = [SWEEP_OPTIONS[name].flag for name in changes if name not in used]
    unused += [name for name, value in others.items() if value not in (None, False)]
    if unused:
        raise OptionError(
            f"{flag} does not use it",
            where=unused[0],
            expected=f"{flag} with {', '.join(SWEEP_OPTIONS[name].flag for name in used)}",
        )


def require_fuzz(options: Mapping[str, object]) -> None:
    """Check that no option of ``--fuzz`` is set without it.

    Raises:
        OptionError: one is set.
    """
    for flag, value in options.items():
        if value is not None:
            raise OptionError(
                "is an option of --fuzz", where=flag, expected="--fuzz, as in --fuzz 30s"
            )


def fuzz(
    amount: Amount,
    changes: SweepChanges,
    *,
    out: Path | None,
    seed: int | None,
    skip_unavailable: bool,
    as_json: bool,
) -> None:
    """Fuzz, show what was found, and exit with code 1 if there is a fault."""
    from harness.cli.fuzz_lines import data_of, lines
    from harness.cli.fuzz_progress import FuzzProgress
    from harness.experiment.fuzzing.fuzz import fuzz as run
    from harness.experiment.interruption import signals_as_interrupts

    with flags_in_errors():
        request = _request(amount, changes, out, seed, skip_unavailable)
    progress = FuzzProgress(console_of(sys.stderr))
    with interruptible(), signals_as_interrupts(), flags_in_errors(), progress:
        report = run(request, progress)
    if as_json:
        from harness.report.render.json import json

        show(json(data_of(report)), end="")
    else:
        theme = theme_of()
        for line in lines(report):
            bad = line.startswith(("FAULT", "UNDECIDED", "no answer: "))
            show(theme.styled(line, Style.BAD if bad else Style.PLAIN))
    if report.interruption is not None:
        notice(f"interrupted: {report.number_of_trials:,} trials ended")
        if isinstance(report.interruption, Interrupted):
            raise typer.Exit(report.interruption.code)
        raise report.interruption
    if not report.agreed:
        raise typer.Exit(1)


def replay(path: Path, changes: SweepChanges, *, as_json: bool) -> None:
    """Repeat saved cases, show the results, and exit with code 1 if a fault is still there."""
    from harness.cli.fuzz_lines import replay_line, replays_of
    from harness.experiment.fuzzing.replay import Replayed
    from harness.experiment.fuzzing.replay import replay as run
    from harness.experiment.fuzzing.saved import read_cases
    from harness.experiment.selection import expand_specs

    with flags_in_errors():
        specs = expand_specs([str(spec) for spec in _list(changes, "backends")])
        timeout = SWEEP_OPTIONS["timeout"]
        timeout_s = timeout.checked(changes.get("timeout", timeout.default))
    assert isinstance(timeout_s, float)
    cases = read_cases(path)
    results = []
    with interruptible():
        for result in run(cases, specs, timeout_s):
            results.append(result)
            if not as_json:
                show(replay_line(result))
    if as_json:
        from harness.report.render.json import json

        show(json(replays_of(results)), end="")
    if any(result.result is not Replayed.RIGHT for result in results):
        raise typer.Exit(1)


def _request(
    amount: Amount,
    changes: SweepChanges,
    out: Path | None,
    seed: int | None,
    skip_unavailable: bool,
) -> "FuzzRequest":
    from harness.experiment.fuzzing.fuzz import DEFAULT_TIMEOUT_S, FuzzRequest
    from harness.experiment.fuzzing.puzzles import puzzles_by_shape
    from harness.experiment.instances import datasets_of
    from harness.experiment.selection import EVERY_BACKEND
    from harness.experiment.sweep import Sweep
    from harness.puzzles.shape import Shape

    backends = changes.get("backends", (EVERY_BACKEND,))
    defaults = {"datasets": ("seeds",), "backends": backends, "timeout": DEFAULT_TIMEOUT_S}
    sweep = Sweep.of(defaults | dict(changes))
    known = puzzles_by_shape(datasets_of(sweep)) if "datasets" in changes else {}
    if "where" in changes and not known:
        raise OptionError("there is no puzzle to choose", where="where", expected="--dataset")
    shapes = (Shape.parse(sweep.shape),) if sweep.shape else tuple(known)
    folder = out or FOLDER
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"{folder} is a file", where="--out", expected="a folder")
    return FuzzRequest(
        sweep.backends,
        amount.seconds,
        amount.trials,
        folder,
        seed or 0,
        shapes,
        sweep.timeout,
        sweep.jobs,
        known,
        skip_unavailable=skip_unavailable,
    )


def _list(changes: SweepChanges, name: str) -> list[object]:
    values = changes.get(name, ())
    return list(values) if isinstance(values, list | tuple) else [values]
