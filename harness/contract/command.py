"""Programs as backends: command lines, and command files that say more about a program.

    harness solve PUZZLE --backend 'kissat {cnf}'
    harness solve PUZZLE --backend qqwing.toml

A placeholder stands for the puzzle, as a line or in a file of one of the `harness.models`; the
model says what an output means. A command file gives the arguments of a program and the meaning of
its output; docs/programs.md lists placeholders and keys. Each call starts one process, a
batch one process for all puzzles. The harness verifies the output like any other backend's answers.
"""

import json
import math
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, get_type_hints

from harness.base.child import describe_exit, output_of
from harness.base.errors import InputError, PuzzleError, UnknownBackendError, located, not_among
from harness.base.files import LARGEST_BYTES, parse_toml, read_file_text
from harness.base.text import last_line
from harness.contract.answers import Answer, Count, ManyAnswers, PhaseTimer, Proof, Status
from harness.contract.backend import (
    Backend,
    Restriction,
    Unavailable,
    Unsupported,
    batch_of,
    require_solutions,
    time_budget,
)
from harness.contract.models import Model, model_named, model_names
from harness.contract.options import COMMAND_LINE, Options
from harness.contract.receipts import receipt_of, version_named_by
from harness.puzzles import Grid, Puzzle, Shape, line_of, value_of
from harness.puzzles.formats import solution_in, solution_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PUZZLE: Final = "{line}"
"""Placeholder for the puzzle line in an argument; without it, or after ``<``, the program reads
standard input."""
LIMIT: Final = "{limit}"
"""Placeholder for the limit of a count in an argument."""
FOLDER: Final = "{folder}"
"""Placeholder for the command file's folder in an argument; workers run in another folder."""
OUT: Final = "{out}"
"""Placeholder for a file to which the program writes its answer."""
PROOF: Final = "{proof}"
"""Placeholder for a file to which the program writes a proof in DRAT."""
PLACEHOLDERS: Final = (PUZZLE, LIMIT, FOLDER, OUT, PROOF, "{timeout}", "{threads}", "{seed}")
"""The placeholders that are no model."""
_PLACEHOLDER: Final = re.compile(r"(?<!\$)\{([a-z][a-z0-9-]*)(:[^{}]*)?\}")
_ANSWER: Final = "answer.txt"
_PROOF: Final = "proof.drat"
_NO_LIMIT_S: Final = 10**6
"""Seconds that stand for no time limit."""
VALUE_OF: Final = bytes(value_of(chr(code)) or 0 for code in range(256))
"""The value of each symbol, 0 for other bytes: a table for `bytes.translate`."""


# Command files: of programs that solve and count, and of programs that rate.


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramFile:
    """What all command files have in common; each field is a key."""

    blank: str = "."
    """The symbol of a blank cell in the program's input."""
    shapes: tuple[str, ...] = ("9x9",)
    """The supported shapes; ``*`` for all."""
    remedy: str = ""
    """How to install the program."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """The command file at `path`.

        Raises:
            InputError: it cannot be read, or a key is unknown, missing or of a wrong type.
        """
        where = str(path)
        data = parse_toml(read_file_text(path), where)
        types, names = get_type_hints(cls), [*cls.__annotations__, *ProgramFile.__annotations__]
        for key in data:
            if key not in types:
                raise not_among(InputError, f"unknown key {key!r}", key, names, where=where)
        values = {key: _value(key, value, types[key], where) for key, value in data.items()}
        for field in fields(cls):
            if field.default is MISSING and field.name not in values:
                example = "..." if types[field.name] is str else ["program"]
                expected = f"{field.name} = {json.dumps(example)}"
                raise InputError(f"missing key {field.name}", where=where, expected=expected)
        file = cls(**values)
        if len(file.blank) != 1:
            raise InputError(f"blank is {file.blank!r}", where=where, expected="one symbol")
        with located(f"{where}: shapes", PuzzleError):
            file.supports(None)
        return file

    def text(self) -> str:
        """The file as TOML: each key whose value is not the default."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        return "".join(
            f"{field.name} = {json.dumps(value, ensure_ascii=False)}\n"
            for field, value in values
            if value != field.default
        )

    def supports(self, shape: Shape | None) -> bool:
        """Whether the program takes puzzles of `shape`, or of every shape if it is None.

        Raises:
            PuzzleError: the file names a shape that does not exist.
        """
        shapes = [Shape.parse(text) for text in self.shapes if text != "*"]
        return "*" in self.shapes or shape in shapes


