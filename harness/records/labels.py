"""Labels of backends: the spec of a configuration, with a number where several share it."""

import re
from pathlib import PurePath


def spec_of(backend: str, spec: object = None) -> str:
    """The spec of a configuration in a frame: `spec`, or its label without number if missing."""
    return spec if isinstance(spec, str) else re.sub(r"#\d+$", "", backend)


def without_folders(label: str) -> str:
    """The label of a backend without the folders of a path."""
    if label.endswith(".toml"):
        return PurePath(label).name
    place, colon, rest = label.partition(".py:")
    return f"{PurePath(place).name}{colon}{rest}" if colon else label
