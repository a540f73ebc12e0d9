"""The docs page on commands matches their declarations."""

from pathlib import Path

from engine.cli.command_list import COMMANDS
from engine.cli.exit_codes import MEANINGS as EXIT_CODES
from engine.cli.former import FORMER
from engine.importers.tables.table_columns import COLUMNS as TABLE_COLUMNS
from tests.tools.docs.commands import describe


def test_the_page_on_disk_matches_the_declarations() -> None:
    page = Path(__file__).parents[2] / "docs" / "commands.md"

    assert page.read_text("utf-8") == describe(), "run python -m tests.tools.docs.commands > docs/commands.md"


def test_every_command_and_option_is_described() -> None:
    text = describe()

    for name, _, _ in COMMANDS:
        assert f"\n## {name}\n" in text
    for name in FORMER:
        assert f"\n| `spb {name}` | `spb " in text
    for code, meaning in EXIT_CODES.items():
        assert f"\n| {code} | {meaning} |" in text
    of_map = next(line for line in text.splitlines() if line.startswith("| `--map COLUMN=FIELD` |"))
    assert f"`{', '.join(TABLE_COLUMNS)}`" in of_map
    assert "\n### measure hspp\n\n```sh\nspb measure hspp [STUDY]\n" in text
