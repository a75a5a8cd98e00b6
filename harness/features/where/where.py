"""A condition on puzzles, as ``--where`` takes it."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from harness.errors import OptionError, meant, one_of
from harness.features.declared import Described, Record
from harness.features.where.syntax import parse
from harness.features.where.term import Lookup, Term
from harness.text import number_of, short_repr


@dataclass(frozen=True, slots=True)
class Where:
    """A condition, such as ``clues < 20 and shape == '9x9'``.

    The names are those of `FEATURES`; ``number('difficulty')`` and ``text('label')`` are
    fields of the puzzle's file. A feature is computed only for a puzzle whose answer
    depends on it: ``and`` and ``or`` stop at the first part that decides.
    """

    text: str
    """The condition as it was written."""
    term: Term
    fields: frozenset[str] = frozenset()
    """The fields of files that it names."""

    @staticmethod
    def parse(text: str) -> "Where":
        """The condition that `text` states.

        Raises:
            OptionError: the text is no condition: the syntax, a name or a type is wrong; with
                the column, and with ``where`` as the name of the option.
        """
        if not isinstance(text, str):
            raise OptionError(
                f"invalid value {short_repr(text)}", where="where", expected="a condition as text"
            )
        return Where(text, *parse(text))

    def accepts(self, record: Record, dataset: str = "") -> bool:
        """Whether the condition holds.

        Args:
            record: an `Instance`, a `ParsedPuzzle` or anything else with their attributes.
            dataset: the name of its dataset.
        """
        return bool(self.term.value(Lookup(Described.of(record, dataset))))

    def require_met(self, sizes: Mapping[str, int], chosen: int, known: Set[str]) -> None:
        """Check that puzzles met the condition, and that one has each field that it names.

        Args:
            sizes: the number of puzzles of each dataset, by its name.
            chosen: the number of puzzles that met the condition.
            known: the fields of the puzzles.

        Raises:
            OptionError: none met it, or none has such a field.
        """
        for name in sorted(self.fields - known):
            raise OptionError(
                f"no puzzle has a field {short_repr(name)}{meant(name, known)}",
                where="where",
                expected=one_of(sorted(known)) if known else "a file with fields",
            )
        if not chosen:
            every = ", ".join(f"{name} has {number_of(n, 'puzzle')}" for name, n in sizes.items())
            raise OptionError(
                f"no puzzle meets {self.text.strip()}: {every}",
                where="where",
                expected="a condition that at least one puzzle meets",
            )

    def __str__(self) -> str:
        return self.text
