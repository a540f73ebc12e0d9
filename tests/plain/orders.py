"""Order of score options, by plain loops (MEASURES section 12).

Every measure takes the options of `plain.measures` and returns `(rows, left_out)`. Readings, where MEASURES
leaves something open:

 1. An ordering's options are the scores it names; two lists of scores of one length are two scales, which
    are not pooled either: rows carry `scale`, their scores in ascending order.
 2. An ok row whose ordering is absent or not balanced is `other_ordering`; then one whose score is none of
    its options is `off_scale`; then one of another trial than the measure takes is `other_trial`.
 3. Rows that differ only in their run are repeats: the option chosen by most of them (none where two lead),
    and the mean score. A selection is an option chosen; correlations take the mean score. `merged` counts
    rows minus selections for `position`, rows minus scores elsewhere.
 4. `position` by score has rows for the scores that a judge selected.
 5. n of `ordering` is the number of items with a human score; `n_judged` the number judged. Equal
    correlations share the mean of their ranks; an ordering without one has no rank.
 6. `search = all` adds a row for the recommended ordering where it is none of the 2n. Beyond those and in
    case of a tie, orderings come in ascending order.
"""

import math
from itertools import permutations
from typing import Any, NamedTuple

from plain.asking import (
    Query,
    ask,
    first_of_repeats,
    instance_of,
    is_shown,
    mean,
    models,
    most_frequent,
    named,
    rows_asked,
    rubric_of,
)
from plain.filters import instance_is_kept, rubric_is_kept
from plain.study import PlainStudy, Row
from plain.truth import is_person

Fields = dict[str, Any]
Result = tuple[list[Fields], dict[str, int]]
Ordering = tuple[float, ...]
Item = tuple[str, str, str]
FEW = 30


class Answer(NamedTuple):
    """A judge's answer on one item in one ordering and trial; `chosen` is None if its runs disagree."""

    judge: str
    item: Item
    ordering: Ordering
    trial: int
    chosen: float | None
    score: float

    @property
    def scale(self) -> Ordering:
        return tuple(sorted(self.ordering))

    @property
    def position(self) -> int | None:
        return None if self.chosen is None else self.ordering.index(self.chosen) + 1


def balanced(scale: Ordering) -> list[Ordering]:
    """The forward rotations of the ascending scores, then the rotations of the descending ones."""
    orderings = []
    for start in (scale, scale[::-1]):
        for turn in range(len(scale)):
            rotated = start[turn:] + start[:turn]
            if rotated not in orderings:
                orderings.append(rotated)
    return orderings


def read_ordering(text: str | None) -> Ordering | None:
    """The scores of a balanced ordering; None for anything else."""
    try:
        scores = tuple(float(part) for part in (text or "").split("-"))
    except ValueError:
        return None
    return scores if scores in balanced(tuple(sorted(set(scores)))) else None


def write_ordering(ordering: Ordering) -> str:
    return "-".join(f"{score:g}" for score in ordering)


def options_kept(query: Query, row: Row) -> bool:
    if not is_shown(query, row) or not named(query.position, place_of(row)):
        return False
    if row["rubric_id"] is None:
        return instance_is_kept(query, row["instance_id"])
    return rubric_is_kept(query, rubric_of(query, row["instance_id"], row["rubric_id"]))


def place_of(row: Row) -> int | None:
    """The position of the chosen score, stored or derived from the ordering."""
    ordering = read_ordering(row["ordering"])
    if row["position"] is not None or ordering is None or row["score"] not in ordering:
        return row["position"]
    return ordering.index(row["score"]) + 1


def answers(query: Query, repeat_arm: bool = False, selections: bool = False) -> list[Answer]:
    """The answers that count; the others are counted in `query.left_out`."""
    groups: dict[Any, list[Row]] = {}
    for row in rows_asked(query):
        if not options_kept(query, row):
            continue
        ordering = read_ordering(row["ordering"])
        why = fault(row, ordering, repeat_arm)
        if why is not None:
            query.left_out[why] = query.left_out.get(why, 0) + 1
            continue
        item = (row["instance_id"], row["generator"], row["rubric_id"])
        groups.setdefault((row["judge"], item, ordering, row["trial"]), []).append(row)
    replies = []
    for (judge, item, ordering, trial), rows in groups.items():
        used = [first_of_repeats(rows)] if query.repeats == "first" else rows
        scores = [row["score"] for row in used]
        score, chosen = mean(scores), most_frequent(scores)
        assert score is not None
        replies.append(Answer(judge, item, ordering, trial, chosen, score))
        query.left_out["merged"] += len(rows) - (not selections or chosen is not None)
    return replies


