"""Questions and findings as plain data, for pipes and JSON."""

from dataclasses import fields
from typing import Any

from harness.conformance.clauses import Breach, Case, Clause
from harness.conformance.examination import Finding
from harness.conformance.shapes import shape_named
from harness.puzzles.puzzle import Puzzle

Data = dict[str, Any]


def data_of_case(case: Case) -> Data:
    """The question as plain data."""
    return {
        "title": case.title,
        "shape": case.puzzle.shape.definition,
        "puzzle": case.puzzle.line,
        "task": "solve" if case.limit is None else "count",
        "limit": case.limit,
        "time_limit": case.time_limit,
        "solutions": case.solutions,
        "solutions_are_lower_bound": case.at_least,
    }


def case_from(data: Data) -> Case:
    """The question from the data of `data_of_case`."""
    puzzle = Puzzle.of_line(data["puzzle"], shape_named(data["shape"]))
    return Case(
        *(data["title"], puzzle, data["solutions"], data["limit"]),
        time_limit=data["time_limit"],
        at_least=data["solutions_are_lower_bound"],
    )


def data_of_finding(finding: Finding) -> Data:
    """The finding as plain data."""
    data = {field.name: getattr(finding, field.name) for field in fields(finding)}
    return data | {"breaches": [_data_of_breach(breach) for breach in finding.breaches]}


def finding_from(data: Data) -> Finding:
    """The finding from the data of `data_of_finding`."""
    breaches = tuple(_breach_from(breach) for breach in data["breaches"])
    return Finding(**(data | {"breaches": breaches}))


def _data_of_breach(breach: Breach) -> Data:
    return {
        "clause": breach.clause.id,
        "requirement": breach.clause.value,
        "what": breach.what,
        "part": breach.part,
        "question": data_of_case(breach.case) if breach.case else None,
    }


def _breach_from(data: Data) -> Breach:
    question = data["question"]
    case = case_from(question) if question else None
    return Breach(Clause[data["clause"].upper()], data["what"], data["part"], case)
