"""The site of results: its pages, links and accessibility, and what hostile records can do."""

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import msgspec
import pandas as pd
import pytest

import harness
from harness.analysis.run import load
from harness.base.errors import HarnessError, InputError
from harness.base.files import new_folder
from harness.contract.registry import ONE_LINE
from harness.extensions import site
from harness.extensions.site.claims import Evidence, PublishedClaim, evidence_of, read_claims
from harness.extensions.site.links import Links
from harness.extensions.site.records import SiteRecord
from harness.extensions.site.standings import all_pairs, standings
from harness.records.folder.environment import read_invocations, write_invocations
from harness.records.folder.files import RunFile
from harness.records.folder.record import RecordMetadata, write_parquet
from harness.records.schema import SCHEMA_VERSION
from tests.extensions.site.site_records import write_record
from tests.extensions.workbench.test_accessibility import AXE, RULES
from tests.full_runs import HOSTILE
from tests.html_pages import Page

TIMES: dict[str, float | str] = {"quick": 0.001, "equal": 0.00106, "slow": 0.004}
PROJECT = Path(__file__).parents[3]


def pages(folder: Path) -> dict[str, Page]:
    """The pages of a site by name; every link leads to a file and a part of it."""
    by_name = {path.name: Page(path.read_text()) for path in folder.glob("*.html")}
    for name, page in by_name.items():
        for link in page.values("href", "src"):
            parts = urlsplit(link)
            if not parts.scheme:
                target = parts.path or name
                assert (folder / unquote(target)).is_file(), f"{name}: {link}"
                ids = by_name[target].values("id") if parts.fragment else [""]
                assert parts.fragment in ids, f"{name}: {link}"
    return by_name


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, an earlier record of the same size, and a small record that is the newest."""
    folder = tmp_path_factory.mktemp("results") / "records"
    backends = TIMES | {"bad": "wrong", "never": "timeout"}
    both = ["minis", "others"]
    write_record(folder / "study", backends, datasets=both, tasks=["solve", "count"])
    earlier = "2023-01-02T08:00:00+00:00"
    write_record(folder / "earlier", {**TIMES, "slow": 0.0001}, started_at=earlier)
    newest = "2025-01-02T08:00:00+00:00"
    write_record(folder / "small", {"slow": 0.001}, puzzles=1, started_at=newest)
    (folder / "damaged").mkdir()
    (folder / "damaged" / RunFile.RECORD).write_bytes(b"PAR1")
    (folder.parent / "BIAS.md").write_text("# Who wrote what\n\nThe <b>author</b> did.\n")
    (folder.parent / "claims.toml").write_text(
        '[[claim]]\nid = "a"\nwho = "<i>"\nsource = "https://example.org/a"\nvalue = 3\n'
        'claim = "quick is fast"\nquantity = "factor"\ndataset = "minis"\n'
        'backend = "quick"\nother = "slow"\n'
    )
    return folder


@pytest.fixture(scope="module")
def site_folder(records: Path) -> Path:
    out = records.parent / "site"
    site.write([records], out)
    return out


def test_every_link_leads_to_a_file_and_no_page_has_a_script(site_folder: Path) -> None:
    by_name = pages(site_folder)
    for name, page in by_name.items():
        assert not {*page.tags} & {"script", "iframe", "object", "button"}, name
        assert len(page.values("id")) == len(set(page.values("id"))), name
    kinds = {name.partition("-")[0].removesuffix(".html") for name in by_name}
    expected = "index bias claim record dataset backend paradigm pair"
    assert kinds == {*expected.split()}


def test_the_same_records_give_the_same_bytes(
    records: Path, site_folder: Path, tmp_path: Path
) -> None:
    site.write([records], tmp_path / "again")
    again = files(tmp_path / "again")
    assert again == files(site_folder)
    assert not any(str(tmp_path).encode() in content for content in again.values())


def test_the_raw_data_are_the_records(records: Path, site_folder: Path) -> None:
    for name in ("study", "small"):
        folder = site_folder / "data" / f"record-{name}"
        original = (records / name / RunFile.RECORD).read_bytes()
        assert (folder / RunFile.RECORD).read_bytes() == original
        assert load(folder).trials.equals(load(records / name).trials)


def table(site_folder: Path, page: str, name: str) -> pd.DataFrame:
    text = (site_folder / page).read_text()
    match = re.search(rf'<table class="measure" data-name="{name}">.*?</table>', text, re.DOTALL)
    assert match, f"{page} has no table {name}"
    root = ElementTree.fromstring(match[0])
    rows = [
        ["".join(c.itertext()) for c in row if c.tag in ("td", "th")] for row in root.iter("tr")
    ]
    return pd.DataFrame(rows[1:], columns=rows[0])


def test_a_small_record_leads_nowhere(site_folder: Path) -> None:
    datasets = table(site_folder, "index.html", "datasets").set_index(["dataset", "question"])
    assert datasets.to_dict("index")["minis", "solve, cold"] == {
        "fastest": "quick",
        "not different": "equal",
        "of": "4",
        "instances": "12",
        "record": "2024-11-26",
    }


def test_a_wrong_backend_has_no_place_and_failures_are_counted(site_folder: Path) -> None:
    bad = table(site_folder, "backend-bad.html", "results")
    assert set(bad["place"]) == {""}
    assert set(bad["wrong"]) == {"12"}
    assert "Disagreements" in (site_folder / "backend-bad.html").read_text()
    never = table(site_folder, "backend-never.html", "results")
    assert set(never["place"]) == {"#4 of 4"}
    assert set(never["timeout"]) == {"12"}
    assert not list((site_folder / "badges").glob("badge-bad-*"))
    badge = (site_folder / "badges" / "badge-quick-minis-solve-cold.svg").read_text()
    assert "#1 of 4 on minis: solve, cold" in badge
    assert ElementTree.fromstring(badge).tag.endswith("svg")


def test_history_has_other_records(site_folder: Path) -> None:
    text = (site_folder / "backend-slow.html").read_text()
    assert text.index("2024-11-26") < text.index("Other records") < text.index("2023-01-02")
    assert "2025-01-02" in text


def test_a_pair_has_the_factor_of_the_measure(records: Path, site_folder: Path) -> None:
    pairs = load(records / "study").pairwise()
    ours = pairs[(pairs["backend"] == "quick") & (pairs["other"] == "slow")]
    both = table(site_folder, "pair-quick-slow.html", "pairs")
    for dataset, task, factor in zip(ours["dataset"], ours["task"], ours["factor"], strict=True):
        rows = both[(both["dataset"] == dataset) & both["question"].str.startswith(task)]
        assert f"{factor:.2f}x" in set(rows["factor"])


def test_refused_records_are_listed_and_claims_and_bias_are_escaped(site_folder: Path) -> None:
    text = (site_folder / "index.html").read_text()
    assert "damaged" in text[text.index("Refused") :]
    assert "&lt;i&gt;" in (site_folder / "claim-a.html").read_text()
    bias = (site_folder / "bias.html").read_text()
    assert "<h1><bdi>Who wrote what</bdi></h1>" in bias
    assert "&lt;b&gt;author" in bias
    assert table(site_folder, "index.html", "claims")["verdict"].tolist() == ["holds"]


@pytest.fixture(scope="module")
def study(records: Path) -> SiteRecord:
    return SiteRecord("study", "record-study", "2024-11-26", load(records / "study"))


def evidence_on(claim: dict[str, Any], record: SiteRecord) -> list[Evidence]:
    fields: dict[str, Any] = dict.fromkeys(("id", "who", "source", "claim"), "https://example.org")
    fields |= {"dataset": "minis", "quantity": "factor"} | claim
    full = msgspec.convert(fields, PublishedClaim)
    return evidence_of(full, [record], standings([record], all_pairs([record])))


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ({"value": 3.9, "backend": "quick", "other": "slow"}, "holds"),
        ({"value": 6, "backend": "quick", "other": "slow"}, "does not hold"),
        ({"value": 3.9, "backend": "quick", "other": "slow", "time": "cpu"}, "holds"),
        ({"value": 2, "backend": "slow", "other": "quick"}, "does not hold"),
        ({"value": 2, "backend": "quick", "other": "absent"}, None),
        ({"value": 2, "backend": "quick", "other": "slow", "dataset": "absent"}, None),
        ({"quantity": "answered", "value": 0.99, "backend": "quick"}, "holds"),
        ({"quantity": "answered", "value": 0.5, "backend": "never"}, "does not hold"),
        ({"quantity": "solutions", "value": 12}, "holds"),
        ({"quantity": "solutions", "value": 11}, "does not hold"),
        ({"quantity": "solutions", "value": 20, "puzzles": 13}, "not measured"),
        ({"quantity": "unique", "value": 12}, "holds"),
        ({"quantity": "unique", "value": 13}, "does not hold"),
        ({"quantity": "unique", "value": 13, "puzzles": 13}, "not measured"),
    ],
)
def test_a_claim_is_judged(claim: dict[str, Any], verdict: str | None, study: SiteRecord) -> None:
    verdicts = [row["verdict"] for row in evidence_on(claim, study)]
    assert verdicts == ([verdict] if verdict else [])


def test_answers_that_conflict_decide_no_claim(tmp_path: Path) -> None:
    times: dict[str, float | str] = {"a": 0.001, "b": 0.002}
    record = write_record(tmp_path / "record", times, tasks=["count"], expected_count=None)
    trials = load(record).trials
    trials.loc[0, ["count", "exact"]] = 2, False
    write_parquet(trials, record / RunFile.RECORD, RecordMetadata(SCHEMA_VERSION, len(trials), []))
    read = SiteRecord("one", "record-one", "2024-11-26", load(record))
    for quantity, value in (("unique", 12), ("unique", 11), ("solutions", 12)):
        (row,) = evidence_on({"quantity": quantity, "value": value}, read)
        assert (row["verdict"], row["interval"]) == ("not measured", "-")


def test_hostile_names_stay_text_in_the_folder(tmp_path: Path) -> None:
    names = [*filter(ONE_LINE.fullmatch, HOSTILE.values()), "con", "a-b", "A_B"]
    no_path = [name for name in names if not {*"/\\["} & {*name}]
    times: dict[str, float | str] = {name: 0.001 * n for n, name in enumerate(no_path, 1)}
    folder = tmp_path / "records" / "<b>.toml"
    write_record(
        folder, times, datasets=["<script>", "../../x", "a b", "a:b"], paradigm=str, puzzles=3
    )
    out = tmp_path / "site"
    site.write([tmp_path / "records"], out)
    by_name = pages(out)
    for name, page in by_name.items():
        assert re.fullmatch(r"[a-z0-9-]+\.html", name)
        assert not {*page.tags} & {"script", "img", "b", "i"}, name
        assert not page.handlers, name
    assert len(list(out.glob("backend*.html"))) == len(times)
    assert len(list(out.glob("dataset*.html"))) == 4
    for path in (out / "badges").iterdir():
        ElementTree.fromstring(path.read_text())
    assert {path.name for path in tmp_path.iterdir()} == {"records", "site"}


def test_two_names_have_two_pages() -> None:
    links = Links([])
    names = ["a b", "a-b", "A/B", "", "?", "ä"]
    addresses = [links.page("backend", name) for name in names]
    assert len(set(addresses)) == len(names)
    assert addresses == [links.page("backend", name) for name in names]


def test_only_a_site_is_replaced(site_folder: Path, records: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    (out / "photos").mkdir(parents=True)
    with pytest.raises(InputError, match="already exists"):
        site.write([records], out, replaces=True)
    with pytest.raises(InputError, match="already exists"):
        site.write([records], site_folder)
    other = tmp_path / "other"
    site.write([records / "small"], other)
    (other / "CNAME").write_text("example.org\n")
    with pytest.raises(InputError, match="has CNAME, not part of a site"):
        site.write([records / "small"], other, replaces=True)
    (other / "CNAME").unlink()
    newer = shutil.copytree(records / "small", tmp_path / "newer")
    site.write([newer], other, replaces=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["newer", "other", "site"]
    assert (other / "record-newer.html").exists()
    assert not (other / "record-small.html").exists()


def test_a_record_of_the_future_is_refused(records: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(records / "study", tmp_path / "later")
    future = "2999-01-01T08:00:00+00:00"
    invocations = read_invocations(copy)
    write_invocations(copy, [msgspec.structs.replace(i, started_at=future) for i in invocations])
    with pytest.raises(InputError, match="started on 2999-01-01, a day in the future"):
        site.write([copy], tmp_path / "site")


def test_a_copy_of_a_record_is_no_second_measurement(records: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(records / "small", tmp_path / "records" / name)
    _, number, (refusal,) = site.write([tmp_path / "records"], tmp_path / "site")
    assert (number, refusal.name, refusal.reason) == (1, "two", "has the same trials as one")


def test_one_instance_decides_nothing(tmp_path: Path) -> None:
    write_record(tmp_path / "records" / "few", {"quick": 0.001, "slow": 0.1}, puzzles=1)
    site.write([tmp_path / "records"], tmp_path / "site")
    datasets = table(tmp_path / "site", "index.html", "datasets").set_index("dataset")
    assert datasets.loc["minis", "not different"] == "undecided"
    assert set(table(tmp_path / "site", "index.html", "backends")["wins"]) == {"0"}


def test_a_stranger_who_leads_nowhere_is_in_the_index_with_badges(
    records: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "records"
    shutil.copytree(records / "earlier", copy / "earlier")
    newest = "2025-03-02T08:00:00+00:00"
    write_record(copy / "entry", {"stranger": 0.001, "slow": 0.02}, puzzles=5, started_at=newest)
    site.write([copy], tmp_path / "site")
    backends = table(tmp_path / "site", "index.html", "backends").set_index("backend")
    assert backends.loc["stranger", "of"] == "0"
    (badge,) = (tmp_path / "site" / "badges").glob("badge-stranger-*")
    assert "#1 of 2" in badge.read_text()


def test_the_name_of_a_shipped_dataset_means_its_puzzles(tmp_path: Path) -> None:
    write_record(tmp_path / "own", {"quick": 0.01}, datasets=["seeds"])
    with pytest.raises(InputError, match="the dataset seeds does not have its puzzle"):
        site.write([tmp_path / "own"], tmp_path / "site")


def test_nothing_is_left_of_a_site_without_a_record(records: Path, tmp_path: Path) -> None:
    for folder in (records / "damaged", tmp_path, tmp_path / "absent"):
        with pytest.raises(InputError):
            site.write([folder], tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


def test_a_record_of_several_sizes_has_a_chart_of_them(tmp_path: Path) -> None:
    """The chart is of all datasets, and of the best backends where there are many."""
    harness.run(["sizes/1-2", "sizes/9-10"], ["native", "cnf"], out=tmp_path / "records" / "a")
    site.write([tmp_path / "records"], tmp_path / "site")
    assert "Time by puzzle size" in (tmp_path / "site" / "index.html").read_text()


def test_the_claims_of_the_project_are_valid() -> None:
    assert len(read_claims(PROJECT / "results" / "claims.toml")) >= 3


def test_a_folder_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine").write_text("earlier")
    with (
        pytest.raises(HarnessError, match="site"),
        new_folder(tmp_path / "site", lambda _: True) as site_folder,
    ):
        site_folder.rmdir()  # so it cannot get its name
    assert (tmp_path / "site" / "mine").read_text() == "earlier"
    assert [*tmp_path.iterdir()] == [tmp_path / "site"]


@pytest.mark.long
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_page_is_accessible_and_narrow(
    site_folder: Path, browser: Any, scheme: str
) -> None:
    tab = browser.new_page(offline=True)
    tab.emulate_media(color_scheme=scheme)
    of_each_kind = {
        path.name.partition("-")[0]: path for path in sorted(site_folder.glob("*.html"))
    }
    for kind, path in of_each_kind.items():
        tab.set_viewport_size({"width": 1280, "height": 900})
        tab.goto(path.as_uri())
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        result = tab.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
        assert [(kind, rule["id"]) for rule in result["violations"]] == []
        assert len(result["passes"]) > 15
        tab.set_viewport_size({"width": 320, "height": 700})
        assert tab.evaluate("document.documentElement.scrollWidth") == 320, kind
    tab.close()
