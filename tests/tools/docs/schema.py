"""Writes `docs/schema/*.json` from the declarations of tables and measures.

Run `python -m tests.tools.docs.schema` after a change of either; a test fails while a file on disk differs.
"""

import json
from pathlib import Path

from engine.report.formats import STORE, json_schema

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schema"
WRITTEN = (STORE, "scorecard", "audit")


def text(of: str) -> str:
    """Return the content of a schema's file."""
    return json.dumps(json_schema(of), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in WRITTEN:
        (FOLDER / f"{name}.json").write_text(text(name), "utf-8")
