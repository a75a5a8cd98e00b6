"""The shortened JSON of SudokuPad: fewer quotation marks, and no empty objects.

``{ce:[[,{v:5}]],t:'x'}`` means ``{"ce": [[{}, {"v": 5}]], "t": "x"}``; ``t`` and ``f`` after a
colon are true and false, and colours stand without quotation marks. The short names of
properties, such as ``ce`` for ``cells``, are kept. JSON itself is read too.
"""

import json
import re
from typing import Any, Final

from harness.errors import PuzzleError

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<mark>[\[\]{},:])"""
    r"""|'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)\""""
    r"""|(?P<bare>[#\w.+-]+))\s*""",
    re.DOTALL,
)
_WORDS: Final[dict[str, Any]] = {
    "t": True,
    "true": True,
    "f": False,
    "false": False,
    "null": None,
}
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?")
_DEEPEST: Final = 64


def unzipped(text: str) -> Any:
    """The value that `text` stands for.

    Raises:
        PuzzleError: `text` is malformed or nested too deeply; with its column.
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.kind: str | None = None
        self.token = ""
        self.advance()

    def advance(self) -> None:
        """Go to the next token; at the end its kind is None."""
        if self.position == len(self.text):
            self.kind = None
            return
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            raise self.malformed()
        self.kind = match.lastgroup
        self.token = match[match.lastgroup or 0]
        self.position = match.end()

    def malformed(self) -> PuzzleError:
        return PuzzleError(
            "malformed JSON in the payload",
            where=f"column {self.position + 1}",
            expected="a puzzle of SudokuPad",
        )

    def at(self, mark: str) -> bool:
        return self.kind == "mark" and self.token == mark

    def skip(self, mark: str) -> None:
        if not self.at(mark):
            raise self.malformed()
        self.advance()

    def whole(self) -> Any:
        value = self.value(0)
        if self.kind is not None:
            raise self.malformed()
        return value

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise self.malformed()
        if self.at("{"):
            return self.members(depth)
        if self.at("["):
            return self.items(depth)
        if self.kind in ("single", "double"):
            text = self.string()
        elif self.kind == "bare":
            text = self.bare()
        else:
            raise self.malformed()
        self.advance()
        return text

    def members(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.skip("{")
        while not self.at("}"):
            name = self.token if self.kind == "bare" else self.string()
            self.advance()
            self.skip(":")
            found[name] = self.value(depth + 1)
            if not self.at("}"):
                self.skip(",")
        self.advance()
        return found

    def items(self, depth: int) -> list[Any]:
        """The items of an array, an empty object for each that is missing."""
        found: list[Any] = []
        self.skip("[")
        while True:
            missing = self.at(",") or self.at("]")
            found.append({} if missing else self.value(depth + 1))
            if self.at("]"):
                self.advance()
                return found
            self.skip(",")

    def string(self) -> str:
        if self.kind not in ("single", "double"):
            raise self.malformed()
        content = self.token
        if self.kind == "single":
            content = re.sub(r"\\(.)|\"", _for_json, content, flags=re.DOTALL)
        try:
            return str(json.loads(f'"{content}"', strict=False))
        except ValueError:
            raise self.malformed() from None

    def bare(self) -> Any:
        if self.token in _WORDS:
            return _WORDS[self.token]
        if _NUMBER.fullmatch(self.token):
            return float(self.token) if "." in self.token else int(self.token)
        return self.token


def _for_json(match: re.Match[str]) -> str:
    """An escape, or a quotation mark, of a text in single quotation marks as in JSON."""
    if match[0] == '"':
        return '\\"'
    return "'" if match[1] == "'" else match[0]
