"""The generated datasets: what the catalogue says of them, and the commands that make them."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.puzzles import Dataset
from harness.puzzles.datasets.catalogue import listings
from harness.puzzles.datasets.facts import is_minimal
from harness.puzzles.formats.reading import read_file
from harness.puzzles.puzzle import values_of_line
from harness.records.judging import fault_of_grid
from tests.backends.oracle import backend_of
from tests.conftest import Ended
from tests.installed import needs
from tests.puzzles.example import dataset_named

pytestmark = needs("generate")

Harness = Callable[..., Ended]
GENERATED = {listing.name: listing for listing in listings() if listing.commands}
VARIANTS = ("killer", "lines", "dots", "mixed", "variant-sizes", "variant-kinds")
LARGE = ("25x25", "latin-30", "phase-25x25", "sizes", "large", "hard-large", *VARIANTS)
"""Datasets whose solutions take a while to count."""
SMALL = [name for name in GENERATED if name not in LARGE]
MOST_BYTES = 2_500_000


def test_all_datasets_together_are_small() -> None:
    assert sum(listing.path.stat().st_size for listing in listings()) <= MOST_BYTES


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] * (n in ("hard", "dots"))) for n in GENERATED]
)
def test_the_command_of_a_dataset_makes_its_first_puzzle(
    name: str, harness: Harness, tmp_path: Path
) -> None:
    words = shlex.split(GENERATED[name].commands[0])[1:]
    words[words.index("--count") + 1] = "1"
    path = tmp_path / "made.toml"
    assert harness(*words, "--quiet", "--out", path).code == 0
    (parsed,) = read_file(path)
    assert parsed.puzzle == dataset_named(name).instances[0].puzzle


def check_counts(dataset: Dataset, spec: str) -> None:
    """Count the solutions of each puzzle, and compare with what the dataset gives."""
    for instance in dataset.instances:
        expected = instance.expected_count
        assert expected is not None, instance.name
        limit = min(expected.least + 1, 1000) if expected.exact else 2
        count = backend_of(spec, instance.puzzle.shape).count(instance.puzzle, limit)
        if not expected.exact:
            assert count.number >= min(expected.least, limit)
            continue
        assert (count.number, count.exact) == (expected.least, True), instance.name
        if expected.solution is not None:
            assert count.witness == values_of_line(expected.solution)


@pytest.mark.parametrize("name", SMALL)
def test_the_counts_of_a_dataset_are_right(name: str) -> None:
    check_counts(dataset_named(name), "native-jit")


@pytest.mark.long
@pytest.mark.parametrize("name", GENERATED)
def test_the_counts_of_every_dataset_are_right_by_two_backends(name: str) -> None:
    dataset, backends = dataset_named(name), ("native-jit", "cnf[solver=cadical153]")
    if name in ("large", "hard-large"):  # lower bounds may take longer than anybody waits
        exact = [
            instance
            for instance in dataset.instances
            if instance.expected_count and instance.expected_count.exact
        ]
        dataset = replace(dataset, instances=tuple(exact))
    for backend in backends:
        check_counts(dataset, backend)


@pytest.mark.parametrize(
    "name", [n for n in (*SMALL, *VARIANTS) if "--minimal" in GENERATED[n].commands[0]]
)
def test_puzzles_that_are_called_minimal_are(name: str) -> None:
    for instance in dataset_named(name).instances[:2]:
        assert is_minimal(instance.puzzle), instance.name


@pytest.mark.parametrize("name", VARIANTS)
def test_a_dataset_of_variants_has_unique_solutions_that_the_judge_accepts(name: str) -> None:
    instances = dataset_named(name).instances
    assert len(instances) == GENERATED[name].puzzles
    for instance in instances:
        expected = instance.expected_count
        assert instance.puzzle.shape.constraints, instance.name
        assert expected is not None, instance.name
        assert expected.solution is not None, instance.name
        assert fault_of_grid(instance.puzzle, values_of_line(expected.solution)) is None
        assert float(instance.fields["rating"]) >= 0


def test_the_clues_are_as_the_titles_say() -> None:
    for name, fewest, most in (
        ("easy", 36, 40),
        ("medium", 28, 30),
        ("minimal-low-clue", 20, 22),
        ("16x16", 100, 120),
        ("25x25", 310, 340),
    ):
        clues = {instance.puzzle.clues for instance in dataset_named(name).instances}
        assert fewest <= min(clues) <= max(clues) <= most
