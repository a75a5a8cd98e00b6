"""Backends that installed packages declare: which object an entry point names."""

import json
from pathlib import Path

import pytest

from harness.contract import registry
from harness.contract.registry import InstalledBackend, take_over


def test_the_object_of_another_package_is_imported_from_its_module() -> None:
    declared = InstalledBackend("decode", "json.decoder", "JSONDecoder.decode", "other", "1")
    assert not declared.is_built_in
    assert declared.load() is json.JSONDecoder.decode
    assert InstalledBackend("json", "json", "", "other", "1").load() is json


def test_a_built_in_backend_is_that_of_this_package() -> None:
    (native,) = (found for found in registry.installed() if found.name == "native")
    assert native.is_built_in
    assert native.load().__name__ == "Native"


def test_only_a_package_with_a_file_can_be_the_built_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_a_folder").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert registry._file_of("only_a_folder") is None
    assert registry._file_of("no_such_package") is None
    assert registry._file_of("no_such_package.module") is None
    assert registry._file_of("json") == Path(json.__file__).resolve()


def test_a_list_that_another_process_read_replaces_that_of_the_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_given", None)
    mine = (InstalledBackend("mine", "json", "loads", "", ""),)
    assert registry.installed() != mine
    take_over(mine)
    assert registry.installed() == mine
