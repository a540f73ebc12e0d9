"""The atlas: judges by published studies, and means of models and families over them.

It is not of one study, so it is no `View`: a pin, a slide and a report belong to a study, and the keys of a
view are read from one. What it shows is a `Shown` all the same, and page, export and command render that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from engine.atlas.declared import Declared
from engine.atlas.files import flat_rows
from engine.atlas.means import JudgeExcess, Mean, estimates, means_of_families, means_of_models
from engine.atlas.rows import StudyNumbers
from engine.charts import atlas as chart
from engine.charts.chart_spec import spec_of
from engine.conclusions import side_of
from engine.measures.undefined_reasons import meaning
from engine.phrases import how_many, part_of, quantity, sentence_case
from engine.views.shown import Figure, Shown, ShownTable
from engine.words.conclusions import words_of_code
from engine.words.written_numbers import in_brackets

By = Literal["study", "family", "year", "design"]
GROUPINGS: Mapping[By, str] = {
    "study": "Study",
    "family": "Family",
    "year": "Year",
    "design": "Kind of verdict",
}
"""By what the judges are grouped."""

UNDECLARED = "family not declared"
NONE = "–"

CELLS = {
    "study": "Study",
    "judge": "Judge",
    "given": "Given",
    "expected": "Expected",
    "excess": "Excess [95% CI]",
    "conclusion": "Conclusion",
    "family": "Its family [95% CI]",
    "n": "n",
    "licence": "Licence",
}
"""The columns of a table for readers."""

MEANINGS = {
    "study": "published study",
    "judge": "its name in the study",
    "given": "of 100 own cases, how many it passed or voted for, or its mean score",
    "expected": "how many other judges as strict would have",
    "excess": "given minus expected; where discernment may explain it, the interval is that without it",
    "conclusion": "the study's conclusion on the judge",
    "family": "the same excess for its family's other models, its interval likewise",
    "n": "own cases",
    "licence": "as stated at the source",
}


OUTSIDE = "*"
"""Marks a number outside its own interval."""

OUTSIDE_NOTE = (
    f"{OUTSIDE} The number lies outside its interval: the judge's discernment may explain the difference, "
    "and the interval is that without it."
)


def outside_note(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the note on numbers outside their intervals, if any row has one."""
    of_excess = ("excess", "excess_family")
    marked = any(
        _is_outside(*(row[f"{name}{end}"] for end in ("", "_low", "_high")))
        for row in rows
        for name in of_excess
    )
    return (OUTSIDE_NOTE,) if marked else ()


def known_so_far(studies: Sequence[StudyNumbers]) -> tuple[str, ...]:
    """Return sentences on how large self-preference is known to be, from the numbers alone."""
    lines = []
    for study in studies:
        for row in study.rows:
            if row.judge is None and side_of(row.conclusion) > 0 and row.excess is not None:
                given, expected = (100 * _value(each) for each in (row.own_given, row.own_expected))
                excess = _excess(row.excess, row.excess_low, row.excess_high)
                lines.append(
                    f"Published: in {study.title} ({study.year}) the judges together passed "
                    f"{given:.0f} of 100 cases of their own answers where {expected:.0f} were expected, "
                    f"an excess of {excess}."
                )
    with_numbers = [
        (study.study, row) for study in studies for row in study.rows if row.judge and row.excess is not None
    ]
    judges = [row for _, row in with_numbers]
    n_studies = len({study for study, _ in with_numbers})
    claims = sum(side_of(row.conclusion) > 0 for row in judges)
    against = sum(side_of(row.conclusion) < 0 for row in judges)
    total, others = len(judges), len(judges) - claims - against
    does = "favours or overrates its" if claims < 2 else "favour or overrate their"
    lines.append(
        f"{sentence_case(part_of(claims, total, 'judge'))} with a number in "
        f"{quantity(n_studies, 'published study')} {does} own answers, {how_many(against, total)} "
        f"{'underrates' if against == 1 else 'underrate'} them; for {how_many(others, total)} no difference "
        "is shown, it is small, or there are too few cases."
    )
    return tuple(lines)


def atlas_shown(studies: Sequence[StudyNumbers], names: Declared, by: By = "study") -> Shown:
    """Return the judges of all studies, one bar each, in groups, with their numbers."""
    rows = list(flat_rows(studies, names))
    judges = [row for row in rows if row["judge"] is not None and row["excess"] is not None]
    judges.sort(key=lambda row: (str(_group(row, by)), -row["excess"]))
    figure = None
    if judges:
        marks = [{**row, "group": str(_group(row, by))} for row in judges]
        spec, narrow = (spec_of(chart.bars(marks, narrow=narrow)) for narrow in (False, True))
        caption = f"Excess of {len(judges)} judges in published studies, by {GROUPINGS[by].lower()}."
        words = (
            "Bars: given minus expected, in cases of 100. Lines: intervals that agree with the conclusions."
        )
        figure = Figure(spec, caption, words, len(judges), len(judges), narrow)
    table = ShownTable.under(
        {name: (head, MEANINGS[name]) for name, head in CELLS.items()},
        [tuple(cells_of(row).values()) for row in rows],
        rows,
    )
    nothing = [f"{study.title}: {study.nothing_because}." for study in studies if study.nothing_because]
    without = len([row for row in rows if row["judge"] is not None]) - len(judges)
    lacking = (
        f"{quantity(without, 'judge')} without an own number: no own answers, or no judge of another family."
    )
    basis = (
        *("Published studies, computed anew from their verdicts, which are not shown.", lacking),
        *(*outside_note(rows), *nothing),
    )
    return Shown(
        sentences=known_so_far(studies), figure=figure, table=table, basis=basis, commands=("spb atlas list",)
    )


