"""The choices in a study: the values and ranges of every filter and grouping."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.inventory import Inventory
from engine.arrays.slicing.empty_slices import places_shown
from engine.arrays.slicing.resolve import resolve
from engine.arrays.slicing.slice_masks import column_values
from engine.arrays.text_names import names_of_groups, recurring_criteria
from engine.errors import SpbError, UsageError
from engine.measures.measured_study import MeasuredStudy
from engine.paradigms import COMPARABLE, LIST_PARADIGMS, OPTION_PARADIGMS, RUBRIC_PARADIGMS
from engine.slices import (
    BY_RUBRIC,
    COLUMNS,
    FLAGS,
    GROUPINGS,
    JUDGE_COLUMNS,
    ROW_COLUMNS,
    TEXT_COLUMNS,
    Slice,
)

AGREEMENT = (0.0, 1.0)
STORED_OF_JUDGE = {name: str(COLUMNS[name].stored_in("models")) for name in JUDGE_COLUMNS}
"""The groupings by properties of the judge, with their columns of `models`."""

RESOLVED_FILTERS = ("paradigm", "level", "variant", "reference")
"""The filters that always have a value: if nothing is chosen, the study determines it."""

USUAL_VARIANT = "default"  # the prompt template that is used if none is named
FORCED = ("forced", "forced_tie")  # the templates of pairs that take precedence, as in the scorecard
_KINDS = {flag.name: flag.kind for flag in FLAGS}


@dataclass(frozen=True)
class Choices:
    """`values` of filters that choose among names, `ranges` of filters on numbers.

    Filters with fewer than two values, or no range, are left out, since they would change nothing.
    `groupings` are the columns with more than one value. `defaults` are the values of `RESOLVED_FILTERS`
    if nothing is chosen, as far as the study determines them. `starts` are initial values for pages that
    would otherwise be empty. `criteria` are the texts of criteria whose ids an import made of them.
    """

    values: dict[str, tuple[str, ...]]
    ranges: dict[str, tuple[float, float]]
    groupings: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)
    criteria: Mapping[str, str] = field(default_factory=dict)

    def allows(self, name: str, text: str) -> bool:
        """Return whether the study has a value of a filter, as written in an address."""
        kind = _KINDS[name]
        if kind == "switch":
            return text == "true"
        if kind not in ("range", "number"):
            return text in self.values.get(name, ())
        try:
            limits = getattr(Slice.of(**{name: text}), name)
        except UsageError:
            return False
        if limits is None or name not in self.ranges:
            return False
        low, high = self.ranges[name]
        ends = limits if kind == "range" else (None, None)
        return (ends[0] is None or ends[0] <= high) and (ends[1] is None or ends[1] >= low)


def choices_of(study: MeasuredStudy) -> Choices:
    """Return what can be chosen in a study."""
    study_values = _StudyValues(study)
    values = {flag.name: study_values.names(flag.name, flag.choices) for flag in FLAGS}
    options = {name: names for name, names in values.items() if len(names) > 1}
    ranges = {name: bounds for name, bounds in study_values.ranges.items() if bounds[0] < bounds[1]}
    groupings = set(options) | set(ranges)
    if "min_agreement" in ranges:
        groupings.add("agreement")
    groupings |= study_values.columns_of_judges(options.get("judges", ()))
    return Choices(
        values=options,
        ranges=ranges,
        groupings=tuple(name for name in GROUPINGS if name in groupings),
        models=study.index.models,
        judges=tuple(values["judges"]),
        defaults=_defaults(study),
        starts=_starts(study.inventory),
        criteria=names_of_groups(study, BY_RUBRIC) if BY_RUBRIC in options else {},
    )


def _starts(inventory: Inventory) -> dict[str, str]:
    """Return the board's template, else the measures' own, the first, if the usual one has no judgments."""
    present = inventory.values("paradigm")
    paradigm = next((name for name in (*COMPARABLE, *OPTION_PARADIGMS) if name in present), None)
    if paradigm is None:
        return {}
    names = [str(name) for name in inventory.values("variant", paradigm=paradigm) if name is not None]
    if not names or USUAL_VARIANT in names:
        return {}
    for name in FORCED if paradigm == "pairwise" else ():
        if name in names:
            return {"variant": name}
    return {"variant": names[0]}


def _defaults(study: MeasuredStudy) -> dict[str, str]:
    try:
        request = resolve(study, Slice(), (*COMPARABLE, *OPTION_PARADIGMS))
    except SpbError:  # the study has nothing to compare, or several possible values
        return {}
    # Scores on options have references of their own.
    score_paradigms = set(OPTION_PARADIGMS) & set(study.inventory.values("paradigm"))
    reference = None if score_paradigms else request.source
    values = (request.paradigm, request.level, request.selection.variant, reference)
    return {name: str(value) for name, value in zip(RESOLVED_FILTERS, values, strict=True) if value}


class _StudyValues:
    """The values present in a study, by filter."""

    def __init__(self, study: MeasuredStudy) -> None:
        self.study, self.index, self.inventory = study, study.index, study.inventory

    def names(self, flag: str, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the values of a filter that the study has, in the order to show."""
        if flag == "paradigm":
            return tuple(name for name in self._stored("paradigm") if name in COMPARABLE)
        if flag in ROW_COLUMNS:
            return self._stored(str(COLUMNS[flag].stored_in("judgments")))
        if flag == "judges":
            judges = set(self._stored("judge"))
            return tuple(model for model in self.index.models if model in judges)
        if flag == "generators":
            return self.index.models
        if flag == "reference":
            return self.study.references.sources
        if flag == "polarity":
            return tuple(name for name in choices if name in set(self.index.rubric_fields["polarity"]))
        if flag in TEXT_COLUMNS:
            return tuple(column_values(self.index, flag))
        if flag == BY_RUBRIC:
            return recurring_criteria(self.study)
        if flag == "position":
            return self._positions()
        if flag == "relatives":
            return tuple(name for name in choices if any(self.index.model_fields[name]))
        if flag == "length_unit" and not any(self.index.rubric_fields["words"]):
            return ()
        if flag == "repeats" and len(self._stored("run_id")) < 2 and not self.study.files.greatest("trial"):
            return ()
        return choices

    def columns_of_judges(self, judges: tuple[str, ...]) -> set[str]:
        """Return the groupings in which these judges differ."""
        models = self.study.files.table("models", ("model", *STORED_OF_JUDGE.values()))
        rows = models.filter(
            pc.is_in(models["model"], pa.array(judges, pa.string()).cast(models["model"].type))
        )
        return {
            by for by, column in STORED_OF_JUDGE.items() if len(pc.unique(rows[column].combine_chunks())) > 1
        }

    def _stored(self, column: str) -> tuple[str, ...]:
        return tuple(str(name) for name in self.inventory.values(column) if name is not None)

    def _positions(self) -> tuple[str, ...]:
        if not set(LIST_PARADIGMS) & set(self._stored("paradigm")):
            return ()
        return tuple(map(str, places_shown(self.study.files, RUBRIC_PARADIGMS)))

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The least and greatest value of each filter on numbers."""
        bounds: dict[str, tuple[float, float]] = {}
        texts = self.study.files.table("responses", ["text"])["text"].drop_null()
        of_responses = np.asarray(pc.utf8_length(texts), dtype=np.float64)
        of_rubrics = self.index.lengths["characters"]
        for flag, values in (("length", of_rubrics), ("response_length", of_responses)):
            if len(values) and not np.isnan(values).all():
                bounds[flag] = float(np.nanmin(values)), float(np.nanmax(values))
        if len(self._stored("judge")) > 1 and set(self._stored("paradigm")) & set(RUBRIC_PARADIGMS):
            bounds["min_agreement"] = AGREEMENT
        return bounds
