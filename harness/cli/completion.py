"""Completion of the command line in bash, zsh and fish.

`scripts` prints the script for a shell. The script calls ``harness __complete`` for each
completion; `line` splits and quotes what the shell has, `candidates` finds the words that
fit, `values` the values of options and arguments.

They come from names, folders and the record of a run: no backend is imported, and no
trial is read.
"""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

from harness.cli.commands import list_flags
from harness.cli.options import choice_argument
from harness.cli.terminal import show

# Completion of the command line in bash, zsh and fish.


COMPLETE: Final = "__complete"
"""The hidden command that the scripts call."""


# The values that an option or an argument can have.


_MOST: Final = 1000
"""Entries of a folder, and puzzles of a dataset, that are looked at."""
_RUNS: Final = "results"
_PUZZLES: Final = (".txt", ".sdm", ".csv", ".toml", ".json")
"""Suffixes of puzzle files; after the first letters of a name all files are offered."""
_STORE: Final = "trials.sqlite"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that can stand next."""

    value: str
    help: str = ""
    whole: bool = True
    """Whether the word is complete; a folder is only the beginning of one."""


Values = Callable[[str], Iterator[Candidate]]
"""The values that begin with a text, possibly among others."""


def values_of(
    path: tuple[str, ...], parameter: Any, begun: str, words: Sequence[str] = ()
) -> Iterator[Candidate]:
    """The values of an option or argument of the command at `path`, after these words of it."""
    name = parameter.name if parameter.param_type_name == "argument" else max(parameter.opts)
    if path == ("charts",) and name == "--backend" and (of_runs := _backends_of_runs(words)):
        yield from of_runs
        return
    find = _VALUES.get((path[-1] if path else "", name)) or _VALUES.get(("", name))
    if find:
        yield from find(begun)
    elif parameter.metavar and "|" in parameter.metavar:
        yield from (Candidate(choice) for choice in parameter.metavar.split("|"))


def _backends(begun: str) -> Iterator[Candidate]:
    from harness.contract import registry

    yield from (Candidate(name) for name in registry.names())
    yield from _files(begun, (".toml", ".py"))


def _backends_of_runs(words: Sequence[str]) -> list[Candidate]:
    """The configurations of the runs among `words`, as their records name them."""
    from harness.errors import HarnessError
    from harness.records.environment import read_invocations

    names: dict[str, None] = {}
    for folder in map(Path, words):
        if (folder / _STORE).is_file():
            with suppress(HarnessError):  # a damaged record has no names to offer
                for invocation in read_invocations(folder):
                    names |= dict.fromkeys(invocation.backends)
    return [Candidate(name) for name in names]


def _tables(_: str) -> Iterator[Candidate]:
    from harness.analysis.measures import MEASURES

    return (Candidate(name, measure.title) for name, measure in MEASURES.items())


def _tables_of_a_comparison(_: str) -> Iterator[Candidate]:
    from harness.report.tables.comparison import TABLES

    return map(Candidate, TABLES)


def _tables_of_a_trend(_: str) -> Iterator[Candidate]:
    from harness.report.tables.trend import TABLES

    return map(Candidate, TABLES)


def _measures_of_a_trend(_: str) -> Iterator[Candidate]:
    from harness.analysis.trend_tables import TREND_MEASURES

    return map(Candidate, TREND_MEASURES)


def _features(_: str) -> Iterator[Candidate]:
    from harness.analysis.difficulty import COLUMNS, EVERY

    yield from (Candidate(name, feature.meaning) for name, feature in COLUMNS.items())
    yield Candidate(EVERY)


def _charts(_: str) -> Iterator[Candidate]:
    from harness.report.charts.catalogue import CHARTS

    return (Candidate(kind.name, kind.title) for kind in CHARTS)


def _datasets(begun: str) -> Iterator[Candidate]:
    """Datasets and files; after ``named/`` or ``named:`` the puzzles of the dataset."""
    from harness.errors import HarnessError
    from harness.puzzles.catalogue import address_of, find, listings, read_instances

    for at, char in enumerate(begun):
        if char in "/:":
            source = begun[:at]
            shipped = source in {listing.name for listing in listings()}
            if shipped or Path(source).is_file():
                with suppress(HarnessError):  # a malformed file has no puzzles to offer
                    found = read_instances(find(address_of(source).source))
                    for instance in islice(found, _MOST):
                        yield Candidate(f"{source}{char}{instance.name}")
    yield from (Candidate(listing.name, listing.title) for listing in listings())
    yield from _files(begun, None if begun.rpartition("/")[2] else _PUZZLES)


def _runs(begun: str) -> Iterator[Candidate]:
    """Folders of runs, those in ``results/`` first."""
    for entry in _entries(Path(_RUNS)):
        if (entry / _STORE).is_file():
            yield Candidate(str(entry))
    for candidate in _files(begun, ()):
        is_run = (Path(candidate.value) / _STORE).is_file()
        yield Candidate(candidate.value.rstrip("/")) if is_run else candidate


def _formats(_: str) -> Iterator[Candidate]:
    from harness.puzzles.formats.reading import names

    return map(Candidate, names())


def _model_formats(_: str) -> Iterator[Candidate]:
    from harness.puzzles.models import FORMATS

    return (Candidate(name, of.title) for name, of in FORMATS.items())


def _any_file(begun: str) -> Iterator[Candidate]:
    return _files(begun)


def _sweeps(begun: str) -> Iterator[Candidate]:
    return _files(begun, (".toml",))


def _files(begun: str, suffixes: tuple[str, ...] | None = None) -> Iterator[Candidate]:
    """Folders, and files with one of the suffixes; None stands for all files."""
    stem = begun.rpartition("/")[2]
    prefix = begun[: len(begun) - len(stem)]
    for entry in _entries(Path(prefix or ".")):
        if entry.name.startswith(".") and not stem.startswith("."):
            continue
        if entry.is_dir():
            yield Candidate(f"{prefix}{entry.name}/", whole=False)
        elif suffixes is None or entry.suffix in suffixes:
            yield Candidate(f"{prefix}{entry.name}")


def _entries(folder: Path) -> list[Path]:
    """The entries of a folder in order; none if it cannot be read."""
    with suppress(OSError), os.scandir(folder.expanduser()) as entries:
        return sorted(Path(folder, entry.name) for entry in islice(entries, _MOST))
    return []


_SHELLS: Final = ("bash", "zsh", "fish")


_VALUES: Final[dict[tuple[str, str], Values]] = {
    ("", "--backend"): _backends,
    ("test", "backend"): _backends,
    ("", "--dataset"): _datasets,
    ("", "puzzle"): _datasets,
    ("", "dataset"): _datasets,
    ("", "datasets"): _datasets,
    ("convert", "source"): _datasets,
    ("import", "source"): _any_file,
    ("", "target"): _any_file,
    ("", "--svg"): _any_file,
    ("", "--certify"): _any_file,
    ("", "--prover"): _backends,
    ("verify", "files"): _any_file,
    ("read-image", "file"): _any_file,
    ("", "--to"): _formats,
    ("model", "--to"): _model_formats,
    ("", "--from"): _formats,
    ("", "folder"): _runs,
    ("", "folders"): _runs,
    ("", "--baseline"): _runs,
    ("report", "--table"): _tables,
    ("compare", "--table"): _tables_of_a_comparison,
    ("trend", "--table"): _tables_of_a_trend,
    ("trend", "--measure"): _measures_of_a_trend,
    ("charts", "--chart"): _charts,
    ("export", "--features"): _features,
    ("run", "sweep_file"): _sweeps,
    ("run", "--out"): _runs,
    ("", "--out"): _any_file,
    ("", "--junit"): _any_file,
    ("", "--path"): _any_file,
    ("", "shell"): lambda _: (Candidate(shell) for shell in _SHELLS),
}
"""By the name of the command, empty for all others, and the option or argument."""


# Words of a command line as a shell has them, and candidates as it takes them.


_BREAKS = re.compile("[:=]")
"""Characters at which readline begins a word, besides spaces and those of pipes."""
_PLAIN = re.compile(r"[\w@%+,./:=^~-]+", re.ASCII)

_COMMAND_ENDS = re.compile(
    r"""\\. | '[^']*(?:'|$) | "(?:\\.|[^"\\])*(?:"|\\?$) | ([;|&])""", re.VERBOSE | re.DOTALL
)
"""What is escaped or quoted, and as a group the character between two commands."""


