"""The outcomes of a run's gold judges, written as preferences once they have compared the pairs."""

import pyarrow as pa
import pyarrow.compute as pc

from engine.annotations.gold import write_gold
from engine.collect.config import RunConfig
from engine.collect.locks import write_lock
from engine.collect.paradigms.templates import judging_templates
from engine.store import Store
from engine.store.study_files import StudyFiles

PANEL = "gold"
"""The name of the panel of a run's gold judges."""


def write_gold_outcomes(store: Store, study: StudyFiles, config: RunConfig) -> None:
    """Write the preferences of the configured gold judges, once each has pairs judged in both orders."""
    if not config.gold_judges:
        return
    templates = judging_templates(["pairwise"], config.variants, config.task, config.folder)
    variant = templates[0].variant
    with write_lock(store, study.name):
        study = StudyFiles(study.location)
        where = {"paradigm": ("pairwise",), "variant": (variant,), "status": ("ok",)}
        rows = study.judgments(["judge", "first"], where)
        orders = {
            judge: pc.unique(rows.filter(pc.equal(rows["judge"].cast(pa.string()), judge))["first"])
            for judge in config.gold_judges
        }
        if all(len(of_judge) > 1 for of_judge in orders.values()):
            write_gold(study, PANEL, config.gold_judges, variant)
