"""Selection of backends: specs, grids, the spec for all backends, and those that are available."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from harness.base.errors import (
    BackendUnavailableError,
    InputError,
    NoBackendError,
    UnknownBackendError,
)
from harness.contract import (
    BackendSpec,
    Capability,
    Unavailable,
    environments,
    parse_specs,
    registry,
)
from harness.records import Configuration, check_names
from harness.runs.execution import Observer

# Selection of backends: specs, grids, the spec for all, and what is available.


EVERY_BACKEND: Final = "*"
"""The spec for all installed backends that are available, do not give up and need not be named."""


def expand_specs(texts: Sequence[str]) -> list[BackendSpec]:
    """The configurations of these specs, grids expanded, without duplicates.

    Raises:
        InputError: a spec is malformed.
        UnknownBackendError: a backend does not exist.
    """
    specs: dict[str, BackendSpec] = {}
    for text in texts:
        if text == EVERY_BACKEND:
            specs |= {name: BackendSpec(name) for name in registry.names()}
            continue
        if text == "all" and text not in registry.names():
            expected = f"'{EVERY_BACKEND}' for all that are available and need not be named"
            raise UnknownBackendError("unknown backend 'all'", expected=expected)
        for spec in parse_specs(text):
            resolved_spec = replace(spec, locator=registry.resolve(spec.locator))
            specs.setdefault(_identity(resolved_spec), resolved_spec)
    return list(specs.values())


def _identity(spec: BackendSpec) -> str:
    """The label, with the exact version if that is installed."""
    with suppress(Unavailable):
        if spec.version and (environment := environments.find(spec)):
            return replace(spec, version=environment.version).label
    return spec.label


def single_spec(text: str, base: Path | None = None) -> BackendSpec:
    """The only configuration of a spec.

    Args:
        text: the spec.
        base: the folder of a relative path; the working folder if None.

    Raises:
        InputError: the spec is malformed or stands for several configurations.
        UnknownBackendError: the backend does not exist.
    """
    specs = parse_specs(text)
    if len(specs) != 1:
        raise InputError(f"{text} names {len(specs)} backends", expected="one backend")
    (spec,) = specs
    return replace(spec, locator=registry.resolve(spec.locator, base))


def without_special(
    configurations: Sequence[Configuration], specs: Sequence[str]
) -> list[Configuration]:
    """The configurations that `specs` select.

    `EVERY_BACKEND` leaves out backends that may give up and those that declare `named_only`.
    A configuration that a spec names is kept.
    """
    if EVERY_BACKEND not in specs:
        return list(configurations)
    labels = {spec.label for spec in expand_specs([s for s in specs if s != EVERY_BACKEND])}

    def is_special(configuration: Configuration) -> bool:
        if configuration.description is None:
            return False
        capabilities = configuration.description.capabilities
        return Capability.COMPLETE not in capabilities or Capability.NAMED_ONLY in capabilities

    return [c for c in configurations if c.spec.label in labels or not is_special(c)]


def select_configurations(
    configurations: Sequence[Configuration],
    specs: Sequence[str],
    observer: Observer,
    *,
    skip_unavailable: bool,
) -> tuple[list[Configuration], dict[str, str]]:
    """The configurations to use, and those left out with the reason.

    Backends that `EVERY_BACKEND` selects are left out if they are unavailable; a named
    backend must be available unless `skip_unavailable` is set.

    Raises:
        BackendUnavailableError: a configuration is unavailable that must be available, or
            none is left.
        InputError: two files declare the same name.
    """
    candidates = without_special(configurations, specs)
    if EVERY_BACKEND in specs:
        usable = [c for c in candidates if not c.unavailable]
    else:
        usable = available_only(candidates, observer) if skip_unavailable else candidates
        require_available(usable)
    check_names(usable)
    return usable, {c.label: c.unavailable for c in candidates if c.unavailable}


def require_available(configurations: Sequence[Configuration]) -> None:
    """Check that all configurations are available.

    Raises:
        BackendUnavailableError: one is not; the error names the first, with the reason and a
            remedy.
    """
    for configuration in configurations:
        if configuration.unavailable:
            remedy = f"; {configuration.remedy}" if configuration.remedy else ""
            is_listed = configuration.spec.locator in registry.names()
            fault = f"backend {configuration.label} is not available: {configuration.unavailable}"
            expected = _AVAILABLE if is_listed and not remedy else ""
            raise BackendUnavailableError(f"{fault}{remedy}", expected=expected)


def available_only(
    configurations: Sequence[Configuration], observer: Observer
) -> list[Configuration]:
    """The available configurations; the others are reported to `observer`.

    Raises:
        NoBackendError: none is available.
    """
    available = [c for c in configurations if not c.unavailable]
    for configuration in configurations:
        if configuration.unavailable:
            remedy = f" ({configuration.remedy})" if configuration.remedy else ""
            observer.left_out(configuration.label, f"{configuration.unavailable}{remedy}")
    if configurations and not available:
        raise NoBackendError(
            f"none of {len(configurations)} backends is available", expected=_AVAILABLE
        )
    return available


_AVAILABLE: Final = "a backend that `harness backends` lists as available"
