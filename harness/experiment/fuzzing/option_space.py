"""Specs with other values of options."""

from collections.abc import Sequence

from harness.contract.options import OptionInfo
from harness.contract.spec import BackendSpec
from harness.puzzles.search.prng import Prng
from harness.records.configuration import Configuration


def varied(configuration: Configuration, random: Prng) -> BackendSpec | None:
    """The spec with one or two other values of options; None if it has no option to vary.

    Options that the spec sets stay as they are, and so do those that need not keep the
    contract.
    """
    if configuration.description is None:
        return None
    spec = configuration.spec
    fixed = {name for name, _ in spec.settings}
    choices: dict[str, Sequence[str]] = {}
    for option in configuration.description.options:
        if option.name not in fixed and option.keeps_contract:
            others = other_values(option)
            if others:
                choices[option.name] = others
    if not choices:
        return None
    number = min(len(choices), 1 + random.below(2))
    names = list(choices)
    changed = sorted(names[at] for at in random.sample(number, len(names)))
    settings = tuple((name, random.choice(choices[name])) for name in changed)
    return BackendSpec(spec.locator, spec.settings + settings)


def other_values(option: OptionInfo) -> Sequence[str]:
    """Values of an option other than its default, as a spec has them.

    All choices and both truth values; of a number the least one and some near the default;
    none of a text without choices.
    """
    default = option.default
    if isinstance(default, bool):
        return [str(not default).lower()]
    if option.choices:
        return [choice for choice in option.choices if choice != default]
    if isinstance(default, str):
        return []
    least = option.minimum
    values = [default + 1, default * 2, *([least] if least is not None else [])]
    kind = type(default)
    return [f"{kind(value)}" for value in dict.fromkeys(values) if kind(value) != default]
