"""One judge: the slices in which its ratio is most clearly high, and what its bias does to its own rank."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.charts.chart_spec import spec_of
from engine.charts.forest import forest, forest_rows
from engine.findings.commands import command_of
from engine.views.judges import judges_or_none
from engine.views.keys import Filters, choice, choices_in, filters, nowhere
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown, ShownTable
from engine.views.view import View
from engine.words import bonus_words
from engine.words.plain_names import value_words
from engine.words.row_cells import text_of
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow

COLUMNS = ("axis", "theme", "polarity", "category", "segment", "checker")
"""The columns whose slices are looked at."""

MOST = 8
"""Most slices drawn, those in which the ratio is most clearly high."""

HEADS = ("Slice", "HSPP ratio", "n own failed")
NAMES = ("where", "hspp_self", "n_self")
NOTE = (
    "Its own failures passed relative to others' in each slice, the clearest first. Slices were not chosen "
    "in advance, so the highest of many is partly high by chance."
)
LIFTS = ("judge", "bonus", "family_bonus", "leniency_outside", "rank_shift", "n")


@dataclass(frozen=True)
class OneJudgeKeys:
    """The slice, and the judge."""

    slice_: Annotated[Filters, filters()]
    judge: Annotated[str, choice("Judge", "The judge that is opened", judges_or_none, where=nowhere)]


def strongest(study: "MeasuredStudy", keys: OneJudgeKeys) -> Shown:
    """Show the slices in which the judge's ratio is most clearly above 1; nothing without ratios."""
    if not keys.judge:
        return Shown()
    options = {**keys.slice_, "judges": (keys.judge,)}
    rows, commands = [], []
    for by in COLUMNS:
        if by not in choices_in(study).groupings:
            continue
        result = measure(study, "hspp", {**options, "by": by})
        every: list[HsppRow] = result.rows
        of_column = [
            row | {"judge": f"{title(by).lower()}: {value_words(by, row['slice'])}"}
            for row in every
            if row["judge"] == keys.judge and row["slice"] is not None and row["hspp_self_low"] is not None
        ]
        rows += of_column
        commands += (
            [command_of(study.name, "hspp", {"run": study.only_runs, **options, "by": by})]
            if of_column
            else []
        )
    if not rows:
        return Shown()
    rows.sort(key=lambda row: -row["hspp_self_low"])
    highest = rows[:MOST]
    cells = tuple(
        (row["judge"], text_of(row, "hspp_self", "hspp_self_low", "hspp_self_high"), f"{row['n_self']:,}")
        for row in highest
    )
    caption = f"Ratio of {keys.judge} in the slices where its interval starts highest, in that order."
    return Shown(
        figure=Figure(spec_of(forest(forest_rows(highest, fields=("hspp_self",)), width=600)), caption, NOTE),
        table=ShownTable(HEADS, cells, max(len(rows) - MOST, 0), NAMES, records=tuple(rows)),
        commands=tuple(commands),
        measures=("hspp",),
    )


def own_rank(study: "MeasuredStudy", keys: OneJudgeKeys) -> Shown:
    """Show how the judge's treatment of itself affects its own rank; nothing without scores."""
    if not keys.judge:
        return Shown()
    options = {**keys.slice_, "judges": (keys.judge,)}
    deltas = measure(study, "delta", options)
    if not deltas.rows:
        return Shown()
    lines = bonus_words.score_bonus_sentences(deltas.rows, ())  # the ratio is under Method
    own = deltas.with_rows(bonus_words.own_rows(deltas.rows))
    return shown_of(study, own, options, LIFTS, sentences=(lines.get(keys.judge, ""),))


STRONGEST = View(
    "strongest_slices",
    "Where its ratio is most clearly high",
    "In which slices is a judge's ratio most clearly above 1?",
    OneJudgeKeys,
    strongest,
)
OWN_RANK = View(
    "own_rank",
    "Effect on the ranking",
    "What does a judge's treatment of itself do to its own rank?",
    OneJudgeKeys,
    own_rank,
)
