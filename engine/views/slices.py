"""Slices: what judges give their own answers, in any slice and split by any column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pandas as pd

from engine.charts import forest, lines, win_rates
from engine.charts.chart_marks import PICK
from engine.charts.chart_spec import spec_of
from engine.charts.dot_plot import Dot
from engine.charts.forest import MEANS, NO_VALUE
from engine.charts.number_forms import Form
from engine.explore.judgment_list import usual_kind
from engine.measures.result import Result
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import join_names, quantity
from engine.slices import COLUMNS, FLAGS, NULL
from engine.views.drawing import MARKS
from engine.views.keys import Filters, choice, choices_in, filters, names, without
from engine.views.of_measure import MOST_ROWS, measure, shown_of, table_of
from engine.views.shown import Figure, Shown, VerdictQuery
from engine.views.view import View
from engine.words import conclusions, given_expected, ratio_words, slice_words
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST_JUDGES, MOST_PANELS, MOST_VALUES, MOST_NAMED = 40, 13, 6, 8
"""Most judges shown_rows one under another, panels side by side, values of a second column, slices named."""

Against = Literal["expected", "judges", "responses"]

AGAINST: Mapping[Against, str] = {
    "expected": "outside judges",
    "judges": "outside judges, as a ratio",
    "responses": "other answers, as in the papers",
}
"""What a judge's verdicts on its own answers are compared with: `expected`, `outside` and `hspp`."""

MEASURES: Mapping[Against, str] = {"expected": "expected", "judges": "outside", "responses": "hspp"}

FIELDS: Mapping[str, tuple[str, ...]] = {
    "expected": ("judge", "own_given", "own_expected", "excess", "excess_p_adjusted", "n_own"),
    "hspp": (
        *("judge", "hspp_self", "hspp_matched", "hspp_family", "o_self", "o_other"),
        *("n_self", "n_matched", "n_other", "hspp_self_p_adjusted", "hspp_matched_p_adjusted"),
    ),
}
RATIOS = ("hspp_self", "hspp_matched")

ORDERS = {"study": "study order", "value": "by value", "size": "by cases", "sure": "by certainty"}
ORDERS |= {"name": "by name"}

SINGLE = tuple(flag.name for flag in FLAGS if flag.kind == "name")
"""Filters of one value."""

ORDINAL = tuple(name for name, column in COLUMNS.items() if column.groups != "texts" and name != "polarity")
"""Ordered columns, along which a curve can go."""

LEADS = "Click a mark to list its judgments."
INSTEAD = (
    "Each judge is compared with judges of other families on the same answers, which needs no reference."
)
CAPTIONS = {
    "expected": "What each judge gave its own answers, less what judges of other families make expected.",
    "outside": "Each judge's verdicts on its own answers, compared with those of judges of other families.",
    "hspp": "Ratio of each judge for its own answers, on all and on matched criteria.",
}


def columns_of(study: "MeasuredStudy") -> Mapping[str, str]:
    return {name: title(name) for name in choices_in(study).groupings}


def ordered_columns(study: "MeasuredStudy") -> Mapping[str, str]:
    groupings = choices_in(study).groupings
    return {name: title(name) for name in ORDINAL if name in groupings}


AgainstKey = Annotated[
    Against,
    choice("Against", "What verdicts on own answers are compared with", lambda _: AGAINST),
]
SortKey = Annotated[win_rates.Order, choice("Sort", "The order of judges", lambda _: ORDERS)]


@dataclass(frozen=True)
class SlicesKeys:
    """The slice, what own answers are compared with, the columns that split it, and the order."""

    slice_: Annotated[Filters, filters()]
    against: AgainstKey
    by: Annotated[
        tuple[str, ...],
        names("Split by", "One column, or two of which one has a filter", columns_of, most=2, clears="value"),
    ]
    sort: SortKey


@dataclass(frozen=True)
class CurveKeys:
    """The slice, what own answers are compared with, the column along which the curve goes, and the order."""

    slice_: Annotated[Filters, filters()]
    against: AgainstKey
    by: Annotated[str | None, choice("Along", "An ordered column", ordered_columns, clears="value")]
    sort: SortKey


