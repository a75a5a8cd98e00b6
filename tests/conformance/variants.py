"""Planted backends that differ from a base class in one method of one expression."""

import sys
from collections.abc import Callable
from typing import Any


def variants(
    base: type[Any], method: str, **functions: Callable[..., object]
) -> dict[str, type[Any]]:
    """Subclasses of `base` by name, each with one of the `functions` as its `method`."""
    own = {"__module__": sys._getframe(1).f_globals["__name__"]}
    return {name: type(name, (base,), {**own, method: made}) for name, made in functions.items()}
