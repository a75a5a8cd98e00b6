"""The view of runs in a real browser."""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.running import PUZZLE, Workbench, wait_for

pytestmark = [
    pytest.mark.long,
    # Its driver leaves a socket to the garbage collector when it ends.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


class Page:
    """A page of a workbench, with what its console shows."""

    def __init__(self, browser: Any, server: Workbench, width: int = 1280) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 860})
        self.tab = self.context.new_page()
        self.messages: list[str] = []
        self.tab.on("console", lambda message: self.messages.append(message.text))
        self.tab.on("pageerror", lambda error: self.messages.append(str(error)))
        self.tab.goto(server.address)
        self.tab.wait_for_selector(".board .cell")
        self.tab.set_default_timeout(60_000)

    def view(self, query: str = "") -> None:
        """Open the view of runs."""
        self.tab.evaluate("hash => { location.hash = hash; }", f"runs{query}")

    def button(self, name: str) -> Any:
        return self.tab.get_by_role("button", name=name, exact=True)

    def see(self, text: str) -> Any:
        """Wait for a text that can be seen."""
        found = self.tab.locator(f"text={text} >> visible=true").first
        found.wait_for()
        return found


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Page]:
    with Workbench(tmp_path, "--allow-files") as server:
        found = Page(browser, server)
        found.server = server  # type: ignore[attr-defined]
        yield found
        found.context.close()
        assert [text for text in found.messages if "Failed to load resource" not in text] == []


def test_a_sweep_is_set_up_started_watched_stopped_and_continued(page: Page) -> None:
    page.view("?new=1")
    page.tab.get_by_role("checkbox", name="seeds 6, 9x9").check()
    page.tab.get_by_label("Puzzles of seeds").fill("1-3")
    page.tab.get_by_label("Repetitions").fill("9000")
    page.tab.get_by_role("textbox", name="Name", exact=True).fill("watched")
    page.tab.locator("[data-backend=cnf] input[type=checkbox]").uncheck()
    page.button("Preview").click()
    page.see("27,000 trials")
    page.tab.locator("summary", has_text="The sweep as a file").click()
    assert "seeds/1-3" in page.see('"native",').inner_text()
    page.button("Start").click()
    page.see("It is running.")
    line = page.see("Measuring watched")
    page.tab.wait_for_function(
        "() => /[1-9][0-9]* of 27,000 trials/.test(document.getElementById('measuring').innerText)"
    )
    page.tab.evaluate("() => { location.hash = 'board'; }")
    assert line.is_visible()  # on every view
    page.tab.go_back()
    page.button("Stop").click()
    page.see("It was interrupted")
    page.tab.wait_for_selector("#measuring", state="hidden")
    assert "of 27,000" in page.tab.locator("tr[data-run=watched] .trials-column").inner_text()
    page.button("Continue").click()
    page.see("It is finished.")
    page.see("no disagreement")
    assert page.tab.locator("tr[data-run=watched] .state").inner_text() == "finished"
    with page.context.expect_page() as opened:
        page.tab.get_by_text("Open its page").click()
    report = opened.value
    report.wait_for_function("document.body.dataset.charts === 'drawn'")
    assert report.evaluate("origin") == "null"
    refused = "fetch('/api/runs').then(() => 'answered', () => 'refused')"
    assert report.evaluate(refused) == "refused"
    assert report.evaluate("() => { try { return document.cookie; } catch { return ''; } }") == ""


def test_a_disagreement_is_opened_on_the_board(page: Page, a_backend: Callable[..., str]) -> None:
    liar = a_backend("return Answer.unsatisfiable()", name="liar")
    server: Workbench = page.server  # type: ignore[attr-defined]
    body = {"name": "liar", "text": PUZZLE, "backends": ["native", liar], "options": {"repeat": 3}}
    server.got("/api/sweeps", body)
    page.view("?run=liar")
    page.see("1 disagreement")
    page.tab.get_by_text("Open on the board").click()
    page.tab.wait_for_selector(".board .cell", state="visible")
    first = page.tab.locator(".board .cell").first
    assert first.inner_text() == "5"
    ticked = page.tab.locator("fieldset label:has(input:checked)").all_inner_texts()
    assert sorted(ticked) == sorted(["native", liar])
    page.button("Ask").click()
    page.tab.wait_for_selector("tr[data-configuration=native][data-state=answered]")


