"""Options that take all words up to the next option: ``--dataset A B``."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

ONE_OR_MORE: Final = (
    'An option with "one or more" values takes them as --dataset A B or --dataset A --dataset B.'
)
"""What the help of a command with such options says of them."""

_OF_SWEEPS: Final = ("run", "shard", "check")
_OTHERS: Final[Mapping[str, Collection[str]]] = {
    "export": ("--features",),
    "charts": ("--chart", "--dataset", "--backend"),
}


def list_flags(command: str) -> Collection[str]:
    """The options of a command that take several words."""
    if command in _OF_SWEEPS:
        from harness.cli.sweep_options import SWEEP_OPTIONS

        return [option.flag for option in SWEEP_OPTIONS.values() if option.is_list]
    return _OTHERS.get(command, ())


def repeat_flags(arguments: Sequence[str]) -> list[str]:
    """Rewrite ``--dataset a b`` as ``--dataset a --dataset b`` for commands that allow it."""
    lists = list_flags(arguments[0]) if arguments else ()
    return [*arguments[:1], *_repeat_flags(arguments[1:], lists)]


def _repeat_flags(arguments: Sequence[str], lists: Collection[str]) -> Iterator[str]:
    flag, values = None, 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            flag, values = (argument if argument in lists else None), 0
        elif flag:
            values += 1
            if values > 1:
                yield flag
        yield argument
