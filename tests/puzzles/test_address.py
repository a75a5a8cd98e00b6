"""Addresses of puzzles in datasets and files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.datasets.catalogue import Address, load_dataset, load_datasets, parse_address

DATASETS = {"seeds", "named"}


def items(*names: str) -> list[Instance]:
    return [Instance(name, Puzzle(Shape.parse("4x4"), (0,) * 16)) for name in names]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("named", Address("named")),
        ("-", Address("-")),
        ("named/3", Address("named", numbers="3")),
        ("named/3-7", Address("named", numbers="3-7")),
        ("named/3-7,9,1-1", Address("named", numbers="3-7,9,1-1")),
        ("named/fcc_48307", Address("named", name="fcc_48307")),
        ("named:fcc_48307", Address("named", name="fcc_48307")),
        ("named:3", Address("named", name="3")),
        ("named:a/b:c", Address("named", name="a/b:c")),
        ("named/3-", Address("named", name="3-")),
        ("named/\u0663", Address("named", name="\u0663")),
        ("named/", Address("named/")),
        ("other/3", Address("other/3")),
        ("1234............", Address("1234............")),
        ("..3|.2.|6..\n9../3.5", Address("..3|.2.|6..\n9../3.5")),
        ("x\0y/3", Address("x\0y/3")),
    ],
)
def test_an_address_is_a_dataset_and_a_selection(text: str, address: Address) -> None:
    assert parse_address(text, DATASETS) == address


def test_the_source_of_an_address_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("mine.txt", "with:colon.txt", "deep/mine.txt"):
        (tmp_path / name).write_text("")

    def parsed(text: str) -> Address:
        return parse_address(text, DATASETS, tmp_path)

    assert parsed("mine.txt/3") == Address("mine.txt", numbers="3")
    assert parsed("mine.txt:a b") == Address("mine.txt", name="a b")
    assert parsed("deep/mine.txt/2-3") == Address("deep/mine.txt", numbers="2-3")
    assert parsed(f"{tmp_path}/mine.txt/1") == Address(f"{tmp_path}/mine.txt", numbers="1")
    assert parsed("with:colon.txt") == Address("with:colon.txt")
    assert parsed("with:colon.txt:3") == Address("with:colon.txt", name="3")
    assert parsed("deep/3") == Address("deep/3")
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "3").write_text("")
    assert parsed("named/3") == Address("named/3"), "an existing file wins"


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=4))
def test_numbers_select_each_puzzle_once_in_the_order_of_the_file(
    ranges: list[tuple[int, int]],
) -> None:
    all_items = items(*"abcdefghijklmn")
    numbers = ",".join(f"{low}-{low + more}" if more else str(low) for low, more in ranges)
    expected = {n for low, more in ranges for n in range(low, low + more + 1)}
    selection = Address("x", numbers=numbers).select(all_items)
    assert selection == [all_items[n - 1] for n in sorted(expected)]


@pytest.mark.parametrize(
    ("address", "facts"),
    [
        (Address("mine", numbers="0"), ("mine: ", "puzzle 0", "1 to 3")),
        (Address("mine", numbers="4"), ("puzzle 4", "1 to 3")),
        (Address("mine", numbers="2-4"), ("puzzle 2-4", "1 to 3")),
        (Address("mine", numbers="3-2"), ("range 3-2",)),
        (Address("mine", numbers="999999999999999999"), ("1 to 3",)),
        (Address("mine", name="twoo"), ("'twoo'", "did you mean 'two'?")),
    ],
)
def test_a_selection_without_a_puzzle_is_an_error(address: Address, facts: tuple[str, ...]) -> None:
    with pytest.raises(PuzzleError) as error:
        address.select(items("one", "two", "three"))
    for fact in facts:
        assert fact in str(error.value)


def test_a_number_that_is_the_name_of_another_puzzle_is_ambiguous() -> None:
    entries = items("7", "1", "x")
    with pytest.raises(PuzzleError, match="mine:1 for the name, or mine/1-1"):
        Address("mine", numbers="1").select(entries)
    assert Address("mine", name="1").select(entries) == [entries[1]]
    assert Address("mine", numbers="3").select(entries) == [entries[2]]
    assert Address("mine", numbers="2").select(items("1", "2")) == items("2")


def test_a_dataset_of_selections_has_the_name_of_the_file_and_its_order(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(
        "# four\n1234............\n2.34............\n3...............\n4...............\n"
    )
    (dataset,) = load_datasets([f"{path}/4", f"{path}/1-2"])
    assert (dataset.name, [i.name for i in dataset.instances]) == ("mine", ["1", "2", "4"])
    assert [i.puzzle.line[0] for i in dataset.instances] == ["1", "2", "4"]
    assert load_dataset("named/3").instances == load_dataset("named").instances[2:3]
    assert load_dataset("named:fcc_48307").name == "named"
    for names in ([str(path), f"{path}/1"], [f"{path}/1", str(path)], ["named", "named"]):
        with pytest.raises(PuzzleError, match="duplicate dataset"):
            load_datasets(names)


def test_a_file_that_does_not_exist_is_named_with_similar_ones(tmp_path: Path) -> None:
    (tmp_path / "puzzles.txt").write_text("1234............\n")
    with pytest.raises(PuzzleError, match=r"did you mean 'puzzles\.txt'"):
        load_dataset(str(tmp_path / "puzzels.txt"))
    with pytest.raises(PuzzleError, match="did you mean 'named'"):
        load_dataset("nmaed/3")
