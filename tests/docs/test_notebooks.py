"""The notebooks: valid, without output, and executed as they are, with the answers of exercises."""

import ast
import os
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
TUTORIAL = DOCS / "tutorial.ipynb"
TEACHING = DOCS / "teaching.ipynb"
both = pytest.mark.parametrize("path", [TUTORIAL, TEACHING], ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def executed_in(folder: Path, path: Path) -> nbformat.NotebookNode:
    """A notebook with its output; an assertion of a cell that fails is an error."""
    notebook = read(path)
    if site := os.environ.get("SITE"):
        # `make docs` has executed it for the site.
        notebook = read(Path(site).with_name("jupyter_execute") / "docs" / path.name)
    else:
        resources = {"metadata": {"path": str(folder)}}
        nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in read(path).cells]
    # No output needs the network.
    assert "src=" not in str(notebook)
    return notebook


def text_of(cell: nbformat.NotebookNode) -> str:
    """The output of a cell as text."""
    parts = [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]
    return "\n".join(parts)


def cell_with(cells: list[nbformat.NotebookNode], source: str) -> nbformat.NotebookNode:
    (cell,) = [cell for cell in cells if cell.cell_type == "code" and source in cell.source]
    return cell


@both
def test_a_notebook_is_valid_and_has_no_output(path: Path) -> None:
    nbformat.validate(read(path))
    for cell in read(path).cells:
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None


@both
def test_links_of_a_notebook_have_targets(path: Path) -> None:
    texts = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    links = re.findall(r"\]\(([^)#]+)[)#]", "".join(texts))
    assert links
    for link in links:
        assert (path.parent / link).is_file(), link


def test_each_exercise_has_a_collapsed_answer_with_an_assertion() -> None:
    titles: list[str] = []
    answers: list[tuple[str, str]] = []
    for cell in read(TEACHING).cells:
        titles += re.findall(r"^## (Exercise \d)", cell.source)
        if "answer" not in cell.metadata.get("tags", []):
            continue
        answers.append((titles[-1], cell.cell_type))
        if cell.cell_type == "markdown":
            assert cell.source.startswith("<details>")
            continue
        assert "hide-cell" in cell.metadata.tags
        assert cell.metadata.jupyter == {"outputs_hidden": True, "source_hidden": True}
        if not cell.source.startswith("%%writefile"):
            assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(cell.source)))
    assert titles == [f"Exercise {number}" for number in range(1, 9)]
    assert {(title, kind) for title in titles for kind in ("markdown", "code")} == set(answers)


NOISY = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@NOISY
def test_the_answers_of_the_exercises_are_right(tmp_path: Path) -> None:
    cells = executed_in(tmp_path, TEACHING).cells
    page = cell_with(cells, 'page["groups"]').outputs[0]["data"]["text/html"]
    assert page.count("<tr") == 1 + 1 + 7  # columns, name of the index, solvers
    assert page.count("<td>30</td>") == 7
    for chart in ('show(run, "heat")', 'show(run, "cactus", "hardest")'):
        assert cell_with(cells, chart).outputs[-1]["data"]["image/svg+xml"].startswith("<svg")
    checks = text_of(cell_with(cells, 'check("faulty.py:Mine")'))
    assert checks.index("no disagreement") < checks.index("DISAGREEMENT")


@NOISY
def test_the_tutorial_runs_from_start_to_end(tmp_path: Path) -> None:
    cells = executed_in(tmp_path, TUTORIAL).cells
    assert text_of(cell_with(cells, "harness.count(line")).startswith("1 True counted ")
    assert text_of(cell_with(cells, "examine(Mine")) == "[]"
    html = cell_with(cells, "before.compare(after)").outputs[0]["data"]["text/html"]
    first_row = html.partition("<tbody>")[2].partition("</tr>")[0]
    assert "<td>slower" in first_row  # on a machine with other work also "unequal machine"
    assert "<td>native</td>" not in first_row
    trends = text_of(cell_with(cells, "trend([before"))
    assert {"backend", "runs", "first", "last", "steps"} <= set(re.findall(r"[a-z]+", trends))
    assert len(re.findall(r"\b3  0\.0", trends)) == 2  # two backends in three runs
    chart = cell_with(cells, 'show(run, "cactus")').outputs[-1]["data"]
    assert chart["image/svg+xml"].startswith("<svg")
    reply = cell_with(cells, "harness.solve(line").outputs[0]["data"]["text/html"]
    assert reply.count("<text") == 81
