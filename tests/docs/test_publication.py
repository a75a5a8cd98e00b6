"""What a stranger finds first: the package on an index, workflows, forms and images."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata

renderer = pytest.importorskip("readme_renderer.markdown", reason="docs is not installed")

PROJECT = Path(__file__).resolve().parents[2]
SCHEMAS = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-actions": ".github/actions/*/action.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "vendor.readthedocs": ".readthedocs.yaml",
    "vendor.citation-file-format": "CITATION.cff",
}


def program(name: str) -> str:
    path = shutil.which(name, path=str(Path(sys.executable).parent))
    assert path, f"the extra [docs] brings {name}"
    return path


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_keeps_its_schema(schema: str) -> None:
    files = sorted(PROJECT.glob(SCHEMAS[schema]))
    assert files
    command = [program("check-jsonschema"), "--builtin-schema", schema, *map(str, files)]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout


def test_the_container_keeps_the_rules_of_hadolint() -> None:
    command = [program("hadolint"), str(PROJECT / "Dockerfile")]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout


@pytest.fixture(scope="module")
def metadata(built: Path) -> bytes:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        return archive.read(name)


def test_the_metadata_are_valid_and_the_readme_renders(metadata: bytes) -> None:
    parsed = Metadata.from_email(metadata, validate=True)
    assert parsed.description_content_type == "text/markdown"
    assert renderer.render(parsed.description)


def test_each_link_of_the_package_leads_to_a_file_of_the_project(metadata: bytes) -> None:
    home = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["urls"]["Homepage"]
    links = re.findall(r"\]\(([^)\s]+)\)", metadata.decode())
    inside = [link.removeprefix(home) for link in links if link.startswith(home)]
    assert len(inside) > 10
    assert all(link.startswith("https://") for link in links)
    for link in inside:
        path = re.fullmatch(r"/(?:blob|raw)/main/([^#]+)(?:#.*)?", link)
        assert path, link
        assert (PROJECT / path[1]).exists(), link


def test_the_workflow_runs_the_checks_of_a_clean_clone() -> None:
    assert ".ci/run" in (PROJECT / ".github/workflows/checks.yml").read_text()
