"""What a shell offers for the values of options and arguments; each option names its completer.

The values come from names, folders and the record of a run: no backend is imported, and no trial
is read. Where no value fits, the shell offers files. A value may have a help text.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from harness.base.errors import HarnessError
from harness.cli import lazy
from harness.contract import registry

Value = str | tuple[str, str]
"""A value, optionally with its help text."""
Completer = Callable[..., Iterable[Value]]
"""Takes the beginning of the value as `incomplete`, or nothing, and may give other values too."""

_MOST: Final = 1000
"""Maximum number of folders of runs, or puzzles of a dataset, that are read."""
_PLAIN: Final = re.compile(r"[\w@%+,./:=\[\]-]+")


def backend_names() -> Iterator[Value]:
    """Backends by name, and with the versions of their environments."""
    yield from registry.names()
    yield from environment_names()


def environment_names() -> Iterator[Value]:
    """Backends with the exact versions of their environments."""
    return (str(environment.spec) for environment in lazy.environments.installed_environments())


def datasets(incomplete: str) -> Iterator[Value]:
    """Datasets; after ``named/`` or ``named:`` the puzzles of the dataset."""
    for at, char in enumerate(incomplete):
        if char in "/:":
            source = incomplete[:at]
            is_dataset = source in {listing.name for listing in lazy.listings()}
            if is_dataset or Path(source).is_file():
                with suppress(HarnessError):  # a malformed file has no puzzles to offer
                    instances = lazy.read_instances(lazy.find(lazy.address_of(source).source))
                    addresses = (
                        f"{source}{char}{instance.name}" for instance in islice(instances, _MOST)
                    )
                    yield from _plain(addresses)
    yield from ((listing.name, listing.title) for listing in lazy.listings())


def runs() -> Iterator[Value]:
    """Folders of runs in ``results/``."""
    stores = islice(Path("results").glob("*/trials.sqlite"), _MOST)
    return _plain(sorted(str(store.parent) for store in stores))


def formats() -> Iterable[Value]:
    """Formats of puzzle files."""
    return lazy.format_names()


def features() -> Iterator[Value]:
    """Features of puzzles."""
    return ((name, feature.meaning) for name, feature in lazy.feature_columns().items())


def _plain(values: Iterable[str]) -> Iterator[str]:
    """The values that every shell takes for one word; Typer does not quote."""
    return filter(_PLAIN.fullmatch, values)
