"""Tables for LaTeX, each on its own, whatever the names are."""

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.report import tables
from harness.report.render import markup
from harness.report.render.markup import Fragment
from harness.report.table import Section
from tests.report.conftest import comparison_sections, latex_of_run

Trials = Callable[..., pd.DataFrame]

Reports = tuple[list[Section], ...]
LETTERS = re.compile(r"[a-z0-9-]+")
ACTIVE = re.compile(r"[\\{}$&#_%^~]")
"""What acts in LaTeX outside of an escape."""
PREAMBLE = "\n".join(
    ["\\documentclass{article}", "\\usepackage{booktabs,graphicx}", "\\begin{document}"]
)


@pytest.fixture(scope="module")
def run(trials_of: Trials) -> Run:
    """Two datasets and a table of many rows."""
    fast, slow = [0.001 * n for n in range(1, 61)], [0.002 * n for n in range(1, 60)]
    parts = [
        trials_of({"a": fast, "b": [*slow, "timeout"]}),
        trials_of({"a": fast, "b": ["crashed"] * 60}, dataset="e"),
        trials_of({"a": fast, "b": fast}, dataset="e", timeout_s=5.0),
    ]
    return Run(Path(), pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="module")
def reports(run: Run, hostile_reports: Reports) -> Reports:
    """The sections of a run, of the hostile run, and of the comparison of each with a later one."""
    return tables.sections(run), comparison_sections(run), *hostile_reports


def inactive(source: str) -> str:
    """`source` without everything that is escaped: what is left acts."""
    harmless = r"\\(?:text\w+\{\}|symbol\{34\}|[{}$&#_%])|\{\[\}|\{\]\}|\{\*\}|-\{\}|,\{\}"
    return re.sub(harmless, "", source)


def assert_text(text: str) -> None:
    assert not ACTIVE.search(inactive(text)), text


COMMANDS = {
    *("\\begin{table}", "\\centering", "\\par\\smallskip\\small", "\\end{table}", "\\toprule"),
    *("\\midrule", "\\bottomrule", "\\par\\bigskip\\small", "\\par}", "\\end{minipage}"),
    "{\\par\\makeatletter\\def\\@captype{table}\\makeatother\\centering",
    "\\noindent\\begin{minipage}{\\linewidth}",
    "\\end{tabular}}%",
    "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi",
}
FORMS = (
    r"\\caption\{(.*)\}",
    r"\\label\{tab:[a-z0-9-]+\}(?:\\\\)?()",
    r"(?:\\par\\smallskip)?\{\\footnotesize\\raggedright (.*)\\par\}",
)


LEVEL = r"} \\[-\normalbaselineskip]"
"""The end of the row of widest cells, which has no height."""


def assert_compiles(source: str) -> None:
    """A small reader of LaTeX: what is not known to be harmless is an error."""
    assert source.isascii()
    columns = 0
    for line in source.splitlines():
        if line.startswith("%") or line in COMMANDS:
            columns = 0 if line.startswith("\\end{") else columns
        elif match := re.fullmatch(r"\\sbox0\{\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", line):
            columns = len(match[1])
        elif form := next(filter(None, (re.fullmatch(form, line) for form in FORMS)), None):
            assert_text(form[1])
        elif columns and line.endswith(LEVEL):
            widest = line.removesuffix(LEVEL).removeprefix("\\hphantom{")
            assert widest.count("} & \\hphantom{") == columns - 1
            assert_text(widest.replace("} & \\hphantom{", ""))
        elif columns:
            assert line.endswith(r" \\"), line
            cells = inactive(line.removesuffix(r" \\"))
            assert cells.count("&") == columns - 1, line
            assert_text(cells.replace("&", ""))
            assert not line.lstrip().startswith(("[", "*")), line
        else:
            assert_text(line)
    assert columns == 0


def test_every_table_compiles(reports: Reports) -> None:
    for parts in reports:
        fragments = markup.latex_fragments(parts)
        assert len(fragments) == sum(len(section.tables) for section in parts)
        for fragment in fragments:
            assert_compiles(fragment.text)


