"""What a view shows, as plain data: sentences, a figure, a table, and what they rest on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.measures.result import Result


@dataclass(frozen=True)
class Figure:
    """A chart as a Vega-Lite specification.

    `caption` is its alternative text, `marks` says what its marks mean. It draws `n_drawn` of `n_judges`
    judges. `narrow` is the same for a phone, where that is another drawing. `pick` names the chart's
    selection that a click on a mark sets, where `View.click` says what it leads to.
    """

    spec: Mapping[str, Any]
    caption: str
    marks: str = ""
    n_drawn: int = 1
    n_judges: int = 1
    narrow: Mapping[str, Any] | None = None
    pick: str | None = None


@dataclass(frozen=True)
class Table:
    """Rows as readable texts under their titles; `n_more` rows are not shown.

    `names` are those of the columns in data, `meanings` explain them, if given; `result` has the same numbers
    unrounded.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_more: int = 0
    names: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    result: Result | None = None


@dataclass(frozen=True)
class Shown:
    """What a view shows of a study.

    `sentences` give the results, `problems` what could not be shown and why. `figure` draws the numbers of
    `table`. `basis` says what they rest on and what was left out, `commands` print them, and `measures` are
    the names of those used, the first of which explains the figure.
    """

    sentences: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    figure: Figure | None = None
    table: Table | None = None
    basis: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