def fault(row: Row, ordering: Ordering | None, repeat_arm: bool) -> str | None:
    """The reason why a row does not count; None if it does."""
    if row["status"] != "ok":
        return str(row["status"])
    if ordering is None:
        return "other_ordering"
    if row["score"] not in ordering:
        return "off_scale"
    repeated = repeat_arm and ordering == tuple(sorted(ordering)) and row["trial"] < len(balanced(ordering))
    return None if row["trial"] == 0 or repeated else "other_trial"


def ask_options(study: PlainStudy, options: dict[str, Any]) -> Query:
    return ask(study, paradigm="score_rubric", **options)


def by_judge_and_scale(query: Query, replies: list[Answer]) -> list[tuple[str, Ordering, list[Answer]]]:
    """The answers of each judge in the order of the models, smaller scales first."""
    groups = []
    for judge in models(query):
        mine = [one for one in replies if one.judge == judge]
        scales = sorted({one.scale for one in mine}, key=lambda scale: (len(scale), scale))
        groups += [(judge, scale, [one for one in mine if one.scale == scale]) for scale in scales]
    return groups


def slice_value(query: Query, by: str | None, one: Answer) -> Any:
    """The value of the column to group by."""
    instance_id, _generator, rubric_id = one.item
    if by is None:
        return None
    if by == "score":
        return one.chosen
    if by == "rubric":
        return rubric_id
    if by in ("category", "language", "segment"):
        return instance_of(query, instance_id)[by]
    raise KeyError(by)


def sliced(query: Query, by: str | None, replies: list[Answer]) -> list[tuple[Any, list[Answer]]]:
    """The answers by slice, null last; by score, selections only."""
    if by == "score":
        replies = [one for one in replies if one.chosen is not None]
    values = {slice_value(query, by, one) for one in replies}
    ordered = sorted(value for value in values if value is not None) + ([None] if None in values else [])
    return [(value, [one for one in replies if slice_value(query, by, one) == value]) for value in ordered]


