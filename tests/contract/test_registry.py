"""The registry of backends, and those of installed packages."""

import hashlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Set
from pathlib import Path

import pytest

from harness.base.errors import UnknownBackendError
from harness.base.plugins import DISTRIBUTION, Plugin, plugins
from harness.contract import EVERYTHING, Capability, Restriction, Unavailable, registry
from harness.contract.registry import GROUP, take_over

# The registry: finding backends, and the reasons why one is not available.


EVERY_CAPABILITY = ~Capability.NAMED_ONLY
SOLVES = Capability.SOLVES | Capability.HEEDS_LIMIT | Capability.COMPLETE
NOTHING = frozenset[Restriction]()


def test_an_unknown_name_is_an_error_that_lists_the_backends() -> None:
    with pytest.raises(UnknownBackendError) as error:
        registry.resolve("unlike-all")
    assert "'unlike-all'" in error.value.what
    for name in registry.names():
        assert name in error.value.expected


def test_a_file_is_resolved_to_its_full_path(a_backend: Callable[..., str], tmp_path: Path) -> None:
    a_backend()
    assert registry.resolve("made.py:Made", tmp_path) == f"{tmp_path}/made.py:Made"


@pytest.mark.parametrize(
    ("locator", "where", "expected"),
    [
        ("nowhere.py:Made", "nowhere.py", ""),
        ("nowhere.py", "nowhere.py", ""),
        ("nowhere.toml", "nowhere.toml", ""),
        ("nowhere.py:1", "nowhere.py", "file.py:Class"),
    ],
)
def test_a_bad_file_is_an_error_that_names_it(locator: str, where: str, expected: str) -> None:
    with pytest.raises(UnknownBackendError) as error:
        registry.resolve(locator)
    assert (error.value.where, error.value.expected) == (where, expected)


