"""XML without entities or document types, so that no text expands to more than itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from harness.base.errors import PuzzleError
from harness.puzzles.formats import TextSource

_DEEPEST: Final = 64
_LONGEST_TEXT: Final = 2**20
"""The most characters in the text of an element."""


@dataclass(slots=True)
class Element:
    """An element at its end tag, with its text and, if they are kept, its children."""

    name: str
    attributes: dict[str, str]
    where: str
    """``file:line:column`` of its start tag."""
    parents: tuple["Element", ...] = field(repr=False)
    """The elements around it, from the root."""
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def error(self, problem: str, expected: str) -> PuzzleError:
        """An error in the element."""
        return PuzzleError(problem, where=self.where, expected=expected)

    def named(self, *names: str) -> list["Element"]:
        """The children with one of these names."""
        return [child for child in self.children if child.name in names]

    def only(self, name: str) -> "Element":
        """The child with this name.

        Raises:
            PuzzleError: there is none, or there are several.
        """
        children = self.named(name)
        if len(children) != 1:
            problem = f"the element {self.name[:40]!r} with {len(children)} elements {name!r}"
            raise self.error(problem, "one")
        return children[0]


@dataclass(slots=True)
class _Text:
    """The text of an element that has not ended: pieces, joined at its end in linear time."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0


def elements(source: TextSource, keep_children: bool = False) -> Iterator[Element]:
    """The elements of a document in the order of their ends, as a stream.

    Args:
        source: the document.
        keep_children: whether elements keep their children. Otherwise an element with
            children has no text either, so that memory is constant.

    Raises:
        PuzzleError: the text is not XML, declares a document type or an entity, is nested
            too deeply, or has an element with a text of more than 2**20 characters; the error has
            line and column.
    """
    parser = expat.ParserCreate("UTF-8")  # whatever its declaration says
    open_: list[Element] = []
    texts: list[_Text | None] = []
    complete: list[Element] = []

    def where() -> str:
        return f"{source.name}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(open_) >= _DEEPEST:
            expected = f"at most {_DEEPEST}"
            raise PuzzleError("too many levels of elements", where=where(), expected=expected)
        if texts and not keep_children:
            texts[-1] = None
        texts.append(_Text())
        open_.append(Element(name, attributes, where(), tuple(open_)))

    def end(_: str) -> None:
        element = open_.pop()
        if own := texts.pop():
            element.text = "".join(own.pieces)
        if keep_children and open_:
            open_[-1].children.append(element)
        complete.append(element)

    def characters(text: str) -> None:
        if own := texts[-1] if texts else None:
            own.length += len(text)
            if own.length > _LONGEST_TEXT:
                problem = f"a text of more than {_LONGEST_TEXT:,} characters"
                raise open_[-1].error(problem, "a shorter text")
            own.pieces.append(text)

    def refuse(_: str, *declared: object) -> None:
        if any(declared):  # a document type with nothing but its name declares nothing
            problem = "a document type or an entity"
            raise PuzzleError(problem, where=where(), expected="XML without declarations")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        for block in source.blocks():
            parser.Parse(block.text().encode(), False)
            yield from complete
            complete.clear()
        parser.Parse(b"", True)
        yield from complete
    except expat.ExpatError as error:
        place = f"{source.name}:{error.lineno}:{error.offset + 1}"
        problem = f"invalid XML: {expat.errors.messages[error.code]}"
        raise PuzzleError(problem, where=place) from None
