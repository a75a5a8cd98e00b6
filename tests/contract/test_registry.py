"""Finding backends, and the reasons why one cannot be used."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.contract import Unavailable, registry
from harness.errors import InputError


def test_the_built_in_backends_are_found_by_entry_point() -> None:
    assert {"native", "native-jit", "cpsat", "milp", "cnf"} <= set(registry.names())


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no backend 'nativ'; expected one of .*native"):
        registry.resolve("nativ")


def test_a_file_is_resolved_to_its_full_path(a_backend: Callable[..., str], tmp_path: Path) -> None:
    a_backend("return Answer.unknown()")
    assert registry.resolve("made.py:Made", tmp_path) == f"{tmp_path}/made.py:Made"


@pytest.mark.parametrize(
    ("locator", "message"),
    [
        ("nowhere.py:Made", "nowhere.py: no such file"),
        ("nowhere.py", "nowhere.py: no such file"),
        (__file__, f"{__file__} names no class; expected {__file__}:Class"),
        ("nowhere.py:1", "nowhere.py: '1' is no class; expected file.py:Class"),
    ],
)
def test_a_file_that_is_not_there_is_told(locator: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        registry.resolve(locator)
    assert str(error.value) == message


def test_a_class_that_is_not_in_the_file_lists_those_that_are(
    a_backend: Callable[..., str],
) -> None:
    spec = a_backend("return Answer.unknown()")
    with pytest.raises(InputError, match="no class 'Other'; expected one of Made"):
        registry.load_class(spec.replace(":Made", ":Other"))


def test_a_class_that_is_no_backend_is_refused() -> None:
    with pytest.raises(InputError, match="is no backend"):
        registry.load_class("pathlib:Path")


def test_a_module_that_cannot_be_imported_is_unavailable(a_backend: Callable[..., str]) -> None:
    spec = a_backend("return Answer.unknown()", top="import a_library_that_nobody_has")
    with pytest.raises(Unavailable) as error:
        registry.load_backend(spec)
    assert error.value.reason == (
        "ModuleNotFoundError: No module named 'a_library_that_nobody_has'"
    )


def test_a_missing_distribution_is_told_with_the_remedy(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    spec = a_backend("return Answer.unknown()")
    path = tmp_path / "made.py"
    path.write_text(
        path.read_text().replace(
            "paradigm =", "distributions = ('no-such-solver',)\n    paradigm ="
        )
    )
    with pytest.raises(Unavailable) as error:
        registry.load_backend(spec)
    assert error.value.reason == "no-such-solver is not installed"
    assert error.value.remedy == "pip install no-such-solver"


def test_a_library_that_fails_to_load_is_unavailable(
    a_backend: Callable[..., str], tmp_path: Path
) -> None:
    spec = a_backend("return Answer.unknown()")
    path = tmp_path / "made.py"
    load = "def load(cls, options): raise OSError('libsolver.so: undefined symbol')"
    path.write_text(f"{path.read_text()}\n    @classmethod\n    {load}\n")
    with pytest.raises(Unavailable, match="undefined symbol"):
        registry.load_backend(spec)


def test_a_description_survives_its_way_as_data() -> None:
    description = registry.describe(registry.load_class("native"))
    assert registry.Description.from_dict(description.as_dict()) == description


def test_a_description_says_what_a_backend_does_of_its_own() -> None:
    assert registry.describe(registry.load_class("native")).capabilities == (
        "solve",
        "count",
        "native count",
    )
    assert "native batch" in registry.describe(registry.load_class("native-jit")).capabilities
    assert registry.describe(registry.load_class("ganak")).capabilities == (
        "count",
        "native count",
        "counts to the end",
    )


def test_a_backend_says_nothing_of_its_preparation_unless_it_takes_long() -> None:
    backend, options = registry.load_backend("native")
    assert backend.preparation(options) == ""
