"""The addresses of the pages of a site, and the links in its tables.

All pages are in one folder. Each name is the kind of the page and slugs of the names that it is
about, so no name from a record can leave the folder or take the name of another page.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.analysis.measures import columns as col
from harness.extensions.site.records import SiteRecord
from harness.extensions.site.standings import QUESTION
from harness.report import file_name, is_missing

BADGES: Final = "badges"
"""The folder of the badges in a site."""


class Links:
    """The addresses of a site: different names have different pages, even with equal slugs."""

    def __init__(self, records: Sequence[SiteRecord]) -> None:
        self._records = records
        self._taken = {record.slug for record in records}
        self._names: dict[tuple[str, ...], str] = {}

    def page(self, kind: str, *names: str) -> str:
        """The file of the page about `names`, the same at each call."""
        return f"{self._name(kind, *names)}.html"

    def pair(self, backend: str, other: str) -> str:
        """The page of two backends in any order."""
        return self.page("pair", *sorted((backend, other)))

    def badge(self, row: Mapping[Any, Any]) -> str:
        """The file of the badge of a row of `standings`."""
        name = self._name("badge", *(str(row[key]) for key in ("backend", *QUESTION)))
        return f"{BADGES}/{name}.svg"

    def of_cell(self, column: col.Column, row: Mapping[str, Any]) -> str:
        """The address to which a cell leads; see `harness.extensions.page.fragments.fragment`."""
        value = row.get(column.name)
        # Tables of pairs are most of a site, and repeat their names.
        if is_missing(value) or value == "" or ("one" in row and column.name != "dataset"):
            return ""
        match column.name:
            case "dataset" | "paradigm":
                return self.page(column.name, str(value))
            case "backend" | "other" | "first":
                return self.page("backend", str(value))
            case "date" | "name":
                return f"{self._records[row['record']].slug}.html"
            case "badge" if row["badged"]:
                return self.badge(row)
            case "claim":
                return self.page("claim", str(row["id"]))
            case "factor" if "first" in row and row["first"] != row["backend"]:
                return self.pair(str(row["backend"]), str(row["first"]))
            case _:
                return ""

    def _name(self, *key: str) -> str:
        if key not in self._names:
            self._names[key] = file_name(key, self._taken)
        return self._names[key]