@dataclass(frozen=True)
class Measured:
    """A result, the options that gave it, and why it is not the requested measure's, if so."""

    result: Result
    options: Mapping[str, Any]
    problems: tuple[str, ...] = ()

    @property
    def number(self) -> Dot | None:
        """The number shown; None for the ratios of `hspp`."""
        return forest.own_number(self.result)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the table."""
        if self.result.measure.name in FIELDS:
            return FIELDS[self.result.measure.name]
        return ("judge", forest.outside_series(self.result.rows).field, "n_own", "n_other", "n_outside")

    @property
    def headline(self) -> str:
        """The field of the number."""
        return RATIOS[0] if self.number is None else self.number.field

    @property
    def has_numbers(self) -> bool:
        """Whether the number is defined for any judge."""
        return self.result.has_values(self.headline)

    @property
    def form(self) -> Form | None:
        """The form of the number; None for the ratios of `hspp`."""
        return None if self.number is None else self.number.form

    @property
    def axis(self) -> str | None:
        """The title of the number's axis; None for the usual one of its form."""
        return forest.own_axis(self.number)

    def frame(self, rows: Sequence[Mapping[str, Any]] | None = None, by: str | None = None) -> pd.DataFrame:
        """Return the rows of a chart: of the result's rows, or of some, grouped by a column."""
        fields = RATIOS if self.number is None else (self.number.field,)
        result = self.result
        rows, by = (result.rows, result.by_one) if rows is None else (rows, by)
        return forest.forest_rows(rows, by=by, fields=fields, names=result.names)

    def in_order(self, rows: pd.DataFrame, order: win_rates.Order) -> pd.DataFrame:
        """Return the rows of a chart in a chosen order."""
        if order == "study":
            return rows
        return forest.in_order(rows, order, self.form or "ratio")


def answer(study: "MeasuredStudy", keys: SlicesKeys) -> Shown:
    """Show the number of each judge, split by up to two columns."""
    by = filterable_last(study, keys.by)
    if len(by) == 2:
        return _crossed(study, keys, *by)
    measured = _measured(study, keys.against, keys.slice_, by[0] if by else None)
    rows = measured.in_order(measured.frame(), keys.sort)
    shown_rows = rows[rows["panel_order"] < MOST_PANELS] if by else forest.highest(rows, MOST_JUDGES)
    return _shown(study, measured, _forest(measured, shown_rows, rows, "panel" if by else "label"))


def along(study: "MeasuredStudy", keys: CurveKeys) -> Shown:
    """Show the number of each judge along the bins of a column."""
    if keys.by is None:
        return Shown(problems=("This study has no ordered column to draw a curve along.",))
    measured = _measured(study, keys.against, keys.slice_, keys.by)
    rows = measured.in_order(measured.frame(), keys.sort)
    shown_rows = rows[rows["panel_order"] < MOST_PANELS].reset_index(drop=True)
    if not len(shown_rows):
        return _shown(study, measured, None)
    words = title(keys.by).lower()
    chart = lines.along(shown_rows, title=words, outside=measured.form, axis=measured.axis)
    return _shown(study, measured, _figure(spec_of(chart), measured, shown_rows, rows, "panel"))


def _crossed(study: "MeasuredStudy", keys: SlicesKeys, first: str, second: str) -> Shown:
    """Show the number of each judge in the slices by two columns, the second of which is a filter."""
    limits = keys.slice_.get(second) or choices_in(study).values[second]
    every = (limits,) if isinstance(limits, str) else tuple(limits)
    values = every[:MOST_VALUES]
    slice_ = keys.slice_ if len(values) == len(every) else {**keys.slice_, second: values}
    measured = _measured(study, keys.against, slice_, (first, second))
    result, of_values = measured.result, {}
    for value in values:
        of_values[value] = [{**row, "slice": row[first]} for row in result.rows if row[second] == value]
    frames = {value: part for value, rows in of_values.items() if len(part := measured.frame(rows, first))}
    titles = {value: forest.value_title(second, value, result.names) for value in values}
    numbers = measured.in_order(forest.crossed_rows(frames, titles), keys.sort)
    shown = _shown(study, measured, _forest(measured, numbers, numbers, "label"))
    if not result.rows:
        return shown
    words, problems = title(second).lower(), [*shown.problems, *_without_number(measured, first, second)]
    if empty := [titles[value] for value, rows in of_values.items() if not rows]:
        problems.append(f"There is nothing to show of {words} {', '.join(empty)}.")
    if len(values) < len(every):
        problems.append(f"Shown are {len(values)} of the {len(every)} values of {words}.")
    return replace(
        shown,
        problems=tuple(problems),
        sentences=(_of_slices(result.rows, first, second), *_beyond_scale(result.rows)),
        table=table_of(result, measured.fields, MOST_ROWS * len(values)),
        queries=(VerdictQuery(keys.slice_, usual_kind(study)),),
    )


