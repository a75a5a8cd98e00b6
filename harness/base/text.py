r"""Texts that any file and any terminal can hold, and integers beyond 64 bits.

Python represents the bytes of a file's name that are not UTF-8 by lone surrogates
(``\udcff``), and a backend may put them into any text. No file, message between processes
or database can hold them. `encodable` writes each as an escape that a reader recognizes;
`existing_path` finds the file whose name was escaped so.

Python's integers are unbounded, and numbers of solutions are large: an empty 9x9 has
6,670,903,752,021,072,936,960. Python writes and reads integers of up to `MOST_DIGITS`
digits, which is enough for the number of grids of any shape up to 36x36: 36**1296 has 2,017.
"""

import hashlib
import re
import reprlib
import unicodedata
from pathlib import Path
from typing import Final

# Texts that any file and any terminal can hold.


LONGEST: Final = 80
"""Maximum number of characters of a text in a table; a longer text keeps both its ends."""
_ESCAPED: Final = re.compile(r"\\u(dc[89a-f][0-9a-f])")
"""The escape of a byte of a file's name that is not UTF-8."""


def encodable(text: str) -> str:
    r"""`text` with lone surrogates as escapes (``\udcff``)."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_of(value: object) -> str:
    """`value` as text without lone surrogates, even if its ``__str__`` fails."""
    try:
        return encodable(str(value))
    except Exception:  # noqa: BLE001  a hostile __str__
        return f"<{encodable(type(value).__name__)} without a text>"


def described(error: BaseException) -> str:
    """An exception as in the last line of a traceback: printable, at most 500 characters.

    White space in the message, including line breaks, becomes blanks.
    """
    name, message = type(error).__name__, text_of(error)
    return printable(shortened(f"{name}: {message}" if message else name, 500))


def short_repr(value: object) -> str:
    """The `repr` of a value, shortened; its type if that fails, for example for a huge integer."""
    try:
        return reprlib.repr(value)
    except Exception:  # noqa: BLE001  a hostile __repr__
        return f"<{type(value).__name__}>"


def existing_path(name: str | Path) -> Path:
    """The path `name`, or the existing path whose bytes `encodable` escaped in `name`.

    Raises:
        OSError: the file system refuses the name, for example because it is too long.
    """
    path = Path(name)
    if _ESCAPED.search(str(name)) and not path.exists():
        unescaped_path = Path(_ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), str(name)))
        if unescaped_path.exists():
            return unescaped_path
    return path


def printable(text: str) -> str:
    r"""`text` with control characters made visible.

    Control characters, invisible ones and those that change the direction of writing become
    escapes (``\x1b``, ``\u202e``), white space becomes a blank.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_printable, text))


def shortened(text: str, longest: int = LONGEST) -> str:
    """`text`, or its beginning and end around a digest, which keeps different texts apart."""
    if len(text) <= longest:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    end = longest // 5
    return f"{text[: longest - end - 10]}..{digest}..{text[-end:]}"


def number_of(number: int, thing: str) -> str:
    """``1 puzzle``, ``1,200 puzzles``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def last_line(text: str, longest: int = 300) -> str:
    """The last line of `text` that is not blank: printable, and at most `longest` characters."""
    lines = [line for line in text[-20 * longest :].splitlines() if line.strip()]
    return printable(shortened(lines[-1].strip(), longest)) if lines else ""


_PLACE: Final = re.compile(r'^  File "([^"]+)", line (\d+)', re.MULTILINE)


def reason_line(text: str) -> str:
    """The last line of a reason; for a traceback, with the file and line where it ends."""
    line = last_line(text)
    places = _PLACE.findall(text[-6000:]) if text.startswith("Traceback") else []
    if not places:
        return line
    file, number = places[-1]
    return f"{line} ({printable(shortened(Path(file).name, 60))}, line {number})"


def _printable(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return char.encode("unicode_escape", "surrogatepass").decode("ascii")
    return char


# Integers that may exceed 64 bits: numbers of solutions, limits, statistics.


MOST_DIGITS: Final = 4300
"""Digits of the largest integer: Python's limit for the conversion to and from text."""
LARGEST: Final = 10**MOST_DIGITS - 1
"""The largest integer that can be written as text."""
LARGEST_OF_32_BITS: Final = 2**31 - 1
"""The largest limit that some solver libraries accept."""
LARGEST_OF_64_BITS: Final = 2**63 - 1
"""The largest integer of SQLite, numpy and most solver libraries."""


def is_writable(number: int) -> bool:
    """Whether `number` has at most `MOST_DIGITS` digits."""
    return -LARGEST <= number <= LARGEST


def fits_64_bits(number: int) -> bool:
    """Whether `number` is a signed integer of 64 bits."""
    return -LARGEST_OF_64_BITS - 1 <= number <= LARGEST_OF_64_BITS


def as_float(number: int | float) -> float:
    """A number as a float; infinity, with its sign, if it exceeds the range of floats."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
