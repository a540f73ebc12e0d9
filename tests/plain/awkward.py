"""Small random studies in which everything that can be awkward is."""

import random
from itertools import combinations

from plain.asking import RUBRIC_PARADIGMS, ask
from plain.study import PlainStudy
from plain.truth import committee_verdict, verdicts_by_item

# model, family, provider, base_model, is a judge, is a generator
MODELS = (
    ("aster-1", "Aster", "north", "root", True, True),
    ("aster 2/\u03b2", "Aster", "north", None, True, True),
    ("007", "Aster", "south", "root", True, True),
    ('bo"real\n1', "Boreal", "south", None, True, True),
    ("boreal, generator only \U0001f642", "Boreal", None, None, False, True),
    ("cinder", "Cinder", None, "root", True, True),
    ("dune <b>judge</b>", "Dune", "north", None, True, False),
    ("never seen", "Dune", None, None, False, False),
)
JUDGES = tuple(model[0] for model in MODELS if model[4])
GENERATORS = tuple(model[0] for model in MODELS if model[5])
FAULTLESS = "cinder"
"""The generator that the reference `program` never finds failing."""
PEOPLE = ("human:a", "human:b", "human:c")
COMMITTEE = "the three, and 1"
PARADIGMS = ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
RUNS = ("run-1", "run 2")
POINTS = (1.0, 1.0, 2.5, 5.0, 0.0, -1.0, -3.0)
TEXTS = (
    'Says "no".',
    "=1+1",
    "<script>alert(1)</script>",
    "a,b;\tc\nd",
    "\u05e9\u05dc\u05d5\u05dd \U0001f31e",
    "plain words here",
)
INSTANCES = ("001", "x/../y", "caf\u00e9", "line\nbreak", '"quoted"', "2", "\U0001f9ea")


def awkward_study(
    rng: random.Random,
    *,
    instances: int = 6,
    paradigms: tuple[str, ...] = PARADIGMS,
    statuses: float = 0.06,
    missing: float = 0.05,
    repeats: float = 0.2,
    missing_references: float = 0.05,
    committee: bool = True,
    texts: bool = True,
) -> PlainStudy:
    """A small study; the parameters are shares of rows, `texts` whether criteria exist.

    `statuses`: rows that are unparsed, refused or error; `missing`: absent rows;
    `repeats`: repeated verdicts (trials 1 and 2, or another run); `missing_references`: references that
    are absent or null. Every paradigm has the variants `default` and `cot`; single_rubric also has rows of
    the transform `plain style`.
    """
    study = PlainStudy()
    for model, family, provider, base_model, _judges, _generates in MODELS:
        study.add("models", model=model, family=family, provider=provider, base_model=base_model)
    _add_instances(study, rng, instances, texts)
    _add_references(study, rng, missing_references)
    _add_preferences(study, rng)
    writer = _Writer(study, rng, statuses, missing, repeats)
    for paradigm in paradigms:
        for variant, share in (("default", 1.0), ("cot", 0.3)):
            if paradigm in RUBRIC_PARADIGMS:
                writer.rubrics(paradigm, variant, share)
            elif paradigm == "direct_assessment":
                writer.assessments(variant, share)
            else:
                writer.pairs(variant, share)
    if "single_rubric" in paradigms:
        writer.rubrics("single_rubric", "default", 0.3, transform="plain style")
        if committee:
            _add_committee(study)
    rng.shuffle(study.judgments)
    return study