def _of_slices(rows: Sequence[Mapping[str, Any]], first: str, second: str) -> str:
    """Say that no sentence sums up the slices by two columns, and where the numbers of each are."""
    n_slices = len({(row[first], row[second]) for row in rows})
    return (
        f"{quantity(n_slices, 'slice')} by {title(first).lower()} and {title(second).lower()}, and no number "
        "for all together: the chart and the table have each judge in each slice."
    )


def _without_number(measured: Measured, first: str, second: str) -> tuple[str, ...]:
    """Name the slices by two columns in which no judge has a number."""
    result = measured.result
    has: dict[str, bool] = {}
    for row in result.rows:
        words = " · ".join(forest.value_title(name, row[name], result.names) for name in (first, second))
        has[words] = has.get(words, False) or row.get(measured.headline) is not None
    lacking = [words for words, has_number in has.items() if not has_number]
    if not lacking or not any(has.values()):
        return ()
    more = f" and {len(lacking) - MOST_NAMED:,} more" if len(lacking) > MOST_NAMED else ""
    return (f"Without a number: {', '.join(lacking[:MOST_NAMED])}{more}; the table says why.",)


def _beyond_scale(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the caveat on expected numbers beyond 0 to 100 in any of the rows."""
    words = given_expected.beyond_scale_words([row for row in rows if row.get("excess") is not None])
    return (words,) if words else ()


def filterable_last(study: "MeasuredStudy", by: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns, the second of two being one that has a filter; only the first if none has."""
    filterable = [name for name in by[:2] if name in choices_in(study).values]
    if len(by) < 2 or not filterable:
        return by[:1]
    return (*(name for name in by[:2] if name != filterable[-1]), filterable[-1])


By = str | tuple[str, ...] | None


def _measured(study: "MeasuredStudy", against: Against, slice_: Filters, by: By) -> Measured:
    """Compute the requested measure; without rows, the one that needs no reference, and say why."""
    options = _options(study, MEASURES[against], slice_, by)
    result = measure(study, MEASURES[against], options)
    if result.rows or against == "expected":
        return Measured(result, options)
    others = _options(study, "expected", slice_, by)
    instead = measure(study, "expected", others)
    if not instead.rows:
        return Measured(result, options)
    missing = f"The {'HSPP ratio' if against == 'responses' else 'ratio'} is not shown: {result.reason}."
    return Measured(instead, others, (INSTEAD, missing))


def _options(study: "MeasuredStudy", name: str, slice_: Filters, by: By) -> dict[str, Any]:
    """Return the filters, with the pairs that the board of judges counts, so that both agree."""
    options = {**slice_, **({} if by is None else {"by": by})}
    if name == "hspp" or set(PAIR_PARADIGMS).isdisjoint(study.inventory.values("paradigm")):
        return options
    pairs = measure(study, "scorecard", {}).filters.get("pairs")
    return options if pairs is None else {**options, "pairs": str(pairs)}


def _forest(measured: Measured, shown_rows: pd.DataFrame, rows: pd.DataFrame, column: str) -> Figure | None:
    if not len(shown_rows):
        return None
    several = shown_rows["panel"].nunique() > 1
    spec = forest.forest_spec(
        shown_rows, width=900 if several else 740, picks=True, outside=measured.form, axis=measured.axis
    )
    return _figure(spec, measured, shown_rows, rows, column)


def _figure(
    spec: dict[str, Any], measured: Measured, shown_rows: pd.DataFrame, rows: pd.DataFrame, column: str
) -> Figure:
    n_drawn, n_judges = (frame.loc[frame[column] != MEANS, column].nunique() for frame in (shown_rows, rows))
    caption = CAPTIONS[measured.result.measure.name]
    return Figure(spec, caption, MARKS, int(n_drawn), int(n_judges), pick=PICK)


def _shown(study: "MeasuredStudy", measured: Measured, figure: Figure | None) -> Shown:
    fields = measured.fields
    shown = shown_of(
        study, measured.result, measured.options, fields, sentences=_sentences(measured), figure=figure
    )
    filters_of = without(measured.options, "by", "pairs")
    query = VerdictQuery(filters_of, usual_kind(study))
    problems = (*measured.problems, *shown.problems)
    if not problems and not measured.has_numbers:
        problems = _why_no_number(study, measured, filters_of)
    if not measured.has_numbers:
        problems = (*problems, *_with_numbers(study, measured, filters_of))
    return replace(shown, problems=problems, queries=(query,))


def _why_no_number(study: "MeasuredStudy", measured: Measured, slice_: Filters) -> tuple[str, ...]:
    """Say that no number is defined in a slice, and why there are no ratios either, if so."""
    ratios = measured.result if measured.number is None else measure(study, "hspp", slice_)
    reasons = () if ratios.rows else (f"The HSPP ratio is not shown: {ratios.reason}.",)
    return ("No number is defined in this slice; the table says why.", *reasons)


def _with_numbers(study: "MeasuredStudy", measured: Measured, slice_: Filters) -> tuple[str, ...]:
    """Say which other choices of what own answers are compared with have numbers in the slice."""
    words = []
    for against, name in MEASURES.items():
        if name != measured.result.measure.name:
            options = _options(study, name, slice_, measured.result.by)
            if Measured(measure(study, name, options), options).has_numbers:
                words.append(f"“{AGAINST[against]}”")
    return (f"There are numbers with Against: {join_names(words, last='or')}.",) if words else ()


def _sentences(measured: Measured) -> tuple[str, ...]:
    """Return the result in sentences: which judge favours itself most, or in which slice judges do."""
    result = measured.result
    if not result.rows:
        return ()
    if result.measure.name == "expected":
        return given_expected.of_rows(result)
    if result.measure.name == "hspp":
        if result.by_one is not None:
            return (slice_words.slices(result.rows, title(result.by_one).lower(), result.names),)
        every = ratio_words.self_preference(result.rows, result.filters["level"] or "rubric")
        return (" ".join(every[:2]), " ".join(every[2:]))
    if result.by is not None:
        return ()
    field = forest.outside_series(result.rows).field
    return (" ".join(conclusions.outside_sentences(result.rows, field, result.filters.get("truth"))),)


def click(mark: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys of the judgments behind a mark: a judge's on its own answers, in a slice."""
    values: tuple[Any, ...] = ()
    if mark.get("first") is not None:
        judge, values = mark["label"], (mark["first"], mark["second"])
    elif mark["panel"]:
        judge, values = mark["panel"], (mark["label"],)
    else:
        judge = mark["label"]
    model = () if judge == MEANS else (str(judge),)
    texts_of = tuple(NULL if value == NO_VALUE else str(value) for value in values)
    return {"judge": model, "generator": model, "value": texts_of}


def cannot_be_compared(study: "MeasuredStudy") -> str | None:
    """Return why no judge of a study can be compared on its own answers; None if any can."""
    results = [measure(study, name, {}) for name in ("expected", "hspp")]
    if any(result.rows for result in results):
        return None
    return f"No judge can be compared on its own answers: {results[0].reason}."


def _lacks_ordered_column(study: "MeasuredStudy") -> str | None:
    without = None if ordered_columns(study) else "This study has no ordered column to draw a curve along."
    return cannot_be_compared(study) or without


SLICES = View(
    "slices",
    "By judge",
    "Which judges favour their own answers in a slice, and where do they?",
    SlicesKeys,
    answer,
    cannot_be_compared,
    click,
    LEADS,
    stays=True,
)
CURVE = View(
    "curve",
    "Curve",
    "How does self-preference change along a column?",
    CurveKeys,
    along,
    _lacks_ordered_column,
    click,
    LEADS,
    stays=True,
)
