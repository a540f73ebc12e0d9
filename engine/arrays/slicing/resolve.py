"""From a slice as a user wrote it to one in which every default is resolved (MEASURES section 1)."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from engine.arrays.index import Relatives
from engine.arrays.judgment_rows import Repeats, Selection
from engine.arrays.slicing.slice_masks import check_texts
from engine.arrays.slicing.text_ranges import with_stored_values
from engine.arrays.text_names import with_criterion_ids
from engine.arrays.truths.references import Exclusion
from engine.errors import SpbError, UsageError, unknown
from engine.paradigms import COMPARABLE, RUBRIC_PARADIGMS, TRAITS, ParadigmTraits
from engine.phrases import join_names
from engine.slices import Slice, how_stored
from engine.wording import option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


BUILT_IN_VARIANTS = ("default", "cot", "forced", "forced_tie", "structured", "pointwise")
"""Variants that are valid even if a study has none of them."""


class NoDataError(SpbError):
    """The study has no data for the measure; the message is the reason."""


@dataclass(frozen=True)
class ResolvedSlice:
    """A slice with its paradigm, variant, transform, level and reference resolved."""

    spec: Slice
    selection: Selection
    level: str
    source: str | None

    @property
    def paradigm(self) -> str:
        return self.selection.paradigm

    @property
    def of_rubrics(self) -> bool:
        return self.traits.of_rubrics

    @property
    def traits(self) -> ParadigmTraits:
        return TRAITS[self.paradigm]

    @property
    def exclusion(self) -> Exclusion:
        """Which members of a committee reference do not vote."""
        relatives = cast("Relatives", self.spec.relatives)
        return Exclusion(self.spec.exclude_family, self.spec.leave_self_out, relatives)

    def filters(self) -> dict[str, Any]:
        """Return all filters that applied, defaults included, as the JSON shows them."""
        filters = self.spec.filters()
        defaults = {
            "paradigm": self.paradigm,
            "variant": self.selection.variant,
            "transform": self.selection.transform,
            "level": self.level,
            "reference": self.source,
            "scores": self.spec.scores,
            "relatives": self.spec.relatives,
            "repeats": self.spec.repeats,
        }
        if self.traits.lists_rubrics:
            defaults["ordering"] = self.selection.ordering or "original"
        return filters | defaults


def resolve(study: "StudyArrays", spec: Slice, paradigms: tuple[str, ...] = COMPARABLE) -> ResolvedSlice:
    """Resolve a slice's defaults; UsageError for an unknown name, NoDataError without such judgments."""
    _check_choices(study, spec)
    spec = with_criterion_ids(study, with_stored_values(study.index, spec))
    paradigm = choose_paradigm(study, spec, paradigms)
    where = {"paradigm": paradigm}
    variant = _variant(study, spec, paradigm)
    transform = spec.transform or "none"
    _check_value(study, "transform", (transform,), "none", where)
    level = spec.level or ("rubric" if paradigm in RUBRIC_PARADIGMS else "instance")
    if level == "rubric" and paradigm not in RUBRIC_PARADIGMS:
        raise UsageError(
            f"{paradigm!r} has no level 'rubric'; choose ",
            option("level", "instance"),
            ", or a paradigm of criteria",
        )
    if spec.min_agreement is not None and paradigm not in RUBRIC_PARADIGMS:
        raise UsageError(
            f"{paradigm} judgments are not on criteria, on which judges could agree; leave out ",
            option("min_agreement"),
        )
    if spec.ordering is not None:
        _check_value(study, "ordering", (spec.ordering,), "original", where)
    selection = Selection(
        paradigm=paradigm,
        variant=variant,
        transform=transform,
        ordering=None if spec.ordering == "original" else spec.ordering,
        runs=spec.run,
        repeats=cast("Repeats", spec.repeats),
    )
    if study.inventory.total(**selection.where()) == 0:
        raise NoDataError(f"the study has no {paradigm} judgments with variant {variant!r} in this slice")
    spec, source = replace(spec, paradigm=paradigm, variant=variant), study.references.choose(spec.reference)
    return ResolvedSlice(spec, selection, level, source)


