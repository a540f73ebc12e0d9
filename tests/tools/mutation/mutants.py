"""Faults of one token: the places of a module where one can be planted, and the text with it planted."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

SWAPS: dict[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.And: "or",
    ast.Or: "and",
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
_WORDS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.And: "and",
    ast.Or: "or",
}


@dataclass(frozen=True)
class Mutant:
    """A replacement of the text from one place to another, as (line, byte) from (1, 0) on."""

    begin: tuple[int, int]
    end: tuple[int, int]
    old: str
    new: str

    @property
    def line(self) -> int:
        return self.begin[0]

    def planted(self, source: str) -> str:
        """Return the source with the fault; ValueError if the old text is not there."""
        lines = source.encode().splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        first, last = (starts[line - 1] + byte for line, byte in (self.begin, self.end))
        text = b"".join(lines)
        if text[first:last].decode() != self.old:
            raise ValueError(f"{self.old!r} is not at {self.begin}")
        return (text[:first] + self.new.encode() + text[last:]).decode()


def mutants_of(source: str) -> list[Mutant]:
    """Return every fault that can be planted in a module, by line.

    Comparisons, sums and products, `and` and `or`, `not`, numbers, truths and six names are replaced by
    something near. Docstrings, annotations, decorators, imports and the text of errors are left alone: a
    change there is no fault of behaviour.
    """
    tree = ast.parse(source)
    lines = source.encode().splitlines()
    return sorted(set(_within(tree, lines)), key=lambda mutant: (mutant.begin, mutant.end, mutant.new))


def statement(source: str, line: int) -> tuple[int, int, bool]:
    """Return the lines of the innermost statement on a line, and whether it is outside of functions.

    Of a block it is the head.
    """
    first = last = line
    function: ast.stmt | None = None
    innermost: ast.stmt | None = None
    for node in ast.walk(ast.parse(source)):  # from the outside to the inside
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            function = (
                innermost if isinstance(innermost, ast.FunctionDef | ast.AsyncFunctionDef) else function
            )
            body = getattr(node, "body", None)
            first, last = node.lineno, body[0].lineno - 1 if body else node.end_lineno or line
            innermost = node
    return (first, last, function is None) if line <= last else (line, line, function is None)


def _within(node: ast.AST, lines: list[bytes]) -> Iterator[Mutant]:
    yield from _of(node, lines)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params") or _says(node, name):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_only_for_types(child):
                yield from _within(child, lines)


def _says(node: ast.AST, field: str) -> bool:
    """Return whether a field is the text of an error, or a string in braces."""
    return (isinstance(node, ast.Raise) and field == "exc") or isinstance(node, ast.JoinedStr)


def _is_only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _of(node: ast.AST, lines: list[bytes]) -> Iterator[Mutant]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for before, op, after in zip([left, *comparators], ops, comparators, strict=False):
                yield from _between(before, op, after, lines)
        case ast.BinOp(left=left, op=op, right=right) if not (_is_text(left) or _is_none(right)):
            yield from _between(left, op, right, lines)
        case ast.BoolOp(op=op, values=values):
            for before, after in pairwise(values):
                yield from _between(before, op, after, lines)
        case ast.UnaryOp(op=ast.Not() | ast.USub() as op):
            word = "not " if isinstance(op, ast.Not) else "-"
            begin, end = (node.lineno, node.col_offset), (node.lineno, node.col_offset + len(word))
            if lines[begin[0] - 1][begin[1] : end[1]].decode() == word:
                yield Mutant(begin, end, word, "")
        case ast.Constant(value=bool() | int() | float() as value):
            new = str(not value) if isinstance(value, bool) else repr(value + 1)
            begin, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
            yield Mutant(begin, end, lines[begin[0] - 1][begin[1] : end[1]].decode(), new)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name) as func) if name in NAMES:
            end = func.end_lineno or 0, func.end_col_offset or 0
            yield Mutant((end[0], end[1] - len(name)), end, name, NAMES[name])


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_none(node: ast.expr) -> bool:
    """Return whether a node is None: to the right of `|` it makes a type."""
    return isinstance(node, ast.Constant) and node.value is None


def _between(before: ast.expr, op: ast.AST, after: ast.expr, lines: list[bytes]) -> Iterator[Mutant]:
    """Yield the fault of an operator, if it stands on one line between its two sides."""
    word, new = _WORDS.get(type(op)), SWAPS.get(type(op))
    if word is None or new is None:
        return
    first, last = (before.end_lineno or 0, before.end_col_offset or 0), (after.lineno, after.col_offset)
    for line in range(first[0], last[0] + 1):
        text = lines[line - 1]
        begin = first[1] if line == first[0] else 0
        end = last[1] if line == last[0] else len(text)
        between = text[begin:end].split(b"#")[0]
        place = between.find(word.encode())
        if place >= 0:
            at = begin + place
            yield Mutant((line, at), (line, at + len(word)), word, new)
            return
