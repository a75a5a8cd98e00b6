"""The article "Судоку как CSP" (seed 004): items C4."""

from backends.article_csp import CSP, ArticleCSP
from harness.contract import Options
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.article_puzzles import NEAR, P0, P0_SOLUTION, solution_of
from tests.backends.oracle import backend_of


def csp(line: str, shape: str | None = None) -> CSP:
    return CSP(parse_puzzle(line, Shape.parse(shape) if shape else None))


def test_c4_1_values_above_9_are_letters() -> None:
    problem = CSP(Puzzle(Shape.parse("16x16"), (10, 11, 16, *(0,) * 253)))
    assert [problem.domains[variable] for variable in range(3)] == ["A", "B", "G"]
    assert problem.domains[3] == "123456789ABCDEFG"


def test_c4_2_variables_domains_and_constraints() -> None:
    """27 units of 9 cells give each variable 20 peers."""
    problem = csp(P0)
    assert list(problem.domains) == list(range(81))
    assert {len(peers) for peers in problem.peers} == {20}
    assert len(Shape.parse("9x9").houses) == 27
    assert {len(house.cells) for house in Shape.parse("9x9").houses} == {9}


def test_c4_3_a_domain_of_length_1_is_solved() -> None:
    solution = next(csp(P0).solutions())
    assert {len(domain) for domain in solution.values()} == {1}
    assert "".join(solution[variable] for variable in range(81)) == P0_SOLUTION
    backend = ArticleCSP(Shape.parse("9x9"), Options())
    assert backend.grid(solution) == tuple(map(int, P0_SOLUTION))


def test_c4_4_assignment_removes_the_value_from_the_peers_alone() -> None:
    problem = csp("." * 81)
    domains = problem.assign_fc(problem.domains, 40, "7")
    assert domains is not None
    without = {variable for variable, domain in domains.items() if "7" not in domain}
    assert without == set(problem.peers[40])
    assert domains[40] == "7"
    assert problem.domains[40] == "123456789"  # the domains before are kept


def test_c4_4_an_empty_domain_fails() -> None:
    problem = csp("." * 81)
    domains = problem.domains | {1: "7"}
    assert problem.assign_fc(domains, 0, "7") is None
    assert problem.assign_fc(domains, 0, "6") is not None
    assert not problem.eliminate_fc({1: "7"}, 1, "7")
    assert problem.eliminate_fc({1: "78"}, 1, "7")
    assert csp("77" + "." * 79).assign_givens() is None


def test_c4_6_backtracking_solves_and_refutes() -> None:
    assert solution_of("article-csp", P0) == P0_SOLUTION
    assert solution_of("article-csp", "12345678." + "........9" + "." * 63) is None
    answer = backend_of("article-csp").solve(parse_puzzle(NEAR))
    assert answer.stats == {"nodes": 7395, "guesses": 488}


def test_c4_6_the_smallest_domain_is_assigned_first() -> None:
    problem = csp("." * 81)
    domains = problem.domains | {50: "23", 60: "23"}
    boards = list(problem.successors(domains, frozenset(range(81))))
    assert [(board[50], len(board[60])) for board, _ in boards][:2] == [("2", 2), ("3", 2)]
    assert all(variables == frozenset(range(81)) - {50} for _, variables in boards)
