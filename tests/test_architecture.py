"""The import structure of the packages. `make lint` runs these tests beside import-linter."""

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    """Imports between modules, including those inside functions and those for types only.

    What a module imports from the door of a room is an import of the module behind the door.
    """
    graph = grimp.build_graph("harness", "backends", cache_dir=None)
    for root in ("harness", "backends"):
        for path in python_files(root):
            for door, name in names_in(path):
                if home := home_of(door, name):
                    graph.add_import(importer=module_of(path), imported=home)
    return graph


def test_no_import_cycle_between_modules(imports: grimp.ImportGraph) -> None:
    cycles = [
        f"{importer} -> {target}"
        for cycle in import_cycles(imports)
        for importer in sorted(cycle)
        for target in sorted(imports.find_modules_directly_imported_by(importer) & cycle)
    ]
    assert not cycles, "import cycles:\n" + "\n".join(cycles)


def test_an_import_cycle_is_found() -> None:
    graph = grimp.ImportGraph()
    for importer, target in ("ab", "bc", "cb", "cd", "de", "ed", "ff"):
        graph.add_import(importer=importer, imported=target)
    assert sorted(map(sorted, import_cycles(graph))) == [["b", "c"], ["d", "e"]]


BETWEEN_EXTENSIONS = {
    "exchange": {"formats"},
    "fuzz": {"certificates", "generate"},
    "generate": {"reasoning"},
    "reasoning": {"drawings"},
    "site": {"page"},
    "workbench": {"certificates", "drawings", "generate", "images", "page", "reasoning"},
}
"""The extensions that an extension may import."""


def test_extensions_import_few_of_each_other(imports: grimp.ImportGraph) -> None:
    imported_by: dict[str, set[str]] = {}
    for module in imports.modules:
        for other in imports.find_modules_directly_imported_by(module):
            importer, target = extension_of(module), extension_of(other)
            if importer and target and importer != target:
                imported_by.setdefault(importer, set()).add(target)
    assert imported_by == BETWEEN_EXTENSIONS


def test_the_core_imports_neither_backends_nor_extensions(imports: grimp.ImportGraph) -> None:
    crossing = [
        f"{module} -> {target}"
        for module in imports.modules
        if module.startswith("harness.") and not module.startswith("harness.extensions")
        for target in imports.find_modules_directly_imported_by(module)
        if target.startswith(("harness.extensions", "backends"))
    ]
    assert crossing == []


VERIFIER = ("certificate", "checker", "formula", "kernel", "second_opinion", "verify")
FOREIGN = (
    *("backends", "harness.contract", "harness.engine"),
    *(f"harness.puzzles.search.{module}" for module in ("encoding", "kernel", "solver")),
    *("harness.extensions.generate", "harness.extensions.reasoning"),
)


@pytest.mark.parametrize("module", VERIFIER)
def test_the_verifier_of_certificates_shares_no_code_with_what_it_verifies(
    imports: grimp.ImportGraph, module: str
) -> None:
    chains = [
        imports.find_shortest_chain(f"harness.extensions.certificates.{module}", target)
        for target in imports.modules
        if any(target == room or target.startswith(f"{room}.") for room in FOREIGN)
    ]
    # The doors themselves have no code.
    assert [chain for chain in chains if chain and chain[-1] not in doors()] == []


DOORS = {
    "puzzles": 47,
    "puzzles.constraints": 30,
    "puzzles.datasets": 36,
    "puzzles.formats": 43,
    "puzzles.search": 32,
    "contract": 39,
    "records": 40,
    "records.folder": 46,
    "engine": 40,
    "engine.system": 40,
    "engine.wire": 36,
    "runs": 31,
    "analysis": 40,
    "analysis.measures": 49,
    "report": 37,
}
"""The most names that a room exports."""


@pytest.mark.parametrize("room", DOORS)
def test_a_door_has_few_names_and_none_of_a_module(room: str) -> None:
    door = importlib.import_module(f"harness.{room}")
    assert len(door.__all__) <= DOORS[room]
    # The import of a module would put the module in the place of the name.
    modules = {path.stem for path in Path(str(door.__file__)).parent.iterdir()}
    assert not modules & {*door.__all__}
    assert all(hasattr(door, name) for name in door.__all__)


