"""Awkward studies for sections 9 to 11: quality, drawn pairs, more variants, costs."""

import json
import random
from itertools import combinations

from plain.awkward import GENERATORS, JUDGES, RUNS, _Writer, awkward_study
from plain.judged import DIMENSIONS
from plain.study import PlainStudy

RATERS = ("dune <b>judge</b>", "never seen")
"""Judges of quality that are not rated: the first is kin to no generator, but judges pairs too."""
POINTWISE = JUDGES[:3]
"""Judges that rate every response, their own too."""


def awkward_pairs_study(rng: random.Random, *, instances: int = 6, preferences: bool = True) -> PlainStudy:
    """An awkward study of pairs; for half of the seeds judges have stored null and contrast pairs."""
    study = awkward_study(rng, instances=instances, paradigms=("pairwise",), committee=False)
    if not preferences:
        study.preferences.clear()
    writer = _Writer(study, rng, 0.04, 0.04, 0.15)
    for variant, share in (("forced", 1.0), ("forced_tie", 0.8)):
        writer.pairs(variant, share)
    _rewritten(study, rng)
    _structured(study, rng)
    _quality(study, rng)
    for judge in rng.sample(JUDGES, 2):
        _draw(study, rng, judge)
    for row in study.judgments:
        if rng.random() < 0.9:
            row["cost_usd"] = rng.choice((0.5, 0.25, 0.125))
    rng.shuffle(study.judgments)
    return study


def annotate(study: PlainStudy, rng: random.Random) -> None:
    """People label pairs, responses and verdicts, with gaps, skips, repeats and settled disputes."""
    people = ("ann", "bo <b>", "cy", "adjudicated")
    values = {
        "equal_pair": ("generator", "equal", "opponent", "equal"),
        "preference": ("generator", "tie", "opponent"),
        "rubric_verdict": ("met", "not_met", "cannot_tell", "met"),
        "score": ("1", "2", "3.0", "5"),
        "clusters": (),
    }
    for instance in study.instances:
        for kind, labels in values.items():
            for number in range(3):
                pair = rng.sample(GENERATORS, 2)
                for person in people:
                    for again in (1, 2):
                        if rng.random() > (0.8 if again == 1 and person != "adjudicated" else 0.15):
                            continue
                        shown = rng.sample(pair, 2) if kind in ("equal_pair", "preference") else (None, None)
                        placed = rng.sample(GENERATORS, rng.randint(2, len(GENERATORS)))
                        answer = (
                            json.dumps({model: rng.randint(1, 3) for model in placed})
                            if kind == "clusters"
                            else rng.choice(labels)
                        )
                        study.add(
                            "annotations",
                            annotator=person,
                            task=f"by {kind}",
                            item=f"{instance['instance_id']} {number if kind != 'clusters' else 0}",
                            round=again,
                            kind=kind,
                            instance_id=instance["instance_id"] if kind != "score" or number else None,
                            generator=shown[0],
                            opponent=shown[1],
                            value=answer if rng.random() < 0.9 else None,
                        )
                if kind == "clusters":
                    break
    rng.shuffle(study.annotations)


def _rewritten(study: PlainStudy, rng: random.Random) -> None:
    """Responses, and pairs of rewritten ones; a gold judge or another model rewrote them."""
    for instance in study.instances:
        for generator in GENERATORS:
            for transform in ("none", "plain style"):
                if rng.random() < 0.9:
                    study.add(
                        "responses",
                        instance_id=instance["instance_id"],
                        generator=generator,
                        transform=transform,
                        text=rng.choice(("", "so", "so it is", "so it is again", "so it may well be")),
                        transformed_by=rng.choice((RATERS[0], "cinder", None))
                        if transform != "none"
                        else None,
                    )
            opponent = rng.choice([model for model in GENERATORS if model != generator])
            for first in ("generator", "opponent"):
                study.add(
                    "judgments",
                    judge=generator if generator in JUDGES else JUDGES[0],
                    paradigm="pairwise",
                    variant="forced",
                    transform="plain style",
                    instance_id=instance["instance_id"],
                    generator=generator,
                    opponent=opponent,
                    first=first,
                    run_id=f"{generator} {opponent} {first}",
                    choice=rng.choice(("generator", "opponent")),
                )


def _structured(study: PlainStudy, rng: random.Random) -> None:
    """Five rows for each order, sometimes with a dimension missing, unparsed or repeated."""
    for judge in JUDGES:
        for pair in combinations(GENERATORS, 2):
            for instance in study.instances:
                for first in pair:
                    if rng.random() < 0.7:
                        _dimensions(study, rng, judge, pair, instance["instance_id"], first)


def _dimensions(
    study: PlainStudy, rng: random.Random, judge: str, pair: tuple[str, str], instance_id: str, first: str
) -> None:
    generator, opponent = rng.sample(pair, 2)
    for dimension in DIMENSIONS:
        if rng.random() < 0.02:
            continue
        for trial in range(2 if rng.random() < 0.05 else 1):
            ok = rng.random() < 0.97
            study.add(
                "judgments",
                judge=judge,
                paradigm="pairwise",
                variant="structured",
                instance_id=instance_id,
                generator=generator,
                opponent=opponent,
                first="generator" if first == generator else "opponent",
                rubric_id=dimension,
                trial=trial,
                run_id=RUNS[0],
                status="ok" if ok else "unparsed",
                choice=rng.choice(("generator", "generator", "opponent", "tie")) if ok else None,
            )


def _quality(study: PlainStudy, rng: random.Random) -> None:
    """Scores near a few levels, to give equals and contrasts; some are missing, some repeated."""
    for instance in study.instances:
        for generator in GENERATORS:
            level = rng.choice((5.0, 5.0, 5.0, 5.25, 7.75))
            for rater in (*RATERS, *POINTWISE):
                for dimension in DIMENSIONS:
                    if rng.random() < 0.004:
                        continue
                    for trial in range(2 if rng.random() < 0.1 else 1):
                        ok = rng.random() < 0.997
                        study.add(
                            "judgments",
                            judge=rater,
                            paradigm="quality",
                            instance_id=instance["instance_id"],
                            generator=generator,
                            rubric_id=dimension,
                            trial=trial,
                            run_id=RUNS[0],
                            status="ok" if ok else "unparsed",
                            score=level + rng.choice((-0.25, 0.0, 0.0, 0.25)) if ok else None,
                        )


def _draw(study: PlainStudy, rng: random.Random, judge: str) -> None:
    """Store some null and contrast pairs for a judge."""
    for instance in study.instances:
        for pair in combinations([model for model in GENERATORS if model != judge], 2):
            for purpose in ("null", "contrast"):
                if rng.random() < 0.6:
                    generator, opponent = rng.sample(pair, 2)
                    study.add(
                        "pairs",
                        purpose=purpose,
                        judge=judge,
                        instance_id=instance["instance_id"],
                        generator=generator,
                        opponent=opponent,
                    )
