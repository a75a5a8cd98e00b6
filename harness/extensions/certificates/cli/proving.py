"""Proofs of numbers of solutions: of puzzles, and of what the answers of a run claim."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.progress import counting
from harness.cli.puzzle_argument import headed
from harness.cli.terminal import notice, show, theme_of, waiting, wrapped
from harness.contract import BackendSpec
from harness.extensions.certificates.certificate import write_certificates
from harness.extensions.certificates.certify import (
    Certification,
    Certifiers,
    RunCertificates,
    certify_solutions,
    default_provers,
)
from harness.extensions.certificates.documents import ProvedRun, RefutedAnswer
from harness.extensions.certificates.proven import Proven
from harness.puzzles import Instance, Puzzle, Shape, SolutionCount, values_of_line
from harness.records import Task, Verdict
from harness.report import Style
from harness.runs import question_of

# Proofs of the numbers of solutions of puzzles.


def prove_puzzles(
    instances: Sequence[Instance],
    file: Path,
    provers: Sequence[BackendSpec],
    limit: int,
    *,
    timeout_s: float,
    memory_mib: int,
    shows: bool,
) -> list[Proven]:
    """What is proven about each puzzle; at the end all certificates are written.

    Args:
        instances: the puzzles.
        file: the file of the certificates.
        provers: the backends that prove, in order of preference; empty for the default ones.
        limit: number of solutions at which a proof stops.
        timeout_s: limit on the wall time of each proof in seconds.
        memory_mib: limit on the memory of a prover in MiB; 0 for no limit.
        shows: whether to print what is proven.

    Raises:
        HarnessError: a backend cannot be used, or the file cannot be written.
    """
    question = question_of(Task.SOLVE, timeout=timeout_s, memory=memory_mib)
    solver = provers[0].label if provers else "native"
    certifiers = Certifiers(timeout_s=timeout_s, memory_mib=memory_mib, notice=notice)
    documents, certificates = [], []
    with lazy.Session(notice=notice) as session, certifiers:

        def certify(puzzle: Puzzle) -> Certification:
            if limit == 1:  # a solution is proof enough, for a shape of any size
                (reply,) = session.ask(puzzle, solver, question)
                if reply.verdict is Verdict.SOLVED and reply.solution:
                    solution = values_of_line(reply.solution)
                    return certify_solutions(puzzle, [solution], reply.backend)
            return certifiers.certify(puzzle, limit, provers or default_provers(limit))

        for instance in headed(instances) if shows else instances:
            with waiting(f"a proof for {instance.name}", timeout_s):
                certification = certify(instance.puzzle)
            proven = certification.proven
            proven.name = instance.name
            if certification.certificate is not None:
                proven.place = str(file)
                certificates.append(certification.certificate)
            if shows:
                _show(proven)
            documents.append(proven)
    if not certificates:
        notice(f"{file}: not written, because nothing is proven")
        return documents
    write_certificates(file, certificates)
    if shows:
        show(wrapped(f"certificate: {file}", 2, first=0))
    return documents


def _show(proven: Proven) -> None:
    """Print what is proven about one puzzle."""
    if not proven.proven:
        show(wrapped(f"not proven: {proven.reason}", 2, first=0))
        return
    line = f"proven: {proven.number}"
    if proven.number.exact:
        line += (
            f"; {proven.prover} wrote a proof of {number_of(proven.steps, 'step')} "
            f"for {number_of(proven.clauses, 'clause')}, and the checker accepts it"
        )
    show(wrapped(line, 2, first=0))


# Proofs of the exact numbers of solutions that the answers of a run claim.


_MOST_SHOWN: Final = 10
"""Maximum number of lines for refuted answers, and of lines for reasons for missing proofs."""


@dataclass(frozen=True, slots=True)
class ExactClaims:
    """The exact numbers of solutions that answers state for one puzzle."""

    puzzle: Puzzle
    name: str
    """The first dataset with the puzzle, and the name of the puzzle in it."""
    numbers: tuple[tuple[str, int], ...]
    """Each backend with each number that it states; 0 for "no solution"."""


def exact_claims(trials: "lazy.DataFrame") -> list[ExactClaims]:
    """The exact claims on each puzzle, in the order in which the puzzles occur.

    Answers that were judged wrong are included: a proof also shows if the expected count of a
    dataset is wrong.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
    """
    wrong = trials["verdict"] == Verdict.WRONG
    states_none = wrong & (trials["task"] == Task.SOLVE) & trials["reason"].str.startswith("claims")
    none = (trials["verdict"] == Verdict.UNSATISFIABLE) | states_none.fillna(False)
    is_count = (trials["verdict"] == Verdict.COUNTED) | (wrong & trials["count"].notna())
    exact = is_count & trials["exact"].fillna(False).astype(bool)
    table = trials[none | exact].assign(number=trials["count"].where(exact, 0))
    claims = []
    for _, rows in table.groupby("puzzle_id", sort=False):
        first: Any = rows.iloc[0]
        answers = zip(rows["backend"], rows["number"], strict=True)
        puzzle = Puzzle.of_line(str(first["puzzle"]), Shape.parse(str(first["shape"])))
        numbers = dict.fromkeys((str(backend), int(number)) for backend, number in answers)
        claims.append(ExactClaims(puzzle, f"{first['dataset']}:{first['name']}", tuple(numbers)))
    return claims


def prove_run(
    run: "lazy.Run", provers: Sequence[BackendSpec], *, timeout_s: float, memory_mib: int
) -> tuple[ProvedRun, KeyboardInterrupt | None]:
    """Prove each exact number of solutions that an answer of `run` claims.

    Args:
        run: the run, whose folder gets the certificates.
        provers: the backends that prove; empty for the default ones.
        timeout_s: limit on the wall time of each proof in seconds.
        memory_mib: limit on the memory of a prover in MiB; 0 for no limit.

    Returns:
        What is proven, and the interruption that ended the work, or None.

    Raises:
        HarnessError: no prover is available, or a certificate cannot be written.
    """
    every = exact_claims(run.trials)
    with Certifiers(timeout_s=timeout_s, memory_mib=memory_mib, notice=notice) as certifiers:
        certificates = RunCertificates(run.folder, certifiers, provers)
        result = ProvedRun(str(certificates.folder), len(every), 0, [], [], False)
        try:
            with counting("certifying", len(every)) as advance:
                for claims in every:
                    numbers = [number for _, number in claims.numbers]
                    proven = certificates.certify(claims.puzzle, numbers).proven
                    advance(None)
                    proven.name = claims.name
                    if not proven.proven:
                        result.unproven.append(proven)
                        continue
                    result.proven += 1
                    result.refuted += [
                        RefutedAnswer(backend, number, proven)
                        for backend, number in claims.numbers
                        if proven.number.excludes(SolutionCount.from_number(number))
                    ]
        except KeyboardInterrupt as interruption:
            result.interrupted = True
            return result, interruption
    return result, None


def show_run(run: ProvedRun) -> None:
    """Print the refuted answers, the reasons for missing proofs, and a line with the totals."""
    if not run.puzzles:
        show("certificates: no answer states an exact number of solutions")
        return
    theme = theme_of()
    for answer in run.refuted[:_MOST_SHOWN]:
        line = (
            f"REFUTED: {answer.backend} on {answer.proven.name} claims "
            f"{SolutionCount.from_number(answer.stated)}, "
            f"but a proof shows {answer.proven.number}"
        )
        show(theme.styled(wrapped(line, 2, first=0), Style.BAD))
    if (more := len(run.refuted) - _MOST_SHOWN) > 0:
        show(theme.styled(f"... and {number_of(more, 'further refuted answer')}", Style.BAD))
    reasons = Counter(puzzle.reason for puzzle in run.unproven)
    for reason, number in reasons.most_common(_MOST_SHOWN):
        show(wrapped(f"not proven: {number_of(number, 'puzzle')}: {reason}", 2, first=0))
    parts = [f"{run.proven:,} of {number_of(run.puzzles, 'puzzle')} proven"]
    parts.append(f"{number_of(len(run.refuted), 'answer')} refuted")
    if run.unproven:
        parts.append(f"{len(run.unproven):,} not proven")
    if missing := run.puzzles - run.proven - len(run.unproven):
        parts.append(f"{missing:,} missing")
    show(wrapped(f"certificates: {', '.join(parts)}; {run.folder}", 2, first=0))
