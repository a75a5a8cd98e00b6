"""The formats that installed packages declare in the entry-point group ``harness.formats``.

They are read when a file needs them.
"""

import logging
from functools import lru_cache
from pathlib import Path
from typing import Final

from harness.errors import PuzzleError, meant, one_of
from harness.plugins import Plugin, plugins
from harness.puzzles.formats.compressed import bare_name
from harness.puzzles.formats.foreign import guarded
from harness.puzzles.formats.format import GROUP, Format, Head
from harness.puzzles.formats.text import plain_format

_LOG: Final = logging.getLogger(__name__)


def names() -> list[str]:
    """The names of all formats."""
    return [plugin.name for plugin in plugins(GROUP)]


@lru_cache(maxsize=256)
def format_named(name: str) -> Format:
    """The format called `name`.

    Raises:
        PuzzleError: no format has this name.
    """
    for plugin in plugins(GROUP):
        if plugin.name == name:
            return _loaded(plugin)
    raise PuzzleError(f"unknown format {name!r}{meant(name, names())}", expected=one_of(names()))


def _loaded(plugin: Plugin) -> Format:
    """The format of an entry point.

    Raises:
        PuzzleError: its module cannot be imported, or has no format.
    """
    expected = f"a Format called {plugin.attribute} in {plugin.module}"
    found = plugin.load("format", expected, PuzzleError)
    if not isinstance(found, Format):
        reason = f"{plugin.module}:{plugin.attribute} is no format"
        expected = "a harness.puzzles.formats.Format"
        raise plugin.refused("format", reason, expected, PuzzleError)
    return found if plugin.is_built_in else guarded(found, plugin.package)


def loadable(suffix: str = "") -> list[Format]:
    """All formats but those that cannot be loaded; a warning names each of these once.

    Raises:
        PuzzleError: a format that cannot be loaded has the name of `suffix`, which none of the
            others has.
    """
    found, broken = [], []
    for name in names():
        try:
            found.append(format_named(name))
        except PuzzleError as error:
            broken.append((name, error))
    if not any(suffix in (*of.suffixes, *of.shared_suffixes) for of in found):
        for name, problem in broken:
            if suffix == f".{name}":
                raise problem
    for _, problem in broken:
        _warn(f"warning: {problem}")
    return found


@lru_cache(maxsize=256)
def _warn(text: str) -> None:
    """Log a warning, once for each text; by default that prints it on standard error."""
    _LOG.warning("%s", text)


def format_for(path: Path | str) -> Format:
    """The format for writing a file of this name.

    Raises:
        PuzzleError: its suffix belongs to no format, or to several.
    """
    suffix = Path(bare_name(str(path))).suffix.lower()
    formats = loadable(suffix) if suffix else []
    found = [of for of in formats if suffix in (*of.suffixes, *of.shared_suffixes)]
    if len(found) != 1:
        what = "may be of several formats" if found else "does not determine a format"
        raise PuzzleError(f"the name {what}", where=str(path), expected=f"--to {'|'.join(names())}")
    return found[0]


def detected(head: Head, name: str) -> Format:
    """The format of a file with this beginning.

    The suffix decides if it belongs to one format. Otherwise the first lines do, if they
    are certainly of one format. What remains is lines or grids.

    Args:
        head: the beginning of the file.
        name: the name of the file in an error.

    Raises:
        PuzzleError: the beginning may be of several formats, or a format with the name of the
            suffix cannot be loaded.
    """
    formats = loadable(head.suffix)
    found = [of for of in formats if head.suffix and head.suffix in of.suffixes]
    if len(found) != 1 or any(head.suffix in of.shared_suffixes for of in formats):
        found = [of for of in formats if of.detect(head)]
    if len(found) > 1:
        choices = [of.name for of in found]
        raise PuzzleError(
            f"the text may be of the format {' or '.join(choices)}",
            where=name,
            expected=" or ".join(f"--format {choice}" for choice in choices),
        )
    return found[0] if found else plain_format(head)
