"""Lines of a table for a terminal: aligned, wrapped and coloured."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from harness.report.formatting import PLAIN, Style, Theme
from harness.report.render.text import GridColumn, lines

COLOUR = Theme(colour=True)


def column(title: str, texts: list[str], width: int, *, is_number: bool = False) -> GridColumn:
    return GridColumn(title, texts, [Style.PLAIN] * len(texts), width, is_number)


def test_numbers_are_aligned_to_the_right_and_texts_to_the_left() -> None:
    shown = lines(
        [column("name", ["a", "bcdef"], 5), column("n", ["1", "1,234"], 5, is_number=True)], PLAIN
    )
    assert list(shown) == ["name      n", "───────────", "a         1", "bcdef 1,234"]


def test_a_terminal_without_unicode_has_a_rule_of_hyphens() -> None:
    shown = lines([column("name", ["a"], 4)], Theme(unicode=False))
    assert list(shown) == ["name", "----", "a   "]


def test_a_long_text_goes_on_in_further_lines_beside_its_row() -> None:
    texts = column("text", ["one two three", "abcdefghij"], 5)
    numbers = column("n", ["1", "22"], 2, is_number=True)
    assert [line.rstrip() for line in lines([texts, numbers], PLAIN)][2:] == [
        "one    1",
        "two",
        "three",
        "abcde 22",
        "fghij",
    ]


def test_titles_are_bold_and_cells_have_their_style_on_every_line() -> None:
    cells = GridColumn("t", ["ab cd", "e"], [Style.BAD, Style.PLAIN], 2, is_number=False)
    assert list(lines([cells], COLOUR)) == [
        "\x1b[1mt \x1b[0m",
        "──",
        "\x1b[1;31mab\x1b[0m",
        "\x1b[1;31mcd\x1b[0m",
        "e ",
    ]


@given(
    st.lists(st.text(st.characters(exclude_categories=["C", "Z", "M"])), min_size=1, max_size=4),
    st.integers(2, 12),
)
def test_no_letter_is_lost_and_every_line_has_the_width(texts: list[str], width: int) -> None:
    shown = list(lines([column("t", texts, width), column("n", ["1"] * len(texts), 1)], PLAIN))[2:]
    assert {cell_len(line) for line in shown} == {width + 2}
    assert "".join(line[: -len(" 1")].rstrip() for line in shown) == "".join(texts)
