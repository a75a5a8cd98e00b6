"""The specs of backends in requests."""

from harness.arguments import invalid
from harness.contract import registry
from harness.contract.spec import BackendSpec, parse_specs
from harness.errors import InputError, meant


def specs_in(text: str, most: int, *, allows_files: bool) -> list[BackendSpec]:
    """The configurations of a spec.

    Args:
        text: a spec, perhaps with a grid of options.
        most: the largest number of configurations that it may stand for.
        allows_files: whether a backend may be a file.

    Raises:
        InputError: it is malformed, stands for too many configurations, or is not allowed.
    """
    if (number := _combinations(text)) > most:
        raise invalid("configurations of a spec", number, f"at most {most}")
    specs = parse_specs(text)
    names = registry.names()
    for spec in specs:
        if not allows_files and spec.locator not in names:
            raise InputError(
                f"{spec.locator!r:.60} is no installed backend{meant(spec.locator, names)}",
                expected="its name, or a file after harness workbench --allow-files",
            )
    return specs


def _combinations(text: str) -> int:
    """At least as many configurations as a spec stands for, without making them."""
    number, values, depth = 1, 1, 0
    for char in text:
        if char == "[":
            depth += 1
            values = 1
        elif char == "]":
            if depth > 1:
                number *= values
            depth -= 1
        elif char == "," and depth > 1:
            values += 1
    return number
