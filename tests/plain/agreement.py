"""How much judges agree on a rubric (MEASURES section 6, RSP Figure 4)."""

from plain.asking import Query, mean, relation
from plain.truth import Item, verdicts_by_item

TOLERANCE = 1e-9


def share_of_equal_pairs(verdicts: list[bool]) -> float | None:
    """The share of pairs of judges that gave the same verdict; None with fewer than two judges."""
    same = pairs = 0
    for i in range(len(verdicts)):
        for j in range(i):
            pairs += 1
            same += verdicts[i] == verdicts[j]
    return same / pairs if pairs else None


def agreement_on_verdicts(query: Query, judge: str | None) -> dict[Item, float]:
    """a(x, k, G) over all judges of the study, or over those that are no relatives of `judge`."""
    everyone = query.remembered("verdicts by item", lambda: verdicts_by_item(query))
    result = {}
    for item, by_judge in everyone.items():
        verdicts = [
            met
            for other, met in by_judge.items()
            if judge is None or relation(query, judge, other) == "other"
        ]
        share = share_of_equal_pairs(verdicts)
        if share is not None:
            result[item] = share
    return result


def agreement_on_rubrics(query: Query, judge: str | None) -> dict[tuple[str, str], float]:
    """a(x, k): the mean of a(x, k, G) over the generators for which it is defined."""
    shares: dict[tuple[str, str], list[float]] = {}
    for (instance_id, _generator, rubric_id), share in agreement_on_verdicts(query, judge).items():
        shares.setdefault((instance_id, rubric_id), []).append(share)
    return {rubric: mean(values) or 0.0 for rubric, values in shares.items()}


def is_agreed(query: Query, judge: str, item: Item) -> bool:
    """Whether `min_agreement` keeps a verdict of this judge; undefined agreement is not kept."""
    if query.min_agreement is None:
        return True
    share = agreement_of(query, judge, item)
    return share is not None and share >= query.min_agreement - TOLERANCE


def agreement_of(query: Query, judge: str, item: Item) -> float | None:
    """The agreement that applies to a verdict of this judge, by the two options."""
    left_out = judge if query.agreement_without_family else None
    if query.agreement_of == "verdict":
        shares = query.remembered(("on verdicts", left_out), lambda: agreement_on_verdicts(query, left_out))
        return shares.get(item)
    shares = query.remembered(("on rubrics", left_out), lambda: agreement_on_rubrics(query, left_out))
    return shares.get((item[0], item[2]))