def studies_shown(studies: Sequence[StudyNumbers]) -> Shown:
    """Return where each study is from."""
    heads = {
        "title": ("Study", "as its authors call it"),
        "year": ("Year", "year of publication"),
        "source": ("Source", "where its verdicts are published"),
        "licence": ("Licence", "as stated there"),
        "commit": ("Commit", "the state that was read"),
    }
    rows = [tuple(str(getattr(study, name)) for name in heads) for study in studies]
    return Shown(
        table=ShownTable.under(heads, rows, [study.model_dump(exclude={"rows"}) for study in studies])
    )


def means_shown(studies: Sequence[StudyNumbers], names: Declared) -> tuple[Shown, Shown]:
    """Return the means over studies of each family, and of each model of more than one study."""
    numbers = list(estimates(studies, names))
    several = [mean for mean in means_of_models(numbers) if mean.result.n > 1]
    return (
        _means("family", means_of_families(numbers), names_left_out(numbers)),
        _means("model", several, names_left_out(numbers)),
    )


def names_left_out(numbers: Iterable[JudgeExcess]) -> tuple[str, ...]:
    """Return the names of judges with a number that no model declares, and which are in no mean."""
    return tuple(dict.fromkeys(each.judge for each in numbers if each.model is None))


METHOD = (
    "Paule and Mandel's mean, Hartung and Knapp's interval; a study alone has no interval over studies. "
    "Kinds of verdict (on failures, all, pairs, scores) are never pooled with each other; studies of one "
    "kind still differ in tasks, prompts and references, which the spread shows."
)


def _means(of: str, means: Sequence[Mean], left_out: Sequence[str]) -> Shown:
    heads = {
        of: (of.capitalize(), "as datasets/atlas.toml declares it"),
        "design": ("Kind of verdict", "numbers of different kinds are never pooled"),
        "mean": ("Mean excess [95% CI]", "random-effects mean over studies, in cases of 100"),
        "tau": ("Spread of studies", "standard deviation of the studies' true values, in cases of 100"),
        "n": ("Studies", "studies with a number"),
        "studies": ("Which", "their names"),
    }
    rows, records = [], []
    for mean in means:
        result = mean.result
        middle = _excess(result.mean, result.low, result.high)
        spread = NONE if result.tau is None else f"{100 * result.tau:.1f}"
        which = ", ".join(mean.studies)
        rows.append(
            (
                mean.name,
                mean.design,
                middle,
                spread,
                str(result.n),
                which,
            )
        )
        records.append(
            {
                of: mean.name,
                "design": mean.design,
                "mean": result.mean,
                "low": result.low,
                "high": result.high,
            }
            | {"tau": result.tau, "n": result.n, "studies": list(mean.studies)}
        )
    basis = [METHOD]
    if left_out:
        basis.append(f"In no mean, as no model declares the name: {', '.join(left_out)}.")
    if not rows:
        return Shown(
            problems=(f"No {of} has numbers in more than one study of one design.",), basis=tuple(basis)
        )
    return Shown(table=ShownTable.under(heads, rows, records), basis=tuple(basis))


def cells_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a row's cells for readers."""
    return {
        "study": str(row["study"]),
        "judge": "the judges together" if row["judge"] is None else str(row["judge"]),
        "given": _of_100(row["own_given"]),
        "expected": _of_100(row["own_expected"]),
        "excess": _excess(row["excess"], row["excess_low"], row["excess_high"]),
        "conclusion": _conclusion(row),
        "family": _excess(row["excess_family"], row["excess_family_low"], row["excess_family_high"]),
        "n": NONE if row["n_own"] is None else f"{row['n_own']:,}",
        "licence": str(row["licence"]),
    }


def _conclusion(row: Mapping[str, Any]) -> str:
    if row["conclusion"] is None:
        return NONE
    words = words_of_code(row["conclusion"], row["judge"], row["reason"])
    if row["judge"] is not None and row["n_own"] == 0 and row["reason"] is not None:
        return f"{words}: {meaning(row['reason'])}"
    return words


_GROUPS: Mapping[By, Callable[[Mapping[str, Any]], Any]] = {
    "study": lambda row: row["study"],
    "family": lambda row: row["family"] or UNDECLARED,
    "year": lambda row: row["year"],
    "design": lambda row: row["design"],
}


def _group(row: Mapping[str, Any], by: By) -> Any:
    return _GROUPS[by](row)


def _value(number: float | None) -> float:
    return float("nan") if number is None else number


def _points(number: float) -> str:
    return f"{100 * number:+.1f}"


def _of_100(number: float | None) -> str:
    return NONE if number is None else f"{100 * number:.1f}"


def _excess(number: float | None, low: float | None, high: float | None) -> str:
    if number is None:
        return NONE
    text = _points(number)
    if low is None or high is None:
        return text
    mark = OUTSIDE if _is_outside(number, low, high) else ""
    return in_brackets(text, _points(low), _points(high)) + mark


def _is_outside(number: float | None, low: float | None, high: float | None) -> bool:
    return number is not None and low is not None and high is not None and not low <= number <= high
