"""What both parts of the HTML report are made of: tables and commands."""

from collections.abc import Iterable

from engine.report.exhibit import Table
from engine.report.texts import command, markup


def table(shown: Table, caption: str) -> str:
    """Return rows as a table with its caption; one wider than the page is scrolled."""
    heads = "".join(f'<th scope="col">{markup(head)}</th>' for head in shown.heads)
    rows = "".join(f"<tr>{_cells(row)}</tr>" for row in shown.rows)
    rest = f"{shown.more:,} more rows; the command prints them all."
    more = f'<p class="basis">{rest}</p>' if shown.more else ""
    return (
        f'<div class="scroll"><table><caption dir="auto">{markup(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )


def folded(summary: str, inside: str) -> str:
    """Return what opens beneath its summary."""
    return f"<details><summary>{markup(summary)}</summary>{inside}</details>"


def commands(lines: Iterable[str]) -> str:
    """Return commands as they are typed, one on each line."""
    told = "\n".join(command(line) for line in lines if line)
    return f"<pre><code>{markup(told)}</code></pre>" if told else ""


def _cells(row: Iterable[str]) -> str:
    return "".join(f'<td dir="auto">{markup(cell)}</td>' for cell in row)
