"""The runs, filtered and in pages."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from harness.records.lock import is_held
from harness.workbench.runs.facts import FactsCache, RunFacts
from harness.workbench.runs.folders import run_folders

PER_PAGE: Final = 50


class RunPage(Struct):
    """A page of the list of runs."""

    runs: list[RunFacts]
    page: int
    """Its number, from 1."""
    pages: int
    found: int
    """Runs that the filter leaves."""
    total: int


class RunListing:
    """The runs in a folder."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._cache = FactsCache()

    def page(self, text: str = "", state: str = "", number: int = 1) -> RunPage:
        """A page of the runs, the last changed first.

        Only the runs of the page are read, unless a filter needs others.

        Args:
            text: a text in the name, a backend, a dataset or the machine of a run.
            state: the state of a run; empty for any.
            number: the number of the page, from 1.
        """
        folders = run_folders(self.results)
        total = len(folders)
        self._cache.forget_others({folder.name for folder in folders})
        words = text.casefold().split()
        if not words and not state:
            pages = max(1, -(-total // PER_PAGE))
            number = min(max(number, 1), pages)
            shown = folders[(number - 1) * PER_PAGE : number * PER_PAGE]
            return RunPage([self._cache.of(of) for of in shown], number, pages, total, total)
        facts = [self._cache.of(folder) for folder in folders]
        found = [of for of in facts if _has(of, words) and state in ("", of.state)]
        pages = max(1, -(-len(found) // PER_PAGE))
        number = min(max(number, 1), pages)
        shown_facts = found[(number - 1) * PER_PAGE : number * PER_PAGE]
        return RunPage(shown_facts, number, pages, len(found), total)

    def running(self) -> list[RunFacts]:
        """The runs to which a command writes now."""
        held = [of for of in run_folders(self.results) if not of.problem and is_held(of.path)]
        return [self._cache.of(folder) for folder in held]

    def facts(self, name: str) -> RunFacts | None:
        """The facts of a run; None if there is none of this name."""
        for folder in run_folders(self.results):
            if folder.name == name:
                return self._cache.of(folder)
        return None


def _has(facts: RunFacts, words: list[str]) -> bool:
    """Whether each of these words is in what is known of a run."""
    known = [facts.name, *facts.backends, *facts.datasets, *facts.machines]
    text = "\n".join(known).casefold()
    return all(word in text for word in words)
