"""The outcomes of a run's gold judges, written as preferences once they have compared the pairs."""

import pyarrow as pa
import pyarrow.compute as pc

from engine.annotations.gold import write_gold
from engine.collect.configuration.config import RunConfig
from engine.collect.locks.study_locks import write_lock
from engine.collect.paradigms.template_files import judging_templates
from engine.store import Store
from engine.store.study_files import StudyFiles

PANEL = "gold"
"""The name of the panel of a run's gold judges."""


def write_gold_outcomes(store: Store, study: StudyFiles, config: RunConfig) -> None:
    """Write the preferences of the configured gold judges, once each has pairs judged in both orders.

    Rewritten responses have outcomes of their own.
    """
    if not config.gold_judges:
        return
    templates = judging_templates(["pairwise"], config.variants, config.task, config.folder)
    variant = templates[0].variant
    with write_lock(store, study.name):
        study = StudyFiles(study.location)
        for transform in config.judged_transforms:
            if transform == "none" or transform in config.rewritings:
                judges = _judges_of_both_orders(study, variant, transform)
                if judges.issuperset(config.gold_judges):
                    write_gold(study, PANEL, config.gold_judges, variant, transform)
                    study = StudyFiles(study.location)


def _judges_of_both_orders(study: StudyFiles, variant: str, transform: str) -> set[str]:
    names = {"variant": (variant,), "transform": (transform,)}
    rows = study.judgments(["judge", "first"], {"paradigm": ("pairwise",), "status": ("ok",), **names})
    judges = rows["judge"].cast(pa.string())
    return {
        judge
        for judge in pc.unique(judges).to_pylist()
        if len(pc.unique(rows.filter(pc.equal(judges, judge))["first"])) > 1
    }
