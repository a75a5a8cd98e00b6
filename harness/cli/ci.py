"""Reports for continuous integration: a JUnit file and annotations of GitHub Actions."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import OptionError
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.folders import put
from harness.cli.options import value_option
from harness.records import Verdict
from harness.report import shown_backend


@dataclass(frozen=True)
class CIOptions:
    """What a command reports for continuous integration, besides its findings."""

    junit: Annotated[
        Path | None,
        value_option("--junit", "FILE", "Write the findings as JUnit XML to this file."),
    ] = None
    github: Annotated[
        bool,
        typer.Option(
            "--github", help="Print findings as annotations of GitHub Actions on standard error."
        ),
    ] = False

    def begin(self, title: str) -> None:
        """Write a failure to the JUnit file, which remains if the command ends early.

        Raises:
            InputError: the file cannot be written, or exists and is not a JUnit report.
        """
        if self.junit:
            with suppress(OSError):  # there is no such file
                earlier = self.junit.is_file() and self.junit.read_bytes()
                if earlier and b"<testsuites" not in earlier:
                    problem = f"{self.junit} exists and is not a JUnit report"
                    raise OptionError(problem, where="--junit", expected="another file")
            message = "the command ended before its last finding"
            case = lazy.JUnitCase(title, "finished", lazy.CaseOutcome.FAILURE, message)
            put(lazy.JUnitCase.document(title, [case]), self.junit)

    def write(
        self,
        title: str,
        cases: "Callable[[], Iterable[lazy.JUnitCase]]",
        annotations: "Callable[[], Iterable[lazy.Annotation]]",
    ) -> None:
        """Write the JUnit file, and print annotations on standard error; GitHub reads them there.

        Raises:
            InputError: the file cannot be written.
        """
        if self.junit:
            put(lazy.JUnitCase.document(title, cases()), self.junit)
        if self.github:
            for item in annotations():
                typer.echo(item.command(), err=True)


def annotations_of_check(agreement: "lazy.Agreement") -> "Iterator[lazy.Annotation]":
    """An annotation for each kind of disagreement, each crash and each backend without answers.

    One more says why nothing could be compared.
    """
    annotation, tables = lazy.Annotation, lazy.agreement_tables
    for first, *others in lazy.alike(agreement.disagreements):
        more = [f"the same on {number_of(len(others), 'more puzzle')}"] if others else []
        again = [f"again: {command}" for command in first.commands]
        lines = [tables.finding(first), *tables.claim_lines(first), *more, *again]
        yield annotation(f"Disagreement on {first.dataset}/{first.name}", "\n".join(lines))
    for failure in agreement.failures:
        if failure.verdict == Verdict.CRASHED:
            trials = f"{number_of(failure.trials, 'trial')}, first {failure.dataset}/{failure.name}"
            message = f"{failure.reason}\n{trials}\nagain: {failure.command}"
            yield annotation(f"{shown_backend(failure.backend)} crashed", message)
    for backend in map(shown_backend, agreement.without_answer):
        yield annotation(f"{backend} has no answer", f"{backend} answered no question")
    if agreement.not_compared:
        yield annotation("Nothing compared", agreement.not_compared)


def annotations_of_comparison(
    comparison: "lazy.Comparison", *, partial: bool, strict: bool
) -> "Iterator[lazy.Annotation]":
    """An annotation for each slower time, and one for each kind of new failure of a backend.

    The first names what the comparison does not cover, unless `partial` accepts that. A change that
    an unequal machine may have caused is a warning, or an error if `strict`. Failures at a limit
    that chance explains have no annotation.
    """
    annotation, kinds = lazy.Annotation, lazy.Change
    several = len(comparison.times["host"].unique()) > 1
    slower = comparison.times[comparison.times["change"].isin([kinds.SLOWER, kinds.SLOWER_UNEQUAL])]
    if comparison.partial and not partial:
        yield annotation("Partial comparison", "\n".join(comparison.partial))
    for row in slower.to_dict("records"):
        title = f"{shown_backend(str(row['backend']))} is {row['change']}"
        sentence = lazy.comparison_tables.sentence(row, several)
        doubtful = row["change"] == kinds.SLOWER_UNEQUAL and not strict
        yield annotation(title, sentence, is_warning=doubtful)
    worse = comparison.status[~comparison.status["change"].isin([kinds.FIXED, *kinds.by_chance()])]
    for (change, backend), rows in worse.groupby(["change", "backend"], observed=True, sort=False):
        name, first = shown_backend(str(backend)), rows.iloc[0]
        results = number_of(len(rows), "result")
        message = f"{results}, first {first['dataset']}/{first['name']}\nagain: {first['command']}"
        doubtful = change == kinds.TIMEOUT_UNEQUAL and not strict
        yield annotation(f"{name}: {change}", message, is_warning=doubtful)
