"""Options that take several values, and options that come from the class `Sweep`."""

from collections.abc import Callable

import pytest

from harness.cli import lazy
from harness.cli.commands import repeat_flags
from harness.runs.sweep import Sweep, options_of

Harness = Callable[..., tuple[int, str, str]]


def test_commands_with_one_puzzle_are_left_alone() -> None:
    arguments = ["solve", "--backend", "native", "1234............"]
    assert repeat_flags(arguments) == arguments


@pytest.mark.parametrize("command", ["run", "check"])
def test_the_help_shows_the_options_of_a_sweep_with_their_defaults(
    command: str, harness: Harness
) -> None:
    code, out, _ = harness(command, "--help")
    text = " ".join(out.split())
    assert code == 0
    options = [option for option in options_of(Sweep).values() if f" {option.flag} " in text]
    if command == "check":  # its --seed is that of --sample alone
        options = [option for option in options if option.name != "seed"]
    assert len(options) == (len(options_of(Sweep)) if command == "run" else 10)
    for option in options:
        assert f"{option.flag} {option.metavar} {option.help}" in text
        if option.default_text and (command, option.name) != ("check", "tasks"):
            several = " One or more." if option.is_list else ""
            assert f"{option.help}{several} [default: {option.default_text}]" in text


def test_every_lazy_name_is_in_its_module() -> None:
    for name in dir(lazy):
        assert getattr(lazy, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lazy.nothing  # type: ignore[attr-defined]
