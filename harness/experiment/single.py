"""Single questions: their defaults, and the checks they share with a sweep."""

from typing import Final, cast

from harness.experiment.option import options_of, parse_choice
from harness.experiment.sweep import Sweep
from harness.records.question import Question, Start, Task

SINGLE_LIMIT: Final = 1000
"""Number of solutions at which the count of a single puzzle stops."""
SINGLE_TIMEOUT_S: Final = 300.0
"""Wall time limit of a single question in seconds."""


def question_of(
    task: Task,
    *,
    limit: int = SINGLE_LIMIT,
    start: str = Start.COLD,
    timeout: float = SINGLE_TIMEOUT_S,
    cpu: float = Sweep.cpu,
    memory: int = Sweep.memory,
) -> Question:
    """Make a question from options with the names, units and limits of a sweep's.

    Raises:
        OptionError: an option has a wrong type or is out of range; `where` is its name.
    """
    options = options_of(Sweep)
    values = {"limit": limit, "timeout": timeout, "cpu": cpu, "memory": memory}
    checked = {name: options[name].checked(value) for name, value in values.items()}
    chosen = parse_choice(Start, start, "start")
    return Question.of(
        task,
        cast("int", checked["limit"]),
        chosen,
        cast("float", checked["timeout"]),
        cast("float", checked["cpu"]),
        cast("int", checked["memory"]),
    )
