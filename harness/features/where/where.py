"""A condition on puzzles, as ``--where`` takes it."""

from dataclasses import dataclass

from harness.errors import OptionError
from harness.features.declared import Described, Record
from harness.features.where.syntax import parse
from harness.features.where.term import Lookup, Term
from harness.text import short_repr


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

    def __str__(self) -> str:
        return self.text
