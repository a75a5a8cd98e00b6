"""A page of the workbench in a real browser."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.extensions.workbench.server import Workbench


class Tab:
    """An open page with what it reported."""

    def __init__(self, context: Any, workbench: Workbench) -> None:
        self.context = context
        self.workbench = workbench
        self.messages: list[str] = []
        """Errors of scripts and of requests, other than refusals of the server."""
        context.add_init_script("window.startedAt = performance.now()")
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)
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
        texts: list[str] = self.page.eval_on_selector_all(
            "#main > section:not([hidden]) .board .cell",
            "all => all.map(cell => [...cell.childNodes].find(n => n.nodeType === 3)?.data || '.')",
        )
        return "".join(texts)

    def marks(self, cell: int) -> list[str]:
        """The candidates that a cell shows."""
        texts: list[str] = self.page.eval_on_selector_all(
            f".cell >> nth={cell} >> [data-mark]", "all => all.map(mark => mark.dataset.mark)"
        )
        return texts

    def open_puzzle(self, line: str, shape: str = "9x9") -> None:
        """Open a puzzle as its link does."""
        self.page.goto("about:blank")
        self.goto(f"/#board?shape={shape.replace('+', '%2B')}&puzzle={line}")
        self.page.wait_for_selector(".board .cell")

    def wait_for(self, holds: Callable[[], Any], seconds: float = 60.0) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, "nothing happened"
            self.page.wait_for_timeout(20)

    def until(self, expression: str, argument: Any = None) -> None:
        """Wait until an expression holds; the policy of the page forbids the driver's own wait."""
        self.wait_for(lambda: self.page.evaluate(expression, argument))

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def wait_for_text(self, text: str, seconds: float = 60.0) -> None:
        self.page.get_by_text(text).first.wait_for(timeout=1000 * seconds)

    def see(self, text: str) -> Any:
        """Wait for a text that can be seen."""
        element = self.page.locator(f"text={text} >> visible=true").first
        element.wait_for()
        return element

    def keys(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def type_values(self, cell: int, *keys: str) -> None:
        """Click a cell of the board, and press keys."""
        self.page.click(f".cell >> nth={cell}")
        self.keys(*keys)

    def paste(self, text: str) -> None:
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.keys("Control+v")

    def open_hash(self, address: str) -> None:
        """Change the part of the address after #."""
        self.page.evaluate("hash => { location.hash = hash; }", address)

    def show_view(self, name: str) -> None:
        self.page.click(f"#views a[data-view={name}]")
        self.page.wait_for_selector(f"#views a[data-view={name}][aria-current=page]")

    def has(self, number: int, selector: str) -> None:
        """Wait until the page has this number of elements."""
        script = "([selector, n]) => document.querySelectorAll(selector).length === n"
        self.until(script, [selector, number])

    def has_cells(self, number: int) -> None:
        """Wait until the board has this number of cells."""
        self.has(number, ".board .cell")

    def choose_shape(self, name: str) -> None:
        self.page.get_by_label("Shape", exact=True).first.select_option(name)

    def only(self, backend: str) -> None:
        """Tick one configuration alone."""
        for name in ("native", "cpsat", "milp", "cnf"):
            self.page.get_by_label(name, exact=True).set_checked(name == backend)

    def ask(self, backend: str) -> None:
        """Ask one configuration alone."""
        self.only(backend)
        self.button("Ask").click()

    def wait_for_answers(self, number: int = 1) -> None:
        self.has(number, "tr[data-state=answered]")

    def draw(self, view: str, points: Sequence[tuple[float, float]]) -> None:
        """Draw a stroke into the field of a view, without waiting for what it is read as."""
        pad = self.page.locator(f"section[aria-label={view}] canvas")
        pad.scroll_into_view_if_needed()
        box = pad.bounding_box()
        for at, (x, y) in enumerate(points):
            place = box["x"] + x * box["width"], box["y"] + y * box["height"]
            self.page.mouse.move(*place, steps=6)
            if at == 0:
                self.page.mouse.down()
        self.page.mouse.up()

    def fits(self) -> bool:
        """Whether nothing is wider than the window."""
        root = "document.documentElement"
        return bool(self.page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"))
