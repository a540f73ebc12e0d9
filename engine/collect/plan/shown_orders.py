"""The orders in which rubrics, options and responses are shown."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from math import factorial
from typing import TypeVar

from engine.collect.configuration.config import Sample
from engine.errors import UsageError

Item = TypeVar("Item")


def rubric_orderings(names: Sequence[str], n: int) -> Iterator[str]:
    """Yield the distinct orderings of n rubrics, without rotations that begin beyond the end."""
    orderings: dict[str, None] = {}
    for name in names:
        if name == "rotated":
            orderings |= dict.fromkeys(f"rotated-{first}" for first in range(2, n + 1))
        elif not name.startswith("rotated-") or int(name.removeprefix("rotated-")) <= n:
            orderings[name] = None
    yield from orderings


def in_order(items: Sequence[Item], ordering: str) -> tuple[Item, ...]:
    if ordering == "reversed":
        return tuple(reversed(items))
    if ordering.startswith("rotated-"):
        first = int(ordering.removeprefix("rotated-")) - 1
        return (*items[first:], *items[:first])
    return tuple(items)


def option_orderings(scores: Sequence[float], repeats: int) -> Iterator[tuple[str, int]]:
    """Yield the balanced orderings of ascending scores as trial 0, then further trials of the first one."""
    from engine.stats.orders.option_orders import balanced_orderings

    orderings = ["-".join(f"{scores[i]:g}" for i in places) for places in balanced_orderings(len(scores))]
    for ordering in orderings:
        yield ordering, 0
    for trial in range(1, repeats):
        yield orderings[0], trial


def list_orders(models: Sequence[str], number: int, seed: int, instance_id: str) -> list[tuple[str, ...]]:
    """Return the distinct orders in which the responses of a list are shown; none for fewer than two.

    Every other order is drawn, from the seed and the instance alone, and the next is its reverse, so that
    over an even number each response's mean position is the middle. All judges see the same orders.
    """
    orders: dict[tuple[str, ...], None] = {}
    total = min(number, factorial(len(models))) if len(models) > 1 else 0
    draw = 0
    while len(orders) < total:
        order = tuple(sorted(models, key=lambda name: _draw(seed, f"{instance_id}\0{draw}\0{name}")))
        orders |= dict.fromkeys((order, order[::-1]))
        draw += 1
    return list(orders)[:total]


def sample_instances(
    instances: Sequence[str], strata: Mapping[str, str | None], sample: Sample | None, seed: int
) -> list[str]:
    """Return the sampled instances in their order; of each stratum its share, at least `min_per_stratum`.

    The choice depends on the seed and the ids alone: unstratified, a larger sample contains a smaller one.
    """
    if sample is None:
        return list(instances)
    if sample.n > len(instances):
        raise UsageError(
            f"sample.n is {sample.n!r}, and there are {len(instances)} questions; give at most as many, or "
            "leave [sample] out"
        )
    groups: dict[str | None, list[str]] = {}
    for instance in sorted(instances, key=lambda name: _draw(seed, name)):
        groups.setdefault(strata.get(instance), []).append(instance)
    quotas = _shares({name: len(members) for name, members in groups.items()}, sample)
    selected = {instance for name, members in groups.items() for instance in members[: quotas[name]]}
    return [instance for instance in instances if instance in selected]


def _draw(seed: int, instance: str) -> bytes:
    text = f"{seed}\0{instance}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _shares(sizes: Mapping[str | None, int], sample: Sample) -> dict[str | None, int]:
    """Return the number from each stratum: at least the minimum, else proportional by largest remainders."""
    order = sorted(sizes, key=lambda name: (name is None, name or ""))
    minimums = {name: min(sample.min_per_stratum, sizes[name]) for name in order}
    if sum(minimums.values()) > sample.n:
        raise UsageError(
            f"sample.n is {sample.n!r}, and {len(order)} values of {sample.stratify} with "
            f"min_per_stratum = {sample.min_per_stratum} take {sum(minimums.values())}; raise n or "
            "lower the least"
        )
    quotas = dict(minimums)
    total = sum(sizes.values())
    while sum(quotas.values()) < sample.n:
        # One at a time to the stratum furthest below its share; in a tie to the first.
        unfilled = [name for name in order if quotas[name] < sizes[name]]
        furthest = max(unfilled, key=lambda name: sample.n * sizes[name] / total - quotas[name])
        quotas[furthest] += 1
    return quotas