def test_a_file_that_was_edited_in_the_same_second_is_read_again(
    a_backend: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes stored bytecode for current if time and size of the source are the same."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for text in ("one", "two"):
        spec = a_backend(top=f"TEXT = {text!r}")
        os.utime(tmp_path / "made.py", (1e9, 1e9))
        module = sys.modules[registry.load_class(spec).__module__]
        assert module.__dict__["TEXT"] == text
    assert [path.name for path in tmp_path.iterdir()] == ["made.py"]


def test_an_unknown_class_is_an_error_that_lists_the_classes_of_the_file(
    a_backend: Callable[..., str],
) -> None:
    with pytest.raises(UnknownBackendError, match=r"'Other'.*; expected one of Made$"):
        registry.load_class(a_backend().replace(":Made", ":Other"))


def test_a_class_that_is_not_a_backend_is_an_error() -> None:
    with pytest.raises(UnknownBackendError, match="pathlib:Path"):
        registry.load_class("pathlib:Path")


def test_a_module_that_cannot_be_imported_is_unavailable(a_backend: Callable[..., str]) -> None:
    with pytest.raises(Unavailable, match="a_library_that_nobody_has"):
        registry.load_backend(a_backend(top="import a_library_that_nobody_has"))


FAILS = "@classmethod\ndef load(cls, options): raise OSError('undefined symbol')\n"


@pytest.mark.parametrize(
    ("members", "reason", "remedy"),
    [
        ("distributions = ('none-1',)", "none-1 is not installed", "harness backends install {}"),
        (
            "distributions = ('none-1', 'none-2')",
            "none-1 and none-2 are not installed",
            "harness backends install {}",
        ),
        (FAILS, "OSError: undefined symbol", ""),
        (
            f"{FAILS}distributions = ('pytest',)",
            f"OSError: undefined symbol (with pytest {pytest.__version__})",
            "pip install --upgrade --force-reinstall pytest",
        ),
    ],
)
def test_a_library_that_is_missing_or_fails_to_load_makes_a_backend_unavailable(
    a_backend: Callable[..., str], members: str, reason: str, remedy: str
) -> None:
    spec = a_backend(members=members)
    with pytest.raises(Unavailable) as error:
        registry.load_backend(spec)
    assert (error.value.reason, error.value.remedy) == (reason, remedy.format(spec))


@pytest.mark.parametrize(
    ("name", "capabilities", "takes"),
    [
        ("native", EVERY_CAPABILITY & ~Capability.BATCHES_NATIVELY, EVERYTHING),
        ("native-jit", EVERY_CAPABILITY, EVERYTHING),
        ("ganak", Capability.COUNTS_NATIVELY | Capability.COMPLETE, EVERYTHING),
        ("approxmc", Capability.COUNTS_NATIVELY, EVERYTHING),
        ("kissat", SOLVES, EVERYTHING),
        ("annealing", SOLVES & ~Capability.COMPLETE, {Restriction.PAIRS}),
        ("py-sudoku", SOLVES, NOTHING),
    ],
)
def test_a_description_has_the_capabilities_of_the_class(
    name: str, capabilities: Capability, takes: Set[Restriction]
) -> None:
    description = registry.describe(registry.load_class(name))
    assert (description.capabilities, description.takes) == (capabilities, takes)


def test_each_capability_shows_in_words() -> None:
    """What a backend lacks shows where nearly all have it, what it has elsewhere."""
    variants = [(EVERY_CAPABILITY ^ capability, EVERYTHING) for capability in Capability]
    variants += [(EVERY_CAPABILITY, EVERYTHING - {restriction}) for restriction in Restriction]
    phrases = {
        tuple(capabilities.in_words(takes))
        for capabilities, takes in (*variants, (EVERY_CAPABILITY, EVERYTHING))
    }
    assert len(phrases) == len(Capability) + len(Restriction) + 1
    assert EVERY_CAPABILITY.limitations == []
    assert len(Capability(0).limitations) == 2


def test_a_backend_of_a_file_is_described_with_its_file_if_its_name_is_taken(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    for name, label in (("made", "made"), ("native", "native (native.py)")):
        spec = a_backend(name=name)
        backend, _ = registry.load_backend(spec)
        assert registry.describe(backend, spec).name == label
        assert registry.describe(backend).name == name
        assert list(registry.describe(backend, spec).code) == ["code"]
    native, _ = registry.load_backend("native")
    assert registry.describe(native, "native").name == "native"
    assert registry.describe(native, "native").code == {}


def test_the_code_of_a_packaged_backend_is_its_version_and_the_digest_of_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed_ones = tuple(
        Plugin(name, "backends.native:Native", package, version)
        for name, package, version in (
            ("theirs", "their-package", "1.2"),
            ("nobodys", "unknown", ""),
            ("ours", DISTRIBUTION, "0.1"),
        )
    )
    monkeypatch.setattr(registry, "_backends", installed_ones)
    native = registry.object_of(installed_ones[0])
    file = hashlib.sha256(Path(inspect.getfile(native)).read_bytes()).hexdigest()[:16]
    assert registry.describe(native, "theirs").code == {
        "their-package": "1.2",
        "code": f"sha256:{file}",
    }
    assert registry.describe(native, "nobodys").code == {}
    assert registry.describe(native, "ours").code == {}


def test_a_backend_file_imports_the_modules_beside_it(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "beside_a_backend.py").write_text("NUMBER = 7\n")
    spec = a_backend(top="from beside_a_backend import NUMBER")
    backend, _ = registry.load_backend(spec)
    assert sys.modules[backend.__module__].NUMBER == 7
    assert sys.path.count(str(tmp_path)) == 1
    assert sys.path[0] != str(tmp_path)


@pytest.mark.parametrize(
    ("attribute", "wrong", "problem"),
    [
        *(("distributions", v, "not a tuple of names") for v in ("(1,)", "'ortools'", "None")),
        *(
            (attribute, value, "not a line of text")
            for attribute in ("name", "paradigm")
            for value in ("1", "None", "' '", "'a\\nb'")
        ),
    ],
)
def test_the_attributes_of_a_class_have_their_types(
    a_backend: Callable[..., str], attribute: str, wrong: str, problem: str
) -> None:
    with pytest.raises(Unavailable) as error:
        registry.load_backend(a_backend(members=f"{attribute} = {wrong}"))
    assert error.value.reason.startswith(f"its {attribute} ")
    assert error.value.reason.endswith(f" {wrong}, {problem}")


def test_slow_work_is_announced_before_it_begins(a_backend: Callable[..., str]) -> None:
    slow = "@classmethod\ndef preparation(cls, options): return 'compiling'\n"
    messages: list[str] = []
    with pytest.raises(Unavailable, match="undefined symbol"):
        registry.load_backend(a_backend(members=slow + FAILS), announce=messages.append)
    assert messages == ["compiling"]


# Backends that installed packages declare: which object an entry point names.


def test_the_object_of_another_package_is_imported_from_its_module() -> None:
    decoder = Plugin("decode", "json.decoder:JSONDecoder.decode", "other")
    assert registry.object_of(decoder) is json.JSONDecoder.decode
    assert registry.object_of(Plugin("json", "json", "other")) is json


def test_a_new_package_is_found_and_takes_no_name_of_a_built_in_backend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (folder := tmp_path / "other-1.dist-info").mkdir()
    (folder / "METADATA").write_text("Name: other\nVersion: 1\n")
    points = "native = other:Native\nelsewhere = other:Native\n"
    (folder / "entry_points.txt").write_text(f"[{GROUP}]\n{points}")
    backends = {backend.name: backend for backend in plugins.__wrapped__(GROUP)}
    assert backends["elsewhere"] == Plugin("elsewhere", "other:Native", "other", "1")
    assert (backends["native"].is_built_in, backends["native"].others) == (True, ("other",))


def test_a_list_that_another_process_read_replaces_that_of_the_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_backends", None)
    mine = (Plugin("mine", "json:loads", "other"),)
    assert registry.installed_backends() != mine
    take_over(mine)
    assert registry.installed_backends() == mine


def test_only_a_package_with_a_file_can_be_the_built_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_a_folder").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert registry._file_of("only_a_folder") is None
    assert registry._file_of("no_such_package") is None
    assert registry._file_of("no_such_package.module") is None
    assert registry._file_of("json") == Path(json.__file__).resolve()