def test_a_sweep_that_fails_at_once_shows_why(page: Page) -> None:
    page.view("?new=1")
    page.tab.locator("summary", has_text="Own puzzles").click()
    page.tab.get_by_label("Pasted puzzles").fill(PUZZLE)
    page.tab.get_by_label("Configuration", exact=False).last.wait_for(state="attached")
    page.tab.get_by_label("Further configuration").fill("native[depth=3]")
    page.button("Add").click()
    page.button("Start").click()
    page.see("Its command ended with code 2")
    assert "depth" in page.tab.locator("pre >> visible=true").first.inner_text()
    page.button("Start").wait_for()  # it can be started again


def test_a_page_follows_after_the_server_was_started_again(browser: Any, tmp_path: Path) -> None:
    body = {"name": "kept", "text": PUZZLE, "backends": ["native"], "options": {"repeat": 100_000}}
    with Workbench(tmp_path) as server:
        page = Page(browser, server)
        page.view("?run=kept")
        server.got("/api/sweeps", body)
        page.view("?new=1")
        page.view("?run=kept")
        page.see("It is running.")
        wait_for(lambda: server.done("kept") > 0)  # a run without a trial is new
        server.end(signal.SIGINT)
    page.see("The server does not answer")
    with Workbench(tmp_path, port=server.port or 0):
        page.see("The server was started again")
        page.see("It was interrupted")
        page.button("Continue").click()
        page.see("It is running.")
        page.button("Stop").click()
        page.see("It was interrupted")
    page.context.close()


def test_views_that_were_opened_without_a_server_load_when_it_is_back(
    browser: Any, tmp_path: Path
) -> None:
    body = {"name": "kept", "text": PUZZLE, "backends": ["native"], "options": {"repeat": 2}}
    with Workbench(tmp_path) as server:
        server.got("/api/sweeps", body)
        server.ended("kept")
        page = Page(browser, server)
        page.tab.goto(f"http://127.0.0.1:{server.port}/#image")
        page.tab.reload()
        page.tab.wait_for_selector("section[aria-label=Image]")
        port = server.port
    tab = page.tab
    bar = tab.locator("#connection")
    bar.get_by_text(f"Start harness workbench --port {port} again.").wait_for()
    lacking = {}
    tab.evaluate("() => { location.hash = 'board'; }")
    formats = tab.get_by_label("Format", exact=True).locator("option")
    assert formats.all_inner_texts() == ["line"]
    for name, address in [
        ("Reasoning", "reasoning"),
        ("Generate", "generate"),
        ("Runs", "runs?run=kept"),
        ("Runs", "runs?new=1"),
    ]:
        tab.evaluate("hash => { location.hash = hash; }", address)
        view = tab.locator(f"section[aria-label={name}]")
        lack = view.locator("text=The server does not answer. >> visible=true").first
        lack.wait_for()
        lacking[address] = view
    assert tab.locator("#messages .bad").count() == 0
    with Workbench(tmp_path, port=port):
        wait_for(lambda: formats.count() > 20)
        view = lacking["runs?new=1"]
        view.get_by_role("checkbox", name="seeds 6, 9x9").wait_for()
        view.locator("tr[data-run=kept]").wait_for()
        view.locator("[data-backend=native]").wait_for()
        page.view("?run=kept")
        page.see("It is finished.")
        for address, option in [("reasoning", "up to rung"), ("generate", "rotation180")]:
            tab.evaluate("hash => { location.hash = hash; }", address)
            lacking[address].locator("option", has_text=option).first.wait_for(state="attached")
        assert tab.locator("text=The server does not answer. >> visible=true").count() == 0
    page.context.close()


