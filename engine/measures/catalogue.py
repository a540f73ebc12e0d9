"""Every measure: those of the engine, and those that other packages add.

`entry` says what an entry holds; the modules of `entries` are those of the engine. Another package adds a
measure by an entry point of the group `spb.measures` that names a `Measure`, in its pyproject.toml:

    [project.entry-points."spb.measures"]
    my-measure = "my_package.measures:MY_MEASURE"
"""

import logging
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.metadata import entry_points

from engine.errors import UsageError, unknown
from engine.measures.entries import judges, mechanism, pairs, rubrics, summaries
from engine.measures.entry import Measure

LOG = logging.getLogger(__name__)

ENTRY_POINTS = "spb.measures"

OWN = (
    *rubrics.RUBRIC_ENTRIES,
    *summaries.CONCLUSION_ENTRIES,
    rubrics.OUTSIDE,
    *pairs.PAIR_ENTRIES,
    *pairs.GOLD_ENTRIES,
    *mechanism.ORDER_ENTRIES,
    *mechanism.MECHANISM_ENTRIES,
    *summaries.SUMMARY_ENTRIES,
    *judges.JUDGE_ENTRIES,
)
"""The measures of the engine."""


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


def find(name: str) -> Measure:
    """Return the measure of that name, in any case, underscores for hyphens; UsageError lists all names."""
    plain = name.lower().replace("_", "-") if isinstance(name, str) else ""
    measure = MEASURES.get(plain)
    if measure is None:
        close = get_close_matches(plain, MEASURES, 1)
        problem = unknown("measure", name, MEASURES)
        raise UsageError(f"{problem}; did you mean {close[0]!r}?") if close else problem
    return measure
