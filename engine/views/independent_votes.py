"""Independent votes: how many judges that err alone the study's judges are worth, as they err together."""

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.views.committee import FEWEST
from engine.views.keys import NoKeys, choices_in
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.independent_votes import votes_worth

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import CommitteeRow

MOST = 60
"""Most judges whose errors are compared, each with each, and without each of them."""

FIELDS = ("judge", "level", "n_effective", "n_effective_without")
RESTS_ON = (
    "n / (1 + (n - 1) r), where r is the mean correlation of two judges' errors, that is of verdicts that "
    "differ from the reference. It has no interval."
)
NO_REFERENCE = (
    "How many independent votes the judges are worth needs a reference that says which verdicts are wrong: "
    "import one, let several judges vote as a committee, or ask people to label."
)


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show what all judges are worth together, and without each of them."""
    options = {"members": choices_in(study).judges}
    result = measure(study, "committee", options)
    every: list[CommitteeRow] = result.rows
    defined = [row for row in every if row["n_effective"] is not None]
    rows = [row for row in defined if row["level"] == defined[0]["level"]]
    shown = shown_of(study, result.with_rows(rows), options, FIELDS, sentences=votes_worth(rows))
    if not rows:
        has_reference = study.has_truth
        problems = shown.problems if has_reference else (NO_REFERENCE,)
        return Shown(problems=problems, basis=shown.basis, commands=shown.commands, measures=shown.measures)
    return replace(shown, figure=None, basis=(*shown.basis, RESTS_ON))


def needs(study: "MeasuredStudy") -> str | None:
    """Return why it cannot be counted, None if a few judges have judged."""
    n_judges = len(choices_in(study).judges)
    if n_judges > MOST:
        return (
            f"Independent votes are counted here of {MOST} judges or fewer; the study has {n_judges}. "
            "spb measure committee --members counts those of any committee."
        )
    if n_judges >= FEWEST:
        return None
    return f"Independent votes are counted of {FEWEST} judges or more; the study has {n_judges}."


INDEPENDENT_VOTES = View(
    "independent_votes",
    "Independent votes",
    "How many independent judges are these?",
    NoKeys,
    answer,
    needs,
)