def with_names(study: "StudyArrays", spec: Slice) -> Slice:
    """Return a slice with the ids of its criteria, some named by their texts, and the values of its ranges.

    UsageError for a model, run, criterion or value of a column that the study does not have. A measure that
    tries one paradigm after the other would take them for paradigms without judgments.
    """
    _check_choices(study, spec)
    spec = with_stored_values(study.index, spec)
    check_texts(study.index, spec)
    return with_criterion_ids(study, spec)


def _check_choices(study: "StudyArrays", spec: Slice) -> None:
    if spec.agreement_of == "verdict" and spec.agreement_without_family:
        raise UsageError(
            option("agreement_of", "verdict"),
            " and ",
            option("agreement_without_family"),
            " cannot be combined; leave one out",
        )
    for column, always in (("ordering", "original"), ("transform", "none")):
        name = getattr(spec, column)
        if name not in (None, always) and not {*study.inventory.values(column)} - {None, always}:
            raise UsageError(
                f"unknown {column} {name!r}; the study has no values of {column}, {how_stored(column)}"
            )
    for kind in ("judges", "generators"):
        for name in getattr(spec, kind):
            if name not in study.index.models:
                raise unknown(kind[:-1], name, study.index.models)
    _check_value(study, "run", spec.run, None, {})


def choose_paradigm(study: "StudyArrays", spec: Slice, paradigms: tuple[str, ...] = COMPARABLE) -> str:
    """Return the paradigm requested, or the first of `paradigms` that the study has.

    UsageError for one that is not among them, NoDataError if the study has none.
    """
    present = study.inventory.values("paradigm", **of_runs(spec))
    if spec.paradigm is None:
        first = next((name for name in paradigms if name in present), None)
        if first is None:
            raise NoDataError(f"the study has no {join_names(paradigms, last='or')} judgments")
        return first
    if spec.paradigm not in paradigms:
        choices = ", ".join(paradigms)
        raise UsageError(f"this measure does not apply to {spec.paradigm!r}; choose from: {choices}")
    if spec.paradigm not in present:
        raise NoDataError(f"the study has no {spec.paradigm} judgments")
    return spec.paradigm


def of_runs(spec: Slice) -> dict[str, tuple[str, ...]]:
    """Return the runs of a slice as a filter of the inventory."""
    return {"run_id": spec.run} if spec.run else {}


def common_paradigm(
    study: "StudyArrays", spec: Slice, by: str | None, paradigms: tuple[str, ...]
) -> str | None:
    """Return the paradigm of all groups of a slice; None if they differ in it, or the study has none."""
    if by == "paradigm":
        return None
    try:
        return choose_paradigm(study, spec, paradigms)
    except NoDataError:
        return None


def _variant(study: "StudyArrays", spec: Slice, paradigm: str) -> str:
    present = [str(name) for name in study.inventory.values("variant", paradigm=paradigm, **of_runs(spec))]
    variant = spec.variant or "default"
    if spec.variant is None and variant not in present and present:
        return present[0]
    if variant in present:
        return variant
    if variant not in (*BUILT_IN_VARIANTS, *study.inventory.values("variant")):
        raise unknown("variant", variant, present)
    problem = f"the study has no {paradigm} judgments with variant {variant!r}"
    raise NoDataError(f"{problem}; it has {', '.join(present)}")


def _check_value(
    study: "StudyArrays", column: str, names: tuple[str, ...], always: str | None, where: dict[str, Any]
) -> None:
    if all(name == always for name in names):
        return
    stored_column = "run_id" if column == "run" else column
    present = [str(name) for name in study.inventory.values(stored_column, **where) if name is not None]
    for name in names:
        if name in present or name == always:
            continue
        if name not in study.inventory.values(stored_column):
            raise unknown(column, name, present)
        problem = f"the study has no {where['paradigm']} judgments with {column} {name!r}"
        raise NoDataError(f"{problem}; it has {', '.join(present)}" if present else problem)
