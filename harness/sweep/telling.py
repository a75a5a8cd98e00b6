"""What a backend answered, told as outcomes; what is no answer is told as that."""

import json
import traceback
from collections.abc import Mapping
from typing import Any, Final

from harness.contract.backend import Answer, Count
from harness.puzzles.puzzle import line_of_values
from harness.puzzles.shape import Shape
from harness.sweep.meter import Figures
from harness.sweep.trial import Ending, Outcome, Task

_LONGEST_DETAIL: Final = 4000


def told(answer: Any, task: Task, shape: Shape, figures: Figures) -> Outcome:
    """The outcome of a call of `solve` or `count`."""
    expected = Answer if task is Task.SOLVE else Count
    if not isinstance(answer, expected):
        return _broken(f"{task} returned {_short(answer)}, not an {expected.__name__}", figures)
    claim = number = exact = None
    if isinstance(answer, Answer):
        claim, grid = str(answer.verdict), answer.grid
    else:
        number, exact, grid = _plain(answer.number), bool(answer.exact), answer.witness
    line = line_of_values(grid, shape)
    return Outcome(
        Ending.ANSWERED,
        claim=claim,
        number=number,
        exact=exact,
        line=line,
        grid=None if line else _plain(grid),
        encode=float(answer.phases.encode),
        search=float(answer.phases.search),
        decode=float(answer.phases.decode),
        stats=_numbers(answer.stats),
        **figures,
    )


def told_of_many(
    answer: Any, task: Task, shape: Shape, puzzles: int, figures: Figures
) -> list[Outcome]:
    """The outcomes of a call of `solve_many` or `count_many`, one a puzzle.

    Each has its share of the time, of the statistics and of the switches of the
    whole call.
    """
    from harness.contract.many import ManyAnswers, ManyCounts

    expected = ManyAnswers if task is Task.SOLVE else ManyCounts
    name = f"{task}_many"
    if not isinstance(answer, expected):
        fault = f"{name} returned {_short(answer)}, not a {expected.__name__}"
        return [_broken(fault, figures)] * puzzles
    grids = answer.grids if isinstance(answer, ManyAnswers) else answer.witnesses
    if isinstance(answer, ManyAnswers):
        columns = [answer.verdicts.tolist()]
    else:
        columns = [answer.numbers.tolist(), answer.exact.tolist()]
    if grids.shape != (puzzles, shape.size**2) or any(len(c) != puzzles for c in columns):
        return [_broken(f"{name} returned arrays of other lengths", figures)] * puzzles
    shares = {part: figures[part] / puzzles for part in ("wall", "cpu", "build")}
    stats = json.dumps({name: value / puzzles for name, value in _sums(answer.stats).items()})
    outcomes = []
    for grid, *values in zip(grids.tolist(), *columns, strict=True):
        line = line_of_values(grid, shape)
        shown = None if line or not any(grid) else grid
        claim = str(values[0]) if task is Task.SOLVE else None
        number, exact = values if task is Task.COUNT else (None, None)
        outcome = Outcome(Ending.ANSWERED, claim, number, exact, line, shown, stats=stats)
        outcomes.append(outcome._replace(**(figures | shares)))
        figures = figures | {"switches": 0, "forced_switches": 0}
    return outcomes


def told_of_error(error: BaseException, figures: Figures) -> Outcome:
    """The outcome of a call that raised."""
    name, text = type(error).__name__, "".join(traceback.format_exception(error))
    return Outcome(Ending.RAISED, claim=name, detail=text[-_LONGEST_DETAIL:], **figures)


def _broken(detail: str, figures: Figures) -> Outcome:
    return Outcome(Ending.BROKEN, detail=detail, ended_at=figures["ended_at"])


def _numbers(stats: Mapping[Any, Any]) -> str:
    """The statistics that are numbers, as they should all be, as JSON."""
    return json.dumps(_sums(stats)) if stats else "{}"


def _sums(stats: Mapping[Any, Any]) -> dict[str, int | float]:
    return {str(name): value for name, value in stats.items() if isinstance(value, int | float)}


def _plain(value: Any) -> Any:
    """A grid or number that JSON carries as it is; what it does not carry, as its text."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or type(value) is int else _short(value)


def _short(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:  # noqa: BLE001  a hostile repr
        return f"<{type(value).__name__} without a repr>"
