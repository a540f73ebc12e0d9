"""Small studies of pairs written by hand."""

from plain.builders import compare, study_of
from plain.judged import DIMENSIONS


def rate(study, rater, scores, instance="x0"):
    """The rater gives each model one score on all five dimensions."""
    for model, score in scores.items():
        for dimension in DIMENSIONS:
            study.add(
                "judgments",
                judge=rater,
                paradigm="quality",
                instance_id=instance,
                generator=model,
                rubric_id=dimension,
                score=score,
            )


def both_orders(study, judge, generator, opponent, choices, instance="x0", **rest):
    """Two rows: the choice with the generator shown first, and with the opponent shown first."""
    for first, choice in zip(("generator", "opponent"), choices, strict=True):
        compare(study, judge, generator, opponent, first, choice, instance, **rest)


G, O, T = "generator", "opponent", "tie"  # noqa: E741 - the letters of a pair


def equals(instances=1):
    """J and two third parties of equal quality: J firmly prefers itself, and A to B."""
    study = study_of("J:F A:G B:H R:Q", instances=instances)
    for i in range(instances):
        rate(study, "R", {"J": 6, "A": 6, "B": 6.25}, f"x{i}")
        both_orders(study, "J", "J", "A", (G, G), f"x{i}")
        both_orders(study, "J", "B", "J", (O, O), f"x{i}")
        both_orders(study, "J", "A", "B", (G, G), f"x{i}")
    return study