def _value(key: str, value: Any, type_: Any, where: str) -> Any:
    if type_ is float and type(value) is int:
        value = float(value)
    if type_ in _EXPECTED:
        if type(value) is not type_:
            raise InputError(f"{key} is {value!r}", where=where, expected=_EXPECTED[type_])
        return value
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise InputError(f"{key} is {value!r}", where=where, expected="a list of strings")
    if not value:
        raise InputError(f"{key} is empty", where=where, expected="at least one string")
    return tuple(value)


_EXPECTED: Final = {
    bool: "true or false",
    int: "a whole number",
    str: "a string",
    float: "a number",
}


def program_in(folder: Path, arguments: Sequence[str]) -> str:
    """The path or name of a program, the first of its arguments.

    Args:
        folder: the folder of the command file; a name with a slash is relative to it.
        arguments: the program and its arguments.
    """
    program = arguments[0].replace(FOLDER, str(folder))
    return str(folder / program) if "/" in program else program


def run_lines(
    folder: Path,
    arguments: Sequence[str],
    lines: Sequence[str],
    limit: int = 1,
    time_limit: float | None = None,
    file: Path | None = None,
    proof: str = os.devnull,
) -> tuple[list[str], bytes]:
    """The command line of a program, and its standard input.

    Args:
        folder: the folder of the command file.
        arguments: the program and its arguments, with placeholders; ``<`` before a placeholder
            makes it standard input.
        lines: the puzzle lines.
        limit: the number of solutions at which a count stops.
        time_limit: seconds; None for no limit.
        file: the file with the model of the puzzle, if the arguments have a placeholder for it.
        proof: the file for a proof.
    """
    seconds = _NO_LIMIT_S if time_limit is None else max(1, math.ceil(time_limit))
    seed = os.environ.get("PYTHONHASHSEED", "0")  # of the worker: 0, and other numbers in a fuzz
    texts = (lines[0], limit, folder, _ANSWER, proof, seconds, _cores(), seed)
    values = dict(zip(PLACEHOLDERS, texts, strict=True))

    def value(match: re.Match[str]) -> str:
        return str(values.get(match[0], file or match[0]))

    words = list(arguments[1:])
    data = "".join(f"{line}\n" for line in lines).encode()
    if "<" in words[:-1]:
        at = words.index("<")
        if words[at + 1] != PUZZLE and file is not None:
            data = file.read_bytes()
        del words[at : at + 2]
    elif file is not None or any(PUZZLE in word for word in words):
        data = b""
    words = [_PLACEHOLDER.sub(value, word) for word in words]
    return [program_in(folder, arguments), *words], data


def _cores() -> int:
    """The number of cores on which this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def model_in(arguments: Sequence[str], where: str = "") -> Model | None:
    """The model whose placeholder is among the arguments; None if there is none.

    Raises:
        InputError: a placeholder is unknown, or there are two models.
    """
    models = {}
    for match in _PLACEHOLDER.finditer(" ".join(arguments)):
        if match[0] not in PLACEHOLDERS:
            if match[1] not in model_names():
                known = [*PLACEHOLDERS, *(f"{{{name}}}" for name in model_names())]
                problem = f"unknown placeholder {match[0]}"
                raise not_among(InputError, problem, match[0], known, where=where)
            models[match[0][1:-1]] = match[0]
    if len(models) > 1:
        problem = f"two models, {' and '.join(models.values())}"
        raise InputError(problem, where=where, expected="one of them")
    return model_named(*models) if models else None


def _dimacs(
    clauses: Sequence[Sequence[int]], puzzle: Puzzle, excluded: Sequence[Grid]
) -> Iterator[str]:
    """The lines of these clauses of a puzzle; see `Model.lines`."""
    size = puzzle.shape.size
    others = [[-(cell * size + v) for cell, v in enumerate(grid)] for grid in excluded]
    last = max((abs(literal) for clause in clauses for literal in clause), default=0)
    yield f"p cnf {last} {len(clauses) + len(others)}"
    yield from (" ".join(map(str, (*clause, 0))) for clause in (*clauses, *others))


def files_of(folder: Path, arguments: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The files whose content decides what a command answers, each a "program" or a "script".

    A program without a path that gets a script is an interpreter; its content says little.
    """
    words, _ = run_lines(folder, arguments, [""])
    scripts = _scripts_in(words)
    yield from (("script", script) for script in scripts)
    program = shutil.which(words[0])
    if program and ("/" in arguments[0] or not scripts):
        yield "program", Path(program)