def test_a_run_that_is_deleted_is_shown_no_longer(page: Page) -> None:
    server: Workbench = page.server  # type: ignore[attr-defined]
    body = {"name": "gone", "text": PUZZLE, "backends": ["native"], "options": {"repeat": 2}}
    server.got("/api/sweeps", body)
    server.ended("gone")
    page.view("?run=gone")
    page.see("It is finished.")
    page.see("nothing compared")
    shutil.rmtree(server.results / "gone")
    page.see("This run is no longer in the folder of results.")
    assert page.tab.locator("text=nothing compared >> visible=true").count() == 0
    page.tab.wait_for_selector("tr[data-run=gone]", state="detached")
    page.view("?run=never")
    page.see("there is no run 'never' in the folder of results")


def test_tables_of_an_earlier_state_are_named_as_such(page: Page) -> None:
    server: Workbench = page.server  # type: ignore[attr-defined]
    body = {"name": "long", "text": PUZZLE, "backends": ["native"], "options": {"repeat": 20_000}}
    server.got("/api/sweeps", body)
    page.view("?run=long")
    page.see("It is running.")
    page.tab.wait_for_function(
        "() => /[1-9][0-9]* of 20,000 trials/.test(document.getElementById('measuring').innerText)"
    )
    page.button("Stop").click()
    page.see("UNFINISHED RUN")
    # Whatever the page shows from now on, the old tables have a note.
    page.tab.evaluate(
        """() => {
          window.bare = [];
          const look = () => {
            const text = document.querySelector("[aria-labelledby=run-title]").innerText;
            const isOld = /It is (running|finished)/.test(text) && text.includes("UNFINISHED RUN");
            const note = /The tables below are those of [0-9,]+ trials/;
            if (isOld && !note.test(text)) window.bare.push(text);
          };
          new MutationObserver(look).observe(document.body,
            { subtree: true, childList: true, characterData: true, attributes: true });
        }"""
    )
    page.button("Continue").click()
    page.see("New ones come when the run has ended.")
    page.see("It is finished.")
    page.see("nothing compared")
    page.tab.wait_for_function(
        "() => !document.querySelector('[aria-labelledby=run-title]').innerText.includes('UNFI')"
    )
    assert page.tab.evaluate("window.bare") == []
    assert not page.tab.get_by_text("The tables below are those").is_visible()


def test_two_tabs_and_a_phone_show_the_same_run(browser: Any, page: Page) -> None:
    server: Workbench = page.server  # type: ignore[attr-defined]
    wide, phone = page, Page(browser, server, width=360)
    server.got(
        "/api/sweeps",
        {"name": "both", "text": PUZZLE, "backends": ["native", "cnf"], "options": {"repeat": 400}},
    )
    for one in (wide, phone):
        one.view("?run=both")
        one.see("It is finished.")
        one.see("no disagreement")
        width = one.tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1]
    phone.tab.get_by_role("link", name="All runs").click()
    phone.tab.locator("tr[data-run=both]").wait_for()
    phone.view("?new=1")
    phone.tab.locator("[data-backend=native]").wait_for()
    width = phone.tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    phone.context.close()


def test_two_runs_are_compared(page: Page) -> None:
    server: Workbench = page.server  # type: ignore[attr-defined]
    for name in ("before", "after"):
        body = {"name": name, "text": PUZZLE, "backends": ["native"], "options": {"repeat": 5}}
        server.got("/api/sweeps", body)
        server.ended(name)
    page.view()
    for name in ("before", "after"):
        page.tab.get_by_role("checkbox", name=f"Compare {name}").check()
    page.button("Compare the two").click()
    page.see("no regression")
    assert "before=before" in page.tab.url
    page.tab.get_by_text("The other way round").click()
    page.tab.wait_for_url("**before=after**")
    page.see("no regression")