def chi_square_tail(x: float, df: int) -> float:
    """P(chi-square with df degrees of freedom >= x), by the closed forms for even and odd df."""
    if df % 2 == 0:
        return math.exp(-x / 2) * sum((x / 2) ** i / math.factorial(i) for i in range(df // 2))
    tail = math.erfc(math.sqrt(x / 2))
    term = math.sqrt(2 * x / math.pi) * math.exp(-x / 2)
    for i in range(1, (df + 1) // 2):
        tail += term
        term *= x / (2 * i + 1)
    return tail


def position(study: PlainStudy, by: str | None = None, min_instances: int = 10, **options: Any) -> Result:
    """Section 12: selections by position, with the naive chi-square."""
    query = ask_options(study, options)
    rows: list[Fields] = []
    for value, part in sliced(query, by, answers(query, selections=True)):
        chosen = [one for one in part if one.chosen is not None]
        few = len({one.item[0] for one in chosen}) < min_instances
        for judge, scale, mine in by_judge_and_scale(query, chosen):
            size, n = len(scale), len(mine)
            counts = [sum(one.position == p for one in mine) for p in range(1, size + 1)]
            chi2 = sum((count - n / size) ** 2 / (n / size) for count in counts)
            for p, count in enumerate(counts, start=1):
                row = {"judge": judge, "n_options": size, "scale": write_ordering(scale), "position": p}
                row |= {"share": count / n, "n": n, "chi2": chi2 if size > 1 else None}
                row["chi2_p"] = None if few or size == 1 else chi_square_tail(chi2, size - 1)
                rows.append({"slice": value, **row} if by else row)
    return rows, query.left_out


def share_at(mine: list[Answer], score: float, place: int) -> float | None:
    """P(p | score); None for a score never selected."""
    selected = [one for one in mine if one.chosen == score]
    return mean([float(one.position == place) for one in selected])


def cost(mine: list[Answer], ordering: Ordering) -> float:
    """The bias cost of an ordering, in percent points."""
    total = 0.0
    for place, score in enumerate(ordering, start=1):
        share = share_at(mine, score, place)
        if share is not None:
            total += abs(share - 1 / len(ordering))
    return 100 * total


def recommended(costs: dict[Ordering, float]) -> Ordering:
    """The first of the cheapest, in the order of the dict."""
    lowest = min(costs.values())
    return next(ordering for ordering, value in costs.items() if value <= lowest + 1e-9)


def human_scores(query: Query) -> dict[Item, float]:
    """The mean over human sources (or the source asked for) of the scores of each item."""
    scores: dict[Item, list[float]] = {}
    for row in query.study.references:
        wanted = (
            is_person(row["source"])
            if query.reference in (None, "human")
            else row["source"] == query.reference
        )
        if wanted and row["score"] is not None:
            scores.setdefault((row["instance_id"], row["generator"], row["rubric_id"]), []).append(
                row["score"]
            )
    return {item: sum(scores) / len(scores) for item, scores in scores.items()}


def pearson(pairs: list[tuple[float, float]]) -> float | None:
    """Pearson's r; None with fewer than three pairs or a constant side."""
    if len(pairs) < 3:
        return None
    mean_a, mean_b = (sum(side) / len(pairs) for side in zip(*pairs, strict=True))
    spread_a = sum((a - mean_a) ** 2 for a, _ in pairs)
    spread_b = sum((b - mean_b) ** 2 for _, b in pairs)
    if spread_a < 1e-12 or spread_b < 1e-12:
        return None
    together = sum((a - mean_a) * (b - mean_b) for a, b in pairs)
    return together / math.sqrt(spread_a * spread_b)


def average_ranks(values: list[float]) -> list[float]:
    """1 for the lowest; equal values (within 1e-9) share the mean of their ranks."""
    return [
        1
        + sum(other < value - 1e-9 for other in values)
        + (sum(abs(o - value) <= 1e-9 for o in values) - 1) / 2
        for value in values
    ]


def spearman(pairs: list[tuple[float, float]]) -> float | None:
    """Pearson's r of the ranks."""
    if not pairs:
        return None
    one, two = (average_ranks(list(side)) for side in zip(*pairs, strict=True))
    return pearson(list(zip(one, two, strict=True)))


def ordering(study: PlainStudy, by: str | None = None, search: str = "balanced", **options: Any) -> Result:
    """Section 12: the cost of each ordering, and its correlation with people."""
    query = ask_options(study, options)
    human = human_scores(query)
    rows: list[Fields] = []
    for value, part in sliced(query, by, answers(query)):
        for judge, scale, mine in by_judge_and_scale(query, part):
            judge_rows = ordering_rows(judge, scale, mine, human, search)
            rows += [{"slice": value, **row} for row in judge_rows] if by else judge_rows
    return rows, query.left_out


def ordering_rows(
    judge: str, scale: Ordering, mine: list[Answer], human: dict[Item, float], search: str
) -> list[Fields]:
    """One judge's rows."""
    shown = balanced(scale)
    candidates = list(shown)
    if search == "all":
        candidates += [pi for pi in permutations(scale) if pi not in shown]
    best = recommended({pi: cost(mine, pi) for pi in candidates})
    rows = []
    for pi in [*shown, *([best] if best not in shown else [])]:
        judged = [one for one in mine if one.ordering == pi]
        pairs = [(one.score, human[one.item]) for one in judged if one.item in human]
        row = {"judge": judge, "n_options": len(scale), "scale": write_ordering(scale)}
        row |= {"ordering": write_ordering(pi), "cost": cost(mine, pi), "recommended": pi == best}
        row |= {
            "pearson": pearson(pairs),
            "spearman": spearman(pairs),
            "n": len(pairs),
            "n_judged": len(judged),
        }
        row["small"] = any(sum(one.chosen == score for one in mine) < FEW for score in scale)
        rows.append(row)
    known = [row["pearson"] for row in rows if row["pearson"] is not None]
    ranks = dict(zip(known, average_ranks([-r for r in known]), strict=True))
    return [row | {"rank": None if row["pearson"] is None else ranks[row["pearson"]]} for row in rows]
