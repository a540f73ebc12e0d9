"""Which instances take part in a run."""

import hashlib
from collections.abc import Mapping, Sequence

from engine.config import Sample
from engine.errors import UsageError


def sampled(
    instances: Sequence[str], strata: Mapping[str, str | None], sample: Sample | None, seed: int
) -> list[str]:
    """Return the instances that are drawn, in the order they came in; all without a sample.

    Each stratum gives its share of the n, at least `min_per_stratum` (or all it has). Which ones depends on
    the seed and their ids alone, so that a larger sample of the same seed holds a smaller unstratified one.
    Raises UsageError for a sample larger than what there is, or too small for its strata.
    """
    if sample is None:
        return list(instances)
    if sample.n > len(instances):
        raise UsageError(
            f"sample.n is {sample.n!r}, and there are {len(instances)} instances; give at most as many, or "
            "leave [sample] out"
        )
    groups: dict[str | None, list[str]] = {}
    for instance in sorted(instances, key=lambda name: _draw(seed, name)):
        groups.setdefault(strata.get(instance), []).append(instance)
    sizes = {name: len(members) for name, members in groups.items()}
    taken = _shares(sizes, sample)
    chosen = {instance for name, members in groups.items() for instance in members[: taken[name]]}
    return [instance for instance in instances if instance in chosen]


def _draw(seed: int, instance: str) -> bytes:
    text = f"{seed}\0{instance}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _shares(sizes: Mapping[str | None, int], sample: Sample) -> dict[str | None, int]:
    """Return how many each stratum gives: proportional, largest remainders first, above the least."""
    order = sorted(sizes, key=lambda name: (name is None, name or ""))
    least = {name: min(sample.min_per_stratum, sizes[name]) for name in order}
    if sum(least.values()) > sample.n:
        raise UsageError(
            f"sample.n is {sample.n!r}, and {len(order)} values of {sample.stratify} with "
            f"min_per_stratum = {sample.min_per_stratum} take {sum(least.values())}; raise n or "
            "lower the least"
        )
    taken = dict(least)
    whole = sum(sizes.values())
    while sum(taken.values()) < sample.n:
        # One at a time to the stratum that is furthest below its share; of equal ones the first.
        open_ones = [name for name in order if taken[name] < sizes[name]]
        furthest = max(open_ones, key=lambda name: sample.n * sizes[name] / whole - taken[name])
        taken[furthest] += 1
    return taken
