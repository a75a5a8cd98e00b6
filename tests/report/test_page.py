"""The page is complete, of bounded size, needs nothing else and lets no text act."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.records.fields import DTYPES
from harness.report import page
from harness.report.charts.catalogue import CHARTS
from harness.report.page import data, document, trials
from harness.report.page.alarms import alarms
from tests.report.test_render import HOSTILE

Trials = Callable[..., pd.DataFrame]


class Page(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.inside = ""
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, text: str) -> None:
        if self.inside == "script":
            self.scripts[-1] += text
        elif self.inside != "style":
            self.text.append(text)

    @property
    def data(self) -> Any:
        return json.loads(self.scripts[0])

    def said(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def opened(full_page: str) -> Page:
    return Page(full_page)


@pytest.fixture(scope="module")
def hostile(hostile_page: str) -> Page:
    return Page(hostile_page)


def test_the_page_says_what_was_run_and_who_was_fast(opened: Page) -> None:
    said = opened.said()
    assert "606 trials of 3 backends on 48 puzzles of dense, small" in said
    assert "one answered all 48; first by rank" in said
    assert "all datasets: solve, cold start, 10 s a trial" in said
    for title in ("Ranks", "Pairwise comparison", "Throughput", "By size", "Failures"):
        assert title in said


def test_the_page_has_every_chart(opened: Page) -> None:
    assert [kind["name"] for kind in opened.data["kinds"]] == [f.name for f in CHARTS]
    for kind in opened.data["kinds"]:
        assert kind["pictures"], kind["name"]
        assert kind["note"] == ""


def test_a_chart_without_rows_says_what_it_needs(trials_of: Trials) -> None:
    kinds = Page(page.html(Run(Path(), trials_of({"a": [0.1]})))).data["kinds"]
    missing = {f["name"]: f["note"] for f in kinds if not f["pictures"]}
    assert missing["heat"] == "nothing to show: it needs two datasets and two backends"


def test_the_page_asks_for_nothing_and_allows_its_own_scripts_only(opened: Page) -> None:
    policy = next(v for n, v in opened.attributes if n == "content" and v and "default-src" in v)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    names = {name for name, _ in opened.attributes}
    assert not names & {"src", "srcset", "action", "background"}
    assert not [name for name in names if name.startswith("on")]
    assert all(v and v.startswith("#") for n, v in opened.attributes if n == "href")
    assert "link" not in opened.tags


def test_every_trial_is_in_the_page_with_its_command(full: Run, opened: Page) -> None:
    told = opened.data["trials"]
    trial = told["trial"]
    assert len(trial["puzzle"]) == len(full.trials)
    commands = []
    for number, puzzle in enumerate(trial["puzzle"]):
        question = told["questions"][trial["question"][number]]
        if told["verdicts"][trial["verdict"][number]] == "timeout":
            line = told["puzzles"]["line"][puzzle]
            commands.append(f"{question['head']}{line}{question['tail']}")
    failures = full.failures()
    expected = failures[failures["verdict"] == "timeout"]["command"]
    assert sorted(commands) == sorted(expected)
    assert [shape["spec"] for shape in told["shapes"]] == ["9x9", "4x4"]
    assert told["shapes"][1]["regions"] == [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]


def test_the_regions_of_a_shape_without_boxes_are_one(trials_of: Trials) -> None:
    made = trials_of({"a": [0.1]}, shape="latin5", puzzle="." * 25)
    told = Page(page.html(Run(Path(), made))).data["trials"]
    assert set(told["shapes"][0]["regions"]) == {0}


def test_json_in_a_script_ends_neither_it_nor_a_line() -> None:
    value = ["</script><script>alert(1)", "<!--", "a\u2028b\u2029c", "&amp;", "\ud800"]
    text = data.embedded(value)
    assert not re.search(r"[<>&\u2028\u2029]", text)
    assert json.loads(text) == value


def test_a_hostile_name_is_only_text_in_the_page(opened: Page, hostile: Page) -> None:
    assert set(hostile.tags) <= {*opened.tags, "button", "code", "ol"}
    # Three scripts: the data, the libraries, our own; and each of these is as it was.
    assert len(hostile.scripts) == 3
    assert hostile.scripts[1:] == opened.scripts[1:]
    names = {name for name, _ in hostile.attributes}
    assert not [name for name in names if name.startswith("on") or name == "src"]
    assert HOSTILE["script"] in "".join(hostile.text)


def test_no_control_character_is_in_the_page(hostile: Page) -> None:
    acting = r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]"
    assert not re.search(acting, "".join(hostile.text))
    assert not re.search(acting, json.dumps(hostile.data["kinds"], ensure_ascii=False))


def test_a_long_name_fills_no_page(hostile: Page) -> None:
    long = [text for text in hostile.text if len(text) > 12_000]
    assert not long


def test_wrong_answers_come_first_and_all_that_is_unreliable_is_told(trials_of: Trials) -> None:
    made = trials_of(
        {
            "fine": [(0.1, 0.1), (0.2, 0.2)],
            "shaky": [(0.1, 0.2), (0.2, 0.2)],
            "bad": [(0.1, 0.1), ("wrong", "crashed")],
            "greedy": [(0.1, 0.1), ("out_of_memory", 0.2)],
            "waits": [(0.1, 0.1), (0.2, 0.2)],
            "threads": [(0.1, 0.1), (0.2, 0.2)],
        }
    )
    share = made["backend"].map({"waits": 0.5, "threads": 3.0}).fillna(1.0)
    made = made.assign(cpu_s=made["wall_s"] * share, cpu_source="rusage")
    run = Run(Path(), made)
    run.__dict__["calls"] = [
        {"load_average": [3.0, 1, 1], "governor": "powersave", "hypervisor": True},
        {"load_average": [0.0, 1, 1], "governor": "powersave", "hypervisor": True},
    ]
    lines = [alarm.line for alarm in alarms(run)]
    assert lines == [
        "1 question with a wrong answer or a disagreement",
        "bad: wrong answers in 1 of 4 trials",
        "bad: crashes in 1 of 4 trials",
        "greedy: trials out of memory in 1 of 4 trials",
        "shaky: repeated times of 1 of 2 puzzles differ by 10% or more",
        (
            "waits: wall time is more than 1.1 times the CPU time in 4 of 4 trials of one thread "
            "and 5 ms or more: something else had the core, or it waited"
        ),
        "the machine: load: 3.00 over the last minute (in 1 of 2 calls)",
        "the machine: governor: powersave",
        "the machine: hypervisor: a virtual machine: others may take its time",
    ]
    assert [alarm.wrong for alarm in alarms(run)][:3] == [True, True, False]


def test_many_backends_with_the_same_trouble_have_one_alarm(trials_of: Trials) -> None:
    made = trials_of({f"b{n}": [(0.1, 0.2)] for n in range(5)})
    made = made.assign(cpu_s=made["wall_s"] / 2, cpu_source="rusage")
    unstable, stalled = alarms(Run(Path(), made))
    assert unstable.line == "repeated times of 5 backends differ by 10% or more on some puzzles"
    assert stalled.line.startswith("5 backends took longer than their CPU time")
    assert [len(alarm.details) for alarm in (unstable, stalled)] == [5, 5]
    assert unstable.details[0] == "b0: repeated times of 1 of 1 puzzles differ by 10% or more"


def test_what_a_call_recorded_of_its_machine_is_told_and_harmless(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [0.1]}))
    invocations = [
        {"load_average": [n, 0, 0], "governor": "<b>\x1b" + "x" * 999} for n in range(1, 9)
    ]
    run.__dict__["calls"] = [*invocations, {}]
    load, governor = (alarm.line for alarm in alarms(run))
    assert load.startswith("the machine: load: 1.00 over the last minute; 2.00 over")
    assert load.count(";") == 4
    assert load.endswith("(in 8 of 9 calls)")
    assert "\x1b" not in governor
    assert len(governor) < 300


def test_a_page_without_alarms_says_so(trials_of: Trials) -> None:
    said = Page(page.html(Run(Path(), trials_of({"a": [0.1], "b": [0.2]})))).said()
    assert "Nothing wrong or unreliable was found" in said


def many(number: int, repetitions: int = 5, failing: float = 0.02) -> pd.DataFrame:
    """Trials of two backends on `number` puzzles; some fail and some are far off."""
    random = np.random.default_rng(1)
    size = 2 * number * repetitions
    puzzle = np.tile(np.repeat(np.arange(number), repetitions), 2)
    wall = 0.01 * np.exp(random.normal(0, 0.02, size))
    wall[:: size // 40] *= 10
    verdict = np.where(random.random(size) < failing, "timeout", "solved")
    verdict[[7, size - 7]] = ["wrong", "crashed"]
    made = pd.DataFrame(
        {
            "backend": np.repeat(["a", "b"], number * repetitions),
            "dataset": "d",
            "name": [f"n{n}" for n in puzzle],
            "puzzle_id": [f"p{n:06d}" for n in puzzle],
            "shape": "9x9",
            "puzzle": [f"{n:06d}".ljust(81, ".") for n in puzzle],
            "clues": 6,
            "task": "solve",
            "start": "cold",
            "repetition": np.tile(np.arange(1, repetitions + 1), 2 * number),
            "verdict": verdict,
            "reason": "",
            "wall_s": wall,
            "host": "here",
            "timeout_s": 10.0,
            "stats": "{}",
        }
    )
    return made.reindex(columns=list(DTYPES)).astype(DTYPES)


def test_of_many_trials_failures_outliers_and_a_sample_are_kept() -> None:
    run = Run(Path(), many(4_000))
    found = trials.chosen(run.trials, run.answers)
    kept = found.trials
    failed = run.trials[~run.trials["verdict"].isin(["solved"])]
    assert set(failed.index) <= set(kept.index)
    slow = run.trials[(run.trials["verdict"] == "solved") & (run.trials["wall_s"] > 0.05)]
    assert len(slow) > 20
    assert set(slow.index) <= set(kept.index)
    assert 3_000 < len(kept) < 8_000
    number = f"{len(kept):,} of 40,000 trials: all {len(failed):,} failures, outliers"
    assert found.note.startswith(number)
    assert "harness export" in found.note


def test_where_nearly_all_fail_the_page_is_small_and_says_what_it_left_out() -> None:
    run = Run(Path(), many(6_000, failing=0.95))
    found = trials.chosen(run.trials, run.answers)
    assert {"wrong", "crashed"} <= set(found.trials["verdict"])
    assert set(found.trials["backend"]) == {"a", "b"}
    told = re.search(r"([\d,]+) of ([\d,]+) failures", found.note)
    assert told is not None
    shown, failed = (int(number.replace(",", "")) for number in told.groups())
    assert shown == (~found.trials["verdict"].isin(["solved"])).sum() < failed
    assert len(page.html(run)) < 3_000_000


def test_all_of_few_trials_are_kept_in_their_order(full: Run) -> None:
    found = trials.chosen(full.trials, full.answers)
    assert found.trials.index.equals(full.trials.index)
    assert found.note == "606 of 606 trials: all trials"


def test_large_puzzles_do_not_make_a_large_page(trials_of: Trials) -> None:
    made = trials_of({"a": [0.1] * 3000}, shape="36x36", puzzle=lambda n: f"{n:x}".ljust(1296, "."))
    made["solution"] = made["puzzle"].str.replace(".", "1", regex=False)
    run = Run(Path(), made)
    found = trials.chosen(run.trials, run.answers)
    assert 1_000 < len(found.trials) < 3_000
    assert "harness export" in found.note


def test_tables_of_many_backends_are_cut_and_say_so(trials_of: Trials) -> None:
    made = trials_of({f"b{n:02d}": [0.1 * (n + 1)] for n in range(30)})
    parts = [made.assign(dataset=name) for name in "defghi"]
    text = page.html(Run(Path(), pd.concat(parts, ignore_index=True)))
    tables = [part.partition("</table>")[0] for part in text.split('<table class="measure"')[1:]]
    rows = [table.count("<tr>") - 1 for table in tables]
    assert 1000 < sum(rows) <= 1500
    assert max(rows) < 200
    assert "more rows: --format csv --table pairwise" in text


def test_the_environment_is_complete_and_told_once(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [0.1]}))
    packages = {f"package-{n}": "1.0" for n in range(300)}
    call = {"host": "here", "processor": "<b>fast</b>", "packages": packages}
    run.__dict__["calls"] = [call, call | {"host": "there"}]
    text = page.html(run)
    assert text.count("package-17&#34;") == 1
    said = Page(text).said()
    assert "processor <b>fast</b>" in said
    assert '"host": "there"' in said
    assert "Environment of call 2, what is not as before" in said


def test_the_scripts_of_the_page_are_in_the_package() -> None:
    folder = Path(document.__file__).parent
    assert set(document.SCRIPTS) == {path.name for path in folder.glob("*.js")}
