"""Mutants of the harness: a file with one change, spliced into its text."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutation.operators import Change, Mutator, with_operator

NO_RESULT = frozenset({"copy", "observed", "slots", "strict"})
"""Arguments that change the speed, the memory or a check, and no result."""
FURTHER_SWAPS: dict[type[ast.AST], type[Any]] = {
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}


class Mutant(NamedTuple):
    """A changed file."""

    path: str
    """Of the file, relative to the project."""
    name: str
    """Such as ``harness/puzzles/shape.py Shape.houses: 2 for 1``; unique."""
    lines: range
    """The lines of the original that are changed."""
    number: int
    """Of the change in its file."""

    def text(self, source: str) -> str:
        """The file with this change; everything else is as it was, comments too."""
        mutator = _Changes(self.number)
        mutator.visit(ast.parse(source))
        assert mutator.replacement is not None
        at, _ = mutator.found[self.number]
        text = ast.unparse(ast.fix_missing_locations(mutator.replacement))
        if isinstance(mutator.replacement, ast.expr):
            text = f"({text})"
        lines = source.splitlines(keepends=True)
        first = lines[at.lineno - 1].encode()[: at.col_offset].decode()
        last = lines[at.end_lineno - 1].encode()[at.end_col_offset :].decode()
        return "".join([*lines[: at.lineno - 1], first, text, last, *lines[at.end_lineno :]])


def mutants(project: Path, area: str) -> Iterator[Mutant]:
    """All mutants of a file or of the files of a folder, relative to the project."""
    where = project / area
    for file in [where] if where.is_file() else sorted(where.rglob("*.py")):
        path = file.relative_to(project).as_posix()
        counter = _Changes()
        counter.visit(ast.parse(file.read_text()))
        numbers: dict[str, int] = {}
        for number, (node, change) in enumerate(counter.found):
            name = f"{path} {counter.scopes[number]}: {change}"
            numbers[name] = numbers.get(name, 0) + 1
            yield Mutant(
                path,
                name if numbers[name] == 1 else f"{name} ({numbers[name]})",
                range(node.lineno, node.end_lineno + 1),
                number,
            )


class _Changes(Mutator):
    """The operators for the harness: those for backends, and a few more.

    Further operators: a float plus one, another arithmetic operator, and a name, an attribute
    or a call as a condition negated.
    """

    def __init__(self, wanted: int = -1) -> None:
        super().__init__(wanted)
        self.scope: list[str] = []
        self.scopes: list[str] = []
        """The class and function of each possible change."""
        self.conditions: set[ast.AST] = set()
        self.left_out: set[ast.AST] = set()
        """Annotations and decorators."""

    def is_left_out(self, node: ast.AST) -> bool:
        if super().is_left_out(node) or node in self.left_out:
            return True
        match node:
            case ast.JoinedStr():  # Python 3.11 has no position of what is inside
                return True
            case ast.Name(id="TYPE_CHECKING"):
                return True
            case ast.keyword(arg=str(name)) if name in NO_RESULT:
                return True
        return False

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.If() | ast.IfExp() | ast.While():
                self.conditions.add(node.test)
            case ast.comprehension():
                self.conditions.update(node.ifs)
            case (
                ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation)
            ):
                self.left_out.add(annotation)
            case ast.ClassDef(decorator_list=left_out):
                self.left_out.update(left_out)
            case ast.FunctionDef(decorator_list=left_out, returns=returns):
                self.left_out.update(left_out, [returns] if returns else [])
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            return super().visit(node)
        self.scope.append(node.name)
        result = super().visit(node)
        self.scope.pop()
        return result

    def change_of(self, node: ast.AST) -> Change | None:
        change = super().change_of(node)
        match node:
            case ast.Constant(value=float(number)):
                change = f"{number + 1} for {number}", ast.Constant(number + 1)
            case ast.BinOp(op=op) if type(op) in FURTHER_SWAPS:
                change = with_operator(node, FURTHER_SWAPS)
            case ast.expr() if not change and node in self.conditions:
                change = f"not {ast.unparse(node)}", ast.UnaryOp(ast.Not(), node)
        if change:
            self.scopes.append(".".join(self.scope) or "module")
        return change
