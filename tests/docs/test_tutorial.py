"""The tutorial notebook: valid, without output, and executed as it is."""

import os
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "tutorial.ipynb"


def notebook() -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=4)


def text_of(cell: nbformat.NotebookNode) -> str:
    """The output of a cell as text."""
    parts = [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]
    return "\n".join(parts)


def cell_with(cells: list[nbformat.NotebookNode], source: str) -> nbformat.NotebookNode:
    (cell,) = [cell for cell in cells if cell.cell_type == "code" and source in cell.source]
    return cell


def test_the_notebook_is_valid_and_has_no_output() -> None:
    nbformat.validate(notebook())
    for cell in notebook().cells:
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None


def test_links_of_the_notebook_have_targets() -> None:
    texts = [cell.source for cell in notebook().cells if cell.cell_type == "markdown"]
    links = re.findall(r"\]\(([^)#]+)[)#]", "".join(texts))
    assert links
    for link in links:
        assert (NOTEBOOK.parent / link).is_file(), link


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_notebook_runs_from_start_to_end(tmp_path: Path) -> None:
    executed = notebook()
    if site := os.environ.get("SITE"):
        # `make docs` has executed it for the site.
        path = Path(site).with_name("jupyter_execute") / "docs" / NOTEBOOK.name
        executed = nbformat.read(path, as_version=4)
    else:
        resources = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(executed, timeout=60, resources=resources).execute()
    assert [cell.source for cell in executed.cells] == [cell.source for cell in notebook().cells]
    cells = executed.cells
    assert text_of(cell_with(cells, "harness.count(line")).startswith("1 True counted ")
    assert text_of(cell_with(cells, "examine(Mine")) == "[]"
    compared = cell_with(cells, "before.compare(after)").outputs[0]["data"]["text/html"]
    first_row = compared.partition("<tbody>")[2].partition("</tr>")[0]
    assert "<td>slower" in first_row  # on a machine with other work also "unequal machine"
    assert "<td>native</td>" not in first_row
    trends = text_of(cell_with(cells, "harness.trend("))
    assert {"backend", "runs", "first", "last", "steps"} <= set(re.findall(r"[a-z]+", trends))
    assert len(re.findall(r"\b3  0\.0", trends)) == 2  # two backends in three runs
    chart = cell_with(cells, 'show(run, "cactus")').outputs[-1]["data"]
    assert chart["image/svg+xml"].startswith("<svg")
    reply = cell_with(cells, "harness.solve(line").outputs[0]["data"]["text/html"]
    assert reply.count("<td") == 81
    # No output needs the network.
    assert "src=" not in str(executed)
