"""Records as JSON: a record is its own document.

The keys of a record are its public fields, or the fields and properties that its class names in
``json_keys``. The docstrings of these say what the keys mean, for readers of the code and of the
documentation.
"""

import json as json_
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import PurePath
from typing import Any

from msgspec import Struct


def json(document: object) -> str:
    """`document` as JSON in lines, with a line end; integers of any size stay integers."""
    return json_.dumps(plain(document), indent=2, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """`value` made of dicts, lists, texts, numbers and None.

    NaN and infinities, which JSON lacks, become None.
    """
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    if keys := keys_of(type(value)):
        return {key: plain(getattr(value, key)) for key in keys}
    return str(value) if is_dataclass(value) or isinstance(value, PurePath) else value


def keys_of(kind: type) -> tuple[str, ...]:
    """The keys of a class in JSON; none for a class with a ``__str__``, which stands for it."""
    keys: tuple[str, ...] = getattr(kind, "json_keys", ())
    if keys or kind.__dict__.keys() & {"__str__"}:
        return keys
    if issubclass(kind, Struct):
        return kind.__struct_fields__
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
