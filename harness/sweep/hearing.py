"""What a worker says, once it is seen to be what a worker says.

A backend that has found its worker's pipe can write whole frames into it, so
every part of a message is looked at before anything is done with it.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from harness.puzzles.symbols import VALUES
from harness.sweep.channel import ChannelBroken, Message
from harness.sweep.trial import Ending, Outcome


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return value is None or type(value) is int


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


def _is_line(value: Any) -> bool:
    return value is None or (isinstance(value, str) and set(value) <= set(VALUES))


def _is_object(value: Any) -> bool:
    try:
        return isinstance(value, str) and isinstance(json.loads(value), dict)
    except ValueError:
        return False


def _is_anything(_: Any) -> bool:
    return True


_OUTCOME: Final[Mapping[str, Callable[[Any], bool]]] = {
    "ending": lambda value: value in list(Ending),
    "claim": lambda value: value is None or _is_text(value),
    # These three are as the backend gave them, and judged as that.
    **dict.fromkeys(("number", "exact", "grid"), _is_anything),
    "line": _is_line,
    "stats": _is_object,
    **dict.fromkeys(("detail", "memory_how", "cpu_how"), _is_text),
    **dict.fromkeys(("wall", "cpu", "build", "encode", "search", "decode", "ended_at"), _is_number),
    **dict.fromkeys(("switches", "forced_switches", "memory", "core", "exit_code"), _is_whole),
}
_MESSAGES: Final[Mapping[str, Mapping[str, Callable[[Any], bool]]]] = {
    "done": {},
    "row": {"serial": lambda value: type(value) is int, "outcome": lambda v: _has(v, _OUTCOME)},
    "warm": {
        **dict.fromkeys(("task", "shape", "ending", "detail"), _is_text),
        "seconds": _is_number,
    },
}


def checked(message: Message) -> Message:
    """The message, if it is one that a worker sends.

    Raises:
        ChannelBroken: it is none.
    """
    kind = message.get("is")
    parts = _MESSAGES.get(kind) if isinstance(kind, str) else None
    if parts is None or not _has(message, {"is": _is_text, **parts}):
        raise ChannelBroken("a frame that no worker sends")
    return message


def outcome_in(message: Message) -> Outcome:
    """The outcome that a row tells."""
    data = message["outcome"]
    return Outcome(**(data | {"ending": Ending(data["ending"])}))


def _has(value: Any, parts: Mapping[str, Callable[[Any], bool]]) -> bool:
    """Whether `value` is an object of exactly these parts."""
    return (
        isinstance(value, dict)
        and value.keys() == parts.keys()
        and all(is_right(value[name]) for name, is_right in parts.items())
    )
