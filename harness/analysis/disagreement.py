"""Disagreements: puzzles on which claims contradict each other, or an answer is wrong."""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.claims import Source, in_words
from harness.records.labels import spec_of
from harness.records.question import Start
from harness.records.reproduction import solve_command
from harness.records.verdict import Verdict

Row = Mapping[Hashable, Any]
"""A claim of `harness.analysis.claims.claims_of` with the fields of its trial."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What backends claim in answer to one question, or what else is known of a puzzle."""

    source: Source
    text: str
    """``no solution``, ``exactly 3 solutions``, ``at least 1 solution`` or ``wrong: reason``."""
    backends: tuple[str, ...]
    """The labels of the backends, sorted; empty if the source is not an answer."""
    dataset: str
    """The dataset of the claim; empty for different solutions."""
    name: str
    """The name of the puzzle in the dataset."""
    task: str
    """`Task` as text; empty if the source is not an answer."""
    limit: int | None
    """Number of solutions at which ``count`` stops; None for ``solve``."""
    start: str
    """`Start` as text; empty if the source is not an answer."""
    least: int | None
    """The least number of solutions that the claim allows; None for a wrong answer."""
    most: int | None
    """The greatest number; None for a wrong answer, or without an upper end."""
    contradicted: bool
    """Whether the answer is wrong, or another claim on the puzzle excludes this one."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A puzzle with contradictory claims, or with a wrong answer."""

    dataset: str
    """The first dataset that has the puzzle, by name."""
    name: str
    """The name of the puzzle in it."""
    scramble: str
    """The seed of the scramble that made the puzzle of the dataset this one; empty for none."""
    puzzle_id: str
    puzzle: str
    original: str
    """The puzzle of the dataset as a line, if `puzzle` is a scramble of it; empty otherwise."""
    shape: str
    contradiction: str
    """The two ends that exclude each other, as in ``at least 2 solutions against no solution``;
    empty if an answer is wrong and the other claims agree."""
    claims: tuple[Claim, ...]
    """All claims on the puzzle, contradicted ones first."""
    commands: tuple[str, ...]
    """Shell commands that repeat the questions with a contradicted claim, each on all backends
    that answered it. A contradiction between two questions shows in the answers to both."""


def disagreements(trials: pd.DataFrame, claims: pd.DataFrame) -> tuple[Disagreement, ...]:
    """The puzzles with contradicted claims or wrong answers, the smallest first.

    Among puzzles of equal size those with the most givens are first. The order of `trials`
    changes nothing.

    Args:
        trials: the columns of `harness.records.fields.DTYPES`.
        claims: their claims, from `harness.analysis.claims.claims_of`.
    """
    wrong = np.flatnonzero(trials["verdict"] == Verdict.WRONG)
    wrong_claims = pd.DataFrame({"row": wrong, "source": Source.ANSWER, "contradicted": True})
    disputed = {*claims.loc[claims["contradicted"], "puzzle_id"]}
    disputed |= {*trials["puzzle_id"].to_numpy(dtype=object)[wrong]}
    rows = pd.concat([claims[claims["puzzle_id"].isin(disputed)], wrong_claims])
    rows = rows.drop(columns="puzzle_id").reset_index(drop=True)
    of_trials = trials.iloc[rows["row"].astype("int64")].reset_index(drop=True)
    of_trials["reason"] = of_trials["reason"].fillna("")
    by_puzzle: dict[str, list[Row]] = {}
    for row in pd.concat([rows, of_trials], axis=1).to_dict("records"):
        by_puzzle.setdefault(str(row["puzzle_id"]), []).append(row)
    found = map(_disagreement, by_puzzle.values())
    return tuple(
        sorted(found, key=lambda d: (len(d.puzzle), d.puzzle.count("."), d.name, d.puzzle_id))
    )


def alike(disagreements: Iterable[Disagreement]) -> list[list[Disagreement]]:
    """Groups of disagreements in which the same backends make the same kinds of claims.

    Numbers in a claim do not count: ``exactly 3 solutions`` and ``exactly 5 solutions`` are of
    one kind. The groups and their disagreements are in the order of `disagreements`.
    """
    groups: dict[Hashable, list[Disagreement]] = {}
    for disagreement in disagreements:
        kinds = {
            (c.task, c.start, c.backends, without_numbers(c.text)) for c in disagreement.claims
        }
        groups.setdefault(frozenset(kinds), []).append(disagreement)
    return list(groups.values())


