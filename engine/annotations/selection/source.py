"""The study that items are taken from: what of it is asked for, and its texts."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.annotations.items import Texts
from engine.annotations.selection.wanted import Wanted
from engine.errors import unknown
from engine.masks import instance_mask, rubric_mask
from engine.score_options import options_of
from engine.views.quality import judged_quality

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Bools = NDArray[np.bool_]


class Source:
    """A study as one selection sees it: the questions and models kept, their names, and their texts."""

    def __init__(self, study: "StudyArrays", wanted: Wanted) -> None:
        """Settle what is kept; UsageError for a generator or a value of a filter that the study lacks."""
        self.study, self.wanted, self.index = study, wanted, study.index
        self.rng = np.random.default_rng(wanted.seed)
        self.names: list[str] = self.index.instances.to_pylist()
        for name in wanted.spec.generators:
            if name not in self.index.models:
                raise unknown("generator", name, self.index.models)
        generators = wanted.spec.generators or self.index.models
        self.models = [place for place, name in enumerate(self.index.models) if name in generators]
        files = study.files
        self._prompts = _column(files.table("instances", ["instance_id", "prompt"]), "prompt", "instance_id")
        self._responses = {
            (row["instance_id"], row["generator"]): row["text"]
            for row in files.table("responses", ["instance_id", "generator", "transform", "text"]).to_pylist()
            if row["transform"] == "none" and row["text"] is not None
        }

    @cached_property
    def rubrics(self) -> Bools:
        """Which rubrics the filters keep."""
        return rubric_mask(self.index, self.wanted.spec)

    @cached_property
    def instances(self) -> Bools:
        """Which questions the filters keep, where whole responses are labelled."""
        return instance_mask(self.index, self.wanted.spec, self.rubrics)

    @cached_property
    def rubric_rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Criterion and options of each rubric."""
        rows = self.study.files.table("rubrics", ["instance_id", "rubric_id", "criterion", "options"])
        return {(row["instance_id"], row["rubric_id"]): row for row in rows.to_pylist()}

    def quality(self) -> NDArray[np.float64]:
        """Return the quality of each response, shape (models, instances), NaN where it has none.

        What is not kept has none. LackingError where nobody judged quality.
        """
        asked = {"quality_judges": self.wanted.quality_judges}
        q: NDArray[np.float64] = judged_quality(self.study, self.wanted.spec, asked).values[0].copy()
        q[:, ~self.instances] = np.nan
        q[np.setdiff1d(np.arange(len(q)), self.models)] = np.nan
        return q

    def theme(self, instance: int) -> str:
        """Return what a question is about, else its kind of task."""
        fields = self.index.instance_fields
        return str(fields["theme"][instance] or fields["category"][instance])

    def has(self, instance: str, *models: str) -> bool:
        """Return whether all of the responses have a text."""
        return all((instance, model) in self._responses for model in models)

    def texts(self, instance: str, models: Sequence[str], rubric: str | None = None) -> Texts:
        """Return the texts of an item."""
        responses = tuple(self._responses[instance, model] for model in models)
        row = {} if rubric is None else self.rubric_rows.get((instance, rubric), {})
        return Texts(
            self._prompts.get((instance,)), responses, row.get("criterion"), options_of(row.get("options"))
        )


def _column(table: pa.Table, value: str, *key: str) -> dict[tuple[str, ...], Any]:
    return {tuple(row[name] for name in key): row[value] for row in table.to_pylist()}
