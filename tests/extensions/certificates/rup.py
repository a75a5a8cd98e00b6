"""A checker of proofs from the definition: short, slow, and without code of the harness."""

from collections.abc import Iterable, Sequence

Clause = frozenset[int]
Step = tuple[bool, Sequence[int]]
"""Whether it is a deletion, and its literals."""


def closure(literals: Iterable[int], clauses: Iterable[Clause]) -> set[int] | None:
    """All that follows from `literals` by unit propagation; None after a conflict."""
    true_literals, before = set(literals), -1
    if any(-literal in true_literals for literal in true_literals):
        return None
    remaining = list(clauses)
    while len(true_literals) != before:
        before, clauses_before, remaining = len(true_literals), remaining, []
        for clause in clauses_before:
            if not clause.isdisjoint(true_literals):
                continue
            free = [literal for literal in clause if -literal not in true_literals]
            if not free:
                return None
            if len(free) == 1:
                true_literals.add(free[0])
            else:
                remaining.append(clause)
    return true_literals


def is_proof(clauses: Iterable[Sequence[int]], steps: Iterable[Step]) -> bool:
    """Whether `steps` show by RUP alone that `clauses` have no model.

    What has followed from the clauses alone stays when a clause is deleted.
    """
    live = [frozenset(clause) for clause in clauses]
    root = closure((), live)
    if root is None:
        return True
    for is_deletion, literals in steps:
        clause = frozenset(literals)
        if is_deletion:
            if len(clause) > 1 and clause in live:
                live.remove(clause)
            continue
        if root is not None:
            opposite = {-literal for literal in clause}
            if not opposite & clause and closure(root | opposite, live) is not None:
                return False
        if not clause:
            return True
        live.append(clause)
        if root is not None:
            root = closure(root, live)
    return False


def has_model(clauses: Iterable[Sequence[int]], variables: int) -> bool:
    """Whether some assignment satisfies all `clauses`, by trying all."""
    every = [list(clause) for clause in clauses]
    return any(
        all(
            any((bits >> abs(literal) - 1 & 1) == (literal > 0) for literal in clause)
            for clause in every
        )
        for bits in range(1 << variables)
    )