def test_every_package_has_an_init_file() -> None:
    # Import graphs leave out folders without such a file, with all their imports.
    folders = {path.parent for root in ("harness", "backends") for path in python_files(root)}
    missing = [str(f.relative_to(PROJECT)) for f in folders if not (f / "__init__.py").is_file()]
    assert sorted(missing) == []


def test_the_import_graph_is_complete(imports: grimp.ImportGraph) -> None:
    files = {module_of(path) for root in ("harness", "backends") for path in python_files(root)}
    assert imports.modules == files


@pytest.mark.parametrize(
    "modules", ["harness.session, harness.report.documents", "harness.engine.worker"]
)
def test_one_question_to_a_backend_needs_no_library_for_arrays_and_tables(modules: str) -> None:
    code = f"import {modules}, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numba", "numpy", "pandas", "rich"} & set(run.stdout.split())


ROOMS_OF_WORKERS = {"base", "contract", "engine", "puzzles", "records"}


@pytest.mark.parametrize(
    ("module", "rooms", "packages"),
    [
        ("harness.engine.server", set(), {"msgspec"}),
        (
            "harness.extensions.conformance.examiner",
            {"extensions"},
            {"msgspec", "numpy"},
        ),
    ],
)
def test_processes_in_environments_need_few_packages_and_a_small_part_of_the_harness(
    module: str, rooms: set[str], packages: set[str]
) -> None:
    code = (
        f"import {module}, json, sys; "
        "print(json.dumps({n: getattr(m, '__file__', '') for n, m in sys.modules.items()}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    files = {name: Path(file) for name, file in json.loads(run.stdout).items() if file}
    others = {n.partition(".")[0] for n, path in files.items() if "site-packages" in path.parts}
    assert others - {"harness", "typing_extensions", "_distutils_hack"} <= packages
    own = {n: path for n, path in files.items() if n.startswith("harness.")}
    assert {n.split(".")[1] for n in own} <= ROOMS_OF_WORKERS | rooms
    assert sum(path.stat().st_size for path in own.values()) < 5e6


def extension_of(module: str) -> str:
    """The name of the extension that has a module; empty for none."""
    return (module.removeprefix("harness.extensions.").split(".")[0]) * (
        module.startswith("harness.extensions.")
    )


@cache
def doors() -> dict[str, dict[str, tuple[str, str]]]:
    """For each door the names that it exports, with the module and the name behind it."""
    stubs = (PROJECT / "harness").rglob("*.pyi")
    return {
        module_of(stub): {
            alias: (module, name) for module, name, alias in imported_names(stub.read_text())
        }
        for stub in stubs
    }


def imported_names(text: str) -> Iterator[tuple[str, str, str]]:
    """The module, the name and the name in this file of each ``from ... import``."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield node.module, alias.name, alias.asname or alias.name


def names_in(path: Path) -> list[tuple[str, str]]:
    """What a file imports from doors: the door, and the name."""
    text = path.read_text(encoding="utf-8")
    return [(module, name) for module, name, _ in imported_names(text) if module in doors()]


def home_of(door: str, name: str) -> str:
    """The module behind a door that has the name; empty for a module that it exports."""
    while door in doors() and name in doors()[door]:
        door, name = doors()[door][name]
    return "" if door in doors() else door


def module_of(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def python_files(root: str) -> list[Path]:
    return list((PROJECT / root).rglob("*.py"))


def import_cycles(graph: grimp.ImportGraph) -> list[set[str]]:
    """The strongly connected components of more than one module (Tarjan 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[set[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for target in graph.find_modules_directly_imported_by(module):
            if target not in order:
                visit(target)
            if target in stack:
                lowest[module] = min(lowest[module], lowest[target])
        if lowest[module] == order[module]:
            at = stack.index(module)
            component = set(stack[at:])
            del stack[at:]
            if len(component) > 1:
                cycles.append(component)

    for module in sorted(graph.modules):
        if module not in order:
            visit(module)
    return cycles
