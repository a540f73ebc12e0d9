"""The page on runs names every setting of a simulated model, and its default."""

import re
from pathlib import Path

from engine.simulation.planted import Planted

PAGE = Path(__file__).parents[2] / "docs" / "running.md"


def test_every_setting_is_on_the_page_with_its_default() -> None:
    rows = {}
    for line in PAGE.read_text().partition("## Simulated models")[2].splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if line.startswith("| `"):
            rows |= dict.fromkeys(re.findall(r"`(\w+)`", cells[1]), cells[2])

    defaults = {name: field.default for name, field in Planted.model_fields.items()}
    assert rows == {
        name: f"{default:g}" if default is not True else "true" for name, default in defaults.items()
    }
