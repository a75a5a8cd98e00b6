"""Specs with other values of options."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from harness.contract.options import OptionInfo
from harness.contract.spec import BackendSpec
from harness.puzzles.search.prng import Prng
from harness.records.configuration import Configuration

_Setting = tuple[str, str]


def walk(configuration: Configuration, seed: int) -> Iterator[BackendSpec]:
    """Specs of a backend with other values of its options, without end; none without options.

    First each other value alone, the first value per option before the second ones, and after
    each two of them a random pair of options; then random pairs. Options that the spec sets stay
    as they are, and so do those that need not keep the contract.

    Args:
        configuration: the backend with the options that stay.
        seed: the random seed of the pairs.
    """
    random = Prng("fuzz options", seed, configuration.spec.label)
    values = _values(configuration)
    if not values:
        return
    spec = configuration.spec
    for number, setting in enumerate(_in_turn(values, random), 1):
        yield BackendSpec(spec.locator, (*spec.settings, setting))
        if number % 2 == 0 and len(values) > 1:
            yield BackendSpec(spec.locator, (*spec.settings, *_pair(values, random)))
    singles = list(_in_turn(values, random))
    while True:
        pair = _pair(values, random) if len(values) > 1 else (random.choice(singles),)
        yield BackendSpec(spec.locator, (*spec.settings, *pair))


def _values(configuration: Configuration) -> dict[str, Sequence[str]]:
    """The other values of each option that can vary."""
    if configuration.description is None:
        return {}
    fixed = {name for name, _ in configuration.spec.settings}
    found = {
        option.name: other_values(option)
        for option in configuration.description.options
        if option.name not in fixed and option.keeps_contract
    }
    return {name: values for name, values in found.items() if values}


def _in_turn(values: dict[str, Sequence[str]], random: Prng) -> Iterator[_Setting]:
    """Every setting: the first value of each option, then the second of each, and so on."""
    decks = []
    for name, of in values.items():
        deck = [(name, value) for value in of]
        random.shuffle(deck)
        decks.append(deck)
    rounds = zip_longest(*decks)
    return (setting for setting in chain.from_iterable(rounds) if setting is not None)


def _pair(values: dict[str, Sequence[str]], random: Prng) -> tuple[_Setting, ...]:
    """Random values of two random options, in the order of the options."""
    names = list(values)
    chosen = sorted(random.sample(2, len(names)))
    return tuple((names[at], random.choice(values[names[at]])) for at in chosen)


def other_values(option: OptionInfo) -> Sequence[str]:
    """Values of an option other than its default, as a spec has them.

    All choices and both boolean values; of a number the least one and some near the default;
    none of a text without choices.
    """
    default = option.default
    if isinstance(default, bool):
        return [str(not default).lower()]
    if option.choices:
        return [choice for choice in option.choices if choice != default]
    if isinstance(default, str):
        return []
    near = [default + 1, default + 2, default * 2, default + 20]
    values = [*near, *([option.minimum] if option.minimum is not None else [])]
    kind = type(default)
    return [f"{kind(value)}" for value in dict.fromkeys(values) if kind(value) != default]
