"""Updates the table of docs/puzzle-formats.md from the formats: ``make docs-tables``."""

from pathlib import Path

from harness.puzzles.formats.format import EVERYTHING
from harness.puzzles.formats.reading import format_named, names

BEGIN, END = "<!-- formats -->\n", "<!-- end of formats -->\n"


def table() -> str:
    """The table of all formats of the harness."""
    rows = ["| format | contents | puzzles | keeps | suffix |", "|---|---|---|---|---|"]
    for of in map(format_named, names()):
        kept = ["everything"] if of.keeps == EVERYTHING else sorted(of.keeps)
        held = of.holds + ("; one per file" if of.single else "")
        suffixes = " ".join(f"`{suffix}`" for suffix in (*of.suffixes, *of.shared_suffixes))
        rows.append(f"| `{of.name}` | {of.title} | {held} | {', '.join(kept)} | {suffixes} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Replace the table between its two marks."""
    page = Path(__file__).with_name("puzzle-formats.md")
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")


if __name__ == "__main__":
    main()
