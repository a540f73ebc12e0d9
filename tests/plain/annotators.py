"""What people labelled by hand, by plain loops (MEASURES section 9, human check).

Readings:
 1. An item of a pair is (item, earlier model, later model), its labels seen from the model that is the
    generator of its first label; a cluster row gives one item for each two of the responses that it places,
    labelled 1 where their levels are equal and 0 where they are not.
 2. `cannot_tell` and a missing value are no label. The labels of round 2 serve self-agreement alone.
 3. Fleiss' kappa and alpha are over items with at least two labels; the mean of Cohen's kappa is over two
    people at a time, on the items that both labelled, where it is defined.
 4. The label that most people give is of equal or not equal; an even split is none. What `adjudicated` says
    stands in its place, and is no label of a person.
 5. Ordinal distance: of two classes of the labels counted, the number of labels between them, each of the two
    classes counting one half, squared.
"""

import json
from itertools import combinations, permutations
from typing import Any

from plain.asking import ask, mean, models
from plain.equal_quality import Rules, quality_of
from plain.study import PlainStudy

ORDER = {
    "equal_pair": ("opponent", "equal", "generator"),
    "preference": ("opponent", "tie", "generator"),
    "rubric_verdict": ("not_met", "met"),
    "clusters": (0, 1),
}
EQUAL = {"equal_pair": "equal", "clusters": 1}
TURNED = {"generator": "opponent", "opponent": "generator"}


def annotators(study: PlainStudy, task: str, epsilon: float = 0.25, **rules: Any) -> dict[str, Any]:
    """The row of one task."""
    rows = [row for row in study.annotations if row["task"] == task]
    kind = rows[0]["kind"]
    query = ask(study, paradigm="pairwise")
    labels: dict[Any, dict[str, Any]] = {}
    again: dict[Any, dict[str, Any]] = {}
    instance: dict[Any, str] = {}
    seen_from: dict[Any, str] = {}
    for row in rows:
        for item, earlier in labels_of(query, row):
            instance[item] = row["instance_id"]
            of_pair = kind in ("equal_pair", "preference") and len(item) > 1
            seen_from.setdefault(item, row["generator"])
            label = TURNED.get(earlier, earlier) if of_pair and seen_from[item] != item[1] else earlier
            first = row["round"] == 1 or row["annotator"] == "adjudicated"
            (labels if first else again).setdefault(item, {})[row["annotator"]] = label
    settled = {item: by.pop("adjudicated") for item, by in labels.items() if "adjudicated" in by}
    votes = {item: list(by.values()) for item, by in labels.items() if by}
    distance = {
        "score": lambda a, b, _: (a - b) ** 2,
        "equal_pair": between(ORDER["equal_pair"]),
        "preference": between(ORDER["preference"]),
    }.get(kind, lambda a, b, _: float(a != b))
    own = [
        labels[item][person] == label
        for item, by in again.items()
        for person, label in by.items()
        if person in labels.get(item, {})
    ]
    figures = {
        "kappa": None if kind == "score" else fleiss(votes),
        "pairwise_kappa": None if kind == "score" else mean_kappa(labels),
        "alpha": alpha(votes, distance),
        "n_items": len(votes),
        "n_labels": sum(map(len, votes.values())),
        "self_agreement": mean([float(same) for same in own]),
        "n_repeats": len(own),
    }
    if kind in EQUAL:
        q = quality_of(query, Rules(**rules))
        judge = query.study.judgments[0]["judge"]  # the same for all judges
        cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
        for item in instance:
            people = verdict(votes.get(item, []), settled.get(item), EQUAL[kind])
            one, two = (q.get((judge, instance[item], model)) for model in item[1:])
            if people is not None and one is not None and two is not None:
                cells[abs(one - two) <= epsilon + 1e-9, people] += 1
        names = ("both_equal", "automatic_only", "people_only", "both_unequal")
        figures |= dict(zip(names, cells.values(), strict=True))
        total = sum(cells.values())
        figures["n_compared"] = total
        alike = cells[True, True] + cells[False, False]
        figures["consistency"] = alike / total if total else None
    return figures


def labels_of(query: Any, row: Any) -> list[tuple[Any, Any]]:
    """The items that a row labels, with their labels."""
    place = models(query).index
    if row["value"] in (None, "cannot_tell"):
        return []
    if row["kind"] == "clusters":
        levels = json.loads(row["value"])
        ordered = sorted(levels, key=place)
        return [
            ((row["item"], one, two), int(levels[one] == levels[two]))
            for one, two in combinations(ordered, 2)
        ]
    if row["kind"] == "score":
        return [((row["item"],), float(row["value"]))]
    if row["kind"] == "rubric_verdict":
        return [((row["item"],), row["value"])]
    one, two = sorted((row["generator"], row["opponent"]), key=place)
    value = row["value"] if one == row["generator"] else TURNED.get(row["value"], row["value"])
    return [((row["item"], one, two), value)]


def verdict(votes: list[Any], settled: Any, equal: Any) -> bool | None:
    """Whether people call it equal; None if they are evenly divided."""
    if settled is not None:
        return bool(settled == equal)
    ayes = votes.count(equal)
    return None if 2 * ayes == len(votes) else 2 * ayes > len(votes)


def fleiss(votes: dict[Any, list[Any]]) -> float | None:
    """Kappa over items with at least two labels."""
    several = [labels for labels in votes.values() if len(labels) > 1]
    every = [label for labels in several for label in labels]
    if len(set(every)) < 2:
        return None
    agreeing = [mean([float(a == b) for a, b in combinations(labels, 2)]) for labels in several]
    expected = sum((every.count(label) / len(every)) ** 2 for label in set(every))
    return (sum(agreeing) / len(agreeing) - expected) / (1 - expected)  # type: ignore[arg-type]


def mean_kappa(labels: dict[Any, dict[str, Any]]) -> float | None:
    """The mean of Cohen's kappa of two people at a time."""
    people = {person for by in labels.values() for person in by}
    kappas = []
    for a, b in combinations(sorted(people), 2):
        pairs = [(by[a], by[b]) for by in labels.values() if a in by and b in by]
        classes = {label for pair in pairs for label in pair}
        if len(classes) > 1:
            n = len(pairs)
            equal = sum(x == y for x, y in pairs) / n
            chance = sum(
                sum(x == c for x, _ in pairs) * sum(y == c for _, y in pairs) / n**2 for c in classes
            )
            kappas.append((equal - chance) / (1 - chance))
    return mean(kappas)


def between(order: tuple[Any, ...]) -> Any:
    """The ordinal distance over classes in this order."""

    def distance(a: Any, b: Any, every: list[Any]) -> float:
        low, high = sorted((order.index(a), order.index(b)))
        inside = sum(every.count(order[place]) for place in range(low, high + 1))
        return float((inside - (every.count(a) + every.count(b)) / 2) ** 2)

    return distance


def alpha(votes: dict[Any, list[Any]], distance: Any) -> float | None:
    """Krippendorff's alpha from all ordered pairs of labels."""
    several = [labels for labels in votes.values() if len(labels) > 1]
    every = [label for labels in several for label in labels]
    if len(set(every)) < 2:
        return None
    within = sum(
        distance(a, b, every) / (len(labels) - 1) for labels in several for a, b in permutations(labels, 2)
    )
    anyone = sum(distance(a, b, every) for a, b in permutations(every, 2))
    return 1 - (within / len(every)) / (anyone / (len(every) * (len(every) - 1)))
