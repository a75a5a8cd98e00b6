"""The import of puzzle files as datasets."""

import hashlib
import os
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import pytest

from harness.base.errors import PuzzleError
from harness.puzzles import load_dataset
from harness.puzzles.datasets.catalogue import (
    FOLDER_VARIABLE,
    find,
    imported_listings,
    listings,
    shipped_listings,
)
from harness.puzzles.datasets.collection import Imported, ImportRequest, OnDuplicate, import_file
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.formats.reading import Input, read_file
from tests.installed import needs
from tests.puzzles.example import LINE, SOLUTION

# A puzzle file becomes a dataset of the catalogue, whole or not at all.


RELABELLED = LINE.translate(str.maketrans("123456789", "234567891"))
OTHER = LINE.replace("3", ".")
Files = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's datasets, which does not exist yet."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sets"))
    return tmp_path / "sets"


@pytest.fixture
def file(tmp_path: Path) -> Files:
    def write(*lines: str, name: str = "p.txt") -> Path:
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        return tmp_path / name

    return write


def test_a_file_in_place_of_the_folder_is_an_error(folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(PuzzleError, match="sets: is not a folder"):
        imported_listings()


def import_(path: Path, name: str = "", **options: object) -> Imported:
    """Import a file, by default without a comparison with the catalogue."""
    options = {"within_file": True} | options
    return import_file(ImportRequest(Input(str(path)), name, **options))  # type: ignore[arg-type]


@pytest.fixture
def only_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with one of the shipped datasets, since all take a second."""
    seeds = [listing for listing in shipped_listings() if listing.name == "seeds"]
    monkeypatch.setattr("harness.puzzles.datasets.collection.shipped_listings", lambda: seeds)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_imported_and_read_once(folder: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = f"{LINE}\n".encode()
    writer = Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    writer.start()
    listing = import_(pipe, "of-a-pipe").listing
    writer.join(10)
    assert (listing.puzzles, listing.source) == (1, "pipe")
    assert listing.source_sha256 == hashlib.sha256(content).hexdigest()


def test_an_imported_dataset_has_names_answers_and_fields(folder: Path, file: Files) -> None:
    path = file("id,puzzle,solution,rating", f"first,{LINE},{SOLUTION},7.1", name="my set.csv")
    done = import_(path, origin="a forum", licence="CC0")
    listing = done.listing
    assert (listing.name, listing.origin, listing.licence) == ("my-set", "a forum", "CC0")
    assert (listing.puzzles, listing.shapes, listing.source) == (1, ("9x9",), "my set.csv")
    assert listing.expected_count == "known for all puzzles"
    assert listing.source_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert imported_listings() == (listing,)
    assert listing in listings()
    (instance,) = load_dataset("my-set").instances
    assert instance.expected_count is not None
    assert (instance.name, instance.expected_count.solution) == ("first", SOLUTION)
    (parsed,) = read_file(find("my-set"))
    assert dict(parsed.fields) == {"rating": "7.1"}


def test_the_same_file_makes_the_same_files(folder: Path, file: Files) -> None:
    path = file(LINE, OTHER)
    import_(path, "one")
    first = contents(folder)
    import_(path, "one", replace=True)
    assert contents(folder) == first
    assert set(first) == {"one.toml", next(name for name in first if name.endswith(".jsonl"))}


def test_a_replaced_dataset_leaves_no_file(folder: Path, file: Files) -> None:
    import_(file(LINE), "one")
    import_(file(OTHER), "one", replace=True)
    assert len(contents(folder)) == 2
    assert [i.puzzle.line for i in load_dataset("one").instances] == [OTHER]


def test_equivalents_are_listed_beside_many_duplicates(folder: Path, file: Files) -> None:
    path = file(OTHER, *[OTHER] * 9, LINE, RELABELLED)
    summary = import_(path, "mine").summary
    assert summary.matches == {("", False): 9, ("", True): 1}
    places = [match.place for match in summary.first_matches]
    assert places == [f"{path}:{n}" for n in (2, 3, 4, 5, 6, 12)]
    assert [match.equivalent for match in summary.first_matches] == [False] * 5 + [True]


@pytest.mark.usefixtures("only_seeds")
def test_duplicates_and_equivalents_are_counted_with_both_places(folder: Path, file: Files) -> None:
    import_(file(OTHER, name="other.txt"))
    path = file(LINE, OTHER, RELABELLED, LINE)
    done = import_(path, "mine", within_file=False)
    # The line is the first of the shipped dataset `seeds` already.
    assert done.summary.matches == {("seeds", False): 2, ("other", False): 1, ("seeds", True): 1}
    assert str(done.summary.first_matches[1]) == f"{path}:2 is the same as other/1"
    assert done.listing.puzzles == 4
    skip = {"on_duplicate": OnDuplicate.SKIP, "replace": True, "within_file": False}
    done = import_(path, "mine", **skip, most_canonical=0)
    assert done.listing.puzzles == 1
    assert [i.puzzle.line for i in load_dataset("mine").instances] == [RELABELLED]
    with pytest.raises(PuzzleError, match=r"p.txt:1: is the same as seeds/1; expected different"):
        import_(path, "mine", **skip | {"on_duplicate": OnDuplicate.ERROR})


FOUR = "1234341221434321"


@needs("formats")
@pytest.mark.parametrize(
    ("lines", "name", "message"),
    [
        ([LINE, f"{LINE}?"], "p.txt", "p.txt:2:82: "),
        (["puzzle,solution", f"{LINE},{SOLUTION[::-1]}"], "p.csv", "p.csv:2:83: the solution has"),
        (
            [f'{{"puzzle": "{LINE}", "solution": "{SOLUTION[::-1]}"}}'],
            "p.jsonl",
            "p.jsonl:1: the solution has 1 at",
        ),
        (
            [f'{{"shape": "4x4+antiking", "puzzle": "{"." * 16}", "solution": "{FOUR}"}}'],
            "p.jsonl",
            "the solution has 4 at R2C2 and R3C3; expected different values there in 4x4+antiking",
        ),
        ([f"{LINE}:2:{SOLUTION}"], "p.txt", "p.txt:1:85: the solution of a puzzle with exactly 2"),
        ([], "p.txt", "no puzzle in the file"),
    ],
)
def test_an_error_leaves_the_catalogue_as_it_was(
    folder: Path, file: Files, lines: list[str], name: str, message: str
) -> None:
    import_(file(OTHER, name="q.txt"), "p")
    before = contents(folder)
    with pytest.raises(PuzzleError) as caught:
        import_(file(*lines, name=name), replace=True)
    assert message in str(caught.value)
    assert contents(folder) == before


def test_a_file_that_cannot_be_put_in_place_leaves_the_catalogue_as_it_was(
    folder: Path, file: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_(file(OTHER), "p")
    before = contents(folder)
    place = Path.replace

    def fail(path: Path, target: Path) -> Path:
        if target.suffix == ".toml":
            raise KeyboardInterrupt
        return place(path, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        import_(file(LINE), "p", replace=True)
    assert contents(folder) == before


def test_malformed_puzzles_can_be_skipped(folder: Path, file: Files) -> None:
    done = import_(file(LINE, "?", "?"), skip_errors=True)
    assert (done.listing.puzzles, done.conversion.skipped) == (1, 2)


@pytest.mark.parametrize("name", ["named", "NAMED", "a b", "-a", "x" * 65, "a.b", "a/b"])
def test_names_that_a_dataset_cannot_have(folder: Path, file: Files, name: str) -> None:
    with pytest.raises(PuzzleError, match=r"^name: "):
        import_(file(LINE), name, replace=True)
    assert not folder.exists()


def test_an_existing_name_is_an_error(folder: Path, file: Files) -> None:
    import_(file(LINE), "mine")
    with pytest.raises(PuzzleError, match="the dataset 'mine' exists; expected replace"):
        import_(file(OTHER), "mine")
    with pytest.raises(PuzzleError, match="a name that differs in more than its case"):
        import_(file(OTHER), "Mine", replace=True)


def test_a_changed_file_is_an_error_when_it_is_used(folder: Path, file: Files) -> None:
    path = import_(file(LINE), "mine").listing.path
    path.write_text(path.read_text().replace("483", "384") + "\n")
    with pytest.raises(PuzzleError, match=r"dataset mine: .* has changed since its import"):
        load_dataset("mine")
    path.unlink()
    with pytest.raises(PuzzleError, match="no such file"):
        load_dataset("mine")


@pytest.mark.parametrize("entry", ["", "not toml", "file = 3", 'file = "../x"', "\0", "[" * 999])
def test_a_malformed_entry_harms_no_other_dataset(folder: Path, file: Files, entry: str) -> None:
    import_(file(LINE), "mine")
    (folder / "bad.toml").write_text(entry)
    assert load_dataset("mine").instances
    assert [listing.name for listing in imported_listings() if listing.problem] == ["bad"]
    with pytest.raises(PuzzleError, match="dataset bad: its entry is malformed"):
        find("bad")
    import_(file(OTHER), "bad", replace=True)
    assert load_dataset("bad").instances[0].puzzle.line == OTHER


@pytest.mark.usefixtures("only_seeds")
def test_a_dataset_that_cannot_be_read_is_not_compared(folder: Path, file: Files) -> None:
    import_(file(LINE), "gone").listing.path.unlink()
    assert import_(file(OTHER), "new", within_file=False).summary.unread == ["gone"]


@pytest.mark.usefixtures("only_seeds")
def test_only_datasets_that_may_have_the_shape_are_read(folder: Path, file: Files) -> None:
    """Reading all of the catalogue takes 5 s; what is read and damaged has its name in `unread`."""
    small, cage = "1" + "." * 15, "shape = '9x9; killer 3: r1c1 r1c2'"
    (folder.parent / "cage.toml").write_text(f"[[puzzle]]\n{cage}\ngivens = '{'.' * 81}'\n")
    import_(folder.parent / "cage.toml", "cages").listing.path.unlink()
    import_(file(small), "small").listing.path.unlink()

    def unread(*lines: str) -> list[str]:
        return import_(file(*lines), "new", within_file=False, replace=True).summary.unread

    assert unread(OTHER) == []
    assert unread(small) == ["small"]
    assert import_(
        folder.parent / "cage.toml", "new", within_file=False, replace=True
    ).summary.unread == ["cages"]


@pytest.mark.usefixtures("only_seeds")
def test_a_jigsaw_with_the_regions_of_boxes_is_a_duplicate(folder: Path, file: Files) -> None:
    import_(file(OTHER), "boxes")
    regions = "".join(
        f"{3 * (row // 3) + column // 3 + 1}" for row in range(9) for column in range(9)
    )
    (folder.parent / "j.toml").write_text(
        f"[[puzzle]]\nshape = 'jigsaw:{regions}'\ngivens = '{OTHER}'\n"
    )
    summary = import_(folder.parent / "j.toml", "regions", within_file=False).summary
    assert summary.matches == {("boxes", False): 1}


@pytest.mark.usefixtures("only_seeds")
def test_the_limit_of_equivalents_holds_for_a_file_whose_shapes_change(
    folder: Path, file: Files
) -> None:
    import_(file("1" + "." * 15, name="small.txt"), "small")
    (folder.parent / "m.jsonl").write_text(
        "".join(f'{{"givens": "{line}"}}\n' for line in (OTHER, LINE, "1" + "." * 15, RELABELLED))
    )
    summary = import_(folder.parent / "m.jsonl", "m", within_file=False, most_canonical=1).summary
    assert summary.matches == {("seeds", False): 1, ("small", False): 1}
    assert summary.not_searched == 1


def test_a_name_taken_during_an_import_is_not_overwritten(folder: Path, file: Files) -> None:
    slow, fast = Input(str(file(LINE))), file(OTHER, name="fast.txt")

    def overtake(_: ParsedPuzzle) -> None:
        import_(fast, "same")

    with pytest.raises(PuzzleError, match="the dataset 'same' exists"):
        import_file(ImportRequest(slow, "same", within_file=True), overtake)
    assert len(contents(folder)) == 2
    assert [i.puzzle.line for i in load_dataset("same").instances] == [OTHER]


def test_one_of_two_imports_at_once_succeeds(folder: Path, file: Files) -> None:
    context = get_context("fork")
    meet, errors = context.Barrier(2, timeout=60), context.SimpleQueue()

    def imported_at_once(path: Path) -> None:
        try:
            request = ImportRequest(Input(str(path)), "same", within_file=True)
            import_file(request, lambda _: [meet.wait()].clear())
        except PuzzleError as error:
            errors.put(error.what)
        else:
            errors.put("")

    files = file(LINE, name="0.txt"), file(OTHER, name="1.txt")
    processes = [context.Process(target=imported_at_once, args=(path,)) for path in files]
    for process in processes:
        process.start()
    done = sorted(errors.get() for _ in processes)
    for process in processes:
        process.join()
    assert done == ["", "the dataset 'same' exists"]
    assert len(contents(folder)) == 2
