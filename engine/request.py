"""From a slice as a user wrote it to one in which every default is settled (MEASURES section 1)."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.cubes.rows import Selection
from engine.errors import SpbError, UsageError, unknown
from engine.references import Exclusion
from engine.schema import COMPARABLE, RUBRIC_PARADIGMS
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

SHIPPED_VARIANTS = ("default", "cot", "forced", "forced_tie", "structured", "pointwise")
"""Variants that are known even where a study has none of them."""


class LackingError(SpbError):
    """The study has nothing that the measure could be taken of; its message is the reason."""


@dataclass(frozen=True)
class Request:
    """A slice with its paradigm, variant, transform, level and reference settled."""

    spec: Slice
    selection: Selection
    level: str
    source: str | None

    @property
    def paradigm(self) -> str:
        """The way of judging."""
        return self.selection.paradigm

    @property
    def of_rubrics(self) -> bool:
        """Whether the judgments are rubric verdicts."""
        return self.paradigm in RUBRIC_PARADIGMS

    @property
    def exclusion(self) -> Exclusion:
        """Which members of a committee reference do not vote."""
        spec = self.spec
        return Exclusion(spec.exclude_family, spec.leave_self_out, spec.relatives)  # type: ignore[arg-type]

    def filters(self) -> dict[str, Any]:
        """Return all that applied, defaults too, as the JSON shows it."""
        given = self.spec.given()
        named = {
            "paradigm": self.paradigm,
            "variant": self.selection.variant,
            "transform": self.selection.transform,
            "level": self.level,
            "reference": self.source,
            "scores": self.spec.scores,
            "relatives": self.spec.relatives,
            "repeats": self.spec.repeats,
        }
        if self.paradigm == "all_rubrics":
            named["ordering"] = self.selection.ordering or "original"
        return given | named


def settle(study: "StudyArrays", spec: Slice, paradigms: tuple[str, ...] = COMPARABLE) -> Request:
    """Settle the defaults of a slice for this study.

    Raises UsageError for a name that the study does not know or a choice that is open, and
    LackingError where the study has no such judgments.
    """
    _check_models(study, spec)
    paradigm = choose_paradigm(study, spec, paradigms)
    here = {"paradigm": paradigm}
    variant = _variant(study, spec, paradigm)
    transform = spec.transform or "none"
    _check_stored(study, "transform", (transform,), "none", here)
    _check_stored(study, "run", spec.run, None, {})
    level = spec.level or ("rubric" if paradigm in RUBRIC_PARADIGMS else "instance")
    if level == "rubric" and paradigm not in RUBRIC_PARADIGMS:
        raise UsageError(
            f"level 'rubric' is not there for {paradigm!r}; choose --level instance, or a rubric paradigm"
        )
    if spec.min_agreement is not None and paradigm not in RUBRIC_PARADIGMS:
        raise UsageError(f"agreement on rubrics is not there for {paradigm!r}; leave out --min-agreement")
    if spec.ordering is not None:
        _check_stored(study, "ordering", (spec.ordering,), "original", here)
    selection = Selection(
        paradigm=paradigm,
        variant=variant,
        transform=transform,
        ordering=None if spec.ordering == "original" else spec.ordering,
        runs=spec.run,
        repeats=spec.repeats,  # type: ignore[arg-type]
    )
    if study.inventory.total(**selection.where()) == 0:
        raise LackingError(
            f"the study has no {paradigm} judgments with variant {variant!r} in this selection"
        )
    return Request(
        replace(spec, paradigm=paradigm, variant=variant),
        selection,
        level,
        study.references.choose(spec.reference),
    )


def _check_models(study: "StudyArrays", spec: Slice) -> None:
    for kind in ("judges", "generators"):
        for name in getattr(spec, kind):
            if name not in study.index.models:
                raise unknown(kind[:-1], name, study.index.models)


def choose_paradigm(study: "StudyArrays", spec: Slice, paradigms: tuple[str, ...] = COMPARABLE) -> str:
    """Return the paradigm asked for, or the first of `paradigms` that the study has.

    Raises UsageError for one the measure is not taken of, LackingError where the study has none.
    """
    present = study.inventory.values("paradigm")
    if spec.paradigm is None:
        found = next((name for name in paradigms if name in present), None)
        if found is None:
            raise LackingError(f"the study has no judgments of {', '.join(paradigms)}")
        return found
    if spec.paradigm not in paradigms:
        raise UsageError(
            f"this measure is not taken of {spec.paradigm!r}; choose from: {', '.join(paradigms)}"
        )
    if spec.paradigm not in present:
        raise LackingError(f"the study has no {spec.paradigm} judgments")
    return spec.paradigm


def _variant(study: "StudyArrays", spec: Slice, paradigm: str) -> str:
    present = [str(name) for name in study.inventory.values("variant", paradigm=paradigm)]
    variant = spec.variant or "default"
    if variant not in present:
        everywhere = [str(name) for name in study.inventory.values("variant")]
        if variant not in (*SHIPPED_VARIANTS, *everywhere):
            raise unknown("variant", variant, present)
        raise LackingError(
            f"the study has no {paradigm} judgments of variant {variant!r}; it has {', '.join(present)}"
        )
    return variant


def _check_stored(
    study: "StudyArrays", column: str, wanted: tuple[str, ...], always: str | None, here: dict[str, Any]
) -> None:
    stored = "run_id" if column == "run" else column
    present = [str(name) for name in study.inventory.values(stored, **here) if name is not None]
    for name in wanted:
        if name not in present and name != always:
            raise unknown(column, name, present)
