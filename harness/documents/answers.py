"""Answers to one puzzle, and certificates of them."""

from typing import Annotated

from harness.documents.document import Document, says


class ReplyData(Document):
    """The answer of one backend."""

    backend: Annotated[str, says("Label of the configuration.")]
    verdict: Annotated[str, says("Verdict on the answer.")]
    solution: Annotated[str | None, says("Solution as a line; for a count, one of them.")]
    count: Annotated[int | None, says("Number of solutions that were counted.")]
    exact: Annotated[bool | None, says("Whether `count` is the number of all solutions.")]
    wall_s: Annotated[float | None, says("Wall time of the call in seconds.")]
    cpu_s: Annotated[float | None, says("CPU time of the call in seconds.")]
    phases: Annotated[dict[str, float | None], says("Seconds of each phase that is known.")]
    stats: Annotated[dict[str, int | float | None], says("Statistics of the solver.")]
    reason: Annotated[str, says("Why the answer is wrong or missing; empty for a right one.")]


class CertificationData(Document):
    """The attempt to prove the number of solutions, with `--certify`."""

    file: Annotated[str, says("The file of certificates.")]
    claim: Annotated[
        str | None, says("What is proven: `exactly 1`, `at least 7`; null if nothing is.")
    ]
    prover: Annotated[str, says("The backend that wrote the proof; empty without a proof.")]
    steps: Annotated[int, says("Steps of the proof.")]
    clauses: Annotated[int, says("Clauses of the formula that the proof refutes.")]
    failure: Annotated[str, says("Why nothing is proven; empty if something is.")]
    refuted: Annotated[
        dict[str, str], says("For each backend whose answer the proof refutes, how it does.")
    ]


class Solved(Document):
    """The answers to one puzzle; for a range of puzzles a list of such objects."""

    name: Annotated[str, says("Name of the puzzle in its file; otherwise its id.")]
    puzzle: Annotated[str, says("Givens as a line, `.` for a blank.")]
    puzzle_id: Annotated[str, says("Digest of houses and givens.")]
    shape: Annotated[str, says("Name of the shape.")]
    task: Annotated[str, says("`solve` or `count`.")]
    limit: Annotated[int | None, says("Number of solutions at which `count` stops.")]
    results: Annotated[list[ReplyData], says("The answer of each backend.")]
    certification: Annotated[
        CertificationData | None, says("What is proven; null without `--certify`.")
    ]


class CertificateData(Document):
    """A certificate, and whether its claim is proven."""

    place: Annotated[str, says("File and line of the certificate.")]
    puzzle: Annotated[str, says("The puzzle as a line.")]
    shape: Annotated[str, says("Name of the shape.")]
    claim: Annotated[str, says("The claim: `exactly 1`, `at least 7`.")]
    prover: Annotated[str, says("What made the proof, as the file states; empty if unknown.")]
    proven: Annotated[bool, says("Whether the claim is proven.")]
    refuted: Annotated[bool, says("Whether the listed solutions show that the claim is false.")]
    reason: Annotated[str, says("Why the claim is not proven; empty if it is.")]
    solutions: Annotated[int, says("Solutions in the certificate.")]
    clauses: Annotated[int, says("Clauses of the formula; 0 if no proof was checked.")]
    steps: Annotated[int, says("Steps of the proof.")]
    checker: Annotated[
        bool | None, says("Whether the checker of the harness accepts the proof; null unchecked.")
    ]
    second_opinion: Annotated[
        bool | None, says("Whether dratify accepts the proof; null if it was not consulted.")
    ]
    trusted: Annotated[list[str], says("What must be trusted to trust the result.")]


class Verified(Document):
    """The claims of files of certificates."""

    proven: Annotated[bool, says("Whether every claim is proven.")]
    claims: Annotated[list[CertificateData], says("The certificates, in their order.")]
