"""Mutants that no test can catch, each with the reason."""

from typing import Final

EQUIVALENT: Final[dict[str, str]] = {}
