"""Colours of text for a terminal."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Style(StrEnum):
    """What a text is; each has its look in a terminal. The values are styles of rich."""

    PLAIN = ""
    GOOD = "green"
    BAD = "bold red"
    """A wrong answer, a failure, a regression."""
    WARNING = "yellow"
    GIVEN = "bold"
    """A value that the puzzle gives."""
    FOUND = "cyan"
    """A value that a solver found."""
    QUIET = "dim"


_CODES: Final = {
    Style.GOOD: "32",
    Style.BAD: "1;31",
    Style.WARNING: "33",
    Style.GIVEN: "1",
    Style.FOUND: "36",
    Style.QUIET: "2",
}


@dataclass(frozen=True, slots=True)
class Theme:
    """What a terminal shows. The default is that of a file: plain text in Unicode."""

    colour: bool = False
    unicode: bool = True

    def styled(self, text: str, style: Style) -> str:
        """`text` in the colours of `style`, if the terminal has colours."""
        if not self.colour or not text or style is Style.PLAIN:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


PLAIN: Final = Theme()
