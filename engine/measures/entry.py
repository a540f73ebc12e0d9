"""What an entry of the catalogue says about its measure: names, columns, options, function, chart."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.paradigms import COMPARABLE, PAIR_PARADIGMS
from engine.slices import Option as Option
from engine.slices import Slice

FieldKind = Literal[
    "text", "count", "share", "hundred", "difference", "ratio", "points", "number", "flag", "list"
]  # fmt: skip

ADDED = "added cases"
"""Percentiles of resamples with a case or two added on each side: `engine.stats.intervals.added_cases`."""

TESTED = "costs not ruled out"
"""The costs under which the observed one is not surprising: `stats.intervals.cost_intervals`."""

DELETED = "questions deleted one at a time"
"""Student's t with the error from deleting each instance in turn: `engine.stats.intervals.delete_one`."""

STUDENT = "Student's t"
"""With the errors of labels and predictions together: `engine.stats.scores.corrected_scores`."""

OF_FEW_CASES = "effective cases where few"
"""Wilson's and the score test's intervals, in place of the expanded one (`stats.intervals.few_events`)."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a measure's rows.

    `kind`: a `difference` is one of two shares of 1, said in points of 100; `points` are of 100 already.

    `interval`: it carries a 95% interval in the columns `<name>_low` and `<name>_high`. `null`: it is
    tested against this value, with `<name>_p` and `<name>_p_adjusted`. `title` heads the column where people
    read it, and any other of that name which has none; without one the name does. `axis` is the title of a
    chart's axis, where that of the column says too little. `members`: the kind of a list's numbers, whose
    intervals, if any, are the lists `<name>_low` and `<name>_high`. `steps`: it is made of ranks, which move
    in steps, so that an interval may have no width.
    """

    name: str
    kind: FieldKind
    meaning: str
    interval: bool = False
    null: float | None = None
    title: str = ""
    axis: str = ""
    members: FieldKind = "text"
    steps: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is measured, beside what is counted, said or marked."""
        return self.kind not in ("text", "count", "flag")

    def columns(self) -> list[str]:
        ends = ("_low", "_high") if self.interval else ()
        tests = ("_p", "_p_adjusted") if self.null is not None else ()
        return [f"{self.name}{part}" for part in ("", *ends, *tests)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure: its texts, its definition, its rows, and the function that computes it.

    `function` takes (view, options) of a slice and returns a `Table`; if the measure is not `sliced`, it
    takes (study, slice, options, bootstrap weights or None) and returns a table or a list of them. An
    optional `prepare` takes (study, slice, options, by) and returns the slice with the measure's own
    defaults. `chart` is how its rows are drawn: the name of a chart of `engine.charts.measure_charts` or, for
    a measure of another package, a function (a result and the family of each model -> an Altair chart).
    `has_chart` follows from it.

    `keys` are the fields that identify a row, by default the judge. `headline` is the field that `--against`
    compares, as a ratio or difference by `compared_as`; two runs are compared on the answers that a judge
    scored in both if it is `compared_in_common`, and `changes` names a lower and a higher number. A change of
    one whose headline has no `draws` of resamples has no interval, and cannot be tested. A `level` restricts
    the measure to that level. A measure that is not `sliced` reads the study itself, and can be grouped only
    by one of `groups`; `by_slice` names a measure that can be grouped in its place. One that is not
    `resampled` makes no use of resamples, and none are drawn for it.
    `part_of`: these are other rows of a measure, by its name, and the value of its option `rows` that gives
    them; `name` is then a former one, which still answers.
    `row_of_all` is what its row without a judge is: the mean over judges, or what is concluded on them
    together. `across_runs`: whoever reads it must know how judges changed between the runs that it takes
    together.
    `empty` is the reason given if there are no rows; `instead` names a measure that may have some then, and
    says what it shows. `intervals` names the fields whose intervals are not the percentiles of plain
    resamples, by method (MEASURES section 13); `OF_FEW_CASES` replaces only expanded intervals.
    """

    name: str
    title: str
    question: str
    formula: str
    paper: str
    left_out: str
    function: Callable[..., Any]
    fields: tuple[Field, ...]
    headline: str
    keys: tuple[str, ...] = ("judge",)
    compared_as: Literal["ratio", "difference"] = "difference"
    compared_in_common: bool = False
    changes: tuple[str, str] | None = None
    draws: bool = True
    options: tuple[Option, ...] = ()
    paradigms: tuple[str, ...] = COMPARABLE
    level: Literal["rubric", "instance"] | None = None
    sliced: bool = True
    resampled: bool = True
    groups: tuple[str, ...] = ()
    by_slice: str = ""
    empty: str = ""
    intervals: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    prepare: Callable[..., Slice] | None = None
    has_chart: bool = False
    chart: str | Callable[..., Any] | None = None
    part_of: tuple[str, str] | None = None
    instead: tuple[str, str] | None = None
    row_of_all: Literal["mean", "together"] | None = None
    across_runs: bool = False

    def __post_init__(self) -> None:
        """Set whether there is a chart, which entries of other packages still state beside it."""
        object.__setattr__(self, "has_chart", self.chart is not None)

    @property
    def defaults(self) -> dict[str, Any]:
        """The default of each of its own options."""
        return {option.name: option.default for option in self.options}

    def method(self, field: str) -> str | None:
        """Return the method of a field that has its own; None for the percentiles of plain resamples."""
        methods = (way for way, fields in self.intervals.items() if field in fields and way != OF_FEW_CASES)
        return next(methods, None)

    def interval_words(self, interval: str) -> str | None:
        """Return how intervals are made, in the words of `filters`; None: percentiles throughout."""
        percentile = interval == "percentile"
        ways = {way: of for way, of in self.intervals.items() if not (percentile and way == OF_FEW_CASES)}
        if percentile and not ways:
            return None
        return "; ".join([interval, *(f"{way}: {', '.join(fields)}" for way, fields in ways.items())])


