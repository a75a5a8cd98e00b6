"""The questions of the pages: every chosen configuration at once, each on a core of its own.

Answers are compared by what they claim about the number of solutions; see
`harness.records.question.claim_of`. Different checked solutions claim at least their number.

A configuration keeps its process, so a second question takes only as long as its search. Where
there are more configurations than cores, those on one core run one after the other, so that they
do not disturb each other's times.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Final, Literal, NamedTuple

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.base.errors import HarnessError, InputError
from harness.base.text import last_line
from harness.engine.system import confine
from harness.extensions.workbench.answering import Put, at_end
from harness.extensions.workbench.boards import PuzzleData
from harness.extensions.workbench.cores import Measured, default_memory_mib, free_cores
from harness.extensions.workbench.messages import Hub, body_of, labels_in, reply, sentence
from harness.extensions.workbench.processes import Answering
from harness.extensions.workbench.register import PageWork, Register
from harness.puzzles import SolutionCount
from harness.records import MOST_MEMORY_MIB, Task, Verdict, claim_of
from harness.report import CheckedAnswer, plain
from harness.runs import question_of
from harness.session import Session

# A question, and its answer by one configuration, in a process that stays for the next question.


MOST_AT_ONCE: Final = 40
"""Maximum number of configurations of a question."""


class NewQuestion(Struct, forbid_unknown_fields=True):
    """A question of a page."""

    puzzle: PuzzleData
    configurations: Annotated[list[str], Meta(min_length=1, max_length=MOST_AT_ONCE)]
    task: Literal["solve", "count"] = "solve"
    limit: Annotated[int, Meta(ge=1, le=10**12)] = 1000
    timeout_s: Annotated[float, Meta(gt=0, le=86_400)] = 60.0
    page: Annotated[str, Meta(max_length=64)] = ""
    """The name of the page; a further question of the page ends this one."""
    memory: Annotated[int, Meta(ge=1, le=MOST_MEMORY_MIB)] | None = None
    """The limit in MiB for each configuration; by default that of `default_memory_mib`."""

    @property
    def memory_mib(self) -> int:
        """The memory limit in MiB for each configuration."""
        return self.memory or default_memory_mib()


class ConfigurationQuestion(Struct, frozen=True):
    """A question to one of its configurations."""

    question: NewQuestion
    spec: str
    """The configuration."""
    core: int | None
    """The core for its worker; None for any."""


def answer(query: ConfigurationQuestion, put: Put) -> None:
    """Put a question to the backend of its configuration.

    Raises:
        HarnessError: the backend cannot be used.
    """
    if query.core is not None:
        confine([query.core])
    new = query.question
    question = question_of(
        Task(new.task),
        max_solutions=new.limit,
        timeout=new.timeout_s,
        memory=new.memory_mib,
    )
    (record,) = session().ask(new.puzzle.puzzle(), [query.spec], question)
    put(plain(record))


@cache
def session() -> Session:
    """The session of this process, whose workers end with it."""
    return at_end().enter_context(Session())


# Which answers to one question contradict each other, with the evidence.


class Contradictions(Struct, frozen=True):
    """The contradictions among the answers to a question."""

    claims: list[tuple[str, list[str]]] = []
    """The claims that exclude another one, in words, and the configurations with each."""
    standing_out: list[str] = []
    """Configurations with a wrong answer, or a contradicted claim without the most supporters."""
    wrong: list[tuple[str, str]] = []
    """Configurations whose answer did not pass the check, with the reason."""
    witnesses: list[str] = []
    """Solutions that passed the check, as lines, if anything contradicts."""


def contradictions(answers: Mapping[str, CheckedAnswer]) -> Contradictions:
    """Compare the answers to one question, by configuration."""
    wrong = [
        (name, last_line(answer.reason) or "the answer did not pass the check")
        for name, answer in answers.items()
        if answer.verdict == Verdict.WRONG
    ]
    checked = (Verdict.SOLVED, Verdict.COUNTED, Verdict.UNKNOWN)
    lines = (answer.solution for answer in answers.values() if answer.verdict in checked)
    solutions = [*dict.fromkeys(line for line in lines if line is not None)]
    groups: dict[SolutionCount, list[str]] = {}
    for configuration, answer in answers.items():
        claim = claim_of(answer.verdict, answer.count, answer.exact)
        if claim is not None:
            groups.setdefault(claim, []).append(configuration)
    if len(solutions) > 1:
        groups.setdefault(SolutionCount(len(solutions)), [])
    refutations = {
        claim: names
        for claim, names in groups.items()
        if any(claim.excludes(other) for other in groups)
    }
    numbers = [len(names) for names in refutations.values()]
    most = max(numbers, default=0)
    is_tie = numbers.count(most) > 1
    few = [name for names in refutations.values() if is_tie or len(names) < most for name in names]
    return Contradictions(
        claims=[(str(claim), names) for claim, names in refutations.items()],
        standing_out=[*(name for name, _ in wrong), *few],
        wrong=wrong,
        witnesses=solutions if refutations or wrong else [],
    )


# The questions of the pages: every chosen configuration at once, each on a core of its own.


_TOPIC: Final = "question"
_MOST_QUESTIONS: Final = 200
"""Maximum number of open questions, and of ended ones whose answers a page can get again."""
_MOST_ASKERS: Final = 12
"""Maximum number of processes that are kept between questions."""


class AnswerState(Struct):
    """The state of a configuration's answer to a question."""

    question: str
    configuration: str
    state: Literal["waiting", "running", "answered", "cancelled", "failed"]
    answer: CheckedAnswer | None = None
    error: str = ""


