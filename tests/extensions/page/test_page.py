"""The page of a run: content, warnings, bounded size, self-containment and untrusted text."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page import data, document
from harness.extensions.page.charts.catalogue import CHARTS
from harness.extensions.page.document import run_environment
from harness.extensions.page.run_page import (
    RunWarning,
    WarningKind,
    unreliable_timings,
    warnings_of,
)
from harness.records.fields import DTYPES
from harness.records.folder.environment import Invocation, SystemInfo
from harness.report import answer
from harness.report.tables import ON_REQUEST
from tests.full_runs import HOSTILE, repeated_unequally, run_with_invocations
from tests.html_pages import Page
from tests.trials import DEFAULTS, Trials


def invocation(**facts: Any) -> Invocation:
    """An invocation on a machine with these facts."""
    return Invocation(system=SystemInfo(**facts))


@pytest.fixture(scope="module")
def parsed_page(full_page: str) -> Page:
    return Page(full_page)


@pytest.fixture(scope="module")
def hostile(hostile_page: str) -> Page:
    return Page(hostile_page)


def test_the_page_shows_size_key_results_and_tables(full: Run, parsed_page: Page) -> None:
    header, _, rest = parsed_page.visible().partition("Theme")
    for number in (len(full.trials), len(full.backends), full.results["puzzle_id"].nunique()):
        assert re.search(rf"\b{number}\b", header)
    for dataset in ("dense", "small"):
        assert dataset in header
    sentences, table = answer.key_results(full)
    assert len(sentences.notes) == 3
    places = [rest.find(text) for text in (*sentences.notes, "1 warning", "Charts")]
    assert -1 not in places
    assert places == sorted(places)
    assert "answer" in parsed_page.values("data-name")
    assert len(table.tables[0].frame) == 2 * len(full.backends)
    names = set(parsed_page.values("data-name"))
    assert {"summary", "ranks", "pairwise", "throughput", "failures"} <= names
    assert names.isdisjoint(ON_REQUEST)


def test_every_link_leads_to_a_section(parsed_page: Page) -> None:
    ids = set(parsed_page.values("id"))
    assert all(link.removeprefix("#") in ids for link in parsed_page.values("href"))
    assert {"warnings", "key-results", "charts", "tables", "trials", "environment"} <= ids


def test_the_page_has_every_chart(parsed_page: Page) -> None:
    assert [kind["name"] for kind in parsed_page.data["kinds"]] == [kind.name for kind in CHARTS]
    for kind in parsed_page.data["kinds"]:
        assert kind["charts"], kind["name"]
        assert kind["note"] == ""


def test_the_page_loads_nothing_and_allows_its_own_scripts_only(parsed_page: Page) -> None:
    policy = next(
        v for n, v in parsed_page.attributes if n == "content" and v and "default-src" in v
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    names = {name for name, _ in parsed_page.attributes}
    assert not names & {"src", "srcset", "action", "background"}
    assert not parsed_page.handlers
    assert all(v and v.startswith("#") for n, v in parsed_page.attributes if n == "href")
    assert "link" not in parsed_page.tags


def test_every_trial_is_in_the_page_with_its_command(full: Run, parsed_page: Page) -> None:
    trials = parsed_page.data["trials"]
    trial = trials["trial"]
    assert len(trial["instance"]) == len(full.trials)
    commands = []
    for number, instance in enumerate(trial["instance"]):
        question = trials["questions"][trial["question"][number]]
        if trials["verdicts"][trial["verdict"][number]] == "timeout":
            line = trials["instances"]["line"][instance]
            commands.append(f"{question['head']}{line}{question['tail']}")
    failures = full.failures()
    expected = failures[failures["verdict"] == "timeout"]["command"]
    assert sorted(commands) == sorted(expected)
    assert [shape["spec"] for shape in trials["shapes"]] == ["9x9", "4x4"]
    assert trials["shapes"][1]["regions"] == [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4]


def test_regions_of_a_drawing_are_boxes_whatever_other_houses_a_shape_has() -> None:
    boxes = data._shape("4x4")["regions"]
    assert data._shape("4x4+disjoint")["regions"] == boxes


def test_a_count_that_javascript_would_round_is_a_text() -> None:
    counts = [data._exact(n) for n in (2**53 - 1, 2**53, float("nan"))]
    assert counts == [2**53 - 1, "9007199254740992", None]


def test_embedded_json_ends_neither_the_script_nor_a_line() -> None:
    value = ["</script><script>alert(1)", "<!--", "a\u2028b\u2029c", "&amp;", "\ud800"]
    text = data.script_json(value)
    assert not re.search(r"[<>&\u2028\u2029]", text)
    assert json.loads(text) == value


@pytest.mark.long
def test_a_hostile_name_is_only_short_text_in_the_page(parsed_page: Page, hostile: Page) -> None:
    assert set(hostile.tags) <= {*parsed_page.tags, "button", "code", "ol"}
    # Three scripts: the data, the libraries and our own. Names change only the data.
    assert len(hostile.scripts) == 3
    assert hostile.scripts[1:] == parsed_page.scripts[1:]
    assert not hostile.handlers
    assert not hostile.values("src")
    assert HOSTILE["script"] in "".join(hostile.text)

    acting = r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]"
    assert not re.search(acting, "".join(hostile.text))
    assert not re.search(acting, json.dumps(hostile.data["kinds"], ensure_ascii=False))

    assert max(map(len, hostile.text)) <= 12_000


@pytest.fixture(scope="module")
def small_page(trials_of: Trials) -> Page:
    """The page of two trials without CPU times, on a shape without boxes."""
    trials = trials_of({"a": [0.1], "b": [0.2]}, shape="latin5", puzzle="." * 25)
    return Page(page.html(Run(Path(), trials)))


def test_a_small_page_says_what_it_lacks_and_has_no_warning(small_page: Page) -> None:
    missing = {k["name"]: k["note"] for k in small_page.data["kinds"] if not k["charts"]}
    reasons = {kind.name: kind.missing_reason() for kind in CHARTS}
    assert "heat" in missing
    assert missing == {name: reasons[name] for name in missing}
    # A shape without boxes has one region.
    assert set(small_page.data["trials"]["shapes"][0]["regions"]) == {0}
    # Without CPU times there is no switch.
    assert [entry["value"] for entry in small_page.data["times"]] == ["wall"]
    assert "CPU time is not recorded for 2 right answers." in small_page.visible()
    assert "ok" in small_page.values("class")
    assert not small_page.values("data-kind")


def facts(warning: RunWarning) -> tuple[str, ...]:
    numbers = re.findall(r"\d+", warning.message)
    return warning.kind, warning.backend, warning.verdict, *numbers[:1]


def test_wrong_answers_come_first_then_failures_then_unreliable_timings(
    trials_of: Trials, tmp_path: Path
) -> None:
    trials = trials_of(
        {
            "fine": [(0.1, 0.1), (0.2, 0.2)],
            "shaky": [(0.1, 0.2), (0.2, 0.2)],
            "bad": [(0.1, 0.1), ("wrong", "crashed")],
            "greedy": [(0.1, 0.1), ("out_of_memory", 0.2)],
            "waits": [(0.1, 0.1), (0.2, 0.2)],
            "threads": [(0.1, 0.1), (0.2, 0.2)],
        }
    )
    share = trials["backend"].map({"waits": 0.5, "threads": 3.0}).fillna(1.0)
    trials = trials.assign(cpu_s=trials["wall_s"] * share, cpu_source="rusage")
    invocations = [
        invocation(load_average=[3.0, 1, 1], governor="powersave", hypervisor=True),
        invocation(load_average=[0.0, 1, 1], governor="powersave", hypervisor=True),
    ]
    run = run_with_invocations(tmp_path, trials, invocations)
    warnings = warnings_of(run)
    doubts = unreliable_timings(run)
    assert [facts(warning) for warning in (*warnings, *doubts)] == [
        (WarningKind.DISAGREEMENT, "", "", "1"),
        (WarningKind.FAILURE, "bad", "wrong", "1"),
        (WarningKind.FAILURE, "bad", "crashed", "1"),
        (WarningKind.FAILURE, "greedy", "out_of_memory", "1"),
        (WarningKind.UNSTABLE, "", "", "1"),
        (WarningKind.WAITING, "", "", "4"),
        (WarningKind.SYSTEM_CHECK, "", ""),
    ]
    assert [warning.is_wrong for warning in warnings] == [True, True, False, False]
    unstable, waiting, checks = doubts
    assert unstable.message.startswith("times of 1 of 10 repeated results differ by 10 %")
    assert [line.partition(":")[0] for line in unstable.details] == ["shaky"]
    assert [line.partition(":")[0] for line in waiting.details] == ["waits"]
    load, governor, _ = checks.details
    assert "3.00" in load
    assert "powersave" in governor
    html_page = Page(page.html(run))
    assert html_page.values("data-kind") == [warning.kind for warning in (*warnings, *doubts)]
    assert all(warning.message in html_page.visible() for warning in warnings)
    one_line = "; ".join(doubt.message for doubt in doubts)
    assert f"Times may be unreliable: {one_line}" in html_page.visible()


def test_warnings_quote_the_record_of_the_machine_safely(trials_of: Trials, tmp_path: Path) -> None:
    invocations = [
        invocation(load_average=[n, 0, 0], governor="<b>\x1b" + "x" * 999) for n in range(1, 9)
    ]
    run = run_with_invocations(tmp_path, trials_of({"a": [0.1]}), [*invocations, Invocation()])
    (checks,) = unreliable_timings(run)
    load, governor = checks.details
    loads = re.findall(r"\d\.00", load)
    assert loads == ["1.00", "2.00", "3.00", "4.00", "5.00"]
    assert re.findall(r"\d+ of \d+", load) == ["8 of 9"]
    assert "\x1b" not in governor
    assert len(governor) < 300


def many(number: int, repetitions: int = 5, failing: float = 0.02) -> pd.DataFrame:
    """Trials of two backends on `number` puzzles, with failures and outliers."""
    random = np.random.default_rng(1)
    size = 2 * number * repetitions
    puzzle = np.tile(np.repeat(np.arange(number), repetitions), 2)
    wall = 0.01 * np.exp(random.normal(0, 0.02, size))
    wall[:: size // 40] *= 10
    verdict = np.where(random.random(size) < failing, "timeout", "solved")
    verdict[[7, size - 7]] = ["wrong", "crashed"]
    frame = pd.DataFrame(
        {
            **DEFAULTS,
            "backend": np.repeat(["a", "b"], number * repetitions),
            "name": [f"n{n}" for n in puzzle],
            "puzzle_id": [f"p{n:06d}" for n in puzzle],
            "shape": "9x9",
            "puzzle": [f"{n:06d}".ljust(81, ".") for n in puzzle],
            "clues": 6,
            "repetition": np.tile(np.arange(1, repetitions + 1), 2 * number),
            "verdict": verdict,
            "wall_s": wall,
            "host": "here",
            "stats": "{}",
        }
    )
    return frame.reindex(columns=list(DTYPES)).astype(DTYPES)


def test_of_many_trials_failures_outliers_and_a_sample_are_kept() -> None:
    run = Run(Path(), many(4_000))
    sample, note = data.selected_trials(run.trials, run.answers)
    failures = run.trials[~run.trials["verdict"].isin(["solved"])]
    assert set(failures.index) <= set(sample.index)
    slow = run.trials[(run.trials["verdict"] == "solved") & (run.trials["wall_s"] > 0.05)]
    assert len(slow) > 20
    assert set(slow.index) <= set(sample.index)
    assert 3_000 < len(sample) < 8_000
    assert numbers(note) == [len(sample), 40_000, len(failures)]
    assert "harness export" in note


def numbers(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


def test_failures_are_thinned_out_when_nearly_all_trials_fail() -> None:
    run = Run(Path(), many(2_100, failing=0.95))
    run.trials.loc[::5, "verdict"] = "crashed"
    sample, note = data.selected_trials(run.trials, run.answers)
    severe = [trials["verdict"].isin(["wrong", "crashed"]).sum() for trials in (sample, run.trials)]
    assert severe[0] == severe[1] > 4_000
    assert set(sample["backend"]) == {"a", "b"}
    sample_size, trials_of_run, failures_listed, failures = numbers(note)
    assert (sample_size, trials_of_run) == (len(sample), len(run.trials))
    assert failures_listed == (~sample["verdict"].isin(["solved"])).sum() < failures


@pytest.mark.long
def test_a_page_of_many_failures_is_no_larger_than_3_mb() -> None:
    assert len(page.html(Run(Path(), many(2_100, failing=0.95)))) < 3_000_000


def test_all_of_few_trials_are_kept_in_their_order(full: Run) -> None:
    sample, note = data.selected_trials(full.trials, full.answers)
    assert sample.index.equals(full.trials.index)
    assert numbers(note) == [606]


def test_large_puzzles_do_not_make_a_large_page(trials_of: Trials) -> None:
    trials = trials_of(
        {"a": [0.1] * 3000}, shape="36x36", puzzle=lambda n: f"{n:x}".ljust(1296, ".")
    )
    trials["solution"] = trials["puzzle"].str.replace(".", "1", regex=False)
    run = Run(Path(), trials)
    sample, note = data.selected_trials(run.trials, run.answers)
    assert 1_000 < len(sample) < 3_000
    assert "harness export" in note


@pytest.mark.long
def test_long_tables_are_cut_with_a_note(trials_of: Trials) -> None:
    trials = trials_of({f"b{n:02d}": [0.1 * (n + 1)] for n in range(30)})
    parts = [trials.assign(dataset=name) for name in "defghi"]
    text = page.html(Run(Path(), pd.concat(parts, ignore_index=True)))
    tables = [part.partition("</table>")[0] for part in text.split('<table class="measure"')[1:]]
    rows = [table.count("<tr>") - 1 for table in tables]
    assert 1000 < sum(rows) <= 1500
    assert max(rows) < 200
    assert "--format csv --table pairwise" in text


def test_an_invocation_shows_only_what_changed(trials_of: Trials, tmp_path: Path) -> None:
    packages = {f"package-{n}": "1.0" for n in range(300)}
    system = SystemInfo(host="here", processor="<b>fast</b>")
    invocations = [
        Invocation(system=system, packages=packages),
        Invocation(system=replace(system, host="there"), packages=packages),
    ]
    run = run_with_invocations(tmp_path, trials_of({"a": [0.1]}), invocations)
    text = page.html(run)
    assert text.count("package-17&#34;") == 1
    html_page = Page(text)
    assert "<b>fast</b>" in html_page.visible()
    first, second = map(json.loads, run_environment(run)["invocations"])
    assert first["packages"] == packages
    assert second == {"system": {"host": "there"}}
    assert html_page.values("class").count("invocation") == 2


def test_the_scripts_of_the_page_are_in_the_package() -> None:
    folder = Path(document.__file__).parent
    assert set(document.SCRIPTS) == {path.name for path in folder.glob("*.js")}


@pytest.mark.long
def test_the_page_counts_its_rows_in_heading_and_warnings(trials_of: Trials) -> None:
    run = repeated_unequally(trials_of)
    text = page.html(run)
    about = re.search(r'<p class="about">(.*?)</p>', text, re.DOTALL)
    assert about is not None
    words = re.sub(r"<.*?>|\s+", " ", about[1])
    # A puzzle in two datasets is two instances: 30 and 10.
    assert "171 trials of 4 backends on 40 instances" in " ".join(words.split())
    assert len(run.trials) == 171
    assert "All 171 trials" in text

    b, c = (run.trials[run.trials["backend"] == name] for name in "bc")
    assert f"c: wrong answer in 1 of {len(c)} trials" in text
    assert f"b: crash in 3 of {len(b)} trials" in text
    assert (len(b), len(c)) == (46, 30)
    assert "wrong or conflicting answers on 1 puzzle<" in text
    # Both backends ran 8 instances of e; the times of a spread by more than 10 %.
    assert "times of 8 of 16 repeated results differ by 10 % or more between repetitions" in text
    assert "a: wall times of 8 of 8<" in text
