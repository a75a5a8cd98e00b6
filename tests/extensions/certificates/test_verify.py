"""Certificates: their files, and the check of their claims."""

import gzip
from pathlib import Path
from random import Random

import pytest

from backends.native import Native
from harness.base.errors import InputError
from harness.contract import Options
from harness.extensions.certificates import SecondOpinion
from harness.extensions.certificates.certificate import (
    Certificate,
    read_certificates,
    read_steps,
    write_certificates,
)
from harness.extensions.certificates.checker import CheckResult
from harness.extensions.certificates.formula import formula_of
from harness.extensions.certificates.verify import verify
from harness.puzzles import Grid, Puzzle, Shape
from harness.puzzles.solution_count import SolutionCount
from tests.plain_search import solutions
from tests.tables import cases

FOUR = "1...........2..."
TEXT = """\
# any number of comments

certificate 1
shape 4x4
puzzle 1...........2...
claim exactly 1
prover none
solution 1234341243212143
proof
0
end
"""


def certificate(
    line: str, claim: SolutionCount, grids: list[Grid], proof: str | None = None, shape: str = "4x4"
) -> Certificate:
    puzzle = Puzzle.of_line(line, Shape.parse(shape))
    steps = None if proof is None else read_steps(proof, puzzle.shape.size**3)
    return Certificate(puzzle, claim, grids, steps)


def solutions_of(line: str, shape: str = "4x4") -> list[Grid]:
    return solutions(Puzzle.of_line(line, Shape.parse(shape)), 1000)


exactly, at_least = SolutionCount.from_number, SolutionCount
CONTRADICTION = certificate("11..............", exactly(0), [], "0\n")


def parts(certificate: Certificate) -> tuple[object, ...]:
    return (
        certificate.puzzle,
        certificate.claim,
        tuple(certificate.solutions),
        certificate.prover,
        certificate.proof and certificate.proof.text,
    )


@pytest.mark.parametrize("name", ["some.txt", "some.cert.gz"])
def test_certificates_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    jigsaw = Shape.parse("jigsaw:1112122333243444")
    marks = Puzzle(Shape.parse("latin3"), (0,) * 9, (3, 7, 7, 7, 7, 7, 7, 7, 0))
    proof = read_steps("1 -2 0\nd 1 -2 0\n0\n", 64)
    certificates = [
        Certificate(Puzzle.of_line(FOUR, jigsaw), exactly(0), (), proof, "a prover"),
        Certificate(marks, at_least(0), ()),
        certificate(FOUR, at_least(2), solutions_of(FOUR)[:2]),
    ]
    write_certificates(tmp_path / name, certificates)
    again = read_certificates(tmp_path / name)
    assert [*map(parts, again)] == [*map(parts, certificates)]
    is_packed = (tmp_path / name).read_bytes().startswith(b"\x1f\x8b")
    assert is_packed == name.endswith(".gz")


def test_a_file_may_have_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    windows = TEXT.replace("\n", "\r\n").encode("utf-8-sig")
    for data in (windows, gzip.compress(windows)):
        (tmp_path / "some").write_bytes(data)
        (again,) = read_certificates(tmp_path / "some")
        place = f"{tmp_path / 'some'}:3"
        assert (again.place, again.claim, again.prover) == (place, exactly(1), "none")


def test_a_solution_must_be_one() -> None:
    every = solutions_of(FOUR)
    grid = every[0]
    for grids, fault in (
        ([(*grid[:15], grid[14])], "solution 1 is wrong: row 4 repeats a value"),
        ([grid, (2, *grid[1:])], "solution 2 is wrong: it contradicts a given"),
        ([grid, grid], "a solution is listed twice"),
        ([grid], "only 1 solution is listed"),
        ([], "only 0 solutions are listed"),
    ):
        result = verify(certificate(FOUR, at_least(2), list(grids)))
        assert (result.proven, result.refuted) == (False, False)
        assert result.reason.startswith(fault)
    assert verify(certificate(FOUR, at_least(2), every)).proven


def test_pencilmarks_and_pairs_exclude_solutions() -> None:
    shape = Shape.parse("latin3")
    grid = (1, 2, 3, 2, 3, 1, 3, 1, 2)
    with_marks = Puzzle(shape, (0,) * 9, (6, *(7,) * 8))
    assert "pencilmark" in verify(Certificate(with_marks, at_least(1), [grid])).reason
    with_pairs = Puzzle(Shape("paired", 3, shape.houses, pairs=((1, 3),)), (0,) * 9)
    result = verify(Certificate(with_pairs, at_least(1), [grid]))
    assert result.reason == "solution 1 is wrong: R1C2 and R2C1 have the same value"


