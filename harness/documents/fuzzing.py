"""Comparisons on random puzzles."""

from typing import Annotated

from harness.documents.document import Document, says


class CallData(Document):
    """A call to a backend."""

    task: Annotated[str, says("`solve` or `count`.")]
    limit: Annotated[int | None, says("Number of solutions at which `count` stops.")]
    start: Annotated[str, says("`cold`, `warm` or `batch`.")]
    shape: Annotated[str, says("Definition of the shape.")]
    puzzles: Annotated[list[str], says("The puzzle as a line; the rows of a batch.")]


class UnansweredData(CallData):
    """A call that ended at a limit."""

    backend: Annotated[str, says("Spec of the configuration.")]


class FuzzedBackend(Document):
    """The trials of one backend in a stream of random puzzles."""

    trials: Annotated[int, says("Finished trials, with all options.")]
    verdicts: Annotated[dict[str, int], says("Number of trials of each verdict.")]
    configurations: Annotated[list[str], says("The specs that ran, with varied options.")]
    unanswered: Annotated[
        dict[str, UnansweredData],
        says("The first `timeout` and the first `out_of_memory` on the smallest shape."),
    ]


class FaultData(Document):
    """A fault with the smallest case that shows it."""

    backend: Annotated[str, says("Spec of the configuration.")]
    fault: Annotated[
        str,
        says(
            "`wrong answer`, `contradiction`, `broken law`, `crash`, `exact at the limit` or "
            "`gave up`."
        ),
    ]
    law: Annotated[str | None, says("The broken law, if the fault was found by one.")]
    answer: Annotated[str, says("The answer to the last call.")]
    solutions: Annotated[str, says("The number of solutions of the last puzzle.")]
    evidence: Annotated[str, says("The evidence for that number.")]
    undecided: Annotated[bool, says("Whether no evidence shows which backend is wrong.")]
    calls: Annotated[list[CallData], says("The calls in their order.")]
    hash_seed: Annotated[int, says("The value of PYTHONHASHSEED in its process.")]
    wrong: Annotated[int, says("Wrong answers among the repetitions of the last call.")]
    repetitions: Annotated[int, says("1 for a fault that always shows.")]
    needed_houses: Annotated[
        list[str] | None,
        says("The houses that the fault needs; null for all, empty for no certain one."),
    ]
    repeated: Annotated[bool, says("Whether the fault was repeated; false after Ctrl-C.")]
    shrunk: Annotated[bool, says("Whether every smaller case was tried.")]
    after_trials: Annotated[int, says("Finished trials when the fault was found.")]
    after_s: Annotated[float, says("Seconds until the fault was found.")]
    file: Annotated[str | None, says("The saved case; null if it could not be written.")]
    failure: Annotated[str, says("Why it could not be written; empty if it was.")]
    command: Annotated[str | None, says("The command that repeats the case.")]


class Fuzzed(Document):
    """The comparison of backends on random puzzles."""

    backends: Annotated[dict[str, FuzzedBackend], says("The backends that were compared.")]
    unavailable: Annotated[dict[str, str], says("Backends left out, with the reason.")]
    trials: Annotated[int, says("Finished trials.")]
    puzzles: Annotated[int, says("Puzzles of the stream.")]
    laws: Annotated[int, says("Laws between puzzles that were checked.")]
    seconds: Annotated[float, says("Seconds of the stream, without those for shrinking.")]
    faults: Annotated[list[FaultData], says("The faults, in the order in which they were found.")]
    stopped: Annotated[list[str], says("Backends without further trials because of faults.")]
    without_answer: Annotated[list[str], says("Backends without a single right answer.")]
    interrupted: Annotated[bool, says("Whether Ctrl-C ended the stream.")]


class ReplayData(Document):
    """The replay of a saved case."""

    file: Annotated[str, says("The saved case.")]
    backend: Annotated[str, says("Spec of the configuration.")]
    result: Annotated[
        str, says("`still wrong`, `right`, `undecided`, `no answer` or `not available`.")
    ]
    answer: Annotated[str, says("The answer to the last call, or why there is none.")]
    wrong: Annotated[int, says("Wrong answers among the repetitions.")]
    repetitions: Annotated[int, says("Repetitions of the last call; 0 without an answer.")]


class Replays(Document):
    """Replays of saved cases."""

    replays: Annotated[list[ReplayData], says("The replays in their order.")]
    right: Annotated[bool, says("Whether all answers are right.")]