def _scripts_in(words: Sequence[str]) -> list[Path]:
    """The files among the arguments of a program."""
    return [Path(word) for word in words[1:] if "/" in word and Path(word).is_file()]


_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BETWEEN: Final = re.compile(r"[\s=:;/|()\[\]{}]+")
"""What separates the terms of an output."""


def last_number(output: str) -> str:
    """The last number of `output`, as text; empty unless the last term with a digit is a number."""
    terms = (term.strip("\"'").rstrip(".,!%*") for term in reversed(_BETWEEN.split(output)))
    last = next((term for term in terms if any(map(str.isdigit, term))), "")
    return last if _NUMBER.fullmatch(last) else ""


# Programs as backends.


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFile(ProgramFile):
    """The contents of a command file of a backend."""

    solve: tuple[str, ...] = ()
    """Program and arguments that print a solution; if empty, the program only counts."""
    count: tuple[str, ...] = ()
    """Program and arguments that print a number; if empty, `solve` is called repeatedly."""
    paradigm: str = "command"
    none: tuple[str, ...] = ()
    """Texts that mean "no solution" in the output."""
    unknown: tuple[str, ...] = ()
    """Texts that mean "gave up" in the output."""
    one: tuple[str, ...] = ()
    """Texts that mean "one solution" in the output of `count`."""
    batch: bool = False
    """Whether the program prints one line per line of input, in the same order."""
    complete: bool = True
    """Whether the program decides every puzzle, given enough time."""


def read_command_file(path: Path) -> CommandFile:
    """Read the command file of a backend at `path`.

    Raises:
        InputError: as `ProgramFile.read`, or the keys contradict each other.
    """
    file, where = CommandFile.read(path), str(path)
    model_in((*file.solve, *file.count), where)
    if file.batch and PUZZLE in " ".join((*file.solve, *file.count)):
        raise InputError(
            f"batch = true, but an argument contains {PUZZLE}",
            where=where,
            expected=f"arguments without {PUZZLE}; a batch comes on standard input",
        )
    if not (file.solve or file.count):
        raise InputError("missing key solve or count", where=where, expected='solve = ["program"]')
    return file


class BackendOfFile(Backend):
    """A backend that a file describes; `class_of_file` creates a subclass."""

    file: ClassVar[Any]
    """The contents of the file."""

    def __init__(self, shape: Shape, options: Options) -> None:
        if not self.file.supports(shape):
            raise Unsupported(f"{self.name} supports {', '.join(self.file.shapes)} only")


