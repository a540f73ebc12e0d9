"""Draws `docs/images/architecture.svg`, the five layers and their packages, from the imports.

Run `python -m tests.tools.docs.architecture > docs/images/architecture.svg` after a change of imports between
packages; a test fails while the picture on disk differs.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LAYERS: dict[str, dict[str, str]] = {
    "5 Presenting": {
        "explorer": "pages",
        "cli": "commands",
        "study": "the interface",
        "report": "files to send",
        "charts": "pictures",
        "findings": "claims",
        "words": "sentences",
    },
    "4 Collecting": {
        "collect": "from models",
        "annotations": "from people",
        "simulation": "from a planted bias",
    },
    "3 Numbers": {
        "explore": "search, compare, open",
        "measures": "catalogue, rows",
    },
    "2 Arrays": {"arrays": "a study in memory", "slices": "which part of it"},
    "1 Tables": {
        "importers": "files of others",
        "checkers": "by program",
        "store": "on disk",
        "stats": "on arrays",
        "schema": "columns",
        "values": "parsing",
        "errors": "to users",
    },
}
"""The packages of each layer, each with its subject."""
_WIDTH, _ROW, _TOP, _LEFT, _BOX = 980, 120, 20, 130, 50


def _parts() -> Iterator[tuple[str, Path]]:
    """Yield each module's file with its package in the picture."""
    named = {name for row in LAYERS.values() for name in row}
    for path in sorted(ROOT.glob("engine/**/*.py")):
        first = path.relative_to(ROOT / "engine").parts[0].removesuffix(".py")
        if first in named:
            yield first, path
    for path in sorted(ROOT.glob("explorer/**/*.py")):
        yield "explorer", path


@cache
def imports() -> dict[str, set[str]]:
    """Return the engine's packages that each package imports at module level."""
    edges: dict[str, set[str]] = defaultdict(set)
    for part, path in _parts():
        for node in ast.parse(path.read_text("utf-8")).body:
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("engine"):
                continue
            rest = str(node.module).split(".")[1:2]
            edges[part] |= set(rest or [alias.name for alias in node.names]) - {part}
    return edges


def _places() -> dict[str, tuple[float, float, float]]:
    """Return x, y and width of each package's box."""
    places = {}
    for row, names in enumerate(LAYERS.values()):
        width = (_WIDTH - _LEFT - 20) / len(names)
        for number, name in enumerate(names):
            places[name] = (_LEFT + number * width + 6, _TOP + row * _ROW + 30, width - 12)
    return places


def svg() -> str:
    """Return the picture as SVG."""
    places = _places()
    about = {name: words for row in LAYERS.values() for name, words in row.items()}
    height = _TOP + _ROW * len(LAYERS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif">',
        "<title>The five layers of the engine and the explorer, and who imports whom</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for row, name in enumerate(LAYERS):
        y = _TOP + row * _ROW + 12
        lines.append(f'<rect x="4" y="{y}" width="{_WIDTH - 8}" height="{_ROW - 32}" rx="8" fill="#f1f4f8"/>')
        lines.append(
            f'<text x="18" y="{y + 48}" font-size="16" font-weight="bold" fill="#23313f">{name}</text>'
        )
    for part, others in sorted(imports().items()):
        lines += [_arrow(places[part], places[other]) for other in sorted(others & set(places))]
    for name, (x, y, width) in places.items():
        middle = f'x="{x + width / 2:.0f}" text-anchor="middle"'
        box = f'x="{x:.0f}" y="{y}" width="{width:.0f}" height="{_BOX}" rx="6"'
        lines.append(f'<rect {box} fill="#ffffff" stroke="#4c78a8"/>')
        lines.append(f'<text {middle} y="{y + 22}" font-size="14">{escape(name)}</text>')
        lines.append(f'<text {middle} y="{y + 40}" font-size="11" fill="#5a6672">{about[name]}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _arrow(start: tuple[float, float, float], end: tuple[float, float, float]) -> str:
    """Return a curve from an importing box to the one it imports."""
    x, y = start[0] + start[2] / 2, start[1] + _BOX
    to_x, to_y = end[0] + end[2] / 2, end[1]
    if start[1] == end[1]:  # both in one layer
        bend = start[1] + _BOX + 18
        path = f"M{x:.0f} {y:.0f} Q{(x + to_x) / 2:.0f} {bend:.0f} {to_x:.0f} {y:.0f}"
    else:
        middle = (y + to_y) / 2
        path = f"M{x:.0f} {y:.0f} C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"
    return f'<path d="{path}" fill="none" stroke="#9fb3c8" stroke-opacity="0.6"/>'


if __name__ == "__main__":
    print(svg(), end="")  # noqa: T201 - the command's output
