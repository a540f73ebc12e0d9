"""The templates of reports, cards and notebooks: everything that they print is escaped, unless they wrote it.

A template is text in `engine/report/templates`; the values that it prints are those of a study. In HTML each
is made `visible` and then escaped, in Markdown escaped for any place in a line.
"""

import functools
import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup as Markup

from engine.report.escape import command, escape_markdown, visible
from engine.views.shown import ShownTable

_BLANK_LINES = re.compile(r"\n{3,}")
_INTERVAL = re.compile(r"(.*\S) (\[[^\[\]]+\])")


def html(template: str, **values: Any) -> str:
    """Return an HTML template filled with values."""
    return _html().get_template(template).render(values)


def table_html(source: ShownTable, caption: str) -> str:
    """Return a table alone, for a page that is not made from a template."""
    parts: Any = _html().get_template("parts.html").module
    return str(parts.table(source, caption))


def markdown(template: str, **values: Any) -> str:
    """Return a Markdown template filled with values; one blank line stands between blocks."""
    text = _markdown().get_template(template).render(values)
    return _BLANK_LINES.sub("\n\n", text).strip() + "\n"


@functools.cache
def _html() -> Environment:
    return _environment(lambda text: text if isinstance(text, Markup) else visible(text))


@functools.cache
def _markdown() -> Environment:
    environment = _environment(
        lambda text: text if isinstance(text, Markup) else Markup(escape_markdown(text))  # noqa: S704 - escaped
    )
    environment.filters["code"] = _fenced
    return environment


def _environment(of_text: Callable[[str], str]) -> Environment:
    """Return the templates, in which `of_text` is what becomes of each text before it is escaped for HTML.

    What is Markup already, such as the result of a macro, is left as it is.
    """

    def finalize(value: Any) -> Any:
        return of_text(value) if isinstance(value, str) else value

    environment = Environment(
        loader=PackageLoader("engine.report"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["commands"] = _commands
    environment.filters["parts_of_number"] = _parts_of_number
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment


def _commands(lines: Iterable[str]) -> str:
    """Return commands, one a line, with invisible characters written out."""
    return "\n".join(command(line) for line in lines if line)


def _parts_of_number(text: str) -> tuple[str, str]:
    """Return a cell's number and its interval, which stays on one line; empty without one."""
    match = _INTERVAL.fullmatch(text)
    return (match[1], match[2]) if match else (text, "")


def _fenced(code: str, language: str = "sh") -> Markup:
    """Return a block of code, fenced by more backticks than any of its lines contains."""
    if not code:
        return Markup()
    runs = [len(list(run)) for letter, run in groupby(code) if letter == "`"]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return Markup(f"{fence}{language}\n{code}\n{fence}")  # noqa: S704 - a fence that nothing in it can end
