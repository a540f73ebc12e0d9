"""Every measure: those of the engine, and those that other packages add.

`entry` says what an entry holds; each measure of the engine is declared at the end of the module that
computes it, which has its name. Another package adds a measure by an entry point of the group `spb.measures`
that names a `Measure`, in its pyproject.toml:

    [project.entry-points."spb.measures"]
    my-measure = "my_package.measures:MY_MEASURE"
"""

import logging
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any

from engine.errors import unknown
from engine.measures.causes.association import ASSOCIATION
from engine.measures.causes.familiarity_score import FAMILIARITY
from engine.measures.causes.length import LENGTH
from engine.measures.causes.mitigation import MITIGATION
from engine.measures.causes.recognition_score import RECOGNITION
from engine.measures.causes.relatedness import RELATEDNESS
from engine.measures.causes.robustness import ROBUSTNESS
from engine.measures.causes.transforms import TRANSFORMS
from engine.measures.committees.committee import COMMITTEE
from engine.measures.committees.committee_families import COMMITTEE_FAMILIES
from engine.measures.committees.committee_size import COMMITTEE_SIZE
from engine.measures.entry import ROWS, Measure
from engine.measures.orders.list_ranks import LIST_RANKS
from engine.measures.orders.model_likeness import MODEL_LIKENESS
from engine.measures.orders.order_effect import ORDER_EFFECT
from engine.measures.orders.ordering import ORDERING
from engine.measures.orders.permutation import PERMUTATION
from engine.measures.orders.position import POSITION
from engine.measures.outside.outside import OUTSIDE
from engine.measures.pairs.archetypes import ARCHETYPES
from engine.measures.pairs.dbg import DBG
from engine.measures.pairs.discriminability import DISCRIMINABILITY
from engine.measures.pairs.equal_quality import EQUAL_QUALITY
from engine.measures.pairs.gold_stress import GOLD_STRESS
from engine.measures.pairs.quality_baseline import QUALITY_BASELINE
from engine.measures.pairs.quality_baseline_summary import BASELINE_SUMMARY
from engine.measures.pairs.votes import VOTES
from engine.measures.quality.accuracy import ACCURACY
from engine.measures.quality.annotators import ANNOTATORS
from engine.measures.quality.best_of_n import BEST_OF_N
from engine.measures.quality.judge_costs import JUDGE_COSTS
from engine.measures.quality.people import PEOPLE
from engine.measures.quality.reference_agreement import REFERENCE_AGREEMENT
from engine.measures.quality.which_judge import WHICH_JUDGE
from engine.measures.rankings.corrected import CORRECTED
from engine.measures.rankings.ranking import RANKING
from engine.measures.rankings.ranking_distance import RANKING_DISTANCE
from engine.measures.rankings.ranking_flips import RANKING_FLIPS
from engine.measures.rankings.vote_ranking import VOTE_RANKING
from engine.measures.reference.agreement_curve import AGREEMENT_CURVE
from engine.measures.reference.delta import DELTA
from engine.measures.reference.hspp import HSPP
from engine.measures.reference.overestimation import OVERESTIMATION
from engine.measures.scorecard.expected import EXPECTED
from engine.measures.scorecard.scorecard import SCORECARD
from engine.measures.scorecard.together import TOGETHER

LOG = logging.getLogger(__name__)

ENTRY_POINTS = "spb.measures"

QUESTIONS: dict[str, tuple[Measure, ...]] = {
    "Does a judge favour itself, its answers compared with what other judges gave them?": (
        SCORECARD,
        EXPECTED,
        OUTSIDE,
        TOGETHER,
    ),
    "Does it pass what a reference says failed?": (HSPP, OVERESTIMATION, DELTA, AGREEMENT_CURVE),
    "Does it prefer itself in pairs?": (
        EQUAL_QUALITY,
        DISCRIMINABILITY,
        ARCHETYPES,
        QUALITY_BASELINE,
        DBG,
        GOLD_STRESS,
        VOTES,
    ),
    "How good is a judge, and which one to use?": (
        WHICH_JUDGE,
        ACCURACY,
        PEOPLE,
        REFERENCE_AGREEMENT,
        ANNOTATORS,
        BEST_OF_N,
    ),
    "Who is best, by whose judgment?": (RANKING, VOTE_RANKING, RANKING_DISTANCE, CORRECTED),
    "Do several judges together help?": (COMMITTEE, COMMITTEE_SIZE, COMMITTEE_FAMILIES),
    "Does the order of what is shown matter?": (
        POSITION,
        ORDERING,
        PERMUTATION,
        MODEL_LIKENESS,
        ORDER_EFFECT,
        LIST_RANKS,
    ),
    "Why does it, and what helps?": (
        MITIGATION,
        RELATEDNESS,
        ROBUSTNESS,
        RECOGNITION,
        FAMILIARITY,
        ASSOCIATION,
        LENGTH,
    ),
}
"""The measures of the engine by the question that brings somebody to them."""

_ROWS_OF_OTHERS = (BASELINE_SUMMARY, RANKING_FLIPS, TRANSFORMS, JUDGE_COSTS)

OWN = (*(measure for measures in QUESTIONS.values() for measure in measures), *_ROWS_OF_OTHERS)
"""The measures of the engine; the last are other rows of one, which answer by their former names."""


def added_measures() -> Iterator[Measure]:
    """Yield the measures of other packages; one that cannot be loaded is left out with a logged warning."""
    names = {measure.name for measure in OWN}
    for point in sorted(entry_points(group=ENTRY_POINTS)):
        try:
            measure, problem = point.load(), ""
        except Exception as error:  # whatever another package's import raises
            measure, problem = None, f"it cannot be loaded: {error!r}"
        if not problem and not isinstance(measure, Measure):
            problem = f"it is {measure!r}, not an engine.measures.entry.Measure"
        elif not problem and measure.name in names:
            problem = f"measure {measure.name!r} exists already; give yours another name"
        if problem:
            LOG.warning("measure of entry point %r (%s) ignored: %s", point.name, point.value, problem)
        else:
            names.add(measure.name)
            yield measure


MEASURES: dict[str, Measure] = {measure.name: measure for measure in (*OWN, *added_measures())}


PRESENT: dict[str, Measure] = {name: measure for name, measure in MEASURES.items() if not measure.part_of}
"""The measures without those that are other rows of one, which answer by their former names."""


def with_rows(measure: Measure, arguments: Mapping[str, Any]) -> tuple[Measure, dict[str, Any]]:
    """Return the measure whose rows are asked for by the option `rows`, and the other arguments."""
    others = {name: value for name, value in arguments.items() if name != ROWS}
    rows = next((option for option in measure.options if option.name == ROWS), None)
    if rows is None:
        return measure, dict(arguments)
    wanted = arguments.get(ROWS)
    if wanted is None or wanted == rows.choices[0]:
        return measure, others
    parts = {each.part_of: each for each in MEASURES.values()}
    if (measure.name, wanted) not in parts:
        raise unknown(ROWS, wanted, rows.choices)
    return parts[measure.name, wanted], others


def find(name: str) -> Measure:
    """Return the measure of that name, in any case, underscores for hyphens; UsageError lists all names."""
    plain = name.lower().replace("_", "-") if isinstance(name, str) else ""
    measure = MEASURES.get(plain)
    if measure is None:
        raise unknown("measure", name, MEASURES)
    return measure