class Command(BackendOfFile):
    """A backend that runs a program; `command_class` creates a subclass from a command file."""

    file: ClassVar[CommandFile]
    folder: ClassVar[Path]
    """The command file's folder."""
    model: Model | None
    """The model that the program reads; None if it reads puzzle lines."""
    proof: str = os.devnull
    """The file to which the program writes a proof."""

    @classmethod
    def receipts(cls) -> dict[str, str]:
        """What identifies the programs and scripts that decide its answers."""
        commands = filter(None, (cls.file.solve, cls.file.count))
        files = {file for arguments in commands for file in files_of(cls.folder, arguments)}
        receipts: dict[str, str] = {}
        for part, file in sorted(files):
            version = version_named_by(str(file)) if part == "program" else ""
            receipts |= receipt_of(part, file, version)
        return receipts

    @classmethod
    def load(cls, options: Options) -> None:
        """Check that the programs exist.

        Raises:
            Unavailable: a program is missing.
        """
        for arguments in filter(None, (cls.file.solve, cls.file.count)):
            program = program_in(cls.folder, arguments)
            if shutil.which(program) is None:
                fault = "is not executable" if Path(program).is_file() else "not found"
                raise Unavailable(f"program {program} {fault}", cls.file.remedy)

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution or the status that the program prints."""
        require_solutions(self)
        timer = PhaseTimer()
        answer = self._ask(timer, puzzle, ())
        answer = answer.answer if isinstance(answer, Count) else answer
        return replace(answer, phases=timer.stop())

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number that the program prints, up to `limit`, or of solutions excluded in turn."""
        timer = PhaseTimer()
        if self.file.count:
            timer.search()
            output = self._run(self.file.count, [puzzle.line], limit)
            timer.decode()
            number, exact = self._read_number(output, limit)
            return Count(number, exact, phases=timer.stop())
        if not (self.model and self.model.excludes):
            return super().count(puzzle, limit)
        grids, last = self._enumerate(timer, puzzle, limit)
        if isinstance(last, Count):  # the program counts
            number = min(last.number, limit)
            return Count(number, last.exact and number < limit, phases=timer.stop())
        exact = last is not None and last.status is Status.UNSATISFIABLE
        reason = last.reason if last else ""
        witness, stats = grids[0] if grids else None, {"solve_calls": len(grids) + exact}
        return Count(len(grids), exact, witness, stats, timer.stop(), reason)

    def prove(self, puzzle: Puzzle, limit: int) -> Proof:
        """The solutions, excluded in turn, and what the program writes when none is left."""
        if not (self.proves and self.model and self.model.read_proof):
            raise Unsupported(f"{self.name} writes no proof of clauses; expected {{cnf}} {PROOF}")
        file = Path(_PROOF)
        self.proof = _PROOF
        try:
            grids, last = self._enumerate(PhaseTimer(), puzzle, limit)
            if isinstance(last, Count) or last is None or last.status is not Status.UNSATISFIABLE:
                return Proof(tuple(grids), complete=False)
            if not file.is_file():
                raise ValueError(f"{self.name} wrote no file for {PROOF}")
            return Proof(tuple(grids), True, self.model.read_proof(file.read_bytes()))
        finally:
            del self.proof
            _remove(file)

    def prove_clauses(self, puzzle: Puzzle, limit: int, clauses: Iterable[Sequence[int]]) -> Proof:
        """Like `prove`, but with these clauses as the model."""
        prover = type(self)(puzzle.shape, Options())
        prover.model = self.model and replace(self.model, lines=partial(_dimacs, [*clauses]))
        return prover.prove(puzzle, limit)

    def _enumerate(
        self, timer: PhaseTimer, puzzle: Puzzle, limit: int
    ) -> tuple[list[Grid], Answer | Count | None]:
        """The solutions, each excluded from then on, and the answer without one.

        The answer is None at the limit, or if no time is left.
        """
        grids: list[Grid] = []
        with time_budget(self) as allows_call:
            while len(grids) < limit and allows_call():
                answer = self._ask(timer, puzzle, grids)
                if isinstance(answer, Count) or answer.grid is None:
                    return grids, answer
                solution_line(answer.grid, puzzle)
                if answer.grid in grids:
                    raise ValueError(f"{self.name} prints a solution that the model excludes")
                grids.append(answer.grid)
                timer.encode()
        return grids, None

    def _ask(self, timer: PhaseTimer, puzzle: Puzzle, excluded: Sequence[Grid]) -> Answer | Count:
        """What the program says of a puzzle; its answer is none of the `excluded` solutions.

        Raises:
            ValueError: the output contradicts itself, or holds no answer of a puzzle line.
            ChildProcessError: a signal ended the program, or it failed without an answer.
        """
        model, file = self.model, None
        _remove(_ANSWER, _PROOF)  # those of a worker that was killed
        if model:
            file = Path(f"puzzle{model.suffix}").absolute()
            lines = model.lines(puzzle, excluded)
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        try:
            timer.search()
            output = self._run(self.file.solve, [puzzle.line], 1, file)
            timer.decode()
        finally:
            _remove(_ANSWER, *([file] if file else ()))
        if not (model and model.read):
            return Answer(*self._read_answer(output))
        answer = model.read(output, self._code, self.shape)
        return answer or Answer.unknown(reason=last_line(output) or self._end or "no output")

    def solve_many(self, puzzles: "NDArray[np.uint8]") -> "ManyAnswers":
        """The program's answers to all puzzles, from one process if it handles batches."""
        if not self.file.batch or not len(puzzles):
            return super().solve_many(puzzles)
        import numpy as np

        batch = batch_of(puzzles, self.shape)
        cells = batch.shape[1]
        lines = [line_of(values.tobytes()) for values in batch]
        require_solutions(self)
        output = self._run(self.file.solve, lines, 1).splitlines()
        if len(output) != len(lines):
            raise ValueError(f"{self.name} prints {len(output)} lines for {len(lines)} puzzles")
        # Lines that hold nothing but a grid are read in one step.
        texts = (*self.file.unknown, *self.file.none)
        plain = [
            line if len(line) == cells and not _holds(line, texts) else "." * cells
            for line in output
        ]
        values = "".join(plain).encode("latin-1", "replace").translate(VALUE_OF)
        grids = np.frombuffer(bytearray(values), np.uint8).reshape(batch.shape)
        solved: NDArray[np.bool_] = grids.min(axis=1) > 0
        proven = np.zeros(len(batch), np.bool_)
        grids[~solved] = 0
        for number in np.flatnonzero(~solved).tolist():
            status, grid = self._read_answer(output[number])
            proven[number] = status is Status.UNSATISFIABLE
            if grid is not None:
                grids[number], solved[number] = grid, True
        return ManyAnswers.from_flags(solved, proven, grids)

    def _run(
        self, command: Sequence[str], lines: Sequence[str], limit: int, file: Path | None = None
    ) -> str:
        """The output of the program for these puzzle lines, and what it wrote to `{out}`.

        Raises:
            ChildProcessError: a signal ended the program, or it printed nothing.
            OSError: the program cannot be started, or prints more than the largest puzzle file has.
        """
        lines, budget = [line.replace(".", self.file.blank) for line in lines], self.time_limit
        words, data = run_lines(self.folder, command, lines, limit, budget, file, self.proof)
        end = output_of(words, data, most_bytes=LARGEST_BYTES)
        self._code = end.code
        output = end.output.decode("utf-8-sig", errors="replace")
        if Path(_ANSWER).is_file():
            with Path(_ANSWER).open(encoding="utf-8", errors="replace") as answer:
                output += f"\n{answer.read(LARGEST_BYTES)}"
        if self.model and self.model.read and end.code >= 0:
            self._end = last_line(end.errors)  # the exit code of a solver is part of its answer
            return output
        message = last_line(end.errors) or f"no {'message' if output.strip() else 'output'}"
        self._end = f"{command[0]} {describe_exit(end.code)}: {message}" if end.code else ""
        if end.code < 0 or not output.strip():
            raise ChildProcessError(self._end or f"{command[0]} {describe_exit(0)}: {message}")
        return output

    def _unreadable(self, output: str, expected: str) -> Exception:
        """The error for an `output` that cannot be read; it mentions a failed exit first."""
        fault = f"{self.name} prints {expected}: {last_line(output)!r}"
        return ChildProcessError(f"{self._end}; {fault}") if self._end else ValueError(fault)

    def _read_answer(self, output: str) -> tuple[Status, Grid | None]:
        """The status and the grid in the program's output.

        Raises:
            ValueError: the output holds neither a grid nor a text of the command file.
            ChildProcessError: the output holds neither, and the program has failed.
        """
        if _holds(output, self.file.unknown):
            return Status.UNKNOWN, None
        if _holds(output, self.file.none):
            return Status.UNSATISFIABLE, None
        grid = solution_in(output, self.shape)
        if grid is None:
            raise self._unreadable(output, "neither a solution nor a status")
        return Status.SOLVED, grid

    def _read_number(self, output: str, limit: int) -> tuple[int, bool]:
        """The number of solutions in the program's output, and whether it is exact."""
        if _holds(output, self.file.unknown):
            return 0, False
        if _holds(output, self.file.none):
            return 0, True
        if _holds(output, self.file.one):
            return 1, limit > 1
        digits = last_number(output)
        if not digits.isdigit():
            raise self._unreadable(output, "no number of solutions")
        is_longer = len(digits.lstrip("0")) > len(str(limit))
        number = limit if is_longer else min(int(digits), limit)
        return number, number < limit


