"""Outcomes of calls into a backend: validation of what it returned or raised."""

import errno
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from math import inf, isfinite
from time import time
from typing import Any, Final, TypeVar

from msgspec.structs import asdict, replace

from harness.base.text import MOST_DIGITS, described, encodable, is_writable, text_of
from harness.contract import Answer, Count, ManyAnswers, ManyCounts, Status
from harness.puzzles import Shape, line_of_values
from harness.records import (
    LONGEST_NAME,
    MOST_STATS,
    Ending,
    Measurements,
    Outcome,
    Task,
    shares_of_batch,
)

Converted = TypeVar("Converted")

MAY_GIVE_UP: Final = "it does not decide every puzzle"
"""The detail of an undecided answer by a backend that may give up."""
_LONGEST_DETAIL: Final = 4000
"""Characters of a traceback that are kept, from its end: some 40 lines, which show the cause;
a recursion error may have a thousand."""


def outcome_of_answer(
    answer: Any, task: Task, shape: Shape, measurements: Measurements, *, decides: bool = True
) -> Outcome:
    """The outcome of a call of `solve` or `count`.

    Args:
        answer: what the backend returned.
        task: the task of the call.
        shape: the shape of its puzzle.
        measurements: those of the call.
        decides: whether the backend declares that it decides every puzzle.
    """
    expected = Answer if task is Task.SOLVE else Count
    detail = "" if decides else MAY_GIVE_UP
    convert = partial(_convert, answer, shape, measurements, detail)
    return _checked(answer, expected, str(task), measurements, convert)


def _checked(
    answer: Any,
    expected: type,
    name: str,
    measurements: Measurements,
    convert: Callable[[], Converted],
) -> Converted | Outcome:
    """What `convert` makes of the answer to a call; if that is invalid, an outcome saying so."""
    if not isinstance(answer, expected):
        article = "an" if expected.__name__[0] in "AEIOU" else "a"
        fault = f"returned {_short(answer)}, not {article} {expected.__name__}"
    else:
        try:
            return convert()
        except Exception as error:  # noqa: BLE001  an answer may hold anything
            if _lacks_memory(error):
                return outcome_of_error(error, measurements)
            fault = f"returned an invalid answer: {described(error)}"
    return _invalid(f"{name} {fault}", measurements)


def _convert(
    answer: Answer | Count, shape: Shape, measurements: Measurements, detail: str
) -> Outcome:
    """The outcome of an answer; for `detail` see `_answered`.

    Raises:
        Exception: whatever the conversion of its parts raises.
    """
    grid: Any
    values: tuple[Any, ...]
    if isinstance(answer, Answer):
        values, grid = (answer.status,), answer.grid
    else:
        values, grid = (answer.number, answer.exact), answer.witness
    detail = text_of(answer.reason) or detail
    if isinstance(grid, list | tuple) and type(grid) not in (list, tuple):
        grid = [*grid]  # an object of a backend's own class may show other values every time
    phases = {
        f"{name}_s": _seconds(name, getattr(answer.phases, name))
        for name in ("encode", "search", "decode")
    }
    measurements = replace(measurements, stats=_numbers(answer.stats), **phases)
    return _answered(values, grid, shape, measurements, detail)


def _answered(
    values: Sequence[Any], grid: Any, shape: Shape, measurements: Measurements, detail: str
) -> Outcome:
    """The outcome of an answer for one puzzle.

    Args:
        values: its status, or its number and whether that is exact.
        grid: its grid.
        shape: the shape of the puzzle.
        measurements: those of the answer.
        detail: the detail of the outcome if the status is `unknown` or the number is not exact.
    """
    status = count = exact = None
    if len(values) == 1:
        status = text_of(values[0])[:LONGEST_NAME]
    else:
        count, exact = _number(values[0]), bool(values[1])
    line = line_of_values(grid, shape)
    return Outcome(
        ending=Ending.ANSWERED,
        status=status,
        count=count,
        exact=exact,
        solution=line,
        raw_grid=None if line else _plain(grid),
        detail=detail if status == Status.UNKNOWN or exact is False else "",
        **asdict(measurements),
    )


