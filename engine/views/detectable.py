"""What a study could have found: the smallest preference that each judge's cases would have shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.conclusions import lacks_cases
from engine.measures.undefined_reasons import meaning
from engine.phrases import part_of
from engine.views.judges import needs
from engine.views.keys import NoKeys
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words import board_facts, conclusions

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import ScorecardRow

COLUMNS = {
    "judge": ("Judge", ""),
    "n_own": ("n own", "Own cases that a judge of another family judged too"),
    "n_outside": ("Judges of other families", "Judges of other families that judged the same answers"),
    "detectable": ("Would have been shown", "The smallest effect that is shown in 80 of 100 such studies"),
    "needed": ("Own cases needed", "About, if the estimate is the true value"),
    "conclusion": ("Conclusion", ""),
}
RESTS_ON = (
    "The smallest effect that is shown with power .8 by sampling alone, two-sided at .05, before "
    "adjustment for the number of judges. Beyond odds of 3, 15 votes of 100 or 10 points, the conclusion is "
    "too few cases."
)


_OF_ITSELF = (
    "That this is self-preference, more than judges' tastes explain, takes a larger effect or more families "
    "of judges."
)


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show the smallest effect that would have been shown, for each judge, the largest first."""
    result = measure(study, "scorecard", {})
    judges = board_facts.by_excess(result.rows)
    shown = shown_of(study, result, {}, ("judge",), sentences=detectable_sentences(judges))
    if shown.table is None:
        return shown
    table = ShownTable.under(COLUMNS, map(_cells, judges), judges)
    return replace(shown, problems=(), figure=None, table=table, basis=(*shown.basis, RESTS_ON))


def _cells(row: "ScorecardRow") -> tuple[str, ...]:
    needed = conclusions.cases_needed(row)
    return (
        str(row["judge"]),
        "–" if row["n_own"] is None else f"{row['n_own']:,}",
        "–" if row["n_outside"] is None else f"{row['n_outside']:,}",
        "–" if row["detectable"] is None else size_words(row),
        "–" if needed is None else f"{needed:,}",
        conclusions.conclusion_words(row),
    )


def size_words(row: "ScorecardRow") -> str:
    """Return the smallest effect of a row in its unit: `odds of 1.62`, `12 votes of 100`, `3.1 points`."""
    size, number = row["detectable"] or 0.0, str(row["decided_by"])
    if number.startswith("vote"):
        return f"{100 * size:.1f} votes of 100"
    if number.startswith("bonus"):
        return f"{size:.1f} points"
    return f"{'a ratio' if number == 'hspp_matched' else 'odds'} of {size:.2f}"


def detectable_sentences(judges: "Sequence[ScorecardRow]") -> tuple[str, ...]:
    """Say what the study would have shown of the judge with the best cases, and of how many too little."""
    sized = [row for row in judges if row["detectable"] is not None]
    few = [row for row in judges if lacks_cases(row["conclusion"], row["reason"])]
    if not sized:
        reasons = dict.fromkeys(meaning(row["reason"]) for row in judges if row["reason"])
        return (f"The study could not have shown any preference: {'; '.join(reasons)}.",) if reasons else ()
    order = sorted(sized, key=lambda row: row["detectable"] or 0.0)
    least, most = order[0], order[-1]
    first = f"In 80 of 100 studies like this, {size_words(least)} or more in favour of its own answers"
    rest = "" if least is most else f", and for {most['judge']} {size_words(most)} or more"
    sentences = [f"{first} would be shown for {least['judge']}{rest}.", _OF_ITSELF]
    if few:
        them = "it" if len(few) == 1 else "them"
        sentences.append(
            f"There are too few cases for {part_of(len(few), len(judges), 'judge')}: that nothing is shown "
            f"of {them} means nothing."
        )
    return tuple(sentences)


DETECTABLE = View(
    "detectable",
    "What could have been found",
    "What could this study have found?",
    NoKeys,
    answer,
    needs,
)
