"""A page of the workbench in a real browser."""

import time
from typing import Any

from tests.workbench.server import Workbench


class Tab:
    """An open page with what it reported."""

    def __init__(self, context: Any, workbench: Workbench) -> None:
        self.context = context
        self.workbench = workbench
        self.messages: list[str] = []
        """Errors of scripts and of requests, other than refusals of the server."""
        context.add_init_script("window.startedAt = performance.now()")
        self.page = context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.goto(workbench.address)

    def _note(self, message: Any) -> None:
        # The browser logs each answer of 400 and each lost connection itself.
        if "Failed to load resource" not in message.text:
            self.messages.append(message.text)

    def goto(self, path: str) -> None:
        self.page.goto(f"http://127.0.0.1:{self.workbench.port}{path}")
        self.page.wait_for_selector("#main > section:not([hidden])")

    def values(self) -> str:
        """The values of the board as a line."""
        found: list[str] = self.page.eval_on_selector_all(
            "#main > section:not([hidden]) .board .cell",
            "all => all.map(cell => [...cell.childNodes].find(n => n.nodeType === 3)?.data || '.')",
        )
        return "".join(found)

    def marks(self, cell: int) -> list[str]:
        """The candidates that a cell shows."""
        found: list[str] = self.page.eval_on_selector_all(
            f".cell >> nth={cell} >> [data-mark]", "all => all.map(mark => mark.dataset.mark)"
        )
        return found

    def open_puzzle(self, line: str, shape: str = "9x9") -> None:
        """Open a puzzle as its link does."""
        self.page.goto("about:blank")
        self.goto(f"/#board?shape={shape.replace('+', '%2B')}&puzzle={line}")
        self.page.wait_for_selector(".board .cell")

    def until(self, expression: str, argument: Any = None, seconds: float = 60.0) -> None:
        """Wait until an expression holds; the policy of the page forbids the driver's own wait."""
        deadline = time.monotonic() + seconds
        while not self.page.evaluate(expression, argument):
            assert time.monotonic() < deadline, expression
            self.page.wait_for_timeout(20)

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def wait_for_text(self, text: str, seconds: float = 60.0) -> None:
        self.page.get_by_text(text).first.wait_for(timeout=1000 * seconds)
