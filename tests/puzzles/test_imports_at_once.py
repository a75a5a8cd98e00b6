"""Two imports of one name at the same time: the second is the error that the name exists."""

from multiprocessing import get_context
from pathlib import Path

import pytest

from harness.errors import PuzzleError
from harness.puzzles.catalogue import FOLDER_VARIABLE
from harness.puzzles.collection import ImportRequest, import_file
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.formats.reading import Input
from tests.puzzles.example import LINE


@pytest.fixture
def requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ImportRequest]:
    """Imports of different files under one name."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sets"))
    found = []
    for number, line in enumerate((LINE, LINE.replace("3", "."))):
        path = tmp_path / f"{number}.txt"
        path.write_text(f"{line}\n")
        found.append(ImportRequest(Input(str(path)), "same", within_file=True))
    return found


def test_a_name_taken_during_an_import_is_not_overwritten(
    requests: list[ImportRequest], tmp_path: Path
) -> None:
    slow, fast = requests

    def overtake(_: ParsedPuzzle) -> None:
        import_file(fast)

    with pytest.raises(PuzzleError, match="the dataset 'same' exists"):
        import_file(slow, overtake)
    entry, data = sorted((tmp_path / "sets").iterdir(), key=lambda path: path.suffix != ".toml")
    assert data.name in entry.read_text()
    assert LINE.replace("3", ".") in data.read_text()


def test_one_of_two_imports_at_once_succeeds(requests: list[ImportRequest], tmp_path: Path) -> None:
    context = get_context("fork")
    meet, errors = context.Barrier(2, timeout=60), context.SimpleQueue()

    def import_(request: ImportRequest) -> None:
        try:
            import_file(request, lambda _: [meet.wait()].clear())
        except PuzzleError as error:
            errors.put(error.what)
        else:
            errors.put("")

    processes = [context.Process(target=import_, args=(request,)) for request in requests]
    for process in processes:
        process.start()
    done = sorted(errors.get() for _ in processes)
    for process in processes:
        process.join()
    assert done == ["", "the dataset 'same' exists"]
    assert len(list((tmp_path / "sets").iterdir())) == 2
