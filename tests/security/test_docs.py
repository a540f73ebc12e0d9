"""Every threat that docs/security.md names has an existing test."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split("|")]
    for line in (ROOT / "docs" / "security.md").read_text().partition("\n## Threats\n")[2].splitlines()
    if line.startswith("| ") and not line.startswith("| threat")
]


def test_each_threat_has_a_defence_and_an_existing_test() -> None:
    assert len(ROWS) > 40
    for threat, defence, tests in ROWS:
        assert threat
        assert defence
        named = re.findall(r"`(tests/[a-z_/]+\.py)::(test_[a-z0-9_]+)`", tests)
        assert named, f"{threat}: no test"
        assert re.sub(r"`[^`]*`|, ", "", tests) == "", f"{threat}: {tests}"
        for path, name in named:
            assert name in _functions(ROOT / path), f"{threat}: {path} has no {name}"


def _functions(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}
