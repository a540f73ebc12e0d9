"""The options of a question, and the rows, rubrics and models they select (MEASURES sections 1 and 6)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plain.study import PlainStudy, Row

DEFAULTS: dict[str, Any] = {
    "paradigm": None,
    "variant": "default",
    "transform": "none",
    "ordering": None,
    "run": None,
    "level": None,
    "scores": "fraction",
    "reference": None,
    "judges": None,
    "generators": None,
    "polarity": None,
    "length": None,
    "length_unit": "characters",
    "axis": None,
    "theme": None,
    "category": None,
    "language": None,
    "segment": None,
    "checker": None,
    "position": None,
    "min_agreement": None,
    "agreement_of": "rubric",
    "agreement_without_family": False,
    "exclude_family": False,
    "leave_self_out": False,
    "relatives": "family",
    "repeats": "majority",
    "common": False,
}
RUBRIC_PARADIGMS = ("single_rubric", "all_rubrics")
ORDER_OF_PARADIGMS = ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
LEFT_OUT = (
    "unparsed",
    "refused",
    "error",
    "no_reference",
    "reference_tie",
    "order_missing",
    "merged",
    "incomplete",
)


class RefusedError(ValueError):
    """The options are incompatible (the command line exits with 2)."""


@dataclass
class Query:
    """A study with the options of one question, every default filled in, and look-ups by id."""

    study: PlainStudy
    options: dict[str, Any]
    left_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEFT_OUT, 0))
    memory: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        vars(self).update(self.options)  # as attributes, since loops read them millions of times

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def is_rubric_paradigm(self) -> bool:
        return self.paradigm in RUBRIC_PARADIGMS

    def remembered(self, key: Any, make: Any) -> Any:
        """Return the cached result of `make()` for this key."""
        if key not in self.memory:
            self.memory[key] = make()
        return self.memory[key]

    def with_options(self, **changes: Any) -> "Query":
        """Return the same question with other options and its own left-out counts."""
        return Query(self.study, {**self.options, **changes})


def ask(study: PlainStudy, **options: Any) -> Query:
    """Fill in the defaults of MEASURES section 1; raises RefusedError for incompatible options."""
    unknown = set(options) - set(DEFAULTS)
    if unknown:
        raise RefusedError(f"unknown options {sorted(unknown)}")
    filled = {**DEFAULTS, **options}
    if filled["paradigm"] is None:
        present = {row["paradigm"] for row in study.judgments}
        filled["paradigm"] = next((p for p in ORDER_OF_PARADIGMS if p in present), None)
    rubrics = filled["paradigm"] in RUBRIC_PARADIGMS
    if filled["level"] is None:
        filled["level"] = "rubric" if rubrics else "instance"
    if filled["level"] == "rubric" and not rubrics:
        raise RefusedError(f"{filled['paradigm']} has no rubric level")
    if filled["min_agreement"] is not None and not rubrics:
        raise RefusedError(f"{filled['paradigm']} has no rubric verdicts to agree on")
    if filled["min_agreement"] is not None and filled["agreement_of"] == "verdict":
        _refuse_unless(filled["level"] == "rubric", "agreement of a verdict has no instance level")
    if filled["position"] is not None:
        _refuse_unless(filled["paradigm"] == "all_rubrics", "only all_rubrics has positions")
    return Query(study, filled)


def _refuse_unless(condition: bool, message: str) -> None:
    if not condition:
        raise RefusedError(message)


def named(wanted: Any, value: Any) -> bool:
    """Whether a value passes a filter: no filter, the value itself, or a list that holds it.

    A list may hold None, which stands for rows without a value.
    """
    if wanted is None:
        return True
    if isinstance(wanted, (list, tuple, set)):
        return value in wanted
    return bool(value == wanted)


def rows_asked(query: Query) -> list[Row]:
    """The judgments of the requested paradigm, variant, transform, ordering and run, of any status."""
    paradigm, variant, transform = query.paradigm, query.variant, query.transform
    orderings = None if query.ordering is None else (query.ordering,)
    if query.ordering is None and paradigm == "all_rubrics":
        orderings = ("original", None)
    return [
        row
        for row in query.study.judgments
        if row["paradigm"] == paradigm
        and row["variant"] == variant
        and row["transform"] == transform
        and (query.run is None or named(query.run, row["run_id"]))
        and (orderings is None or row["ordering"] in orderings)
    ]


def is_shown(query: Query, row: Row) -> bool:
    """Whether the row's judge and its one or two generators are among those asked for."""
    if not named(query.judges, row["judge"]) or not named(query.generators, row["generator"]):
        return False
    return row["opponent"] is None or named(query.generators, row["opponent"])


def models(query: Query) -> list[str]:
    """All models' names in the order of the table."""
    return [row["model"] for row in query.study.models]


def family(query: Query, model: str) -> str:
    """The model's family, whichever column defines relatives."""
    return next(row["family"] for row in query.study.models if row["model"] == model)


def relation(query: Query, judge: str, generator: str) -> str:
    """`self`, `family` or `other`, by the column named by `relatives`; a null has no relatives."""
    if judge == generator:
        return "self"
    by_model = query.remembered("models", lambda: {row["model"]: row for row in query.study.models})
    mine, theirs = by_model[judge][query.relatives], by_model[generator][query.relatives]
    return "family" if mine is not None and mine == theirs else "other"


def rubrics_of(query: Query, instance_id: str) -> list[Row]:
    """All rubrics of an instance, whatever the filters."""

    def group() -> dict[str, list[Row]]:
        groups: dict[str, list[Row]] = {}
        for rubric in query.study.rubrics:
            groups.setdefault(rubric["instance_id"], []).append(rubric)
        return groups

    rubrics: list[Row] = query.remembered("rubrics", group).get(instance_id, [])
    return rubrics


def rubric_of(query: Query, instance_id: str, rubric_id: str) -> Row:
    """One rubric by its key."""

    def index() -> dict[tuple[str, str], Row]:
        return {(rubric["instance_id"], rubric["rubric_id"]): rubric for rubric in query.study.rubrics}

    rubric: Row = query.remembered("rubric by key", index)[instance_id, rubric_id]
    return rubric


def instance_of(query: Query, instance_id: str) -> Row:
    """One instance by its key."""

    def index() -> dict[str, Row]:
        return {row["instance_id"]: row for row in query.study.instances}

    row: Row = query.remembered("instances", index)[instance_id]
    return row


def most_frequent(values: list[Any]) -> Any:
    """The most frequent value; None if two are equally frequent, or if there are none."""
    counts: dict[Any, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    top = max(counts.values(), default=0)
    winners = [value for value, count in counts.items() if count == top]
    return winners[0] if len(winners) == 1 else None


def mean(values: list[float]) -> float | None:
    """The mean; None of nothing."""
    return sum(values) / len(values) if values else None


def first_of_repeats(rows: list[Row]) -> Row:
    """The row of the lowest trial; of several runs, the first in the table."""
    lowest = min(row["trial"] for row in rows)
    return next(row for row in rows if row["trial"] == lowest)
