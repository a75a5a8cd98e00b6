"""Planted faults as edits of the source of our own backends; each is a class of this module."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.contract import Backend
from tests.extensions.fuzz.planted.table import PLANTED, Edit

_EDITED = {defect.name: defect for defect in PLANTED if defect.edits}


def __getattr__(name: str) -> type[Backend[Any]]:
    """The class of the fault `name`, made when it is first used."""
    if name not in _EDITED:
        raise AttributeError(name)
    defect = _EDITED[name]
    module, _, base = defect.base.partition(":")
    kind: type[Backend[Any]] = getattr(edited_module(module, *defect.edits), base)
    own = {"__doc__": defect.doc, "__module__": __name__, "__qualname__": name}
    kind_with_edits: type[Backend[Any]] = type(name, (kind,), own)
    globals()[name] = kind_with_edits
    return kind_with_edits


def edited_module(name: str, *edits: Edit) -> ModuleType:
    """The module `name` after these edits, under a name of its own.

    Raises:
        ValueError: the source does not have the text of an edit exactly once, or not the import.
    """
    original = importlib.import_module(name)
    assert original.__file__ is not None
    source = Path(original.__file__).read_text()
    for before, after in ((edit.before, edit.after) for edit in edits if not edit.modules):
        if source.count(before) != 1:
            number = source.count(before)
            raise ValueError(f"{name} has {number} times {before!r}; expected once: adapt the edit")
        source = source.replace(before, after)
    deeper = [edit for edit in edits if edit.modules]
    for module in dict.fromkeys(edit.modules[0] for edit in deeper):
        inner = (replace(e, modules=e.modules[1:]) for e in deeper if e.modules[0] == module)
        inner_module = edited_module(module, *inner)
        package, _, last = module.rpartition(".")
        # By its name, within a package, or through the front door of a room.
        imports = [f"from {source_of} import" for source_of in (module, f".{last}", package)]
        (before, *_) = [line for line in imports if line in source]
        source = source.replace(before, f"from {inner_module.__name__} import")
    # A number for each makes the names differ; the package allows relative imports.
    edited = ModuleType(f"{name}_edited_{len(sys.modules)}")
    edited.__package__ = original.__package__
    edited.__file__ = original.__file__
    sys.modules[edited.__name__] = edited  # dataclasses and type hints look their module up by name
    exec(compile(source, original.__file__, "exec"), vars(edited))
    return edited
