"""`harness fuzz`: backends compared on random puzzles, and replays of saved cases."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import typer

from harness.base.errors import OptionError
from harness.base.interruption import interruptible
from harness.cli import lazy
from harness.cli.ci import CIOptions
from harness.cli.commands import Catalogue, add_command
from harness.cli.options import (
    JsonOption,
    SkipOption,
    flags_in_errors,
    number_option,
    seconds_of,
    show_json,
    sweep_option,
    value_option,
    with_group,
    with_sweep_options,
)
from harness.cli.terminal import console_of, notice, show, theme_of
from harness.extensions.fuzz import DEFAULT_TIMEOUT_S
from harness.puzzles import Shape
from harness.report import Style
from harness.runs import Sweep, SweepChanges

if TYPE_CHECKING:
    from harness.extensions.fuzz.fuzz import FuzzRequest

_TITLE: Final = "harness fuzz"


def parse_amount(text: str) -> tuple[float | None, int | None]:
    """The seconds or the number of trials that a user types: ``30s``, ``1.5h``, ``10000``.

    Raises:
        OptionError: the text is neither, or the amount is 0 or too large.
    """
    word = text.strip()
    if word.isascii() and word.isdigit() and len(word) <= 9 and int(word):
        return None, int(word)
    if 0 < (seconds := seconds_of(text)) <= 10**7:
        return seconds, None
    raise OptionError(
        f"invalid value {text!r:.60}",
        where="AMOUNT",
        expected="seconds, minutes or hours such as 30s, 5m or 2h, or a number of trials",
    )


class _Fuzz(Catalogue):
    """A group of commands in which an amount stands for the command ``run`` with this amount."""

    default: ClassVar[str] = "run"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words; options before an amount belong to ``run`` too."""
        if args and args[0].startswith("-") and args[0] not in ctx.help_option_names:
            args = [self.default, *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


app = typer.Typer(cls=_Fuzz)


@app.callback(invoke_without_command=True)
def _fuzz(context: typer.Context) -> None:
    """Compare backends on random puzzles, for a time or a number of trials.

    harness fuzz 30s is short for harness fuzz run 30s, and harness fuzz run --help shows the
    options.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@with_group(ci=CIOptions)
@with_sweep_options(
    *("datasets", "backends", "timeout", "jobs", "shape", "where", "sample"),
    defaults={"backends": "every available one", "timeout": f"{DEFAULT_TIMEOUT_S:g}"},
)
def run(
    amount: Annotated[
        str,
        typer.Argument(
            metavar="AMOUNT", help="A time (30s, 5m, 2h), or a number of trials (10000)."
        ),
    ],
    *,
    changes: SweepChanges,
    seed: Annotated[
        int,
        number_option("--seed", "Random seed of the puzzles and of --sample.", 0),
    ] = 0,
    out: Annotated[Path, value_option("--out", "FOLDER", "Folder for the cases of faults.")] = Path(
        "results"
    )
    / "disagreements",
    skip_unavailable: SkipOption = False,
    ci: CIOptions,
    as_json: JsonOption = False,
) -> None:
    """Compare backends on random puzzles of many shapes, with the options of each varied.

    fuzz makes its puzzles; check compares backends on puzzles of datasets.

    --dataset gives puzzles to change, and --seed selects another stream. Each fault becomes a
    small case in a file, with the evidence for the right answer; harness fuzz replay repeats it.
    Exit code 1: a fault, a backend without any answer, or time for fewer than ten puzzles. After
    Ctrl-C the faults so far are shown.
    """
    from harness.extensions.fuzz import presentation
    from harness.extensions.fuzz.fuzz import fuzz

    length = parse_amount(amount)
    with flags_in_errors():
        request = _request(*length, {"seed": seed, **changes}, out, skip_unavailable)
    ci.begin(_TITLE)
    progress = presentation.FuzzProgress(console_of(sys.stderr))
    with interruptible(), flags_in_errors(), progress:
        report = fuzz(request, progress)
    if as_json:
        show_json(report)
    else:
        theme = theme_of()
        for line in presentation.lines(report):
            bad = line.startswith(("FAULT", "UNDECIDED", "no answer: "))
            show(theme.styled(line, Style.BAD if bad else Style.PLAIN))
    ci.write(
        _TITLE,
        lambda: presentation.cases_of(report),
        lambda: map(presentation.annotation_of, report.faults),
    )
    if report.interruption is not None:
        notice(f"interrupted: {report.trials:,} trials ended")
        raise report.interruption
    if not report.agreed:
        raise typer.Exit(1)


def _request(
    seconds: float | None,
    trials: int | None,
    changes: SweepChanges,
    folder: Path,
    skip_unavailable: bool,
) -> "FuzzRequest":
    """What to fuzz.

    Raises:
        OptionError: an option is invalid.
    """
    from harness.extensions.fuzz.fuzz import FuzzRequest
    from harness.extensions.fuzz.puzzles import puzzles_by_shape
    from harness.runs import datasets_of

    defaults: SweepChanges = {
        "datasets": ("seeds",),
        "backends": (lazy.EVERY_BACKEND,),
        "timeout": DEFAULT_TIMEOUT_S,
    }
    sweep = Sweep.from_options({**defaults, **changes})
    puzzles = puzzles_by_shape(datasets_of(sweep)) if "datasets" in changes else {}
    for name in ("where", "sample"):
        if name in changes and not puzzles:
            raise OptionError(
                "chooses among the puzzles of a dataset", where=name, expected="--dataset"
            )
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"{folder} is a file", where="--out", expected="a folder")
    return FuzzRequest(
        sweep.backends,
        seconds,
        trials,
        folder,
        sweep.seed,
        (Shape.parse(sweep.shape),) if sweep.shape else tuple(puzzles),
        sweep.timeout,
        sweep.jobs,
        puzzles,
        skip_unavailable=skip_unavailable,
    )


def replay(
    cases: Annotated[
        Path,
        typer.Argument(
            metavar="FILE_OR_FOLDER", help="A case that fuzz saved, or a folder of cases."
        ),
    ],
    backend: Annotated[
        list[str] | None,
        sweep_option("backends", default="those of the cases", several="One or more."),
    ] = None,
    timeout: Annotated[float, sweep_option("timeout")] = Sweep.timeout,
    as_json: JsonOption = False,
) -> None:
    """Repeat the cases that fuzz saved, on their backends or on others.

    Exit code 1: an answer is wrong, undecided or missing.
    """
    from harness.extensions.fuzz import presentation, saved

    with flags_in_errors():
        specs = lazy.expand_specs(backend or [])
    results = []
    with interruptible():
        for result in saved.replay(saved.read_cases(cases), specs, timeout):
            results.append(result)
            if not as_json:
                show(presentation.replay_line(result))
    right = all(result.result is saved.Replayed.RIGHT for result in results)
    if as_json:
        show_json({"replays": results, "right": right})
    if not right:
        raise typer.Exit(1)


add_command(app, "run", run)
add_command(app, "replay", replay)
