"""Every measure: those of the engine, and those that other packages add.

`entry` says what an entry holds; the modules of `entries` are those of the engine. Another package adds a
measure by an entry point of the group `spb.measures` that names a `Measure`, in its pyproject.toml:

    [project.entry-points."spb.measures"]
    my-measure = "my_package.measures:MY_MEASURE"
"""

import logging
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from engine.errors import UsageError, unknown
from engine.measures.entries import mechanism, pairs, rubrics, summaries
from engine.measures.entry import Measure

LOG = logging.getLogger(__name__)

ENTRY_POINTS = "spb.measures"

OWN = (
    *rubrics.RUBRIC_ENTRIES,
    *summaries.CONCLUSION_ENTRIES,
    *rubrics.OUTSIDE_ENTRIES,
    *pairs.PAIR_ENTRIES,
    *pairs.GOLD_ENTRIES,
    *mechanism.ORDER_ENTRIES,
    *mechanism.MECHANISM_ENTRIES,
    *summaries.SUMMARY_ENTRIES,
)
"""The measures of the engine."""


def added_measures() -> Iterator[Measure]:
    """Yield the measures of other packages; one that cannot be loaded is left out with a logged warning."""
    names = {measure.name for measure in OWN}
    for point in sorted(entry_points(group=ENTRY_POINTS)):
        try:
            measure = load_added(point)
            if measure.name in names:
                raise UsageError(f"measure {measure.name!r} exists already; give yours another name")
        except UsageError as error:
            LOG.warning("measure of entry point %r (%s) ignored: %s", point.name, point.value, error)
            continue
        names.add(measure.name)
        yield measure


def load_added(point: EntryPoint) -> Measure:
    """Return the measure that an entry point names; UsageError if it cannot be loaded or is not one."""
    try:
        loaded = point.load()
    except Exception as error:  # whatever another package's import raises
        raise UsageError(f"it cannot be loaded: {error!r}") from error
    if not isinstance(loaded, Measure):
        raise UsageError(f"it is {loaded!r}, not an engine.measures.entry.Measure")
    return loaded


MEASURES: dict[str, Measure] = {measure.name: measure for measure in (*OWN, *added_measures())}


def find(name: str) -> Measure:
    """Return the measure of that name, underscores for hyphens allowed; UsageError lists all names."""
    measure = MEASURES.get(name.replace("_", "-")) if isinstance(name, str) else None
    if measure is None:
        raise unknown("measure", name, MEASURES)
    return measure
