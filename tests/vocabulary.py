"""Words that the project replaced by terms of the field, and where they still occur.

    python tests/vocabulary.py [REVISION]

prints each word with its number of occurrences in the tracked files, and at REVISION if
that is given.
"""

import argparse
import ast
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

PROJECT = Path(__file__).resolve().parents[1]

EXCLUDED = (
    "tests/vocabulary.",  # the list itself
    "results/reference/",  # data
    "LICENSE",  # a standard text
)
"""Paths that are not searched, by their beginnings."""

BINARY = (".sqlite", ".png", ".pdf", ".gz", ".npz", ".parquet")


@dataclass(frozen=True)
class Replaced:
    """A word or phrase that must not occur.

    Attributes:
        word: the word. It is found in every capitalisation, alone and as a part of an
            identifier: `told` in `is_told`, `toldBy` and `TOLD`, but not in `untold`.
            The words of a phrase may be on two lines.
        by: what to write instead.
        pattern: a regular expression to search for in place of the word.
        allowed: regular expressions for contexts in which the word is right.
    """

    word: str
    by: str
    pattern: str = ""
    allowed: tuple[str, ...] = ()


def _words() -> Iterator[Replaced]:
    sections = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for words in sections.values():
        for word, entry in words.items():
            more = {"by": entry} if isinstance(entry, str) else entry
            yield Replaced(word, **more | {"allowed": tuple(more.get("allowed", ()))})


REPLACED = tuple(_words())


@cache
def expression(entry: Replaced) -> re.Pattern[str]:
    """What is searched for.

    The alternatives are a lower-case part of a snake_case or camelCase name, a capitalised
    part, and an upper-case part.
    """
    if entry.pattern:
        return re.compile(entry.pattern)
    words = entry.word.split()
    between = r"(?:[\s_#*-]+)"
    lower, capital, upper = (
        between.join(part)
        for part in (words, [words[0].capitalize(), *words[1:]], [w.upper() for w in words])
    )
    camel = "".join(word.capitalize() for word in words)
    return re.compile(
        rf"(?<![A-Za-z]){lower}(?![a-z])|(?<![A-Z])(?:{capital}|{camel})(?![a-z])"
        rf"|(?<![A-Za-z]){upper}(?![A-Za-z])"
    )


def places(entry: Replaced, text: str) -> list[int]:
    """The offsets in `text` where the word occurs outside the allowed contexts."""
    exempt = [m.span() for context in entry.allowed for m in re.finditer(context, text)]
    return [
        m.start()
        for m in expression(entry).finditer(text)
        if not any(begin <= m.start() < end for begin, end in exempt)
    ]


def occurrences(entry: Replaced, files: dict[str, str]) -> Iterator[str]:
    """Each occurrence in the files as ``path:line``; just the path if it is in the path."""
    words = [] if entry.pattern else entry.word.split()
    for path, text in files.items():
        both = _lower(f"{path}\n{text}")
        if not all(word in both for word in words):
            continue  # much faster than the regular expression
        if places(entry, path):
            yield path
        for offset in places(entry, text):
            yield f"{path}:{text.count(chr(10), 0, offset) + 1}"


@cache
def _lower(text: str) -> str:
    return text.lower()


def tracked_files(revision: str = "") -> dict[str, str]:
    """The text of each file that git tracks, in the working tree or at a revision.

    Raises:
        OSError: git is not installed.
        subprocess.CalledProcessError: the project is not a git checkout.
    """
    if revision:
        names = _git("ls-tree", "-r", "--name-only", "-z", revision)
    else:
        names = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    files = {}
    for path in names.split("\0"):
        if not path or path.startswith(EXCLUDED) or path.endswith(BINARY):
            continue
        if revision:
            files[path] = _git("show", f"{revision}:{path}")
        elif (PROJECT / path).is_file():
            files[path] = (PROJECT / path).read_text(encoding="utf-8")
    return files


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(PROJECT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


# Names that say nothing about the thing they hold: `of` or `kept` for a primitive or a list.


DIALECT: Final = frozenset(("of", "found", "what", "left", "one", "told", "shown"))
"""Words that are not names."""
IRREGULAR: Final = re.compile(
    "begun|bound|broken|built|chosen|cut|drawn|driven|fallen|given|gone|got|grown|held|hidden|"
    "kept|known|lost|made|meant|met|seen|sent|sought|spent|taken|thrown|understood|won|written"
)
"""Participles that do not end in ``-ed``."""
NOUNS: Final = re.compile(
    "embed|expected|feed|hundred|need|parsed|red|seed|solved|speed|unsupported"
)
"""Words in ``-ed`` that are nouns or terms: a verdict, what a test expects, what a reader gives."""


class Binding(NamedTuple):
    """A variable, parameter, function or class."""

    name: str
    line: int


def bindings(tree: ast.AST) -> Iterator[Binding]:
    """All bindings below a node."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store()):
                yield Binding(node.id, node.lineno)
            case ast.arg():
                yield Binding(node.arg, node.lineno)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield Binding(node.name, node.lineno)


def is_dialect(name: str) -> bool:
    """Whether a name is a preposition or a participle in place of the thing it holds."""
    word = name.strip("_")
    is_regular = re.fullmatch("[a-z]+ed", word) and not NOUNS.fullmatch(word)
    return word in DIALECT or bool(is_regular or IRREGULAR.fullmatch(word))


def dialect_in(files: Iterable[Path]) -> tuple[int, list[str]]:
    """The number of bindings in Python files, and the places of those with such names."""
    number = 0
    places = []
    for file in sorted(files):
        for binding in bindings(ast.parse(file.read_text(encoding="utf-8"))):
            number += 1
            if is_dialect(binding.name):
                places.append(f"{file}:{binding.line}: {binding.name}")
    return number, places


def main() -> None:
    """Print a row per word: occurrences and replacement."""
    parser = argparse.ArgumentParser(description="Count the words that were replaced.")
    parser.add_argument("revision", nargs="?", help="count them at this revision too")
    revision = parser.parse_args().revision
    now = tracked_files()
    before = tracked_files(revision) if revision else {}
    print(f"{'word':22}{revision or '':>10}{'now':>8}  replaced by")
    for entry in REPLACED:
        counts = [len(list(occurrences(entry, files))) for files in (before, now)]
        first = str(counts[0]) if revision else ""
        print(f"{entry.word:22}{first:>10}{counts[1]:>8}  {entry.by}")


if __name__ == "__main__":
    main()
