"""Likeness to models by plain loops: `model-likeness`.

Readings:

 1. Raters are all judges of the slice, shown or not; their forms are the selections of trial 0.
 2. The questions of a scale, in the order of the study, are dealt in turn to five parts, or fewer if there
    are fewer questions. A form is held against the others' forms in the other parts.
 3. A rater whose every score stood at one position only has no number.
 4. Where several models fit equally well, none is the nearest.
"""

import math
from collections import Counter
from typing import Any

from plain.orders import (
    FEW,
    Answer,
    Fields,
    Ordering,
    Result,
    answers,
    ask_options,
    by_judge_and_scale,
    sliced,
    write_ordering,
)
from plain.study import PlainStudy

Pull = dict[tuple[float, int], float]


def model_likeness(
    study: PlainStudy,
    by: str | None = None,
    models: tuple[str, ...] = (),
    people: tuple[str, ...] = (),
    **options: Any,
) -> Result:
    """Each rater's log likelihood ratio."""
    query = ask_options(study, options)
    shown = answers(query, selections=True)
    everybody = ask_options(study, {name: value for name, value in options.items() if name != "judges"})
    every_part = dict(sliced(everybody, by, answers(everybody, selections=True)))
    order = [row["instance_id"] for row in study.instances]
    rows: list[Fields] = []
    for value, part in sliced(query, by, shown):
        raters = {one.judge for one in every_part[value]}
        known = dict.fromkeys(people, "person") | dict.fromkeys(models or raters - set(people), "model")
        forms = [one for one in every_part[value] if one.chosen is not None]
        of_shown = {one.judge for one in part}
        for judge, scale, mine in by_judge_and_scale(everybody, forms):
            if judge not in of_shown:
                continue
            others = [one for one in forms if one.scale == scale and one.judge != judge]
            questions = sorted({one.item[0] for one in [*mine, *others]}, key=order.index)
            row = {"judge": judge, "n_options": len(scale), "scale": write_ordering(scale)}
            row |= {"known_as": known.get(judge), "n": len(mine), "small": len(mine) < FEW}
            row["n_questions"] = len({one.item[0] for one in mine})
            row |= ratio_fields(scale, mine, others, known, bool(people), questions)
            rows.append({"slice": value, **row} if by else row)
    return rows, query.left_out


def ratio_fields(
    scale: Ordering,
    mine: list[Answer],
    others: list[Answer],
    known: dict[str, str],
    has_people: bool,
    questions: list[str],
) -> Fields:
    """The log likelihood ratio, None where it is undefined."""
    groups: dict[str, list[str]] = {"model": [], "person": []}
    for one in others:
        kind = known.get(one.judge)
        if kind is not None and one.judge not in groups[kind]:
            groups[kind].append(one.judge)
    row: Fields = {"n_models": len(groups["model"]), "n_people": len(groups["person"])}
    row |= {"log_ratio": None, "nearest": None, "per_100": None}
    moved = any(
        len({each.ordering.index(score) for each in mine}) > 1 for score in {one.chosen for one in mine}
    )
    compared = groups["model"] + (groups["person"] if has_people else [])
    if len(scale) < 2 or not groups["model"] or (has_people and not groups["person"]) or not moved:
        return row
    parts = {name: place % min(5, len(questions)) for place, name in enumerate(questions)}
    rest = [one for one in others if one.judge in compared]
    if all(parts[one.item[0]] == parts[other.item[0]] for one in mine for other in rest):
        return row
    of_models = {name: one_ratio(scale, mine, name, others, parts) for name in groups["model"]}
    best = [name for name, ratio in of_models.items() if ratio >= max(of_models.values()) - 1e-9]
    row["nearest"] = best[0] if len(best) == 1 else None
    row["log_ratio"] = log_mean(list(of_models.values()))
    if has_people:
        row["log_ratio"] -= log_mean(
            [one_ratio(scale, mine, name, others, parts) for name in groups["person"]]
        )
    row["per_100"] = 100 * row["log_ratio"] / len(mine)
    return row


def log_mean(ratios: list[float]) -> float:
    return math.log(sum(math.exp(ratio) for ratio in ratios) / len(ratios))


def one_ratio(
    scale: Ordering, mine: list[Answer], name: str, others: list[Answer], parts: dict[str, int]
) -> float:
    """The sum over the rater's forms of the log ratio for one other rater's pull."""
    total = 0.0
    pulls = {
        part: pull_of(scale, [one for one in others if one.judge == name and parts[one.item[0]] != part])
        for part in set(parts.values())
    }
    for one in mine:
        pull, score = pulls[parts[one.item[0]]], one.chosen
        assert score is not None
        usual = [pull[score, each.ordering.index(score)] for each in mine]
        total += math.log(pull[score, one.ordering.index(score)] / (sum(usual) / len(usual)))
    return total


def pull_of(scale: Ordering, forms: list[Answer]) -> Pull:
    """How many times likelier each score is at each position, shrunk to 1."""
    cells = [(score, place) for score in scale for place in range(len(scale))]
    given = Counter((one.chosen, one.ordering.index(one.chosen)) for one in forms if one.chosen is not None)
    expected = {}
    for score, place in cells:
        stood = sum(one.ordering.index(score) == place for one in forms)
        expected[score, place] = stood * sum(one.chosen == score for one in forms) / max(len(forms), 1)
    places = range(len(scale))
    seen = {place: float(sum(given[score, place] for score in scale)) for place in places}
    due = {place: sum(expected[score, place] for score in scale) for place in places}
    of_place = shrunk(seen, due, len(scale) - 1)
    beyond = shrunk(
        {cell: float(given[cell]) for cell in cells},
        {cell: expected[cell] * of_place[cell[1]] for cell in cells},
        (len(scale) - 1) ** 2,
    )
    return {cell: of_place[cell[1]] * beyond[cell] for cell in cells}


def shrunk(seen: dict[Any, float], due: dict[Any, float], df: int) -> dict[Any, float]:
    chi_square = sum((seen[key] - due[key]) ** 2 / due[key] for key in due if due[key] > 0)
    strength = 0.0 if chi_square <= df else 1 - df / chi_square
    return {key: 1 + strength * (seen[key] / due[key] - 1) if due[key] > 0 else 1.0 for key in due}
