"""What a browser makes of HTML: elements, attributes, scripts and texts."""

import json
from html.parser import HTMLParser
from typing import Any

_VOID = {"br", "img", "input", "link", "meta"}
"""Elements that have no end tag."""


class Page(HTMLParser):
    """The elements, attributes, scripts and texts of a page or a part of one."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            self.scripts[-1] += text
        elif inside != "style":
            self.text.append(text)

    @property
    def data(self) -> Any:
        return json.loads(self.scripts[0])

    @property
    def handlers(self) -> list[str]:
        """The attributes that run code."""
        return [name for name, _ in self.attributes if name.startswith("on")]

    def values(self, *attributes: str) -> list[str]:
        return [value or "" for name, value in self.attributes if name in attributes]

    def visible(self) -> str:
        return " ".join(" ".join(self.text).split())