def outcomes_of_batch(
    answer: Any,
    task: Task,
    shape: Shape,
    puzzles: int,
    measurements: Measurements,
    *,
    decides: bool = True,
) -> list[Outcome]:
    """The outcomes of a call of `solve_many` or `count_many`, one for each puzzle.

    `shares_of_batch` divides the measurements of the call among them; for `decides` see
    `outcome_of_answer`.
    """
    expected = ManyAnswers if task is Task.SOLVE else ManyCounts
    detail = "" if decides else MAY_GIVE_UP
    convert = partial(_convert_batch, answer, task, shape, puzzles, measurements, detail)
    outcomes = _checked(answer, expected, f"{task}_many", measurements, convert)
    return [outcomes] * puzzles if isinstance(outcomes, Outcome) else outcomes


def _convert_batch(
    answer: ManyAnswers | ManyCounts,
    task: Task,
    shape: Shape,
    puzzles: int,
    measurements: Measurements,
    detail: str,
) -> list[Outcome]:
    """The outcomes of the answers to a batch; for `detail` see `_answered`.

    Raises:
        Exception: whatever the conversion of their parts raises.
    """
    columns: list[list[Any]]
    if isinstance(answer, ManyAnswers):
        grids, columns = answer.grids, [answer.statuses.tolist()]
    else:
        grids, columns = answer.witnesses, [answer.numbers.tolist(), answer.exact.tolist()]
    if grids.shape != (puzzles, shape.size**2) or any(len(c) != puzzles for c in columns):
        fault = f"{task}_many returned arrays of wrong lengths"
        return [_invalid(fault, measurements)] * puzzles
    shares = shares_of_batch(replace(measurements, stats=_numbers(answer.stats)), puzzles)
    return [
        _answered(values, grid if any(grid) else None, shape, share, detail)
        for share, grid, *values in zip(shares, grids.tolist(), *columns, strict=True)
    ]


def outcome_of_error(error: BaseException, measurements: Measurements) -> Outcome:
    """The outcome of a call that raised.

    A `MemoryError`, or the error of a system call that was refused memory, counts as reaching the
    memory limit; an exception of another class does not, whatever its name.
    """
    text, summary = "".join(traceback.format_exception(error)).rstrip(), described(error)
    if not text.endswith(summary):  # the message is long or has several lines
        text += f"\n{summary}"
    return Outcome(
        ending=Ending.MEMORY_LIMIT if _lacks_memory(error) else Ending.RAISED,
        status=encodable(type(error).__name__)[:LONGEST_NAME],
        detail=encodable(text[-_LONGEST_DETAIL:]),
        **asdict(measurements),
    )


def _lacks_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError)


def outcome_of_unsupported(error: BaseException) -> Outcome:
    """The outcome of a call that raised `Unsupported`."""
    detail = text_of(error)[-_LONGEST_DETAIL:]
    return Outcome(ending=Ending.UNSUPPORTED, detail=detail, ended_at=time())


def _invalid(detail: str, measurements: Measurements) -> Outcome:
    return Outcome(ending=Ending.INVALID, detail=detail, ended_at=measurements.ended_at)


def _numbers(stats: Mapping[Any, Any]) -> dict[str, int | float]:
    """The first statistics, if they are finite numbers of at most `MOST_DIGITS` digits."""
    if not stats:
        return {}
    return {
        text_of(name)[:LONGEST_NAME]: int(value) if isinstance(value, int) else float(value)
        for name, value in islice(stats.items(), MOST_STATS)
        if (isinstance(value, int) and is_writable(value))
        or (isinstance(value, float) and isfinite(value))
    }


def _seconds(phase: str, value: Any) -> float:
    """The time of a phase.

    Raises:
        ValueError: the time is not a finite number of seconds from 0.
    """
    seconds = float(value)
    if not 0 <= seconds < inf:
        raise ValueError(f"the time of the phase {phase} is {seconds:g} s")
    return seconds


def _number(value: Any) -> int | str | None:
    """A count: an integer as it is, anything else as text."""
    if type(value) is int and not is_writable(value):
        return f"an integer of more than {MOST_DIGITS:,} digits"
    return value if value is None or type(value) is int else _short(value)


def _plain(value: Any) -> Any:
    """A grid as nested lists of integers; anything else in it as text."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return _number(value)


def _short(value: Any) -> str:
    try:
        return encodable(repr(value)[:200])
    except Exception:  # noqa: BLE001  a hostile repr
        return f"<{type(value).__name__} without a repr>"
