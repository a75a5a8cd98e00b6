"""Words that the project replaced by terms of the field, and where they still occur.

    python tests/vocabulary.py [REVISION]

prints each word with its number of occurrences in the tracked files, at REVISION too if
that is given.
"""

import argparse
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

EXCLUDED = (
    "tests/vocabulary.py",  # the list itself
    "results/reference/",  # data
    "LICENSE",  # a standard text
)
"""Paths that are not searched, by their beginnings."""

BINARY = (".sqlite", ".png", ".pdf", ".gz", ".npz")


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


REPLACED = (
    # Terms
    Replaced("contest", "comparison group"),
    Replaced("contests", "comparison groups"),
    Replaced("keeper", "monitor"),
    Replaced("keepers", "monitors"),
    Replaced("heartbeat", "current trial"),
    Replaced("fitness", "system checks"),
    Replaced("strata", "by difficulty"),
    Replaced("stratum", "difficulty"),
    Replaced("truth", "expected count", allowed=(r"ground[ _-]truth",)),
    Replaced("truths", "expected results"),
    Replaced("catalog", "catalogue"),
    Replaced("rightful", "eligible"),
    Replaced("memory how", "memory source"),
    Replaced("cpu how", "CPU source"),
    Replaced("alarm", "warning"),
    Replaced("alarms", "warnings"),
    Replaced("spoil", "disturb"),
    Replaced("spoils", "disturbs"),
    Replaced("spoiler", "unreliable timing"),
    Replaced("spoilers", "unreliable timings"),
    Replaced("silent", "without an answer", allowed=(r"\.silent\(\)", r"silent solver")),
    Replaced("figures", "formatting, statistics, measurements"),
    Replaced("family", "chart kind", allowed=(r"font[-_]family", r"fontFamily", r"AF_\w+")),
    Replaced("families", "chart catalogue"),
    Replaced("picture", "chart", allowed=(r"</?picture>",)),
    Replaced("pictures", "charts"),
    Replaced(
        "together", "pooled", pattern=r"""["'`]together["'`]|\btogether(?=_)|(?<=_)together\b"""
    ),
    Replaced(
        "share (a run)", "anonymize", pattern=r"(?<!\w)--share\b|\bshare_run\b|\bshared_run\b"
    ),
    Replaced("Truth", "SolutionCount", pattern=r"(?<![A-Za-z])Truth(?![a-z])"),
    Replaced("Why", "EndReason", pattern=r"\bWhy(?=\.[A-Z(]|\()|\bclass Why\b|\bimport Why\b"),
    Replaced("ITSELF", "EXITED", pattern=r"\bITSELF\b"),
    Replaced("Entry", "Instance", pattern=r"\bEntry\b"),
    Replaced("Job", "Slot", pattern=r"\bJob\b"),
    Replaced("Place", "worker configuration", pattern=r"\bPlace\b(?=[\](.,:|]|\s*=)"),
    Replaced("look (module)", "theme", pattern=r"(?<![\w.])look\.(?=[A-Za-z])|charts[./]look\b"),
    # Anthropomorphisms
    Replaced("told", "reported, sent, given"),
    Replaced("asked", "requested, run, given"),
    Replaced("said", "reported, printed"),
    Replaced("tell", "report, show", allowed=(r"\btell\s+(\S+\s+){0,3}apart",)),
    Replaced("tells", "reports, shows", allowed=(r"\btells\s+(\S+\s+){0,3}apart",)),
    Replaced("telling", "outcomes"),
    Replaced("hear", "receive"),
    Replaced("hears", "receives"),
    Replaced("heard", "received"),
    Replaced("hearing", "validation"),
    Replaced("speak", "report, mention"),
    Replaced("speaks", "reports, mentions"),
    Replaced("bury", "end"),
    Replaced("buried", "ended"),
    Replaced("attend", "handle"),
    Replaced("attends", "handles"),
    Replaced("settle", "set up, finish"),
    Replaced("settles", "sets up, finishes"),
    Replaced("last word", "final message"),
    Replaced("last words", "final output"),
    Replaced("post mortem", "termination"),
    Replaced("hunger", "lack of memory"),
    Replaced("culprit", "cause"),
    # Turns of phrase
    Replaced("whoever", "a concrete subject"),
    Replaced("of which", "a sentence of its own"),
    Replaced("as far as", "if, where, up to"),
    Replaced("so many", "a number"),
    Replaced("one of each", "one per ..."),
    Replaced("the one that", "the noun itself"),
    Replaced("is there already", "already exists"),
    # Modules of earlier layouts
    Replaced("harness.sweep", "records, engine, experiment", pattern=r"\bharness[./]sweep\b"),
    Replaced("contract.conformance", "conformance", pattern=r"\bcontract[./]conformance\b"),
    Replaced("contract.many", "contract.batch", pattern=r"\bcontract[./]many\b|\btest_many\b"),
    Replaced("shared_time", "time_budget", pattern=r"\bshared_time\b"),
    Replaced(
        "report.figures", "report.formatting", pattern=r"\breport[./](?:figures|shared|measures)\b"
    ),
    Replaced("cli.words", "cli.options", pattern=r"\bcli[./](?:words|sweep)\b"),
    Replaced("analysis.instances", "analysis.results", pattern=r"\banalysis[./]instances\b"),
    Replaced(
        "page.setting", "page.environment", pattern=r"\bpage[./]setting\b|(?<![\w.])setting\.py\b"
    ),
)


@cache
def expression(replaced: Replaced) -> re.Pattern[str]:
    """What is searched for.

    The alternatives are a lower-case part of a snake_case or camelCase name, a capitalised
    part, and an upper-case part.
    """
    if replaced.pattern:
        return re.compile(replaced.pattern)
    words = replaced.word.split()
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


def places(replaced: Replaced, text: str) -> list[int]:
    """The offsets in `text` where the word occurs outside the allowed contexts."""
    exempt = [m.span() for context in replaced.allowed for m in re.finditer(context, text)]
    return [
        m.start()
        for m in expression(replaced).finditer(text)
        if not any(begin <= m.start() < end for begin, end in exempt)
    ]


def occurrences(replaced: Replaced, files: dict[str, str]) -> Iterator[str]:
    """Each occurrence in the files as ``path:line``; just the path if it is in the path."""
    words = [] if replaced.pattern else replaced.word.split()
    for path, text in files.items():
        both = _lowered(f"{path}\n{text}")
        if not all(word in both for word in words):
            continue  # much faster than the regular expression
        if places(replaced, path):
            yield path
        for offset in places(replaced, text):
            yield f"{path}:{text.count(chr(10), 0, offset) + 1}"


@cache
def _lowered(text: str) -> str:
    return text.lower()


def tracked(revision: str = "") -> dict[str, str]:
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


def main() -> None:
    """Print a row per word: occurrences and replacement."""
    parser = argparse.ArgumentParser(description="Count the words that were replaced.")
    parser.add_argument("revision", nargs="?", help="count them at this revision too")
    revision = parser.parse_args().revision
    now = tracked()
    before = tracked(revision) if revision else {}
    print(f"{'word':22}{revision or '':>10}{'now':>8}  replaced by")
    for replaced in REPLACED:
        counts = [len(list(occurrences(replaced, files))) for files in (before, now)]
        first = str(counts[0]) if revision else ""
        print(f"{replaced.word:22}{first:>10}{counts[1]:>8}  {replaced.by}")


if __name__ == "__main__":
    main()