def split(line: str) -> tuple[list[str], str]:
    """The words of a line up to the cursor, and the last one, which may be empty.

    Quotes may be open; what is after ``;``, ``|`` or ``&`` counts.
    """
    begin = max((at.end() for at in _COMMAND_ENDS.finditer(line) if at[1]), default=0)
    lexer = shlex.shlex(line[begin:], posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:  # an open quote or a backslash at the end
        return words, lexer.token
    return (words, "") if not words or line[-1].isspace() else (words[:-1], words[-1])


def for_bash(found: Iterable[Candidate], begun: str) -> Iterator[str]:
    """Each candidate as readline inserts it, with a space after a whole word.

    Readline replaces what is after the last ``:`` or ``=`` of the word only.
    """
    kept = max((at.end() for at in _BREAKS.finditer(begun)), default=0)
    for candidate in found:
        text = candidate.value[kept:]
        yield f"{_quoted(text)}{' ' * candidate.whole}"


def with_help(found: Iterable[Candidate]) -> Iterator[str]:
    """Each candidate with its help after a tab, in one line; for zsh and fish."""
    for candidate in found:
        text = " ".join(candidate.help.split())
        yield f"{candidate.value}\t{text}" if text else candidate.value


def _quoted(text: str) -> str:
    """`text` with a backslash before each character that has a meaning in bash."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(c if _PLAIN.fullmatch(c) else f"\\{c}" for c in text)


# The words that can stand next on a command line.


def candidates(root: Any, words: Sequence[str], begun: str) -> list[Candidate]:
    """The words that can follow `words` and begin with `begun`, each once.

    Args:
        root: the group of all commands, as Typer makes it.
        words: the words before, without the name of the program.
        begun: the begun word, possibly empty.
    """
    command, path, words = _command(root, words)
    found = list(_candidates(command, path, words, begun))
    unique = {candidate.value: candidate for candidate in found}
    return [c for c in unique.values() if c.value.startswith(begun)]


def _command(root: Any, words: Sequence[str]) -> tuple[Any, tuple[str, ...], list[str]]:
    """The command that `words` name, its name, and the words after it."""
    command, path, rest = root, [], list(words)
    while hasattr(command, "commands"):
        named = next((at for at, word in enumerate(rest) if not word.startswith("-")), None)
        if named is None or rest[named] not in command.commands:
            break
        path.append(rest[named])
        command, rest = command.commands[rest[named]], rest[named + 1 :]
    return command, tuple(path), rest


def _candidates(
    command: Any, path: tuple[str, ...], words: list[str], begun: str
) -> Iterator[Candidate]:
    options = {flag: option for option in _options(command) for flag in option.opts}
    if begun.startswith("--") and "=" in begun:
        flag, _, value = begun.partition("=")
        if flag in options:
            for candidate in values_of(path, options[flag], value, words):
                yield Candidate(f"{flag}={candidate.value}", candidate.help, candidate.whole)
        return
    last = words[-1] if words else ""
    if last in options and not options[last].is_flag:
        yield from values_of(path, options[last], begun, words)
        return
    if begun.startswith("-"):
        for option in options.values():
            is_new = option.multiple or not set(option.opts) & set(words)
            if is_new and not option.hidden:
                flag = max(option.opts, key=len)
                yield Candidate(begun if begun in option.opts else flag, option.help or "")
        return
    flags = [word for word in words if word.startswith("-")]
    if flags and flags[-1] in list_flags(" ".join(path)):
        yield from values_of(path, options[flags[-1]], begun, words)
        return
    is_unknown = any(not word.startswith("-") for word in words)
    for name, sub in getattr(command, "commands", {}).items():
        if not sub.hidden and not is_unknown:
            yield Candidate(name, (sub.help or "").partition("\n")[0])
    for argument in _free_arguments(command, options, words):
        yield from values_of(path, argument, begun, words)


def _options(command: Any) -> Iterator[Any]:
    """The options of a command, with the one for help."""
    from typer import Context

    for parameter in command.get_params(Context(command, resilient_parsing=True)):
        if parameter.param_type_name == "option":
            yield parameter


def _free_arguments(command: Any, options: dict[str, Any], words: Sequence[str]) -> Iterator[Any]:
    """The argument that the next word would be, if the command takes another one."""
    given, takes_value = 0, False
    for word in words:
        if takes_value:
            takes_value = False
        elif word in options:
            takes_value = not options[word].is_flag
        elif not word.startswith("--"):
            given += 1
    for argument in command.params:
        if argument.param_type_name == "argument":
            if argument.nargs == -1 or not given:
                yield argument
                return
            given -= 1


# `harness completion`: the scripts for the shells, and what they call.


class Shell(StrEnum):
    """Shells with completion."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, choice_argument(Shell, "SHELL", "bash, zsh or fish.")],
) -> None:
    """Print the script that completes commands, options and their values in a shell.

    The first lines of the script name the file to add it to.
    """
    path = Path(__file__).with_name(f"harness.{shell}")
    show(path.read_text(encoding="utf-8"), end="")


def complete(root: Any, arguments: Sequence[str]) -> None:
    """Print the candidates for a command line, a line each.

    Args:
        root: the group of all commands, as Typer makes it.
        arguments: ``bash`` and the line up to the cursor; or another shell, ``--`` and the
            words after the name of the program, with the begun one.
    """
    shell, rest = "".join(arguments[:1]), list(arguments[1:])
    if shell == Shell.BASH:
        words, begun = split("".join(rest[:1]))
        lines = for_bash(candidates(root, words[1:], begun), begun)
    else:
        *words, begun = rest[1:] or [""]
        lines = with_help(candidates(root, words, begun))
    sys.stdout.writelines(f"{line}\n" for line in lines)
