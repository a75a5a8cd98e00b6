"""`harness doctor`: checks whether this machine is fit for measuring."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli.options import JsonOption, parsed_option
from harness.cli.terminal import console_of, interruptible, show, theme_of, wrapped
from harness.errors import InputError, OptionError
from harness.report.formatting import Style

if TYPE_CHECKING:
    from harness.analysis.noise import Noise, Spread

_MARKS: Final = {
    True: ("pass", Style.GOOD),
    False: ("FAIL", Style.BAD),
    None: ("?   ", Style.QUIET),
}

SAMPLED_S: Final = 0.5
"""How long it observes what other programs do."""
NOISE_RUNS: Final = 10
"""The number of runs of copies: some thirty pairs of copies."""
_LEAST_RUNS: Final = 2
_DATASET, _REPEAT = "transition", 3


def _runs(value: str) -> int:
    if not value.isdecimal() or int(value) < _LEAST_RUNS:
        expected = f"a whole number of at least {_LEAST_RUNS}"
        raise OptionError(f"{value!r} is not valid", expected=expected)
    return int(value)


def doctor(
    *,
    noise: Annotated[
        bool, typer.Option("--noise", help="Measure copies of one backend instead of the checks.")
    ] = False,
    backend: Annotated[
        str | None,
        typer.Option("--backend", metavar="SPEC", help="With --noise: the backend; else native."),
    ] = None,
    runs: Annotated[
        int | None,
        parsed_option("--runs", "N", f"With --noise: the runs; else {NOISE_RUNS}.", _runs),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check this machine for sources of unreliable timings.

    With --noise, run copies of one backend: the differences between them show what differences
    this machine can resolve.
    """
    if noise:
        count = NOISE_RUNS if runs is None else runs
        _show_noise("native" if backend is None else backend, count, as_json=as_json)
    else:
        for flag, value in (("--backend", backend), ("--runs", runs)):
            if value is not None:
                raise InputError(f"{flag} needs --noise", where="harness doctor", expected="both")
        _show_checks(as_json=as_json)


def _show_checks(*, as_json: bool) -> None:
    from harness.engine.system.machine import sampled_activity, system_info
    from harness.records.system_checks import system_checks

    info, activity = system_info(), sampled_activity(SAMPLED_S)
    checks = system_checks(info, activity=activity)
    if as_json:
        from harness.report.documents import CheckData, Diagnosis, json

        data = [CheckData(**asdict(check)) for check in checks]
        show(json(Diagnosis(system=info, activity=activity, checks=data)), end="")
        return
    theme = theme_of()
    for check in checks:
        mark, style = _MARKS[check.passed]
        line = wrapped(f"{mark}  {check.subject}: {check.found}", 6, first=0)
        show(line.replace(mark, theme.styled(mark, style), 1))
        if check.remedy:
            show(wrapped(f"remedy: {check.remedy}", 6))
    passed = sum(check.passed is True for check in checks)
    unknown = sum(check.passed is None for check in checks)
    show(f"{passed} of {len(checks)} checks passed{f', {unknown} unknown' * bool(unknown)}")


def _show_noise(backend: str, runs: int, *, as_json: bool) -> None:
    from harness.report.formatting import shown_backend
    from harness.runs.run import COPIES
    from harness.text import number_of

    found = _measured(backend, runs)
    if as_json:
        from harness.report.documents import NoiseData, SpreadData, json

        within, between = (
            SpreadData(
                *(spread.comparisons, spread.false, spread.unequal),
                *(spread.resolution, spread.largest),
            )
            for spread in (found.within, found.between)
        )
        show(json(NoiseData(backend, found.instances, within, between)), end="")
        return
    puzzles = number_of(found.instances, "puzzle")
    show(f"{COPIES} copies of {shown_backend(backend)}, {runs} runs of {puzzles} each")
    _show_spread("copies in one run", found.within, "runs")
    _show_spread("one run and the next", found.between, "comparisons")
    alone, later = found.within.resolution, found.between.resolution
    show(f"resolution: factors of {alone:.2f} in one run and {later:.2f} between runs")


def _show_spread(what: str, spread: "Spread", of: str) -> None:
    unequal = f", and {spread.unequal} attribute one to the machine" * bool(spread.unequal)
    text = (
        f"{what}: factors up to {spread.largest:.2f}, 95 % of them up to {spread.resolution:.2f}; "
        f"{spread.false} of {spread.comparisons} {of} show a false difference{unequal}"
    )
    show(wrapped(text, indent=2))


def _measured(backend: str, runs: int) -> "Noise":
    import tempfile
    from pathlib import Path

    from harness.analysis.noise import noise
    from harness.analysis.run import Run, load
    from harness.cli.progress import LiveProgress
    from harness.records.question import Start
    from harness.runs.run import run_copies
    from harness.runs.sweep import Sweep

    sweep = Sweep((_DATASET,), (backend,), starts=(Start.WARM,), repeat=_REPEAT)
    with interruptible(), tempfile.TemporaryDirectory(prefix="harness-noise-") as folder:
        measured: list[Run] = []
        with LiveProgress(console_of(sys.stderr)) as progress:
            measured += map(load, run_copies(sweep, Path(folder), runs, progress))
        return noise(measured)
