"""Planted faults as edits of the source of our own backends: a text, and the text in its place."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, cast

from harness.contract import Backend

B = TypeVar("B", bound=Backend[Any])


class Edit(NamedTuple):
    """A text in place of another.

    Attributes:
        before: a text that occurs once in the source.
        after: the text in its place.
    """

    before: str
    after: str


def edited_module(name: str, *edits: Edit) -> ModuleType:
    """The module `name` after these edits, under a name of its own.

    Raises:
        ValueError: the source does not have the text of an edit exactly once.
    """
    original = importlib.import_module(name)
    assert original.__file__ is not None
    source = Path(original.__file__).read_text()
    for before, after in edits:
        if source.count(before) != 1:
            number = source.count(before)
            raise ValueError(f"{name} has {number} times {before!r}; expected once: adapt the edit")
        source = source.replace(before, after)
    # A number for each makes the names differ; the package allows relative imports.
    made = ModuleType(f"{name}_edited_{len(sys.modules)}")
    made.__package__ = original.__package__
    made.__file__ = original.__file__
    sys.modules[made.__name__] = made  # dataclasses and type hints look their module up by name
    exec(compile(source, original.__file__, "exec"), vars(made))
    return made


def edited(*edits: Edit) -> Callable[[type[B]], type[B]]:
    """The decorator of a class without methods that edits the module of its base class.

    Raises:
        ValueError: the source does not have the text of an edit exactly once.
    """

    def derived(kind: type[B]) -> type[B]:
        (base,) = kind.__bases__
        other: type[B] = getattr(edited_module(base.__module__, *edits), base.__name__)
        own = {name: getattr(kind, name) for name in ("__doc__", "__module__", "__qualname__")}
        made: Any = type(kind.__name__, (other,), own)
        return cast("type[B]", made)

    return derived
