"""What a view shows, as plain data: sentences, a figure, a table, and what they rest on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.measures.result import Result
from engine.phrases import join_names


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

    @property
    def pick_fields(self) -> tuple[str, ...]:
        """The fields by which a click chooses a mark."""
        params = (param for param in self.spec.get("params", ()) if param.get("name") == self.pick)
        return tuple(next((param["select"]["fields"] for param in params), ()))

    def rows_of_marks(self) -> list[dict[str, Any]]:
        """Return the chart's rows that a click can choose: those with every field of the selection."""
        fields = self.pick_fields
        return [row for row in _rows_in(self.spec) if fields and all(name in row for name in fields)]


def _rows_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every row of data in a specification."""
    if isinstance(part, list):
        for inner in part:
            yield from _rows_in(inner)
    elif isinstance(part, Mapping):
        for rows in part.get("datasets", {}).values():
            yield from rows
        data = part.get("data")
        if isinstance(data, Mapping):
            yield from data.get("values", ())
        for key, inner in part.items():
            if key not in ("data", "datasets"):
                yield from _rows_in(inner)


def without_number(result: Result, spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence that names the judges which a chart lacks as they have no number; none if it has all.

    A measure whose headline no row has is drawn by another number.
    """
    headline = result.measure.headline
    if "judge" not in result.measure.keys or not any(row.get(headline) is not None for row in result.rows):
        return ()
    judges = dict.fromkeys(row["judge"] for row in result.rows if row["judge"] is not None)
    numbered = {row["judge"] for row in result.rows if row[headline] is not None}
    in_chart = {value for row in _rows_in(spec) for value in row.values() if isinstance(value, str)}
    missing = [judge for judge in judges if judge not in numbered and judge not in in_chart]
    return (f"No number: {join_names(missing)}.",) if missing else ()


@dataclass(frozen=True)
class ShownTable:
    """Rows as readable texts under their titles; `n_more` rows are not shown.

    `names` are those of the columns in data, `meanings` explain them, if given; `result`, or `records` where
    no measure gave the rows, has the same numbers unrounded.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_more: int = 0
    names: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    result: Result | None = None
    records: tuple[Mapping[str, Any], ...] = ()

    @property
    def numbers(self) -> Sequence[Mapping[str, Any]]:
        """The rows with unrounded numbers, all of them."""
        return self.records if self.result is None else self.result.rows

    @classmethod
    def under(
        cls,
        columns: Mapping[str, tuple[str, str]],
        rows: Iterable[tuple[str, ...]],
        records: Iterable[Mapping[str, Any]] = (),
        n_more: int = 0,
    ) -> "ShownTable":
        """Return a table under `columns`: the title and the meaning of each, by its name in data."""
        heads, meanings = zip(*columns.values(), strict=True)
        return cls(heads, tuple(rows), n_more, tuple(columns), meanings, records=tuple(records))

    @classmethod
    def of_models(
        cls,
        models: Iterable[str],
        columns: Mapping[str, str],
        cells: Mapping[tuple[str, str], str],
        records: Iterable[Mapping[str, Any]],
    ) -> "ShownTable":
        """Return a row for each model and a column for each of `columns`, whose values are titles."""
        rows = ((model, *(cells.get((model, by), "–") for by in columns)) for model in models)
        names = ("model", *(f"by {by}" for by in columns))
        return cls(("Model", *columns.values()), tuple(rows), names=names, records=tuple(records))


@dataclass(frozen=True)
class VerdictQuery:
    """The verdicts behind what is shown: of a slice, or of it a judge's on a generator's answers.

    `kind` is one of `engine.explore.verdict_kinds.KINDS`, `search` has words of a text, `value` is that of
    the column `by`.
    """

    filters: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "all"
    judge: str | None = None
    generator: str | None = None
    search: str | None = None
    by: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Shown:
    """What a view shows of a study.

    `sentences` give the results, `dropped` the choices that the study does not have and that were taken out,
    `problems` what could not be shown and why. `figure` draws the numbers of `table`. `basis` says what they
    rest on and what was left out, `commands` print them, and `measures` are the names of those used, the
    first of which explains the figure. `queries` are the verdicts behind them, of each side where two are
    compared.
    """

    sentences: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    figure: Figure | None = None
    table: ShownTable | None = None
    basis: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    queries: tuple[VerdictQuery, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know first: choices that were taken out, and what could not be shown."""
        return (*self.dropped, *self.problems)
