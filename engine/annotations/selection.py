"""Which items of a study people label: seeded, and spread evenly over themes and questions."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from engine.annotations.items import Hidden, Item, Texts
from engine.drill import rows as drill_rows
from engine.errors import UsageError, unknown
from engine.request import LackingError, settle
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import Slice
from engine.views.quality import Quality, far, judged_quality, near

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Row = dict[str, Any]

SELECTIONS = {
    "equal": ("equal_pair", "preference"),
    "hard": ("clusters",),
    "disagreement": ("rubric_verdict",),
    "overestimation": ("rubric_verdict",),
}
"""The selections, each with the kinds of task that it can make."""

EPSILON, GAP, CLUSTER = 0.25, 2.0, 5
_MOST_TRIED = 5_000


def select(
    study: "StudyArrays",
    selection: str,
    kind: str,
    number: int,
    *,
    seed: int = 0,
    epsilon: float = EPSILON,
    gap: float = GAP,
    cluster: int = CLUSTER,
    quality_judges: Sequence[str] = (),
    spec: Slice | None = None,
    judge: str | None = None,
    generator: str | None = None,
) -> list[Item]:
    """Return at most `number` items; the same for the same seed.

    - `equal`: half of them pairs within `epsilon` in quality, as many at least `gap` apart.
    - `hard`: for each question the `cluster` responses with most pairs within two epsilons, those with most
      such pairs first.
    - `disagreement`: rubric verdicts on which judges disagree most.
    - `overestimation`: those that a judge credits to a generator and the reference does not.

    Raises UsageError for what is unknown or does not go together, LackingError where the study has nothing
    to select from.
    """
    if selection not in SELECTIONS:
        raise unknown("selection", selection, SELECTIONS)
    if kind not in SELECTIONS[selection]:
        raise unknown(f"kind of task for the selection {selection}", kind, SELECTIONS[selection])
    if epsilon < 0 or gap < 0:
        raise UsageError(f"epsilon {epsilon!r} or gap {gap!r} is below 0; give differences of quality")
    if number < 1:
        raise UsageError(f"{number!r} items cannot be labelled; ask for 1 or more")
    spec, rng = spec or Slice(), np.random.default_rng(seed)
    texts = StudyTexts(study)
    if selection == "equal":
        q = judged_quality(study, spec, {"quality_judges": tuple(quality_judges)})
        return _equal_pairs(study, texts, q, kind, number, epsilon, gap, rng)
    if selection == "hard":
        q = judged_quality(study, spec, {"quality_judges": tuple(quality_judges)})
        return _hard_cases(study, texts, q, number, epsilon, cluster, rng)
    if selection == "disagreement":
        return _disagreements(study, texts, spec, number, rng)
    return _overestimations(study, texts, spec, judge, generator, number, rng)


def spread(strata: Sequence[Sequence[Any]], number: int, rng: np.random.Generator) -> list[int]:
    """Return the places of `number` things, spread evenly over each stratum, finest first, else at random."""
    order = rng.permutation(len(strata[0])).tolist() if strata else []
    return _evenly(order, strata)[:number]


def _evenly(order: list[int], strata: Sequence[Sequence[Any]]) -> list[int]:
    for stratum in strata:
        seen: dict[Any, int] = {}
        ranks = {}
        for place in order:
            ranks[place] = seen[stratum[place]] = seen.get(stratum[place], -1) + 1
        order = sorted(order, key=ranks.__getitem__)  # stable: the order before decides among equals
    return order


class StudyTexts:
    """The texts of a study's instances, responses and rubrics, by their names."""

    def __init__(self, study: "StudyArrays") -> None:
        """Read the three tables."""
        files = study.files
        self.prompts = _column(files.table("instances", ["instance_id", "prompt"]), "prompt", "instance_id")
        responses = files.table("responses", ["instance_id", "generator", "transform", "text"])
        self.responses = {
            (row["instance_id"], row["generator"]): row["text"]
            for row in responses.to_pylist()
            if row["transform"] == "none" and row["text"] is not None
        }
        rubrics = files.table("rubrics", ["instance_id", "rubric_id", "criterion"])
        self.criteria = _column(rubrics, "criterion", "instance_id", "rubric_id")

    def has(self, instance: str, *models: str) -> bool:
        """Return whether all of the responses have a text."""
        return all((instance, model) in self.responses for model in models)

    def of(self, instance: str, models: Sequence[str], rubric: str | None = None) -> Texts:
        """Return the texts of an item."""
        criterion = None if rubric is None else self.criteria.get((instance, rubric))
        responses = tuple(self.responses[instance, model] for model in models)
        return Texts(self.prompts.get((instance,)), responses, criterion)


