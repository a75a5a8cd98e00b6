"""The optional backends, their libraries, and the tests that need these."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from harness.contract import Unavailable, registry

PROJECT = Path(__file__).resolve().parents[1]
LICENCE: Final = "no valid licence"
"""What the reason begins with if a commercial solver refuses to work."""


@cache
def libraries() -> frozenset[str]:
    """The packages of the extras [solvers] and [licensed]."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return frozenset(
        requirement.partition(">")[0] for requirement in extras["solvers"] + extras["licensed"]
    )


@cache
def optional_backends() -> tuple[str, ...]:
    """The built-in backends that need one of these packages."""
    return tuple(name for name in registry.names() if libraries().intersection(packages_of(name)))


def packages_of(name: str) -> tuple[str, ...]:
    """The packages that a built-in backend needs; none if its extension is missing."""
    try:
        return registry.load_class(name).distributions
    except Unavailable:
        return ()


def pins() -> dict[str, str]:
    """The version of each package in constraints.txt, by its normalized name."""
    lines = (PROJECT / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if "==" in line)
    return {normal_name(name): version for name, version in pairs}


def normal_name(name: str) -> str:
    """The name of a package as registries normalize it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def takes_optional_backend(item: pytest.Item) -> bool:
    """Whether a parameter of a test is the spec of an optional backend."""
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    specs = (text.partition("[")[0] for text in parameters if isinstance(text, str))
    return not {*optional_backends()}.isdisjoint(specs)


def fault_of_skip(reason: str, *, solvers_run: bool, marked: bool) -> str:
    """Why a test must not be skipped for this reason; empty if it may be.

    Args:
        reason: why the test was skipped.
        solvers_run: whether `make test-solvers` runs, which installs every library.
        marked: whether the test has one of the markers `solvers` and `long`.
    """
    if solvers_run and not reason.startswith(LICENCE):
        return f"skipped, although `make test-solvers` installs every solver: {reason}"
    library = reason.removesuffix(" is not installed")
    if library != reason and library in libraries() and not marked:
        return f"{reason}: `make test-solvers` leaves the test out; give it the marker `solvers`"
    return ""
