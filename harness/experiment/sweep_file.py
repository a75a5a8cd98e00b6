"""A sweep as a TOML file: what the user writes, and what a run keeps of it."""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from harness.errors import InputError, StorageError, one_of
from harness.experiment.plan import Sweep
from harness.records.question import Start, Task

_Choice = TypeVar("_Choice", bound=StrEnum)


def read_sweep(path: Path, overrides: Mapping[str, Any]) -> Sweep:
    """The sweep in the TOML file at `path`, with these fields replaced.

    Paths of datasets and backends are seen from the file's folder.

    Raises:
        InputError: it cannot be read, or a field is unknown or of a wrong type.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", where=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"no TOML: {error}", where=str(path)) from None
    try:
        for name, is_file in (("datasets", _is_dataset_file), ("backends", _is_backend_file)):
            if isinstance(data.get(name), list):
                data[name] = [_seen_from(path.parent, str(item), is_file) for item in data[name]]
        return sweep_from(data | dict(overrides))
    except InputError as error:
        raise error.at(f"{path}: {error.where}" if error.where else str(path)) from None


def sweep_from(data: Mapping[str, Any]) -> Sweep:
    """The sweep with these fields, enumerations as text.

    Raises:
        InputError: a field is unknown, missing or of a wrong type.
    """
    known = {f.name: f for f in fields(Sweep)}
    for name in data:
        if name not in known:
            raise InputError(f"no field {name!r} in a sweep", expected=one_of(list(known)))
    values = {"datasets": (), "backends": ()} | {n: _field(n, v) for n, v in data.items()}
    return Sweep(**values)


def parse_choice(kind: type[_Choice], text: str, what: str) -> _Choice:
    """The member of `kind` called `text`.

    Raises:
        InputError: there is none; it lists those there are.
    """
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"no {what} {text!r}", expected=one_of([str(k) for k in kind])) from None


def write_sweep(sweep: Sweep, path: Path) -> None:
    """Write `sweep` so that `read_sweep` gives the same trials, from the file's folder.

    Raises:
        StorageError: it cannot be written.
    """
    lines = ["# What this run was asked to do; `harness run sweep.toml` asks for it again."]
    for field in fields(Sweep):
        value = getattr(sweep, field.name)
        if value is None:
            continue
        if field.name in ("datasets", "backends"):
            is_file = _is_dataset_file if field.name == "datasets" else _is_backend_file
            value = [_named_from(path.parent, item, is_file) for item in value]
        lines.append(f"{field.name} = {_toml(value)}")
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


def _field(name: str, value: Any) -> Any:
    match name:
        case "datasets" | "backends":
            return tuple(_texts(name, value))
        case "tasks":
            return tuple(parse_choice(Task, text, "task") for text in _texts(name, value))
        case "starts":
            return tuple(parse_choice(Start, text, "start") for text in _texts(name, value))
        case "limit" | "repeat" | "until_stable" | "seed" | "memory":
            if type(value) is not int:
                raise InputError(f"{name} {value!r}", expected="a whole number")
            return value
        case "timeout" | "cpu":
            if type(value) not in (int, float):
                raise InputError(f"{name} {value!r}", expected="a number of seconds")
            return float(value)
        case _:
            if not isinstance(value, str):
                raise InputError(f"{name} {value!r}", expected="a text")
            return value


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{name} {value!r}", expected="a list of texts")
    # Asked twice is asked once: a trial's repetitions are what `repeat` says.
    return list(dict.fromkeys(value))


def _is_dataset_file(name: str) -> bool:
    return "/" in name or "." in name


def _is_backend_file(spec: str) -> bool:
    return ".py:" in spec or spec.partition("[")[0].endswith(".toml")


def _seen_from(folder: Path, name: str, is_file: Any) -> str:
    """`name`, a path as it is written in a file in `folder`, as it is seen from here."""
    return str(folder / name) if is_file(name) else name


def _named_from(folder: Path, name: str, is_file: Any) -> str:
    """The reverse of `_seen_from`."""
    if not is_file(name):
        return name
    return os.path.relpath(name, folder)


def _toml(value: Any) -> str:
    """Texts, numbers and lists of them; JSON's form of these is TOML's."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