def _column(table: pa.Table, value: str, *key: str) -> dict[tuple[str, ...], Any]:
    return {tuple(row[name] for name in key): row[value] for row in table.to_pylist()}


def _equal_pairs(
    study: "StudyArrays",
    texts: StudyTexts,
    quality: Quality,
    kind: str,
    number: int,
    epsilon: float,
    gap: float,
    rng: np.random.Generator,
) -> list[Item]:
    index, q = study.index, quality.values[0]
    found: list[Item] = []
    for why, wanted in (("equal", near), ("contrast", far)):
        pairs: list[tuple[int, int, int]] = []
        for one, two in combinations(range(len(index.models)), 2):
            marks = wanted(q[one], q[two], epsilon if why == "equal" else gap)
            pairs += [(int(place), one, two) for place in np.flatnonzero(marks)]
        named = [(index.instances[i].as_py(), index.models[a], index.models[b]) for i, a, b in pairs]
        kept = [place for place, (instance, *models) in enumerate(named) if texts.has(instance, *models)]
        strata: list[list[Any]] = [[pairs[k][0] for k in kept], [_theme(study, pairs[k][0]) for k in kept]]
        for place in spread(strata, number // 2 if why == "equal" else len(found), rng):
            (i, one, two), (instance, *models) = pairs[kept[place]], named[kept[place]]
            apart = float(q[one, i] - q[two, i])
            automatic = {"equal_pair": "equal", "preference": "tie"}[kind]
            if why == "contrast":
                automatic = "generator" if apart > 0 else "opponent"
            hidden = Hidden(instance, tuple(models), why=why, automatic=automatic, facts={"apart": apart})
            found.append(Item(texts.of(instance, models), hidden))
    if not found:
        raise LackingError("no pair with texts is of equal quality; raise epsilon, or import the responses")
    return found


def _theme(study: "StudyArrays", instance: int) -> str:
    fields = study.index.instance_fields
    return str(fields["theme"][instance] or fields["category"][instance])


def _hard_cases(
    study: "StudyArrays",
    texts: StudyTexts,
    quality: Quality,
    number: int,
    epsilon: float,
    cluster: int,
    rng: np.random.Generator,
) -> list[Item]:
    if cluster < 2:
        raise UsageError(f"cluster {cluster!r} is below 2; give the responses of a question, such as 5")
    index, q = study.index, quality.values[0]
    cases: list[tuple[int, int, list[int]]] = []
    for i in range(index.n_instances):
        instance = index.instances[i].as_py()
        rated = [m for m, name in enumerate(index.models) if q[m, i] == q[m, i] and texts.has(instance, name)]
        if len(rated) >= 2:
            close = near(q[rated, i][:, None], q[rated, i][None, :], 2 * epsilon)
            chosen, pairs = densest(close, cluster)
            cases.append((i, pairs, [rated[place] for place in chosen]))
    if not cases:
        raise LackingError("no question has two rated responses with texts; import them")
    order = sorted(rng.permutation(len(cases)).tolist(), key=lambda place: -cases[place][1])
    items = []
    for place in _evenly(order, [[_theme(study, case[0]) for case in cases]])[:number]:
        i, pairs, models = cases[place]
        instance, names = index.instances[i].as_py(), [index.models[m] for m in models]
        facts = {"quality": [float(q[m, i]) for m in models], "close_pairs": pairs}
        items.append(Item(texts.of(instance, names), Hidden(instance, tuple(names), why="hard", facts=facts)))
    return items


def densest(close: np.ndarray, number: int) -> tuple[list[int], int]:
    """Return the `number` things with most close pairs among them, and how many pairs that are.

    All choices are tried where they are few; else whoever has fewest close ones is left out, one by one.
    """
    left = list(range(len(close)))
    while len(left) > number and comb(len(left), number) > _MOST_TRIED:
        left.remove(min(left, key=lambda place: int(close[place, left].sum())))
    tried = combinations(left, min(number, len(left)))
    pairs, chosen = max(
        ((int(np.triu(close[np.ix_(group, group)], 1).sum()), group) for group in tried),
        key=lambda found: found[0],
    )
    return list(chosen), pairs


def _disagreements(
    study: "StudyArrays", texts: StudyTexts, spec: Slice, number: int, rng: np.random.Generator
) -> list[Item]:
    request = settle(study, spec, RUBRIC_PARADIGMS)
    index, agreement = study.index, study.agreement(request.selection)
    agreed = agreement.of_verdicts
    generator, rubric = np.nonzero(agreed < 1)  # NaN, with fewer than two verdicts, is not
    instance = index.layout.instance_of[rubric]
    places = [
        place
        for place in rng.permutation(len(rubric)).tolist()
        if texts.has(
            index.instances[int(instance[place])].as_py(),
            index.models[int(agreement.cube.generators[generator[place]])],
        )
    ]
    places.sort(key=lambda place: float(agreed[generator[place], rubric[place]]))
    levels = [round(float(agreed[g, r]), 9) for g, r in zip(generator, rubric, strict=True)]
    items = []
    for place in _most_first(places, levels, instance.tolist())[:number]:
        name = index.instances[int(instance[place])].as_py()
        model = index.models[int(agreement.cube.generators[generator[place]])]
        rubric_id = index.rubric_ids[int(rubric[place])].as_py()
        facts = {"agreement": levels[place]}
        hidden = Hidden(name, (model,), rubric_id, why="disagreement", facts=facts)
        items.append(Item(texts.of(name, [model], rubric_id), hidden))
    if not items:
        raise LackingError("judges disagree on no verdict with a text; choose another selection")
    return items


def _most_first(places: list[int], levels: list[float], instances: list[int]) -> list[int]:
    """Return the places by their level; within a level spread over instances."""
    found: list[int] = []
    for level in sorted({levels[place] for place in places}):
        found += _evenly([place for place in places if levels[place] == level], [instances])
    return found


def _overestimations(
    study: "StudyArrays",
    texts: StudyTexts,
    spec: Slice,
    judge: str | None,
    generator: str | None,
    number: int,
    rng: np.random.Generator,
) -> list[Item]:
    everything = 1 << 31
    listing = drill_rows(study, spec, "overestimation", judge=judge, generator=generator, limit=everything)
    distinct: dict[tuple[str, str, str], Row] = {}
    for row in listing.rows:
        if row["rubric_id"] is not None and texts.has(row["instance_id"], row["generator"]):
            distinct.setdefault((row["instance_id"], row["generator"], row["rubric_id"]), row)
    if not distinct:
        raise LackingError(listing.reason or "no overestimated rubric verdict here has a text; import them")
    kept = list(distinct.values())
    strata = [[row["instance_id"] for row in kept], [str(row["theme"]) for row in kept]]
    items = []
    for place in spread(strata, number, rng):
        row = kept[place]
        hidden = Hidden(
            row["instance_id"],
            (row["generator"],),
            row["rubric_id"],
            why="overestimation",
            facts={"judge": row["judge"]},
        )
        items.append(Item(texts.of(row["instance_id"], [row["generator"]], row["rubric_id"]), hidden))
    return items
