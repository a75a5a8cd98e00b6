"""Generated hostile backends: every action at every moment, and every kind of answer."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOMENTS: Final = (
    "import",
    "load",
    "construction",
    "first call",
    "second call",
    "call of count",
    "before the return",
    "after the return",
    "statistics",
    "destructor",
    "child",
    "thread",
    "exit",
)
"""When a backend acts; `template.py` has the places."""

_BEFORE_A_WORKER: Final = ("import", "load")
_WAITING_FOR_THE_LIMIT_OF_AN_IMPORT: Final = (
    "ended: SIGSTOP",
    "ended: another program",
    "hanging",
    "raised: a message that never ends",
)
_TEMPLATE: Final = Path(__file__).with_name("template.py")
_TEXTS: Final = tomllib.loads(Path(__file__).with_name("actions.toml").read_text())


@dataclass(frozen=True)
class Case:
    """A hostile backend.

    Attributes:
        name: when it does what.
        source: the text of its file; the class is ``H``.
    """

    name: str
    source: str


def cases() -> list[Case]:
    """All hostile backends, in a fixed order."""
    acting = [
        _case(f"{moment} - {group}: {name}", MOMENT=moment, ACTION=statements)
        for group, actions in _TEXTS["actions"].items()
        for name, statements in actions.items()
        for moment in MOMENTS
        if not (moment in _BEFORE_A_WORKER and _left_out(f"{group}: {name}"))
    ]
    answering = [_case(f"answer - {name}", ANSWER=text) for name, text in _TEXTS["answers"].items()]
    counting = [_case(f"count - {name}", COUNT=text) for name, text in _TEXTS["counts"].items()]
    return acting + answering + counting


def _left_out(action: str) -> bool:
    """Actions that are left out before there is a worker.

    The parent of a server is the harness, which is out of reach of the promises, and an import
    that hangs takes 120 seconds; tests of their own cover it.
    """
    return (
        action.startswith(("processes", *_WAITING_FOR_THE_LIMIT_OF_AN_IMPORT))
        or "no monitor" in action
    )


def _case(name: str, **constants: str) -> Case:
    """The template with other values of its constants."""
    source = _TEMPLATE.read_text()
    constants.setdefault("ANSWER", "Answer.solved(grid, stats)")
    for constant, value in constants.items():
        head, line, rest = source.partition(f"\n{constant} = ")
        assert line, f"template.py has no constant {constant}"
        source = f"{head}{line}{value!r}\n{rest.partition(chr(10))[2]}"
    return Case(name, source)


def sample() -> list[Case]:
    """Every action at two moments, every moment in turn, and every kind of answer."""
    by_action: dict[str, list[Case]] = {}
    for case in cases():
        moment, _, action = case.name.partition(" - ")
        by_action.setdefault(action if moment in MOMENTS else case.name, []).append(case)
    selection = []
    for number, variants in enumerate(by_action.values()):
        places = {number % len(variants), (number + len(variants) // 2) % len(variants)}
        selection += [variants[place] for place in sorted(places)]
    return selection