def command_class(path: Path) -> type[Command]:
    """The backend of the command file at `path`, named after the file.

    Raises:
        InputError: the command file is malformed.
    """
    return _class_of(read_command_file(path), name_of(path.stem), path.parent)


def _class_of(file: CommandFile, name: str, folder: Path) -> type[Command]:
    """The backend that a command file in this folder describes."""
    model = model_in(file.solve)
    members = {
        "__doc__": f"The program {(file.solve or file.count)[0]}.",
        "name": name,
        "paradigm": file.paradigm,
        "solves": bool(file.solve),
        "counts_natively": bool(file.count) or bool(model and model.excludes),
        "batches_natively": file.batch,
        "proves": PROOF in " ".join(file.solve) and bool(model and model.read_proof),
        "complete": file.complete,
        "takes": model.takes if model else set[Restriction](),
        "file": file,
        "folder": folder,
        "model": model,
    }
    return type("Command", (Command,), members)


# Command lines: ``kissat {cnf}``, or ``NAME=kissat {cnf}``.


_NO_SOLUTION: Final = ("no solution", "No solution", "unsatisfiable", "UNSATISFIABLE", "unsolvable")
_OF_SHELLS: Final = ("|", ">", ">>", "2>", "&&", "||", ";", "&")
_BARE: Final = re.compile(r"[\w@%+=:,./{}<-]+", re.ASCII)


