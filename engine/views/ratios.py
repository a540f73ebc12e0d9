"""Ratios as in the papers: what judges pass of their own failed answers, beside others' failed answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import forest
from engine.charts.forest import MEANS
from engine.measures.undefined_reasons import meaning
from engine.views.drawing import MARKS
from engine.views.keys import Filters, filters, needs_verdicts, switch
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown
from engine.views.view import View
from engine.words import ratio_words
from engine.words.row_cells import Row
from engine.words.written_numbers import confidence, number

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow

MOST = 40
"""Most judges drawn: those with the highest ratios."""

RATIOS = ("hspp_self", "hspp_matched", "hspp_family")
FIELDS = ("judge", "family", "hspp_self", "hspp_matched", "hspp_family", "n_self", "n_matched", "n_family")
CAPTION = "Ratio of each judge for its own answers, on matched criteria, and for its family."


@dataclass(frozen=True)
class RatiosKeys:
    """The slice, and whether there is a sentence for each judge."""

    slice_: Annotated[Filters, filters()]
    in_words: Annotated[bool, switch("In words, for each judge", "Off: the judges together")]


def answer(study: "MeasuredStudy", keys: RatiosKeys) -> Shown:
    """Show the ratios of each judge, and what they say of the judges together or of each."""
    result = measure(study, "hspp", keys.slice_)
    level = str(result.filters.get("level") or "rubric")
    own = ratio_words.self_preference(result.rows, level) if result.rows else []
    family = ratio_words.family_preference(result.rows) if result.rows else []
    lines = [" ".join(own[:2]), " ".join(own[2:]), " ".join(family)]
    if keys.in_words:
        lines = judge_sentences(result.rows, level)
    of_rubrics = level == "rubric"  # only rubrics have matched ratios
    fields = FIELDS if of_rubrics else tuple(name for name in FIELDS if "matched" not in name)
    return shown_of(study, result, keys.slice_, fields, sentences=lines, figure=_figure(result.rows))


def _figure(rows: "Sequence[HsppRow]") -> Figure | None:
    frame = forest.forest_rows(rows, fields=RATIOS)
    highest = forest.highest(frame, MOST)
    if not len(highest):
        return None
    n_drawn, n_judges = (each.loc[each["label"] != MEANS, "label"].nunique() for each in (highest, frame))
    spec: Mapping[str, Any] = forest.forest_spec(highest, width=740)
    return Figure(spec, CAPTION, MARKS, int(n_drawn), int(n_judges))


def judge_sentences(rows: "Sequence[HsppRow]", level: str) -> list[str]:
    """Return a sentence for each judge of the rows of `hspp`, at rubric or instance level."""
    return [_of_judge(row, level) for row in rows if row["judge"] is not None]


def _of_judge(row: "HsppRow", level: str) -> str:
    """Return a judge's numbers as a sentence: the counts, the result, and its meaning."""
    if row["hspp_self"] is None:
        return f"{row['judge']} has no ratio: {meaning(row['reasons'].get('hspp_self'))}."
    of_rubrics = level == "rubric"
    things, verb = ("criteria", "failed") if of_rubrics else ("comparisons", "lost")
    sentence = (
        f"{row['judge']} {'passed' if of_rubrics else 'made wins or ties of'} {row['o_self']:.1%} of the "
        f"{row['n_self']:,} {things} that its own answers {verb}, and {row['o_other']:.1%} of those that "
        f"another family's model {verb}, averaged over models: {_times(row, 'hspp_self', ' as often')}."
    )
    if row.get("hspp_matched") is not None:
        sentence += f" Where both failed: {_times(row, 'hspp_matched')}."
    if row.get("hspp_family") is not None:
        sentence += f" For its family: {_times(row, 'hspp_family')}."
    return sentence


def _times(row: Row, field: str, more: str = "") -> str:
    """Return `1.38 times (95% CI 1.20 to 1.55)`; `more` follows `times`."""
    return f"{number(row[field])} times{more} ({confidence(row[f'{field}_low'], row[f'{field}_high'])})"


RATIOS_VIEW = View(
    "ratios",
    "HSPP ratios, as in the papers",
    "Does a judge pass its own failures more often than others'?",
    RatiosKeys,
    answer,
    needs_verdicts,
)
