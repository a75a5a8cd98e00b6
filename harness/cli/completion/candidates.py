"""The words that can stand next on a command line."""

from collections.abc import Iterator, Sequence
from typing import Any

from harness.cli.completion.values import Candidate, values_of
from harness.cli.list_flags import list_flags


def candidates(root: Any, words: Sequence[str], begun: str) -> list[Candidate]:
    """The words that can follow `words` and begin with `begun`, each once.

    Args:
        root: the group of all commands, as Typer makes it.
        words: the words before, without the name of the program.
        begun: the begun word, possibly empty.
    """
    command, path, words = _command(root, words)
    found = list(_candidates(command, path, words, begun))
    unique = {candidate.value: candidate for candidate in found}
    return [c for c in unique.values() if c.value.startswith(begun)]


def _command(root: Any, words: Sequence[str]) -> tuple[Any, tuple[str, ...], list[str]]:
    """The command that `words` name, its name, and the words after it."""
    command, path, rest = root, [], list(words)
    while hasattr(command, "commands"):
        named = next((at for at, word in enumerate(rest) if not word.startswith("-")), None)
        if named is None or rest[named] not in command.commands:
            break
        path.append(rest[named])
        command, rest = command.commands[rest[named]], rest[named + 1 :]
    return command, tuple(path), rest


def _candidates(
    command: Any, path: tuple[str, ...], words: list[str], begun: str
) -> Iterator[Candidate]:
    options = {flag: option for option in _options(command) for flag in option.opts}
    if begun.startswith("--") and "=" in begun:
        flag, _, value = begun.partition("=")
        if flag in options:
            for candidate in values_of(path, options[flag], value, words):
                yield Candidate(f"{flag}={candidate.value}", candidate.help, candidate.whole)
        return
    last = words[-1] if words else ""
    if last in options and not options[last].is_flag:
        yield from values_of(path, options[last], begun, words)
        return
    if begun.startswith("-"):
        for option in options.values():
            is_new = option.multiple or not set(option.opts) & set(words)
            if is_new and not option.hidden:
                flag = max(option.opts, key=len)
                yield Candidate(begun if begun in option.opts else flag, option.help or "")
        return
    flags = [word for word in words if word.startswith("-")]
    if flags and flags[-1] in list_flags(" ".join(path)):
        yield from values_of(path, options[flags[-1]], begun, words)
        return
    is_unknown = any(not word.startswith("-") for word in words)
    for name, sub in getattr(command, "commands", {}).items():
        if not sub.hidden and not is_unknown:
            yield Candidate(name, (sub.help or "").partition("\n")[0])
    for argument in _free_arguments(command, options, words):
        yield from values_of(path, argument, begun, words)


def _options(command: Any) -> Iterator[Any]:
    """The options of a command, with the one for help."""
    from typer import Context

    for parameter in command.get_params(Context(command, resilient_parsing=True)):
        if parameter.param_type_name == "option":
            yield parameter


def _free_arguments(command: Any, options: dict[str, Any], words: Sequence[str]) -> Iterator[Any]:
    """The argument that the next word would be, if the command takes another one."""
    given, takes_value = 0, False
    for word in words:
        if takes_value:
            takes_value = False
        elif word in options:
            takes_value = not options[word].is_flag
        elif not word.startswith("--"):
            given += 1
    for argument in command.params:
        if argument.param_type_name == "argument":
            if argument.nargs == -1 or not given:
                yield argument
                return
            given -= 1