def test_an_exact_number_needs_a_proof() -> None:
    every = solutions_of(FOUR)
    # The solutions forbidden, unit propagation alone finds no contradiction here.
    result = verify(certificate(FOUR, exactly(len(every)), every, "0\n"))
    assert not result.proven
    assert result.reason.startswith("the checker of the harness refuses the proof: step 1 (0) does")
    assert "dratify 0.1.10 refuses the proof: step 1 (0) does" in result.reason
    assert "no proof" in verify(certificate(FOUR, exactly(len(every)), every)).reason
    contradiction = verify(CONTRADICTION)
    assert contradiction.proven
    assert contradiction.second_opinion is not None
    assert contradiction.trusted == [
        "the 12 houses of 4x4",
        "the 386 clauses of the formula",
        "the checker of the harness or dratify 0.1.10, which agree",
    ]


def test_more_solutions_than_claimed_refute_the_claim() -> None:
    every = solutions_of(FOUR)
    result = verify(certificate(FOUR, exactly(1), every[:2], "0\n"))
    assert (result.proven, result.refuted) == (False, True)
    assert result.reason == "2 different solutions are listed, more than are claimed"
    assert verify(certificate(FOUR, at_least(1), every[:2])).proven


def test_the_second_opinion_can_be_left_out() -> None:
    result = verify(CONTRADICTION, SecondOpinion.NONE)
    assert (result.proven, result.second_opinion) == (True, None)
    assert result.trusted[-1] == "the checker of the harness"
    assert verify(CONTRADICTION, SecondOpinion.REQUIRED).second_opinion is not None


def test_a_long_second_opinion_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.certificates.verify.MOST_SECONDS", 0.001)
    result = verify(CONTRADICTION)
    assert (result.proven, result.second_opinion) == (True, None)
    assert result.left_out.startswith("dratify ")
    assert verify(CONTRADICTION, SecondOpinion.REQUIRED).second_opinion is not None


