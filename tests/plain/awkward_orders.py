"""Small random studies of score rubrics and of pairs in two orders, in which everything can be missing."""

import random
from itertools import combinations
from typing import Any

from plain.orders import Ordering, balanced, write_ordering
from plain.study import PlainStudy

# model, is a judge
MODELS = (("aster/1", True), ("007", True), ('bo"real\n2', True), ("never judges \U0001f642", False))
JUDGES = tuple(name for name, judges in MODELS if judges)
GENERATORS = ("aster/1", "007", "never judges \U0001f642")
SCALES: dict[str, Ordering] = {
    "clarity": (1.0, 2.0, 3.0, 4.0, 5.0),
    "=tone()": (1.0, 2.0, 3.0, 4.0, 5.0),
    "facts": (0.0, 1.0, 2.0),
    "yes or no": (0.0, 1.0),
    "half points": (0.5, 1.0, 1.5),
}
PEOPLE = ("human:a", "human:b", "human")


def awkward_orders(
    rng: random.Random, *, instances: int = 4, missing: float = 0.06, statuses: float = 0.05
) -> PlainStudy:
    """A study with every awkward case for the measures of order.

    Orderings and repeats are missing for some items, positions absent, scores off the scale, orderings
    unbalanced or none; one judge never repeats, one permutes only some items; a run is doubled;
    people scored some items only. Judges prefer different positions.
    """
    study = PlainStudy()
    for place, (model, _judges) in enumerate(MODELS):
        study.add("models", model=model, family=f"family {place % 2}")
    for i in range(instances):
        name = f"x/{i}"
        study.add(
            "instances",
            instance_id=name,
            category=("maths", "prose", None)[i % 3],
            language="en",
            segment=f"part {i % 2}",
        )
        for rubric, scale in SCALES.items():
            if rng.random() < 0.9:
                axis = None if len(scale) == 2 else "form"
                study.add("rubrics", instance_id=name, rubric_id=rubric, axis=axis)
    for rubric in study.rubrics:
        for generator in GENERATORS:
            truth = rng.choice(SCALES[rubric["rubric_id"]])
            _add_people(study, rng, rubric, generator, truth)
            for place, judge in enumerate(JUDGES):
                _Judge(study, rng, judge, place, missing, statuses).judge(rubric, generator, truth)
    _add_pairs(study, rng, missing, statuses)
    rng.shuffle(study.judgments)
    return study


def _add_people(
    study: PlainStudy, rng: random.Random, rubric: dict[str, Any], generator: str, truth: float
) -> None:
    scale = SCALES[rubric["rubric_id"]]
    for source in (*PEOPLE, "program"):
        if rng.random() < 0.6:
            score = truth if rng.random() < 0.6 else rng.choice(scale)
            keys = {name: rubric[name] for name in ("instance_id", "rubric_id")}
            study.add("references", generator=generator, source=source, score=score, **keys)


class _Judge:
    """One judge's rows: it prefers the option at the position of its own number."""

    def __init__(
        self,
        study: PlainStudy,
        rng: random.Random,
        name: str,
        place: int,
        missing: float,
        statuses: float,
    ) -> None:
        self.study, self.rng, self.name, self.place = study, rng, name, place
        self.missing, self.statuses = missing, statuses

    def judge(self, rubric: dict[str, Any], generator: str, truth: float) -> None:
        scale = SCALES[rubric["rubric_id"]]
        shown = balanced(scale)
        item = {name: rubric[name] for name in ("instance_id", "rubric_id")} | {"generator": generator}
        whole = self.rng.random() < 0.6
        for variant, share in (("default", 1.0), ("cot", 0.2)):
            for ordering in shown:
                if self.place != 1 or ordering == scale or self.rng.random() < 0.3:
                    self.row(item, ordering, truth, whole, variant=variant, share=share)
        if self.place != 2:
            for trial in range(1, len(shown) + self.rng.choice((0, 0, 1))):
                self.row(item, scale, truth, whole, trial=trial)
        if self.rng.random() < 0.2:
            self.row(item, shown[-1], truth, whole, trial=1)
        if self.rng.random() < 0.2:
            self.row(item, (scale[1], scale[0], *scale[2:]) if len(scale) > 3 else None, truth, whole)

    def row(
        self,
        item: dict[str, Any],
        ordering: Ordering | None,
        truth: float,
        whole: bool,
        *,
        trial: int = 0,
        variant: str = "default",
        share: float = 1.0,
    ) -> None:
        rng = self.rng
        if rng.random() > share or (not whole and rng.random() < self.missing):
            return
        text = None if ordering is None else write_ordering(ordering)
        runs = ("run-1", "run-2", "run-3") if rng.random() < 0.1 else ("run-1",)
        for run in runs:
            values: dict[str, Any] = {"score": self.score(ordering, truth)}
            if not whole and rng.random() < self.statuses:
                values = {"status": rng.choice(("unparsed", "refused", "error"))}
            elif ordering is not None and values["score"] in ordering and rng.random() < 0.5:
                values["position"] = ordering.index(values["score"]) + 1
            self.study.add(
                "judgments",
                judge=self.name,
                paradigm="score_rubric",
                variant=variant,
                ordering=text,
                trial=trial,
                run_id=run,
                **item,
                **values,
            )

    def score(self, ordering: Ordering | None, truth: float) -> float:
        kind = self.rng.random()
        if ordering is None or kind < 0.02:
            return 7.25
        if kind < 0.5:
            return truth
        return ordering[self.place % len(ordering)] if kind < 0.8 else self.rng.choice(ordering)


def _add_pairs(study: PlainStudy, rng: random.Random, missing: float, statuses: float) -> None:
    for instance in study.instances:
        for one, two in combinations(GENERATORS, 2):
            for judge in JUDGES:
                for variant in ("default", "forced"):
                    shown = rng.choice((("generator", "opponent"),) * 9 + (("unknown",), (None, "generator")))
                    for first in shown:
                        if rng.random() > missing:
                            _add_pair(study, rng, statuses, variant, judge, instance, one, two, first)


def _add_pair(
    study: PlainStudy,
    rng: random.Random,
    statuses: float,
    variant: str,
    judge: str,
    instance: dict[str, Any],
    one: str,
    two: str,
    first: str | None,
) -> None:
    if rng.random() < 0.5:
        turned = {"generator": "opponent", "opponent": "generator"}
        one, two, first = two, one, turned.get(first or "", first)
    values: dict[str, Any] = {"choice": rng.choice(("generator", "opponent", "tie"))}
    if variant == "forced":
        p = rng.choice((0.5, round(rng.random(), 3)))
        values = {"p_generator": p, "choice": None if rng.random() < 0.2 else values["choice"]}
        if rng.random() < 0.2:
            values |= {"p_tie": 0.1}
    if values["choice"] is None and values.get("p_tie") is not None:
        values["choice"] = "tie"
    if rng.random() < statuses:
        values = {"status": rng.choice(("unparsed", "refused", "error"))}
    for trial in range(1 + (rng.random() < 0.1) * 2):
        study.add(
            "judgments",
            judge=judge,
            paradigm="pairwise",
            variant=variant,
            instance_id=instance["instance_id"],
            generator=one,
            opponent=two,
            first=first,
            trial=trial,
            **values,
        )
