"""Stores that harness commands do not make."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from harness.contract.backend import Capability
from harness.contract.options import BackendSpec
from harness.contract.registry import Description
from harness.puzzles import Instance
from harness.puzzles.datasets.catalogue import Dataset
from harness.records.folder.files import RunFile
from harness.records.folder.store import Store
from harness.records.folder.store_file import unseal
from harness.records.question import Configuration


def store_of(folder: Path, instance: Instance, options: Mapping[str, int]) -> Store:
    """The store of a new run in `folder`: a dataset ``d`` and a configuration ``made``."""
    description = Description("made", "made up", {}, Capability.SOLVES, frozenset(), ())
    store = Store(folder)
    store.add_dataset(Dataset("d", (instance,)))
    store.add_configuration(Configuration(BackendSpec("made"), description, dict(options)), {})
    return store


def changed(folder: Path, *statements: str) -> Path:
    """The run in `folder` after SQL statements on its store, which then has no checksum."""
    with closing(sqlite3.connect(folder / RunFile.STORE)) as db, db:
        for statement in statements:
            db.execute(statement)
    unseal(folder / RunFile.STORE)
    return folder
