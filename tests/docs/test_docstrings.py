"""The docstrings of the public names, from which the API reference is made."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from docs.declared import documented_fields
from harness.runs import Sweep

PROJECT = Path(__file__).resolve().parents[2]
MODULES = (
    *("harness", "harness.contract", "harness.puzzles"),
    *("harness.extensions.conformance", "harness.extensions.page"),
)
ALSO = {"harness.extensions.conformance.testing.conformance_of"}
"""Public functions of modules without a list of public names."""


def object_of(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def public() -> dict[str, Any]:
    """Each public class and function once, by the path of its definition."""
    things: dict[str, Any] = {}
    for path in [f"{m}.{n}" for m in MODULES for n in import_module(m).__all__] + sorted(ALSO):
        thing = object_of(path)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            things[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return things


def function_of(member: object) -> Callable[..., object] | None:
    """The function behind a method, class method, static method or property."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    elif isinstance(member, staticmethod | classmethod):
        member = member.__func__
    return member if inspect.isfunction(member) else None


def functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every public function and every public method of a public class."""
    for path, thing in public().items():
        if inspect.isfunction(thing):
            yield path, thing
            continue
        for name, member in vars(thing).items():
            function = function_of(member)
            if function and not name.startswith("_"):
                yield f"{path}.{name}", function


def classes() -> list[tuple[str, type]]:
    return [(path, thing) for path, thing in public().items() if inspect.isclass(thing)]


def named_by(value: object) -> str:
    """The identifier of a test: the path, without the object."""
    return value if isinstance(value, str) else ""


def names_of(doc: str) -> set[str]:
    """The names in back quotes and those of the sections of arguments and attributes."""
    return {*re.findall(r"`(\w+)`", doc), *re.findall(r"^ *(\w+)(?: \(.*\))?: ", doc, re.MULTILINE)}


def raised_in(function: Callable[..., object]) -> set[str]:
    """The errors that the function itself raises by name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    errors = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    calls = [error.func if isinstance(error, ast.Call) else error for error in errors]
    return {call.id for call in calls if isinstance(call, ast.Name) and call.id[0].isupper()}


@pytest.mark.parametrize(("path", "function"), list(functions()), ids=named_by)
def test_a_docstring_names_every_parameter_and_error(
    path: str, function: Callable[..., object]
) -> None:
    doc = inspect.getdoc(function) or ""
    assert re.match(r"[A-Z`~0-9].*[.:?]", doc), f"{path}: a first sentence"
    if other := re.search(r"other arguments and the errors are those of `(\w+)`", doc):
        doc += inspect.getdoc(object_of(f"{function.__module__}.{other[1]}")) or ""
    parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
    assert parameters - names_of(doc) == set(), f"{path}: parameters"
    raises = doc.partition("Raises:")[2]
    # An error that is caught where it is raised, or a kind of one that is named, needs no entry.
    missing = {name for name in raised_in(function) if name not in raises}
    assert missing == set(), f"{path}: errors"


@pytest.mark.parametrize(("path", "kind"), classes(), ids=named_by)
def test_a_docstring_explains_every_field(path: str, kind: type) -> None:
    doc = inspect.getdoc(kind) or ""
    assert re.match(r"[A-Z`~0-9].*[.:?]", doc), f"{path}: a first sentence"
    if not is_dataclass(kind) and not issubclass(kind, msgspec.Struct):
        return
    fields = {name for name in kind.__annotations__ if not name.startswith("_")}
    missing = fields - documented_fields(kind).keys() - names_of(doc)
    if kind is Sweep:  # each option has its description in its declaration
        assert all(option.metadata["help"] for option in fields_of(Sweep))
        return
    assert not missing, f"{path}: fields"


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_has_every_public_module(module: str) -> None:
    pages = [page.read_text() for page in (PROJECT / "docs" / "reference").glob("*.md")]
    assert sum(f"automodule:: {module}\n" in page for page in pages) == 1


def test_the_checks_see_missing_parts() -> None:
    assert {"one", "two", "three"} == names_of("Takes `one` and `two`.\n\nArgs:\n    three: x")
    assert raised_in(object_of("harness.puzzles.puzzle.Puzzle").from_rows) == {"PuzzleError"}
    phases = documented_fields(object_of("harness.contract.answers.Phases"))
    assert phases.keys() == {"encode", "search", "decode"}