def key(name: str, meaning: str, *, title: str = "") -> Field:
    return Field(name, "text", meaning, title=title)


def count(name: str, meaning: str, *, title: str = "") -> Field:
    """Return a field of counts; a count is never null."""
    return Field(name, "count", meaning, title=title)


def share(name: str, meaning: str, *, title: str = "") -> Field:
    """Return a field of shares of 1, with an interval."""
    return Field(name, "share", meaning, interval=True, title=title)


def portion(name: str, meaning: str, *, title: str = "") -> Field:
    """Return a field of shares of 1, without an interval."""
    return Field(name, "share", meaning, title=title)


def number(name: str, meaning: str, *, title: str = "") -> Field:
    """Return a field of numbers of any kind, without an interval."""
    return Field(name, "number", meaning, title=title)


def estimate(name: str, meaning: str, null: float | None = None, *, title: str = "", axis: str = "") -> Field:
    """Return a field of numbers of any kind with an interval, tested against `null` if that is given."""
    return Field(name, "number", meaning, interval=True, null=null, title=title, axis=axis)


def of_ranks(
    name: str, meaning: str, kind: FieldKind = "number", *, title: str = "", axis: str = ""
) -> Field:
    """Return a field of a number made of ranks, with an interval, which may have no width."""
    return Field(name, kind, meaning, interval=True, title=title, axis=axis, steps=True)


def ratio(name: str, meaning: str, *, tested: bool = True, title: str = "", axis: str = "") -> Field:
    """Return a field of ratios with an interval, tested against 1 unless it is not tested."""
    null = 1.0 if tested else None
    return Field(name, "ratio", meaning, interval=True, null=null, title=title, axis=axis)


def difference(
    name: str,
    meaning: str,
    kind: FieldKind = "difference",
    *,
    tested: bool = True,
    title: str = "",
    axis: str = "",
) -> Field:
    """Return a field of differences, of shares of 1 unless another kind is given; tested against 0."""
    null = 0.0 if tested else None
    return Field(name, kind, meaning, interval=True, null=null, title=title, axis=axis)


ROWS = "rows"
"""The option of a measure that has other rows too."""


def rows_option(usual: str, **others: str) -> Option:
    """Return the option `rows` of a measure with other rows, by their value and what they are."""
    parts = (f"{name} ({meaning})" for name, meaning in others.items())
    return Option(
        ROWS, "name", f"what the rows are: {usual} (default) or {', '.join(parts)}", None, (usual, *others)
    )


def choice(name: str, meaning: str, *choices: str) -> Option:
    """Return an option that is one of several names, the first unless given."""
    return Option(name, "name", meaning, choices[0], choices)


ONE_JUDGE = key("judge", "the judge")
JUDGE = key("judge", "the judge; empty on the row of means")
FAMILY = key("family", "the judge's family")
SMALL = Field("small", "flag", "fewer than 30 cases behind the headline number", title="Few cases")

CASE_COUNTS = (
    count(
        "n_own",
        "criteria of its own answers (or pairs; for scores, answers) judged by it and by a judge of another "
        "family",
    ),
    count(
        "n_other",
        "criteria of other families' answers (or pairs; for scores, answers) judged by it and by a judge of "
        "another family",
    ),
    count("n_outside", "judges of other families compared with"),
)
PAIRWISE = PAIR_PARADIGMS
OF_JUDGE = (ONE_JUDGE, FAMILY)
"""The judge and its family, where no row is of means."""
QUALITY = (
    choice("quality", "where answer quality comes from", "judges", "reference"),
    Option(
        "quality_judges",
        "names",
        "judges whose scores set the quality (default: all that are not rated themselves)",
        (),
    ),
)
OF_TEN = "quality is of 0 to 10, true scores of 0 to 1 times 10"
"""The scale of differences in quality, whatever the quality comes from."""
EPSILON = Option(
    "epsilon",
    "number",
    f"largest quality difference at which two answers count as equal; {OF_TEN}",
    0.25,
)


LOST_COMPARISONS = "at level `instance`, comparisons they lost"