def _parts_of(text: str) -> tuple[str, list[str]]:
    """The name before a command line, empty without one, and the words of the command.

    Raises:
        UnknownBackendError: a quotation mark is open, or the program or a placeholder is missing.
    """
    match = COMMAND_LINE.fullmatch(text)
    if match is None:
        raise UnknownBackendError(f"no placeholder in {text!r}", expected="PROGRAM {cnf}")
    try:
        words = shlex.split(match[2])
    except ValueError as error:
        raise UnknownBackendError(f"{text}: {error}", expected="a command line") from None
    if not words or "{" in words[0]:
        raise UnknownBackendError(f"no program in {text!r}", expected="PROGRAM {cnf}")
    return match[1] or "", words


def located_line(text: str, base: Path) -> str:
    """A command line with absolute paths of its program and files; `base` is its folder."""
    name, words = _parts_of(text)
    files = (str(base / word) if (base / word).is_file() else word for word in words[1:])
    words = [program_in(base, words), *files]
    command = " ".join(w if _BARE.fullmatch(w) else shlex.quote(w) for w in words)
    return f"{name}={command}" if name else command


def class_of_line(text: str) -> type[Command]:
    """The backend of a command line, named after the program and its version.

    Raises:
        UnknownBackendError: a quotation mark is open, the program is missing, or a word needs a
            shell.
        InputError: a placeholder is unknown, or there are two models.
    """
    name, words = _parts_of(text)
    if shell := next((word for word in words if word in _OF_SHELLS), ""):
        expected = f"sh -c '... {shell} ...', or an option of the program and {OUT}"
        raise UnknownBackendError(f"no shell reads {shell!r} in {text!r}", expected=expected)
    model_in(words, text)  # an unknown placeholder is an error before the program starts
    file = CommandFile(solve=tuple(words), shapes=("*",), none=_NO_SOLUTION)
    return _class_of(file, name or _named(words), Path.cwd())


def named_line(text: str) -> tuple[str, list[str]]:
    """The name of the command line `text`, by default its program and version, and its words.

    Raises:
        UnknownBackendError: a quotation mark is open, or the program or a placeholder is missing.
    """
    name, words = _parts_of(text)
    return name or _named(words), words


def _named(arguments: Sequence[str]) -> str:
    """A name for a command line: its script, or its program with its version; and the encoding."""
    scripts = _scripts_in(arguments)
    parts = [(scripts or [Path(arguments[0])])[0].stem]
    if not scripts and (version := version_named_by(arguments[0])):
        parts.append(version)
    settings = (match[2] or "" for match in _PLACEHOLDER.finditer(" ".join(arguments)))
    values = (setting.partition("=")[2] for text in settings for setting in text.split(","))
    return name_of("-".join((*parts, *filter(None, values))))


def name_of(text: str) -> str:
    """A text as the name of a backend; characters that names may not have become hyphens."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("._+-")[:80] or "command"


def _remove(*files: str | Path) -> None:
    for file in map(Path, files):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        file.unlink(missing_ok=True)


def _holds(output: str, texts: Sequence[str]) -> bool:
    return any(text in output for text in texts)