def test_the_reader_rejects_what_does_not_compile() -> None:
    good = "\\sbox0{\\begin{tabular}{@{}lr@{}}\na & b \\\\\n\\end{tabular}}%\n"
    assert_compiles(good)
    for bad in (
        *("a & b & c", "a_1 & b", "{a & b", "\\input{x} & b", "50% & b", "[2cm] & b", "é & b"),
        *("a & b \\\\ c", "\\textbf{x} & b"),
    ):
        with pytest.raises(AssertionError):
            assert_compiles(good.replace("a & b", bad))


def packages(text: str) -> set[str]:
    """The packages that the first lines of a fragment name."""
    comments = [line for line in text.splitlines() if line.startswith("%")]
    return set(re.findall(r"\\usepackage\{(\w+)\}", " ".join(comments)))


def test_a_table_has_a_caption_a_label_and_the_names_of_its_packages(run: Run) -> None:
    texts = {fragment.name: fragment.text for fragment in latex_of_run(run, ["ranks", "failures"])}
    assert list(texts) == ["ranks-d-solve-cold", "ranks-e-solve-cold", "ranks-e-solve-cold-2",
                           "failures"]  # fmt: skip
    ranks = texts["ranks-e-solve-cold-2"]
    caption = "\\caption{Ranks. e: solve, cold start, wall time, limit 10 s, 60 instances, "
    assert caption in ranks
    assert "\\label{tab:ranks-e-solve-cold-2}" in ranks
    assert "\\input{ranks-e-solve-cold-2}" in ranks
    assert packages(ranks) == {"booktabs", "graphicx", "textcomp"}
    assert "\\begin{table}" in ranks
    assert "1 & a & 60/60 & " in ranks
    # A table of more rows than a page has is a sequence of parts, equally wide.
    failures = texts["failures"]
    assert packages(failures) == {"booktabs", "graphicx", "textcomp"}
    rows = re.findall(r"(?:.* & )+.* \\\\$", failures, re.MULTILINE)
    parts = failures.count("\\begin{tabular}")
    assert (parts, len(rows) - parts) == (2, 61)
    assert failures.count("\\caption{") == failures.count("\\label{") == 1
    assert len(set(re.findall(r".*\\hphantom.*", failures))) == 1


def test_labels_and_names_of_files_are_unique_and_plain(hostile_tables_run: Run) -> None:
    fragments = latex_of_run(hostile_tables_run, tables.ALL)
    names = [fragment.name for fragment in fragments]
    assert len(set(names)) == len(names) > 20
    assert all(LETTERS.fullmatch(name) for name in names)


def test_a_remark_on_the_run_is_below_every_table(run: Run, trials_of: Trials) -> None:
    there = pd.concat([run.trials, run.trials.assign(host="there")], ignore_index=True)
    across = Run(Path(), there).across_machines()
    (remark,) = tables.notes_of(across)
    for fragment in latex_of_run(across, ["summary", "pooled"]):
        assert markup.escaped_for_latex(remark) in fragment.text


def compile_latex(folder: Path, fragments: Sequence[Fragment]) -> str:
    """The log of pdflatex on a paper with these tables and a reference to each."""
    for fragment in fragments:
        (folder / f"{fragment.name}.tex").write_text(fragment.text)
    inputs = [f"\\input{{{f.name}}}\n\\clearpage" for f in fragments]
    references = [f"\\ref{{tab:{f.name}}}" for f in fragments]
    paper = "\n".join([PREAMBLE, *inputs, *references, "\\end{document}"])
    (folder / "paper.tex").write_text(paper)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stdout[-2000:]
    return process.stdout


@pytest.mark.long
@pytest.mark.parametrize("which", ["run", "hostile_tables_run"])
def test_tables_compile_with_pdflatex(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    run: Run = request.getfixturevalue(which)
    compile_latex(tmp_path, markup.latex_fragments(comparison_sections(run)))
    fragments: list[Fragment] = latex_of_run(run, tables.ALL)
    assert not re.findall(r"Overfull \\hbox.*in alignment", compile_latex(tmp_path, fragments))
    assert "undefined" not in compile_latex(tmp_path, fragments)
