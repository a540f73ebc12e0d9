"""Every measure, declared once: `declare` says what an entry holds, the other modules are the entries.

Imports nothing heavy, so that the command line can be made from it.
"""

from engine.errors import unknown
from engine.measures.catalogue import across, gold, orders, pairs, rubrics
from engine.measures.catalogue.declare import Field, Measure, Option

__all__ = ["MEASURES", "Field", "Measure", "Option", "find"]

_ENTRIES = (*rubrics.ENTRIES, *pairs.ENTRIES, *gold.ENTRIES, *orders.ENTRIES, *across.ENTRIES)
MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ENTRIES}


def find(name: str) -> Measure:
    """Return the measure of that name, underscores for hyphens allowed; UsageError naming all there are."""
    measure = MEASURES.get(name.replace("_", "-"))
    if measure is None:
        raise unknown("measure", name, MEASURES)
    return measure
