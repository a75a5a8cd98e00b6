"""Programs as backends: command files, their errors, and the programs' output."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.contract import Capability, Status, Unavailable, Unsupported, registry
from harness.contract.command import command_class
from harness.puzzles import Shape, parse_puzzle
from tests.contract.programs import BLANK, backend_of, digests, printing

Harness = Callable[..., tuple[int, str, str]]
WriteFile = Callable[..., Path]

# A program that fills 4x4 and latin4 cell by cell and knows nothing of this project.
PROGRAM = """
import sys

def peers(cell):
    row, column = divmod(cell, 4)
    box = (row // 2, column // 2)
    return [c for c in range(16) if c != cell and (
        c // 4 == row or c % 4 == column or (c // 8, c % 4 // 2) == box)]

def solutions(cells):
    if "0" not in cells:
        if all(cells[p] != cells[c] for c in range(16) for p in peers(c)):
            yield "".join(cells)
        return
    cell = cells.index("0")
    for value in "1234":
        if all(cells[peer] != value for peer in peers(cell)):
            yield from solutions(cells[:cell] + [value] + cells[cell + 1:])

task, limit = sys.argv[1], int(sys.argv[2])
lines = [sys.argv[3]] if len(sys.argv) > 3 else sys.stdin.read().split()
for line in lines:
    found = []
    for solution in solutions(list(line)):
        found.append(solution)
        if len(found) == limit:
            break
    if task == "count":
        print(f"solutions: {len(found)}")
    else:
        print(found[0] if found else "impossible")
"""


@pytest.fixture
def command(tmp_path: Path) -> WriteFile:
    """Writes a program and a command file that calls it; a key that is None is left out."""
    (tmp_path / "fill.py").write_text(PROGRAM)

    def write(**keys: object) -> Path:
        python, program = sys.executable, str(tmp_path / "fill.py")
        contents = {
            "solve": [python, program, "solve", "1"],
            "count": [python, program, "count", "{limit}"],
            "blank": "0",
            "none": ["impossible"],
            "shapes": ["4x4"],
        } | keys
        path = tmp_path / "fill.toml"
        lines = [
            f"{key} = {json.dumps(value)}\n" for key, value in contents.items() if value is not None
        ]
        path.write_text("".join(lines))
        return path

    return write


# Each of several thousand calls is a process, which takes 10 s in all.
@pytest.mark.parametrize(
    "keys",
    [
        pytest.param({}, marks=pytest.mark.long),
        pytest.param({"count": None}, marks=pytest.mark.long),
        pytest.param({"batch": True}, marks=pytest.mark.long),
    ],
)
def test_a_program_keeps_the_contract(keys: dict[str, object], command: WriteFile) -> None:
    backend, options = registry.load_backend(str(command(**keys)))
    assert backend.name == "fill"
    conformance = pytest.importorskip("harness.extensions.conformance")
    assert conformance.examine(backend, options, shapes=("4x4",)) == []


@pytest.mark.parametrize("solve", [["./mine.sh"], ["sh", "{folder}/mine.sh"]])
def test_a_program_that_is_built_again_is_a_new_version(solve: list[str], tmp_path: Path) -> None:
    path, program = tmp_path / "mine.toml", tmp_path / "mine.sh"
    path.write_text(f"solve = {solve}\n")
    program.write_text("#!/bin/sh\necho 1\n")
    program.chmod(0o755)
    first, second = digests(path, lambda: program.write_text("#!/bin/sh\necho 2\n"))
    assert first["code"] == second["code"]
    ours = [key for key in first if key in ("program mine.sh", "script mine.sh")]
    assert len(ours) == 1
    assert first[ours[0]] != second[ours[0]]


def test_a_puzzle_may_be_an_argument(command: WriteFile) -> None:
    words = [sys.executable, "{folder}/fill.py", "solve", "1", "{line}"]
    instance = backend_of(command(solve=words))
    assert instance.solve(parse_puzzle("1234............")).status is Status.SOLVED


def test_a_batch_is_one_process(command: WriteFile) -> None:
    instance = backend_of(command(batch=True))
    puzzles = np.zeros((3, 16), np.uint8)
    puzzles[1, :2] = 1
    answers = instance.solve_many(puzzles)
    assert [str(v) for v in answers.statuses] == ["solved", "unsatisfiable", "solved"]
    # A program reads lines of givens, for shapes that it knows, and writes no proofs.
    description = registry.describe(type(instance))
    assert description.capabilities == ~(Capability.PROVES | Capability.NAMED_ONLY)
    assert not description.takes


def test_each_line_of_a_batch_is_read_by_itself(command: WriteFile) -> None:
    lines = ("1234341221434321", "no", " 1234341221434321", "unsolved 1111", "1234341221434321 ")
    keys = {"solve": printing("\n".join(lines)), "none": ["no"], "unknown": ["unsolved"]}
    answers = backend_of(command(batch=True, **keys)).solve_many(np.zeros((5, 16), np.uint8))
    expected = ["solved", "unsatisfiable", "solved", "unknown", "solved"]
    assert [str(status) for status in answers.statuses] == expected
    assert answers.grids.sum(axis=1).tolist() == [40, 0, 40, 0, 40]


def test_a_program_that_only_counts_lacks_the_capability_to_solve(command: WriteFile) -> None:
    words = [sys.executable, "{folder}/fill.py", "count", "{limit}"]
    backend = backend_of(command(solve=None, count=words))
    capabilities = registry.describe(type(backend)).capabilities
    assert Capability.COUNTS_NATIVELY in capabilities
    assert Capability.SOLVES not in capabilities


def test_other_shapes_are_unsupported(command: WriteFile) -> None:
    backend, options = registry.load_backend(str(command()))
    with pytest.raises(Unsupported, match="4x4"):
        backend(Shape.parse("9x9"), options)


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("1234341221434321", Status.SOLVED),
        ("1234\n3412\n2143\n4321", Status.SOLVED),
        ("\ufeff1234341221434321", Status.SOLVED),
        ("[[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]", Status.SOLVED),
        ("solving ...\n1234341221434321\ndone", Status.SOLVED),
        ("................\n1234341221434321", Status.SOLVED),
        ("solution follows\n1234341221434321", Status.SOLVED),
        ("solver 1.0\n1234\n3412\n2143\n4321\nin 20 ms", Status.SOLVED),
        ("0 0 0 0\n1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1\n1 guess", Status.SOLVED),
        ("no solution at all", Status.UNSATISFIABLE),
        ("sorry, too hard", Status.UNKNOWN),
    ],
)
def test_a_programs_output_is_parsed(output: str, status: Status, command: WriteFile) -> None:
    path = command(solve=printing(output), none=["no solution"], unknown=["too hard"])
    answer = backend_of(path).solve(BLANK)
    assert answer.status is status
    assert answer.grid in (None, (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "print('1234341221434321', flush=True); import os; os.abort()",
            "was killed by SIGABRT: no message",
        ),
        ("import os; os.kill(os.getpid(), 40)", "was killed by signal 40: no output"),
        ("pass", "exited with code 0: no output"),
        ("import sys; sys.exit('out of luck')", "exited with code 1: out of luck"),
        (
            "import sys; print('trace', 0); sys.exit('out of luck')",
            "exited with code 1: out of luck; .*neither a solution nor a status: 'trace 0'",
        ),
    ],
)
def test_a_program_that_crashes_or_prints_nothing_has_no_answer(
    code: str, reason: str, command: WriteFile
) -> None:
    instance = backend_of(command(solve=[sys.executable, "-c", code]))
    with pytest.raises(ChildProcessError, match=reason):
        instance.solve(BLANK)


@pytest.mark.parametrize("task", ["solve", "count"])
def test_a_long_output_without_an_answer_leaves_the_reason_visible(
    task: str, command: WriteFile
) -> None:
    """The last 4,000 characters of an error are kept."""
    words = [sys.executable, "-c", "print('lines of a log\\n' * 10**5 + 'no idea ' + 'x' * 10**5)"]
    instance = backend_of(command(**{task: words}))
    with pytest.raises(ValueError, match=r"prints n(either|o) .*: 'x*.+xxx'$") as error:
        instance.solve(BLANK) if task == "solve" else instance.count(BLANK, 2)
    assert len(str(error.value)) < 500


def test_a_missing_program_is_unavailable_with_its_remedy(command: WriteFile) -> None:
    path = command(solve=["no-such-program-here"], remedy="apt-get install it")
    with pytest.raises(Unavailable, match="no-such-program-here") as error:
        registry.load_backend(str(path))
    assert error.value.remedy == "apt-get install it"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("solve = [", ["TOML"]),
        ('solved = ["a"]', ["'solved'", "did you mean 'solve'?"]),
        ('solve = "a"', ["solve", "'a'"]),
        ("solve = []", ["solve"]),
        ('solve = ["a"]\nbatch = 1', ["batch", "1", "true or false"]),
        ('solve = ["a"]\nblank = 0', ["blank", "0"]),
        ('solve = ["a"]\nblank = ""', ["blank", "''"]),
        ('none = ["a"]', ["solve", "count"]),
        ('solve = ["a"]\nshapes = ["9x8"]', ["shapes", "'9x8'"]),
        ('solve = ["a", "{line}"]\nbatch = true', ["batch", "{line}"]),
        ('function = "f"', ["missing key library", 'library = "..."']),
        ('library = "l"\nfunction = 1', ["function", "1", "a string"]),
        ('library = "l"\nfunction = "f"\nsolve = ["l"]', ["unknown key 'solve'"]),
        ('library = "l"\nfunction = "f"\nconfiguration = -1', ["configuration is -1"]),
        ('library = "l"\nfunction = "f"\nconfiguration = true', ["True", "a whole number"]),
        ('library = "l"\nfunction = "f"\nlargest_limit = 0', ["largest_limit is 0"]),
        ('library = "l"\nfunction = "f"\nblank = "\u2610"', ["blank", "ASCII"]),
    ],
)
def test_a_malformed_file_is_an_error(text: str, facts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        registry.load_class(str(path))
    assert error.value.where.startswith(str(path))
    for fact in facts:
        assert fact in str(error.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("output", "number", "exact"),
    [
        ("3", 3, True),
        ("12 rows in 1 s, solutions: 3", 3, True),
        ("7", 5, False),
        ("5", 5, False),
        ("none at all", 0, True),
        ("too hard", 0, False),
        ("only one", 1, True),
        ("9" * 5000, 5, False),
    ],
)
def test_the_last_number_is_the_count(
    output: str, number: int, exact: bool, command: WriteFile
) -> None:
    texts = {"none": ["none"], "unknown": ["too hard"], "one": ["only one"]}
    count = backend_of(command(count=printing(output), **texts)).count(BLANK, 5)
    assert (count.number, count.exact) == (number, exact)


@pytest.mark.parametrize("output", ["-1", "1.5e3", "2-3"])
def test_what_is_no_number_of_solutions_is_no_count(output: str, command: WriteFile) -> None:
    instance = backend_of(command(count=printing(output)))
    with pytest.raises(ValueError, match="prints no number of solutions"):
        instance.count(BLANK, 5)


def test_a_program_is_found_in_the_folder_of_its_file_or_on_the_path(tmp_path: Path) -> None:
    path = tmp_path / "made.toml"
    program = tmp_path / "bin" / "fill"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nprint('1234341221434321')\n")
    program.chmod(0o755)
    path.write_text('solve = ["bin/fill"]\nshapes = ["4x4"]\n')
    assert backend_of(path).solve(BLANK).status is Status.SOLVED
    path.write_text('solve = ["{folder}/bin/fill"]\nshapes = ["4x4"]\n')
    registry.load_backend(str(path))
    program.chmod(0o644)
    with pytest.raises(Unavailable, match="bin/fill is not executable"):
        registry.load_backend(str(path))
    path.write_text('solve = ["fill"]\nshapes = ["4x4"]\n')
    with pytest.raises(Unavailable, match="fill"):
        registry.load_backend(str(path))


@pytest.mark.parametrize(("batch", "processes"), [(True, 1), (False, 3)])
def test_a_program_without_batches_starts_once_a_puzzle(
    batch: bool, processes: int, command: WriteFile, tmp_path: Path
) -> None:
    log = tmp_path / "started"
    program = tmp_path / "fill.py"
    program.write_text(f"open({str(log)!r}, 'a').write('x')\n{program.read_text()}")
    backend_of(command(batch=batch)).solve_many(np.zeros((3, 16), np.uint8))
    assert log.read_text() == "x" * processes


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("my solver!.toml", "my-solver"),
        ("_x+y.toml", "x+y"),
        ("...toml", "command"),
        ("my solver (1).toml", "my-solver-1"),
        (f"{'a' * 90}.toml", "a" * 80),
    ],
)
def test_the_name_of_a_command_is_that_of_its_file(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / file).write_text('solve = ["true"]\n')
    assert command_class(tmp_path / file).name == name


def test_a_solving_program_receives_the_limit_1(command: WriteFile) -> None:
    words = [sys.executable, "{folder}/fill.py", "solve", "{limit}"]
    unknown_words = [sys.executable, "-c", "print('unknown' if {limit} == 1 else 'impossible')"]
    for solve, status in ((words, Status.SOLVED), (unknown_words, Status.UNKNOWN)):
        instance = backend_of(command(solve=solve, unknown=["unknown"]))
        assert instance.solve(parse_puzzle("1234............")).status is status
