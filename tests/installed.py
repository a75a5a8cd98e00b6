"""Marks of tests that need an extension, which are skipped where it is missing."""

from importlib.util import find_spec

import pytest

from harness.base.plugins import plugins


def is_installed(extension: str) -> bool:
    """Whether an extension is installed."""
    try:
        return find_spec(f"harness.extensions.{extension}") is not None
    except ModuleNotFoundError:
        return False


def needs(*extensions: str) -> pytest.MarkDecorator:
    """Skip a test where one of these extensions is not installed."""
    missing = [extension for extension in extensions if not is_installed(extension)]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def needs_command(*words: str) -> pytest.MarkDecorator:
    """Skip a test of an extension's command where the extension is not installed."""
    places = {plugin.name: plugin.module.split(".") for plugin in plugins("harness.commands")}
    place = places.get(".".join(words[:2])) or places.get(words[0])
    return needs(place[2]) if place else needs()
