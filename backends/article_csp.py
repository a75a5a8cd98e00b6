"""Backtracking with forward checking on strings, as in the article "Судоку как CSP".

    variable     a cell
    domain       the possible values of a variable, as a string: "13A"; "A" is 10, "B" is 11
    peers        the variables that must differ from a variable

Assigning a value removes it from the domains of the peers. If a domain is left empty, the
assignment fails. Forward checking does not follow up on a domain that is left with one value;
that value leaves the peers only when the variable itself is assigned (Haralick and Elliott,
"Increasing tree search efficiency for constraint satisfaction problems", Artificial
Intelligence 14, 1980).

Only the first part of the article survives. It names no order of variables; this program
assigns the variable with the smallest domain, the first of them row by row.
"""

from collections.abc import Iterator

from harness.contract import Options, Restriction, SearchBackend, Stats, require_symbols
from harness.puzzles import VALUES, Grid, Puzzle, Shape, value_of

Domains = dict[int, str]
Board = tuple[Domains, frozenset[int]]
"""The domains, and the variables that are not assigned."""


class ArticleCSP(SearchBackend):
    """The program of the article: AssignFC, EliminateFC and a backtracking search."""

    name = "article-csp"
    paradigm = "backtracking with forward checking"
    named_only = True
    takes = frozenset({Restriction.PENCILMARKS, Restriction.PAIRS})

    def __init__(self, shape: Shape, options: Options) -> None:
        require_symbols(shape, self.name)
        self.shape = shape

    def search(self, puzzle: Puzzle) -> "CSP":
        """A search on the constraint problem of the puzzle."""
        return CSP(puzzle)

    def grid(self, solution: Domains) -> Grid:
        """The grid of domains with one value each."""
        return tuple(value_of(solution[variable]) or 0 for variable in range(len(solution)))


class CSP:
    """Variables, domains and constraints of one puzzle, and the search for its solutions."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.peers = puzzle.shape.peers
        self.givens = {
            variable: VALUES[value - 1] for variable, value in enumerate(puzzle.givens) if value
        }
        self.domains: Domains = {
            variable: "".join(symbol for bit, symbol in enumerate(VALUES) if marks >> bit & 1)
            for variable, marks in enumerate(puzzle.allowed)
        }
        self.nodes = self.guesses = 0

    @property
    def stats(self) -> Stats:
        """The number of assignments by the search, and of choices among several values."""
        return {"nodes": self.nodes, "guesses": self.guesses}

    def solutions(self) -> Iterator[Domains]:
        """Each solution once, depth first."""
        start = self.assign_givens()
        levels = [iter([start] if start else [])]
        while levels:
            board = next(levels[-1], None)
            if board is None:
                levels.pop()
            elif board[1]:
                levels.append(self.successors(*board))
            else:
                yield board[0]

    def successors(self, domains: Domains, variables: frozenset[int]) -> Iterator[Board]:
        """A board for each value of the next variable, without those that have an empty domain."""
        variable = min(variables, key=lambda variable: (len(domains[variable]), variable))
        self.guesses += len(domains[variable]) > 1
        for value in domains[variable]:
            self.nodes += 1
            new_domains = self.assign_fc(domains, variable, value)
            if new_domains:
                yield new_domains, variables - {variable}

    def assign_givens(self) -> Board | None:
        """The domains with all givens assigned; None if a domain is empty."""
        domains: Domains | None = self.domains
        for variable, value in self.givens.items():
            domains = domains and self.assign_fc(domains, variable, value)
        if not domains or not all(domains.values()):
            return None
        return domains, frozenset(domains) - frozenset(self.givens)

    def assign_fc(self, domains: Domains, variable: int, value: str) -> Domains | None:
        """The domains after an assignment (AssignFC); None if one of them is empty."""
        new_domains = domains.copy()
        new_domains[variable] = value
        for peer in self.peers[variable]:
            if value in new_domains[peer] and not self.eliminate_fc(new_domains, peer, value):
                return None
        return new_domains

    def eliminate_fc(self, domains: Domains, variable: int, value: str) -> bool:
        """Remove a value from a domain (EliminateFC); False if the domain is left empty."""
        domains[variable] = domains[variable].replace(value, "")
        return bool(domains[variable])
