"""The documents of ``--json`` as objects, with exactly the keys and types of their classes."""

from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from harness.report.jsonable import keys_of


def documents(text: str, kind: type) -> list[Any]:
    """The list of objects of this class in a text."""
    return [*msgspec.json.decode(text, type=_in_json(list[kind]), strict=True)]  # type: ignore[valid-type]


def document(text: str, kind: type) -> Any:
    """The object of this class in a text."""
    return msgspec.json.decode(text, type=_in_json(kind), strict=True)


def _in_json(hint: Any) -> Any:
    """A type with structures in place of records."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return Union[tuple(map(_in_json, arguments))]  # noqa: UP007  made at run time
    if origin is tuple:
        return list.__class_getitem__(_in_json(arguments[0]))
    if origin is not None and origin.__name__ == "Counter":
        return dict[str, int]
    if arguments:
        return origin[tuple(map(_in_json, arguments))]
    if not isinstance(hint, type) or issubclass(hint, str | int | float | None.__class__):
        return hint
    keys = keys_of(hint)
    if not keys:
        return hint if hint.__module__ == "builtins" else str
    hints = get_type_hints(hint)
    for key in keys:
        if isinstance(own := getattr(hint, key, None), property):
            hints[key] = get_type_hints(own.fget)["return"]
    pairs = [(key, _in_json(hints[key])) for key in keys]
    return msgspec.defstruct(hint.__name__, pairs, forbid_unknown_fields=True)