def _add_instances(study: PlainStudy, rng: random.Random, count: int, texts: bool) -> None:
    """The last instance has no rubrics."""
    again = ("", *(f" again, {turn}" for turn in range(1, 1 + count // len(INSTANCES))))
    names = [name + turn for turn in again for name in INSTANCES][:count]
    for place, instance_id in enumerate(names):
        study.add(
            "instances",
            instance_id=instance_id,
            theme=rng.choice(("care", "home & garden", None)),
            category=rng.choice(("open", "closed", None)),
            language=rng.choice(("en", "pt", None)),
            segment=("hard", "easy", None)[place % 3],
        )
        rubrics = 0 if place == len(names) - 1 else rng.randint(1, 4)
        for rubric in range(rubrics):
            criterion = rng.choice(TEXTS) * rng.randint(1, 3) if texts and rng.random() < 0.8 else None
            study.add(
                "rubrics",
                instance_id=instance_id,
                rubric_id=rng.choice(("", "r/")) + f"0{rubric}",
                criterion=criterion,
                length=len(criterion) if criterion is not None else rng.choice((7, 40, None)),
                points=rng.choice(POINTS),
                axis=rng.choice(("accuracy", "tone, manner", None)),
                theme=rng.choice(("care", "emergencies", None, None)),
                checker=rng.choice(("words:count", None)),
            )


def _add_references(study: PlainStudy, rng: random.Random, missing: float) -> None:
    for rubric in study.rubrics:
        for generator in GENERATORS:
            favourable = generator == FAULTLESS or rng.random() < 0.5
            truth = favourable == (rubric["points"] >= 0)
            for source in ("program", "program:loose", *PEOPLE):
                wrong = 0.0 if source == "program" else 0.25
                if rng.random() < (missing if source == "program" else 2 * missing):
                    if rng.random() < 0.5:
                        continue
                    met = None
                else:
                    met = truth != (rng.random() < wrong)
                study.add(
                    "references",
                    instance_id=rubric["instance_id"],
                    generator=generator,
                    rubric_id=rubric["rubric_id"],
                    source=source,
                    met=met,
                    score=rng.randint(1, 5) if source in PEOPLE and rng.random() < 0.7 else None,
                )


def _add_preferences(study: PlainStudy, rng: random.Random) -> None:
    for instance in study.instances:
        for pair in combinations(GENERATORS, 2):
            generator, opponent = rng.sample(pair, 2)
            for source in (*PEOPLE, "dune <b>judge</b>"):
                if rng.random() < 0.4:
                    study.add(
                        "preferences",
                        instance_id=instance["instance_id"],
                        generator=generator,
                        opponent=opponent,
                        source=source,
                        outcome=rng.choice((-1, 0, 1)),
                    )


def _add_committee(study: PlainStudy) -> None:
    """Four members, including relatives, and their references on single_rubric, default."""
    members = [*JUDGES[:3], JUDGES[-1]]
    study.committees[COMMITTEE] = {"members": members, "paradigm": "single_rubric", "variant": "default"}
    for item, by_judge in verdicts_by_item(ask(study, paradigm="single_rubric")).items():
        met = committee_verdict(by_judge, members)
        if isinstance(met, bool):
            instance_id, generator, rubric_id = item
            study.add(
                "references",
                instance_id=instance_id,
                generator=generator,
                rubric_id=rubric_id,
                source=f"committee:{COMMITTEE}",
                met=met,
            )


class _Writer:
    """Adds judgments: some missing, some without a verdict, some repeated."""

    def __init__(
        self, study: PlainStudy, rng: random.Random, statuses: float, missing: float, repeats: float
    ) -> None:
        self.study, self.rng = study, rng
        self.statuses, self.missing, self.repeats = statuses, missing, repeats

    def rubrics(self, paradigm: str, variant: str, share: float, transform: str = "none") -> None:
        for judge in JUDGES:
            for generator in GENERATORS:
                for instance in self.study.instances:
                    if self.rng.random() < share:
                        self._response(
                            paradigm, variant, transform, judge, generator, instance["instance_id"]
                        )

    def _response(
        self, paradigm: str, variant: str, transform: str, judge: str, generator: str, instance_id: str
    ) -> None:
        rubrics = [r for r in self.study.rubrics if r["instance_id"] == instance_id]
        orderings = ("original", "reversed") if paradigm == "all_rubrics" else (None,)
        for ordering in orderings:
            for place, rubric in enumerate(rubrics, start=1):
                position = {None: None, "original": place, "reversed": len(rubrics) + 1 - place}[ordering]
                lenient = 0.65 if judge == generator else 0.5
                self._add(
                    lambda lenient=lenient: {"met": self.rng.random() < lenient},
                    judge=judge,
                    paradigm=paradigm,
                    variant=variant,
                    transform=transform,
                    instance_id=instance_id,
                    generator=generator,
                    rubric_id=rubric["rubric_id"],
                    ordering=ordering,
                    position=position,
                )

    def assessments(self, variant: str, share: float) -> None:
        for judge in JUDGES:
            for generator in GENERATORS:
                for instance in self.study.instances:
                    if self.rng.random() < share:
                        self._add(
                            lambda: {"score": self.rng.choice((0.0, 1 / 3, 0.5, 2 / 3, 1.0))},
                            judge=judge,
                            paradigm="direct_assessment",
                            variant=variant,
                            instance_id=instance["instance_id"],
                            generator=generator,
                        )

    def pairs(self, variant: str, share: float) -> None:
        for judge in JUDGES:
            for pair in combinations(GENERATORS, 2):
                for instance in self.study.instances:
                    if self.rng.random() < share:
                        self._pair(variant, judge, pair, instance["instance_id"])

    def _pair(self, variant: str, judge: str, pair: tuple[str, str], instance_id: str) -> None:
        """Mostly both orders; else one, an unknown one, a resolved row, or several kinds."""
        kinds = ("both",) * 6 + ("one", "unknown", "resolved", "resolved and both", "unknown and both")
        kind = self.rng.choice(kinds)
        values = self.rng.choice((self._choice, self._forced, self._three_labels))
        firsts: list[str | None] = []
        if "both" in kind:
            firsts += pair
        if kind == "one":
            firsts.append(self.rng.choice(pair))
        if "unknown" in kind:
            firsts.append("unknown")
        if "resolved" in kind:
            firsts.append(None)
        for shown in firsts:
            generator, opponent = self.rng.sample(pair, 2)
            first = (
                shown if shown in ("unknown", None) else ("generator" if shown == generator else "opponent")
            )
            resolved = shown is None
            self._add(
                self._choice if resolved else values,
                judge=judge,
                paradigm="pairwise",
                variant=variant,
                instance_id=instance_id,
                generator=generator,
                opponent=opponent,
                first=first,
            )

    def _choice(self) -> dict[str, object]:
        return {"choice": self.rng.choice(("generator", "opponent", "tie"))}

    def _forced(self) -> dict[str, object]:
        p = self.rng.choice((0.125, 0.25, 0.5, 0.75, 0.875))
        choice = "generator" if p > 0.5 else "opponent"
        return {"choice": choice, "p_generator": p, "p_mass": 0.96875}

    def _three_labels(self) -> dict[str, object]:
        return {**self._choice(), "p_generator": self.rng.choice((0.25, 0.75)), "p_tie": 0.375}

    def _add(self, values, **key: object) -> None:  # type: ignore[no-untyped-def]
        """Add the row of `key`, or none, and sometimes repeats of it: two more trials, and another run."""
        if self.rng.random() < self.missing:
            return
        repeated = [(RUNS[0], 0)]
        if self.rng.random() < self.repeats:
            repeated += [(RUNS[0], 1)]
            if self.rng.random() < 0.5:
                repeated += [(RUNS[0], 2)]
            if self.rng.random() < 0.5:
                repeated += [(RUNS[1], 0)]
        for run_id, trial in repeated:
            status = "ok"
            if self.rng.random() < self.statuses:
                status = self.rng.choice(("unparsed", "refused", "error"))
            answer = values() if status == "ok" else {}
            shown = self._either_way_round(key)
            self.study.add(
                "judgments", **{**shown, "run_id": run_id, "trial": trial, "status": status, **answer}
            )

    def _either_way_round(self, key: dict[str, object]) -> dict[str, object]:
        """The same pair in the same order, stored from either response."""
        if key.get("opponent") is None or self.rng.random() < 0.7:
            return key
        first = {"generator": "opponent", "opponent": "generator"}.get(str(key["first"]), key["first"])
        return {**key, "generator": key["opponent"], "opponent": key["generator"], "first": first}


def favour(
    study: PlainStudy, rng: random.Random, judge: str, share: float, relatives: tuple[str, ...] = ()
) -> None:
    """Let a judge be favourable to its own and these relatives' responses in this share of its verdicts."""
    points = {(row["instance_id"], row["rubric_id"]): row["points"] for row in study.rubrics}
    liked = (judge, *relatives)
    for row in study.judgments:
        if row["judge"] != judge or row["status"] != "ok" or rng.random() >= share:
            continue
        if row["paradigm"] == "pairwise":
            side = next((one for one in ("generator", "opponent") if row[one] in liked), None)
            if side is not None and row["p_generator"] is None:
                row["choice"] = side
        elif row["generator"] in liked and row["met"] is not None:
            row["met"] = points[row["instance_id"], row["rubric_id"]] >= 0
        elif row["generator"] in liked:
            row["score"] = 1.0