def without_numbers(text: str) -> str:
    """`text` without its numbers: ``3 solutions`` and ``1 solution`` become equal."""
    return re.sub(r"\bsolutions\b", "solution", re.sub(r"0x[0-9a-fA-F]+|\d+", "0", text))


def _disagreement(rows: list[Row]) -> Disagreement:
    """The disagreement of all claims on one puzzle, each with the fields of its trial."""
    pairs = [(row, _claim(row)) for row in rows]
    backends: dict[Claim, set[str]] = {}
    for row, claim in pairs:
        names = backends.setdefault(claim, set())
        if claim.source is Source.ANSWER:
            names.add(str(row["backend"]))
    merged = (replace(claim, backends=tuple(sorted(b))) for claim, b in backends.items())
    claims = tuple(sorted(merged, key=_order))
    first = min(rows, key=lambda row: (str(row["dataset"]), str(row["name"])))
    return Disagreement(
        **{name: str(first[name]) for name in ("dataset", "name", "puzzle_id", "puzzle", "shape")},
        scramble=_text(first["scramble"]),
        original=_text(first["original"]),
        contradiction=_contradiction(claims),
        claims=claims,
        commands=_commands(pairs),
    )


def _claim(row: Row) -> Claim:
    """The claim of a row, without its backends."""
    source = Source(row["source"])
    is_answer = source is Source.ANSWER
    least, most = _integer(row["least"]), _integer(row["most"])
    text = f"wrong: {row['reason']}" if least is None else in_words(least, most)
    of_puzzle = source is Source.SOLUTIONS
    return Claim(
        source=source,
        text=text,
        backends=(),
        dataset="" if of_puzzle else str(row["dataset"]),
        name="" if of_puzzle else str(row["name"]),
        task=str(row["task"]) if is_answer else "",
        limit=_integer(row["limit"]) if is_answer else None,
        start=str(row["start"]) if is_answer else "",
        least=least,
        most=most,
        contradicted=bool(row["contradicted"]),
    )


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


def _integer(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _order(claim: Claim) -> tuple[Any, ...]:
    """The place of a claim: contradicted ones first, then from none to many solutions."""
    least = -1 if claim.least is None else claim.least
    question = (claim.task, claim.limit or 0, claim.start, claim.dataset, claim.name)
    return (
        *(not claim.contradicted, least, claim.most is None, claim.most or 0),
        *(claim.source, *question, claim.text, claim.backends),
    )


def _contradiction(claims: Iterable[Claim]) -> str:
    """The greatest lower end against the least upper end, if they exclude each other."""
    least = max((c.least for c in claims if c.least is not None), default=0)
    most = min((c.most for c in claims if c.most is not None), default=least)
    if least <= most:
        return ""
    lower = next(c for c in claims if c.least == least)
    upper = next(c for c in claims if c.most == most)
    return f"{lower.text} against {upper.text}"


def _commands(pairs: list[tuple[Row, Claim]]) -> tuple[str, ...]:
    """The commands that repeat the questions with a contradicted claim."""
    differ = any(c.contradicted for _, c in pairs if c.source is Source.SOLUTIONS)
    specs: dict[tuple[str, int, str], dict[str, str]] = {}
    repeated = set()
    for row, claim in pairs:
        if row["source"] == Source.ANSWER:
            question = (claim.task, claim.limit or 0, claim.start)
            label = str(row["backend"])
            specs.setdefault(question, {})[label] = spec_of(label, row["spec"])
            if claim.contradicted or (differ and not pd.isna(row["solution"])):
                repeated.add(question)
    puzzle, shape = (str(pairs[0][0][name]) for name in ("puzzle", "shape"))
    return tuple(
        solve_command(
            *(task, puzzle, shape),
            dict.fromkeys(spec for _, spec in sorted(specs[task, limit, start].items())),
            start=None if start == Start.COLD else start,
            limit=limit or None,
        )
        for task, limit, start in sorted(repeated)
    )
