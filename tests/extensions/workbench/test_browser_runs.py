"""The view of runs in a real browser."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.runs.sweep import Sweep, options_of
from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.server import PUZZLE, Workbench, a_sweep, wait_for
from tests.extensions.workbench.tab import Tab

pytestmark = pytest.mark.long


def test_a_sweep_is_set_up_started_watched_stopped_and_continued(open_free: OpenPage) -> None:
    tab = open_free("/#runs?new=1")
    tab.page.get_by_role("checkbox", name="seeds 6, 9x9").check()
    tab.page.get_by_label("Puzzles of seeds").fill("1-3")
    tab.page.get_by_label("Repetitions").fill("9000")
    tab.page.get_by_role("textbox", name="Name", exact=True).fill("watched")
    tab.page.locator("[data-backend=cnf] input[type=checkbox]").uncheck()
    tab.button("Preview").click()
    tab.see("27,000 trials")
    tab.page.locator("summary", has_text="The sweep as a file").click()
    assert "seeds/1-3" in tab.see('"native",').inner_text()
    tab.button("Start").click()
    tab.see("It is running.")
    line = tab.see("Measuring watched")
    tab.page.wait_for_function(
        "() => /[1-9][0-9]* of 27,000 trials/.test(document.getElementById('measuring').innerText)"
    )
    tab.page.evaluate("() => { location.hash = 'board'; }")
    assert line.is_visible()  # on every view
    tab.page.go_back()
    tab.button("Stop").click()
    tab.see("It was interrupted")
    tab.page.wait_for_selector("#measuring", state="hidden")
    assert "of 27,000" in tab.page.locator("tr[data-run=watched] .trials-column").inner_text()
    tab.button("Continue").click()
    tab.see("It is finished.")
    tab.see("all answers on 3 puzzles agree")
    assert tab.page.locator("tr[data-run=watched] .state").inner_text() == "finished"
    with tab.context.expect_page() as new_page:
        tab.page.get_by_text("Open its page").click()
    report = new_page.value
    report.wait_for_function("document.body.dataset.charts === 'drawn'")
    assert report.evaluate("origin") == "null"
    script = "fetch('/api/runs').then(() => 'answered', () => 'refused')"
    assert report.evaluate(script) == "refused"
    assert report.evaluate("() => { try { return document.cookie; } catch { return ''; } }") == ""


def test_a_disagreement_is_opened_on_the_board(
    open_free: OpenPage, free: Workbench, a_backend: Callable[..., str]
) -> None:
    tab = open_free()
    liar = a_backend("return Answer.unsatisfiable()", name="lying")
    free.got("/api/sweeps", a_sweep("lying", 3, backends=["native", liar]))
    tab.open_hash("runs?run=lying")
    tab.see("1 disagreement")
    tab.page.get_by_text("Open on the board").click()
    tab.page.wait_for_selector(".board .cell", state="visible")
    first = tab.page.locator(".board .cell").first
    assert first.inner_text() == "5"
    labels = tab.page.locator("fieldset label:has(input:checked)").all_inner_texts()
    assert sorted(labels) == sorted(["native", liar])
    tab.button("Ask").click()
    tab.page.wait_for_selector("tr[data-configuration=native][data-state=answered]")


def test_a_sweep_that_fails_at_once_shows_why(open_free: OpenPage) -> None:
    tab = open_free("/#runs?new=1")
    tab.page.locator("summary", has_text="Own puzzles").click()
    tab.page.get_by_label("Pasted puzzles").fill(PUZZLE)
    tab.page.get_by_label("Configuration", exact=False).last.wait_for(state="attached")
    tab.page.get_by_label("Further configuration").fill("native[depth=3]")
    tab.button("Add").click()
    tab.button("Start").click()
    tab.see("Its command ended with code 2")
    assert "depth" in tab.page.locator("pre >> visible=true").first.inner_text()
    tab.button("Start").wait_for()  # it can be started again


def test_views_that_were_opened_without_a_server_load_when_it_is_back(
    browser: Any, tmp_path: Path
) -> None:
    with Workbench(tmp_path) as server:
        server.run_sweep("kept")
        tab = Tab(browser.new_context(), server)
        tab.goto("/")
        tab.page.goto(f"http://127.0.0.1:{server.port}/#image")
        tab.page.reload()
        tab.page.wait_for_selector("section[aria-label=Image]")
        port = server.port
    page = tab.page
    bar = page.locator("#connection")
    bar.get_by_text(f"Start harness workbench --port {port} again.").wait_for()
    lacking = {}
    page.evaluate("() => { location.hash = 'board'; }")
    formats = page.get_by_label("Format", exact=True).locator("option")
    assert formats.all_inner_texts() == ["read any format, write lines"]
    for name, address in [
        ("Reasoning", "reasoning"),
        ("Generate", "generate"),
        ("Runs", "runs?run=kept"),
        ("Runs", "runs?new=1"),
    ]:
        tab.open_hash(address)
        view = page.locator(f"section[aria-label={name}]")
        lack = view.locator("text=The server does not answer. >> visible=true").first
        lack.wait_for()
        lacking[address] = view
    assert page.locator("#messages .bad").count() == 0
    with Workbench(tmp_path, port=port):
        wait_for(lambda: formats.count() > 20)
        view = lacking["runs?new=1"]
        view.get_by_role("checkbox", name="seeds 6, 9x9").wait_for()
        view.locator("tr[data-run=kept]").wait_for()
        view.locator("[data-backend=native]").wait_for()
        tab.open_hash("runs?run=kept")
        tab.see("It is finished.")
        for address, option in [("reasoning", "up to rung"), ("generate", "rotation180")]:
            tab.open_hash(address)
            lacking[address].locator("option", has_text=option).first.wait_for(state="attached")
        assert page.locator("text=The server does not answer. >> visible=true").count() == 0
    tab.context.close()


def test_a_run_that_is_deleted_is_shown_no_longer(open_free: OpenPage, free: Workbench) -> None:
    tab = open_free()
    free.run_sweep("gone")
    tab.open_hash("runs?run=gone")
    tab.see("It is finished.")
    tab.see("no answers were compared")
    shutil.rmtree(free.results / "gone")
    tab.see("This run is no longer in the folder of results.")
    assert tab.page.locator("text=no answers were compared >> visible=true").count() == 0
    tab.page.wait_for_selector("tr[data-run=gone]", state="detached")
    tab.open_hash("runs?run=never")
    tab.see("there is no run 'never' in the folder of results")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_run_begins_with_its_answer_and_its_first_charts(
    open_free: OpenPage, free: Workbench, width: int
) -> None:
    name, backends = f"answered-{width}", ["native", "cnf"]
    options = {"starts": ["cold", "warm"]}
    free.run_sweep(name, 3, text="", datasets=["seeds"], backends=backends, options=options)
    tab = open_free(width=width)
    tab.open_hash(f"runs?run={name}")
    tab.see("all answers on 6 puzzles agree, and all solutions are right")
    tab.page.wait_for_selector(".charts svg")
    panel = tab.page.locator("section[aria-labelledby=run-title]")
    text = panel.inner_text()
    order = ["agree, and", "gmean", "cactus plot", "Distribution of times", "It is finished."]
    order.append("Mean time")
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert re.findall(r"\d [mµ]?s\b", text.partition("It is finished.")[2]) == []
    script = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"
    assert panel.locator(".scroll >> visible=true").evaluate_all(script) == []
    heights = panel.locator(".charts svg").evaluate_all("all => all.map(e => e.clientHeight)")
    assert len(heights) == 2
    assert min(heights) > 80
    assert tab.fits()


def test_known_values_of_an_option_are_a_list(open_free: OpenPage) -> None:
    tab = open_free("/#runs?new=1")
    solvers = tab.page.get_by_label("solver of cnf")
    solvers.wait_for()
    options = solvers.locator("option").all_inner_texts()
    assert [text for text in options if text.endswith("(default)")] == ["minicard (default)"]
    tab.page.get_by_role("checkbox", name="seeds 6, 9x9").check()
    solvers.select_option(["glucose4", "minisat22"])
    tab.button("Preview").click()
    tab.page.locator("summary", has_text="The sweep as a file").click()
    plan = tab.see('"native",').inner_text()
    assert '"cnf[solver=glucose4]"' in plan
    assert '"cnf[solver=minisat22]"' in plan


def test_every_option_of_a_sweep_has_a_control(open_free: OpenPage) -> None:
    tab = open_free("/#runs?new=1")
    tab.page.locator("summary", has_text="Further options").click()
    tab.page.get_by_role("checkbox", name="seeds 6, 9x9").check()
    parts = tab.page.locator(".fields > *")
    assert parts.count() == len(options_of(Sweep).keys() - {"datasets", "backends"})
    for part in parts.all():
        assert part.locator("input, select").count(), part.inner_text()
    scrambles = tab.page.get_by_label("Seeds of scrambles")
    assert scrambles.input_value() == "0"
    scrambles.fill("0 5, six")
    tab.button("Preview").click()
    tab.see("scramble: invalid value")
    scrambles.fill("0 5, 6")
    tab.button("Preview").click()
    tab.page.locator("summary", has_text="The sweep as a file").click()
    assert re.search(r"scramble = \[\s*0,\s*5,\s*6,?\s*\]", tab.see('"native",').inner_text())


def test_two_runs_are_compared(open_free: OpenPage, free: Workbench) -> None:
    tab = open_free()
    for name in ("before", "after"):
        free.run_sweep(name, 5)
    tab.open_hash("runs")
    for name in ("before", "after"):
        tab.page.get_by_role("checkbox", name=f"Compare {name}").check()
    tab.button("Compare the two").click()
    tab.see("no regression")
    assert "before=before" in tab.page.url
    tab.page.get_by_text("The other way round").click()
    tab.page.wait_for_url("**before=after**")
    tab.see("no regression")