def test_a_required_second_opinion_needs_dratify(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "harness.extensions.certificates.second_opinion.DISTRIBUTION"
    monkeypatch.setattr(name, "dratify-of-nobody")
    with pytest.raises(InputError, match="dratify, which is not installed; expected pip install"):
        verify(CONTRADICTION, SecondOpinion.REQUIRED)


@pytest.mark.parametrize(
    ("old", "new", "error"), cases(__file__, "a_malformed_file_is_an_error_with_its_line")
)
def test_an_error_has_its_line(old: str, new: str, error: str, tmp_path: Path) -> None:
    assert TEXT.count(old) >= 1
    path = tmp_path / "bad.txt"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_certificates(path)
    assert str(caught.value).startswith(f"{path}:{error}")


def test_files_that_hold_no_certificates(tmp_path: Path) -> None:
    path = tmp_path / "other"
    bomb = gzip.compress(b"#" * 40_000_000)
    for data, error in (
        (b"", "has no certificate; expected certificate 1"),
        (b"# nothing\n\n", "has no certificate"),
        (b"\xff\xfe", "UTF-16; expected UTF-8"),
        (gzip.compress(b"\xff."), "invalid UTF-8"),
        (gzip.compress(TEXT.encode())[:-9], "damaged or encrypted"),
        (bomb, "expands from"),
        (b"certificate 1\0", "a NUL byte"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            read_certificates(path)
        assert error in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        read_certificates(tmp_path / "absent")
    with pytest.raises(InputError, match="is a directory"):
        read_certificates(tmp_path)


def test_a_damaged_file_is_an_error_or_proves_what_is_true(tmp_path: Path) -> None:
    random = Random(1)
    shape = Shape.parse("4x4")
    proof = Native(shape, Options()).prove(Puzzle.of_line(FOUR, shape), 1000)
    written_certificate = certificate(FOUR, exactly(24), list(proof.solutions), proof.steps)
    text = "".join(written_certificate.text())
    path = tmp_path / "damaged"
    proven, errors = 0, list[str]()
    for _ in range(120):
        lines = text.splitlines()
        for _ in range(random.randint(1, 2)):
            at = random.randrange(len(lines))
            place = random.randrange(len(lines[at]) + 1)
            new = random.choice(("", " ", "0", "1", "-", "d ", "\n", "9", "\u2028", "end", "4x4"))
            keep = random.random() < 0.5
            lines[at] = lines[at][:place] + new + lines[at][place + (not keep) :]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        try:
            certificates = read_certificates(path)
        except InputError as error:
            errors.append(str(error))
            continue
        for damaged_certificate in certificates:
            if verify(damaged_certificate).proven:
                proven += 1
                number = len(solutions(damaged_certificate.puzzle, 1000))
                assert number == damaged_certificate.claim.least
    assert 2 < proven < 60
    assert all(error.startswith(f"{path}:") for error in errors)


def test_too_large_a_file_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.certificates.certificate.LARGEST_BYTES", 100)
    path = tmp_path / "large"
    with pytest.raises(InputError, match="more than 0 MiB"):
        write_certificates(path, [certificate(FOUR, at_least(2), solutions_of(FOUR)[:2])])
    assert list(tmp_path.iterdir()) == []


THREE_ROWS = "houses4:11121314.21222324.31323334"
"""No house implies another one."""


@pytest.mark.parametrize("name", ["4x4", "4x4+diagonal", "jigsaw:1112122233343444", THREE_ROWS])
def test_every_house_is_compared(name: str) -> None:
    shape = Shape.parse(name)
    number = 0
    for missing in range(len(shape.houses)):
        others = shape.houses[:missing] + shape.houses[missing + 1 :]
        fewer = Puzzle(Shape("fewer", shape.size, others), (0,) * shape.size**2)
        cells, grids = shape.houses[missing].cells, solutions(fewer, 300)
        wrong = [grid for grid in grids if len({grid[cell] for cell in cells}) < shape.size]
        if wrong:  # the other houses often imply it
            claim = certificate("." * shape.size**2, at_least(1), wrong[:1], shape=name)
            assert f"{shape.houses[missing]} repeats a value" in verify(claim).reason
            number += 1
    assert number == 3 or name != THREE_ROWS


def test_the_last_of_many_solutions_is_compared_too() -> None:
    grids = solutions(Puzzle(Shape.parse("latin5"), (0,) * 25), 2_100)
    assert len(grids) == 2_100
    assert verify(certificate("." * 25, at_least(2_100), grids, shape="latin5")).proven
    for place in (999, 1_000, 1_001, 2_099):
        first, other, *rest = grids[place]
        wrong = [*grids[:place], (other, first, *rest), *grids[place + 1 :]]
        result = verify(certificate("." * 25, at_least(2_100), wrong, shape="latin5"))
        assert f"solution {place + 1:,} is wrong" in result.reason


def test_every_pair_is_compared() -> None:
    shape = Shape.parse("4x4+antiknight")
    plain = solutions_of("." * 16)
    reasons = set()
    for grid in plain:
        equal = [pair for pair in shape.pairs if grid[pair[0]] == grid[pair[1]]]
        claim = certificate("." * 16, at_least(1), [grid], shape="4x4+antiknight")
        assert verify(claim).proven == (not equal)
        reasons.update(equal[:1])
    assert len(reasons) > 1, "one pair decides all grids"


def test_a_forbidden_solution_forbids_no_other() -> None:
    # The last cell is in no house: two solutions differ in it alone.
    line = "123412341234123."
    grids = solutions_of(line, THREE_ROWS)
    assert len(grids) == 4
    claim = certificate(line, exactly(1), grids[:1], "0\n", shape=THREE_ROWS)
    assert not verify(claim, SecondOpinion.NONE).proven
    assert verify(certificate(line, exactly(4), grids, "0\n", shape=THREE_ROWS)).proven


@pytest.mark.parametrize("checker", ["verify.check_proof", "second_opinion.second_opinion"])
def test_both_checkers_have_to_accept(checker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = CheckResult(False, 0, "refused here")
    path = f"harness.extensions.certificates.{checker}"
    monkeypatch.setattr(path, lambda formula, steps: refusal)
    result = verify(CONTRADICTION, SecondOpinion.REQUIRED)
    assert not result.proven
    assert "accepts the proof" in result.reason


def test_shapes_of_one_name_have_their_own_clauses() -> None:
    rows = tuple(house for house in Shape.parse("4x4").houses if house.kind == "row")
    first, other = Shape("mine", 4, rows), Shape("mine", 4, rows[:2])
    apart = Shape("mine", 4, rows, pairs=((0, 5),))
    sizes = [len(formula_of(Puzzle(shape, (0,) * 16))) for shape in (first, other, apart)]
    assert len(set(sizes)) == 3