class _Question(PageWork):
    def __init__(self, configurations: Iterable[str], page: str) -> None:
        super().__init__(page=page)
        self.answers = {
            configuration: AnswerState(self.name, configuration, "waiting")
            for configuration in configurations
        }

    @property
    def contradictions(self) -> Contradictions:
        """The contradictions among the answers so far."""
        return contradictions(
            {configuration: a.answer for configuration, a in self.answers.items() if a.answer}
        )


class _Asker(NamedTuple):
    """The process of a configuration."""

    core: int | None
    """The core of its worker; None for any."""
    process: Answering


class Questions:
    """The questions of all pages.

    Args:
        hub: gets the answers as they come.
        measured_cores: returns the cores on which a sweep measures now.
        allows_files: whether a configuration may be a file.
    """

    def __init__(self, hub: Hub, measured_cores: Measured, *, allows_files: bool = False) -> None:
        self._hub = hub
        self._measured = measured_cores
        self._allows_files = allows_files
        self._register = Register[_Question]("question", _MOST_QUESTIONS)
        self._askers: dict[str, _Asker] = {}
        self._locks: dict[int | None, asyncio.Lock] = {}

    async def prepare(self, configuration: str) -> None:
        """Start the process of a configuration, so that its first answer comes at once.

        Nothing happens while a sweep measures on every core.
        """
        blank = PuzzleData("4x4", [0] * 16)
        with suppress(InputError):
            question = self.ask(NewQuestion(blank, [configuration]))
            await asyncio.gather(*question.tasks)
            self._register.drop(question)

    def ask(self, new: NewQuestion) -> _Question:
        """Put a question to its configurations.

        An earlier question of the same page ends.

        Raises:
            InputError: the puzzle or a configuration is malformed, or a sweep measures on all
                cores.
        """
        labels = labels_in(new.configurations, MOST_AT_ONCE, allows_files=self._allows_files)
        new.puzzle.puzzle()
        free_cores(self._measured)
        for earlier in self._register:
            if new.page and earlier.page == new.page:
                earlier.cancel()
        for oldest in self._register.open[: -_MOST_QUESTIONS + 1]:
            oldest.cancel()
        question = _Question(labels, new.page)
        works = (self._answer(question, new, label) for label in question.answers)
        self._register.add(question, *works)
        return question

    async def leave(self, cores: Sequence[int]) -> None:
        """End the questions on these cores, on which a sweep is about to measure.

        Later questions use other cores.
        """
        ending = {
            spec: asker
            for spec, asker in self._askers.items()
            if asker.core is None or asker.core in cores
        }
        tasks: list[asyncio.Task[None]] = []
        for question in self._register:
            for state, task in zip(question.answers.values(), question.tasks, strict=True):
                if state.configuration in ending and state.state in ("waiting", "running"):
                    state.error = "a sweep began to measure on the core of this question"
                    task.cancel()
                    tasks.append(task)
        await asyncio.gather(*tasks, return_exceptions=True)
        for spec, asker in ending.items():
            if self._askers.get(spec) is asker:
                del self._askers[spec]
            await asker.process.close()

    async def close(self) -> None:
        """End all questions and all processes."""
        await self._register.close()
        await asyncio.gather(*(asker.process.close() for asker in self._askers.values()))

    async def _answer(self, question: _Question, new: NewQuestion, spec: str) -> None:
        """Get the answer of one configuration, and publish each change of its state."""
        state = question.answers[spec]
        self._hub.publish(_TOPIC, state)
        try:
            asker = await self._asker(spec)
            async with self._locks.setdefault(asker.core, asyncio.Lock()):
                state.state = "running"
                self._hub.publish(_TOPIC, state)
                query = ConfigurationQuestion(new, spec, asker.core)
                state.answer = await asker.process.answer(query, CheckedAnswer)
            state.state = "answered"
        except asyncio.CancelledError:
            state.state = "cancelled"
        except HarnessError as error:
            state.state, state.error = "failed", sentence(error)
        self._hub.publish(_TOPIC, state)
        contradictory = question.contradictions
        if contradictory.claims or contradictory.wrong:
            data = {"question": state.question, "found": contradictory}
            self._hub.publish("contradiction", data)
        await self._end_idle()

    async def _asker(self, spec: str) -> _Asker:
        """The process of a configuration, on a core on which no sweep measures."""
        free = free_cores(self._measured)
        asker = self._askers.pop(spec, None)
        if asker is not None and asker.core is not None and asker.core not in free:
            await asker.process.close()
            asker = None
        if asker is None:
            cores = [asker.core for asker in self._askers.values()]
            core = min(free, key=lambda number: (cores.count(number), number)) if free else None
            function = "harness.extensions.workbench.questions:answer"
            failure = "the process for questions ended without an answer"
            asker = _Asker(core, Answering(function, failure))
        self._askers[spec] = asker  # the most recently used is last
        return asker

    async def _end_idle(self) -> None:
        """End unused processes, the least recently used first, until `_MOST_ASKERS` are left."""
        used = {
            spec
            for question in self._register
            for spec, state in question.answers.items()
            if state.state in ("waiting", "running")
        }
        idle = [spec for spec in self._askers if spec not in used]
        while len(self._askers) > _MOST_ASKERS and idle:
            await self._askers.pop(idle.pop(0)).process.close()

    def routes(self) -> list[Route]:
        """The routes of questions."""

        async def ask(request: Request) -> Response:
            new = await body_of(request, NewQuestion)
            question = self.ask(new)
            answers = [*question.answers.values()]
            data = {"question": question.name, "answers": answers, "memory": new.memory_mib}
            return reply(data)

        async def state(request: Request) -> Response:
            question = self._register.named(request.path_params["name"])
            answers = [*question.answers.values()]
            return reply({"answers": answers, "found": question.contradictions})

        return [
            Route("/api/questions", ask, methods=["POST"]),
            Route("/api/questions/{name}", state),
            self._register.cancel_route("/api/questions"),
        ]
