"""The annotator's side: what comes next, what was said of it, and how far one is.

Nothing given here names a model, a verdict or an automatic label. An item is known by its place in the
annotator's own order, so that neither its name nor its round is seen. A label is committed when the function
returns.
"""

from engine.annotations.labelling.progress import OwnTask, Progress, own_tasks, progress, seconds_each
from engine.annotations.labelling.said import SKIP_REASONS, SURE, Saved, report, save, skip, undo
from engine.annotations.labelling.shown import Shown, item_after, item_at, item_before, next_item

__all__ = [
    "SKIP_REASONS",
    "SURE",
    "OwnTask",
    "Progress",
    "Saved",
    "Shown",
    "item_after",
    "item_at",
    "item_before",
    "next_item",
    "own_tasks",
    "progress",
    "report",
    "save",
    "seconds_each",
    "skip",
    "undo",
]
