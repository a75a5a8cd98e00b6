r"""Texts that any file and any terminal can hold.

Python represents the bytes of a file's name that are not UTF-8 by lone surrogates
(``\udcff``), and a backend may put them into any text. No file, message between processes
or database holds them. `encodable` writes each as an escape, which a reader recognizes;
`existing_path` finds the file of such a name.
"""

import hashlib
import re
import reprlib
import unicodedata
from pathlib import Path
from typing import Final

LONGEST: Final = 80
"""Maximum number of characters of a text in a table; a longer one keeps both its ends."""
_ESCAPED: Final = re.compile(r"\\u(dc[89a-f][0-9a-f])")
"""The escape of a byte of a file's name that is not UTF-8."""


def encodable(text: str) -> str:
    r"""`text` with lone surrogates as escapes (``\udcff``)."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_of(value: object) -> str:
    """`value` as text without lone surrogates, also if it cannot describe itself."""
    try:
        return encodable(str(value))
    except Exception:  # noqa: BLE001  a hostile __str__
        return f"<{encodable(type(value).__name__)} without a text>"


def described(error: BaseException, longest: int = 500) -> str:
    """An exception as the last line of a traceback has it: printable, at most `longest` characters.

    White space in the message, line breaks too, becomes blanks.
    """
    name, message = type(error).__name__, text_of(error)
    return printable(shortened(f"{name}: {message}" if message else name, longest))


def short_repr(value: object) -> str:
    """The `repr` of a value, shortened, also of one that has none, such as a huge integer."""
    try:
        return reprlib.repr(value)
    except Exception:  # noqa: BLE001  a hostile __repr__
        return f"<{type(value).__name__}>"


def existing_path(name: str | Path) -> Path:
    """The path of this name, or of the name in which `encodable` has escaped bytes.

    Raises:
        OSError: the file system refuses the name, for instance because it is too long.
    """
    path = Path(name)
    if _ESCAPED.search(str(name)) and not path.exists():
        unescaped = Path(_ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), str(name)))
        if unescaped.exists():
            return unescaped
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


def _printable(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return char.encode("unicode_escape", "surrogatepass").decode("ascii")
    return char
