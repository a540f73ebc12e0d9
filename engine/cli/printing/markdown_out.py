"""What a command prints where `--out FILE.md` asks for Markdown: paragraphs and tables."""

from collections.abc import Iterable, Sequence


def print_markdown_text(text: str) -> None:
    """Print a sentence as a paragraph of its own, with what it quotes escaped."""
    from engine.report.escape import escape_markdown

    print(f"{escape_markdown(text)}\n")


def print_markdown_table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    """Print rows as a table."""
    from engine.report.escape import markdown_table

    print(markdown_table(heads, rows), end="\n\n")
