"""Options that take several words."""

from harness.cli.options import spread


def test_several_words_after_an_option_are_several_options() -> None:
    words = ["run", "--dataset", "a", "b", "--backend", "x", "y", "--jobs", "2", "--task", "solve"]
    assert spread(words) == [
        *("run", "--dataset", "a", "--dataset", "b", "--backend", "x", "--backend", "y"),
        *("--jobs", "2", "--task", "solve"),
    ]


def test_one_word_stays_as_it_is() -> None:
    words = ["check", "--dataset", "a", "--dataset", "b", "--json"]
    assert spread(words) == words


def test_a_sweep_file_before_the_options_is_left_alone() -> None:
    words = ["run", "sweep.toml", "--dataset", "a", "b"]
    assert spread(words) == ["run", "sweep.toml", "--dataset", "a", "--dataset", "b"]


def test_commands_with_one_puzzle_are_left_alone() -> None:
    words = ["solve", "--backend", "native", "1234............"]
    assert spread(words) == words
