"""Datasets of the catalogue, and any puzzle file."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import InputError, PuzzleError
from harness.contract import registry
from harness.puzzles import Instance, Puzzle, Shape, load_dataset
from harness.puzzles.datasets.catalogue import draw_sample, find, folder, listings, load_datasets
from harness.puzzles.puzzle import line_of
from tests.installed import needs
from tests.puzzles.example import LINE, dataset_named

OTHER = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
NAMES = ["seeds", "named", "transition"]
"""The datasets that no command makes; test_generated_datasets.py has the others."""
SHIPPED = [(name, instance) for name in NAMES for instance in dataset_named(name).instances]


def write(path: Path, text: str) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def error_of(names: list[str]) -> InputError:
    with pytest.raises(PuzzleError) as caught:
        load_datasets(names)
    return caught.value


# The datasets of the catalogue.


def test_the_catalogue_lists_every_dataset_file() -> None:
    assert [listing.name for listing in listings() if not listing.commands] == NAMES
    files = {listing.path.name for listing in listings()}
    there = {path.name for path in folder().iterdir() if path.suffix in (".toml", ".gz")}
    assert files == there - {"catalogue.toml", "public.toml"}
    for listing in listings():
        assert all((listing.title, listing.origin, listing.expected_count))
        instances = dataset_named(listing.name).instances
        shapes = dict.fromkeys(instance.puzzle.shape.spec for instance in instances)
        assert (listing.puzzles, listing.shapes) == (len(instances), tuple(shapes))


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_dataset_has_no_repeats_and_knows_every_puzzle(name: str) -> None:
    dataset = dataset_named(name)
    assert dataset.name == name
    assert dataset.repeats == 0
    assert len({instance.name for instance in dataset.instances}) == len(dataset.instances)
    for instance in dataset.instances:
        assert instance.source
        assert instance.expected_count is not None
        assert not any(character.isspace() for character in instance.name)
        assert (instance.expected_count.solution is not None) == (
            instance.expected_count.least == 1
        )


def test_no_puzzle_is_shipped_twice() -> None:
    ids = [instance.puzzle.id for _, instance in SHIPPED]
    assert len(set(ids)) == len(ids)


@needs("reasoning")
@pytest.mark.parametrize(
    "instance",
    [instance for _, instance in SHIPPED],
    ids=[f"{name}-{instance.name}" for name, instance in SHIPPED],
)
def test_the_expected_count_of_a_shipped_puzzle_is_its_count(instance: Instance) -> None:
    assert instance.expected_count is not None
    limit = instance.expected_count.least + 1 if instance.expected_count.exact else 1000
    backend, options = registry.load_backend("native-jit")  # one puzzle takes a plain one seconds
    count = backend(instance.puzzle.shape, options).count(instance.puzzle, limit)
    if not instance.expected_count.exact:
        assert count.number == 1000
        return
    assert (count.number, count.exact) == (instance.expected_count.least, True)
    if instance.expected_count.solution is not None:
        assert count.witness is not None
        assert line_of(count.witness) == instance.expected_count.solution


# Any file.


def test_a_file_is_a_dataset_under_its_stem(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.txt", f"# two\n{LINE}\n{OTHER}\n")
    dataset = load_dataset(path)
    assert (dataset.name, dataset.repeats) == ("mine", 0)
    assert [instance.name for instance in dataset.instances] == ["1", "2"]
    assert [instance.expected_count for instance in dataset.instances] == [None, None]


def test_a_repeat_is_left_out_and_counted_under_the_name_of_its_first_place(tmp_path: Path) -> None:
    zeros = LINE.replace(".", "0")
    dataset = load_dataset(write(tmp_path / "p.txt", f"{LINE}\n{OTHER}\n{zeros}\n{LINE}\n"))
    assert [instance.name for instance in dataset.instances] == ["1", "2"]
    assert dataset.repeats == 2


def test_a_name_of_the_catalogue_comes_before_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "seeds", LINE)
    monkeypatch.chdir(tmp_path)
    assert find("seeds") == folder() / "seeds.toml"
    assert find("./seeds") == Path("seeds")


@pytest.mark.parametrize("name", ["nothing-like-it", "a\0b"])
def test_an_unknown_name_is_an_error_that_lists_the_datasets(name: str) -> None:
    error = error_of([name])
    assert repr(name) in error.what
    for listing in listings():
        assert listing.name in error.expected


@pytest.mark.parametrize("name", ["no/such", "such.txt"])
def test_a_path_without_a_file_is_an_error(name: str) -> None:
    assert error_of([name]).where == name


# Several datasets.


def test_datasets_keep_their_order_and_names(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.txt", LINE)
    assert [dataset.name for dataset in load_datasets(["named", path, "seeds"])] == [
        "named",
        "mine",
        "seeds",
    ]


def test_files_with_the_same_name_keep_their_paths(tmp_path: Path) -> None:
    first = write(tmp_path / "a" / "p.txt", LINE)
    second = write(tmp_path / "b" / "p.txt", OTHER)
    datasets = load_datasets([first, second])
    assert [dataset.name for dataset in datasets] == [first, second]
    assert [dataset.instances[0].puzzle.line for dataset in datasets] == [LINE, OTHER]


def test_a_file_named_like_a_dataset_of_the_catalogue_keeps_its_path(tmp_path: Path) -> None:
    path = write(tmp_path / "seeds.txt", LINE)
    for names in ([path, "seeds"], ["seeds", path]):
        assert [dataset.name for dataset in load_datasets(names)] == names


def test_a_dataset_named_twice_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "p.txt", LINE)
    monkeypatch.chdir(tmp_path)
    path_of_seeds = str(folder() / "seeds.toml")
    for first, second in (
        ("seeds", "seeds"),
        (path, path),
        (path, "p.txt"),
        ("p.txt", "./p.txt"),
        ("seeds", path_of_seeds),
    ):
        assert repr(second) in error_of([first, second]).what


@given(
    st.lists(st.integers(0, 10**6), unique=True, max_size=20),
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(),
    st.randoms(use_true_random=False),
)
def test_a_sample_depends_on_its_seed_and_its_puzzles_alone(
    numbers: list[int], size: int, larger: int, seed: int, order: random.Random
) -> None:
    puzzles = [_numbered(number) for number in numbers]
    few, many = sorted((size, larger))
    small, large = (draw_sample(enumerate(puzzles), most, seed) for most in (few, many))
    assert (len(small), len(large)) == (min(few, len(numbers)), min(many, len(numbers)))
    assert [pair for pair in large if pair in small] == small
    assert draw_sample(large, few, seed) == small
    pairs = [*enumerate(puzzles)]
    order.shuffle(pairs)
    assert draw_sample(pairs, few, seed) == small


def test_each_puzzle_is_drawn_equally_often() -> None:
    puzzles = [_numbered(number) for number in range(10)]
    often = Counter(n for seed in range(4000) for n, _ in draw_sample(enumerate(puzzles), 3, seed))
    assert all(abs(often[number] - 1200) < 5 * 29 for number in range(10))  # 5 standard deviations


def _numbered(number: int) -> Instance:
    """An instance whose givens are the digits of a number to the base 5."""
    givens = tuple(number // 5**cell % 5 for cell in range(16))
    return Instance(str(number), Puzzle(Shape.parse("4x4"), givens))
