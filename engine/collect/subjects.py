"""What calls are about: who takes part, in which orders and pairs, and each subject of a judge."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, count
from math import factorial
from typing import Literal, TypeVar

from engine.collect.calls import Subject
from engine.collect.config import RunConfig, Sample
from engine.collect.texts import Library, ResponseKey
from engine.errors import UsageError
from engine.schema import TRAITS, Beside, Paradigm, shown_order

# ------------------------------------------------------------------------------
# The orders in which rubrics and options are shown.


Item = TypeVar("Item")


def rubric_orderings(wanted: Sequence[str], n: int) -> Iterator[str]:
    """Yield the orderings of a list of n rubrics, each once; no rotation that begins beyond its end."""
    orderings: dict[str, None] = {}
    for name in wanted:
        if name == "rotated":
            orderings |= dict.fromkeys(f"rotated-{first}" for first in range(2, n + 1))
        elif not name.startswith("rotated-") or int(name.removeprefix("rotated-")) <= n:
            orderings[name] = None
    yield from orderings


def in_order(items: Sequence[Item], ordering: str) -> tuple[Item, ...]:
    """Return rubrics as an ordering shows them."""
    if ordering == "reversed":
        return tuple(reversed(items))
    if ordering.startswith("rotated-"):
        first = int(ordering.removeprefix("rotated-")) - 1
        return (*items[first:], *items[:first])
    return tuple(items)


def option_orderings(scores: Sequence[float], repeats: int) -> Iterator[tuple[str, int]]:
    """Yield the balanced orderings of ascending scores with trial 0, then the other trials of the first."""
    from engine.stats.orders import balanced_orderings  # SciPy takes half a second

    orderings = ["-".join(f"{scores[i]:g}" for i in places) for places in balanced_orderings(len(scores))]
    for ordering in orderings:
        yield ordering, 0
    for trial in range(1, repeats):
        yield orderings[0], trial


def list_orders(models: Sequence[str], number: int, seed: int, instance_id: str) -> Iterator[tuple[str, ...]]:
    """Yield the orders in which the responses of a list are shown, each once; none of fewer than two.

    Every other one is drawn, by the seed and the instance alone, and the next is its reverse: over an even
    number, each response stands in the middle on the average. All judges see the same orders.
    """
    if len(models) < 2:
        return
    orders: dict[tuple[str, ...], None] = {}
    wanted = min(number, factorial(len(models)))
    for draw in count():
        if len(orders) >= wanted:
            break
        drawn = tuple(sorted(models, key=lambda name: _draw(seed, f"{instance_id}\0{draw}\0{name}")))
        orders |= dict.fromkeys((drawn, drawn[::-1]))
    yield from list(orders)[:wanted]


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


# ------------------------------------------------------------------------------
# Which pairs a judge compares, and in which orders.


First = Literal["generator", "opponent"]
BOTH: tuple[First, ...] = ("generator", "opponent")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one instance; `orders` says which of the two is shown first, in each call."""

    generator: str
    opponent: str
    orders: tuple[First, ...] = BOTH


PairSource = Callable[[str, str], Iterable[Pair]]
"""Gives a judge's pairs of an instance, each pair of responses once."""


def all_pairs(generators: Sequence[str], judge: str, _: str) -> Iterator[Pair]:
    """Yield every two generators; a judge's own response is the target."""
    for one, two in combinations(generators, 2):
        yield Pair(two, one) if two == judge else Pair(one, two)


def drawn_pairs(
    pairs: Mapping[tuple[str, str], Sequence[Pair]], judge: str, instance_id: str
) -> Iterable[Pair]:
    """Return the pairs drawn for a judge; a pair drawn for two purposes is asked for once."""
    merged: dict[frozenset[str], Pair] = {}
    for pair in pairs.get((judge, instance_id), ()):
        sides = frozenset((pair.generator, pair.opponent))
        known = merged.get(sides)
        if known is None or len(known.orders) < len(pair.orders):
            merged[sides] = pair
    return merged.values()


# ------------------------------------------------------------------------------
# What calls are about, for each way of judging.


@dataclass(frozen=True)
class Matter:
    """What subjects are made of: whose responses, in which rewriting, and whether they can be judged."""

    config: RunConfig
    library: Library
    generators: Sequence[str]
    pairs: PairSource
    transform: str
    there: Callable[[ResponseKey], bool]
    beside: Beside | None = None

    @property
    def names_authors(self) -> bool:
        """Whether judges are told who wrote the responses."""
        change = self.config.transforms.get(self.transform)
        return change is not None and change.make == "author"

    def judged(self, instance_id: str) -> Iterator[str]:
        """Yield the generators whose response to an instance is there."""
        for generator in self.generators:
            if self.there((instance_id, generator, self.transform)):
                yield generator


def subjects(paradigm: Paradigm, matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    """Yield what a judge is asked about an instance.

    A response beside itself is asked about in pairs only; one beside others as they were written is no part
    of a list. Whose a response is, is asked where neither is changed alone and no author is named. How likely
    its words are does not depend on what it stands beside, or on whom it is said to be by.
    """
    traits = TRAITS[paradigm]
    if traits.gives in ("author", "likelihood") and (matter.beside or matter.names_authors):
        return iter(())
    if (matter.beside == "itself" and not traits.of_pairs) or (matter.beside and traits.of_lists):
        return iter(())
    return _MAKERS[paradigm](matter, judge, instance_id)


def _single_rubric(matter: Matter, _: str, instance_id: str) -> Iterator[Subject]:
    rubrics = matter.library.criteria(instance_id)
    for generator in matter.judged(instance_id):
        for rubric in rubrics:
            yield _subject(matter, instance_id, generator, rubric_ids=(rubric.rubric_id,))


def _all_rubrics(matter: Matter, _: str, instance_id: str, *, ordered: bool) -> Iterator[Subject]:
    names = tuple(rubric.rubric_id for rubric in matter.library.criteria(instance_id))
    orderings = tuple(rubric_orderings(matter.config.orderings, len(names))) if ordered else (None,)
    for generator in matter.judged(instance_id) if names else ():
        for ordering in orderings:
            shown = in_order(names, ordering or "original")
            yield _subject(matter, instance_id, generator, rubric_ids=shown, ordering=ordering)


def _pairwise(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    if matter.beside == "itself":
        yield from _beside_themselves(matter, instance_id)
        return
    others = "none" if matter.beside == "plain" else matter.transform
    for pair in matter.pairs(judge, instance_id):
        sides = ((instance_id, pair.generator, matter.transform), (instance_id, pair.opponent, others))
        if not all(map(matter.there, sides)):
            continue
        for first in pair.orders:
            yield _subject(matter, instance_id, pair.generator, opponent=pair.opponent, first=first)


def _beside_themselves(matter: Matter, instance_id: str) -> Iterator[Subject]:
    """Yield each response beside itself, once; the opponent is the next model, whose text is not shown."""
    models = tuple(matter.judged(instance_id))
    for model, following in zip(models, (*models[1:], *models[:1]), strict=True):
        if model != following:
            yield _subject(matter, instance_id, model, opponent=following, first="generator")


def _listwise(matter: Matter, _: str, instance_id: str) -> Iterator[Subject]:
    models, config = tuple(matter.judged(instance_id)), matter.config
    for shown in list_orders(models, config.lists, config.seed, instance_id):
        yield _subject(matter, instance_id, shown[0], ordering=shown_order(shown))


def _recognition(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    """Yield the judge's own response beside each other one, in both orders."""
    models = tuple(matter.judged(instance_id))
    for other in models if judge in models else ():
        for first in BOTH if other != judge else ():
            yield _subject(matter, instance_id, judge, opponent=other, first=first)


def _score_rubric(matter: Matter, _: str, instance_id: str) -> Iterator[Subject]:
    for generator in matter.judged(instance_id):
        for rubric in matter.library.score_rubrics(instance_id):
            assert rubric.criterion is not None  # noqa: S101 - score rubrics have options
            scores = [option.score for option in rubric.criterion.options]
            about = _subject(matter, instance_id, generator, rubric_ids=(rubric.rubric_id,))
            for ordering, trial in option_orderings(scores, matter.config.repeats):
                yield replace(about, ordering=ordering, trial=trial)


def _each_response(matter: Matter, _: str, instance_id: str) -> Iterator[Subject]:
    for generator in matter.judged(instance_id):
        yield _subject(matter, instance_id, generator)


def _subject(matter: Matter, instance_id: str, generator: str, **rest: object) -> Subject:
    return Subject(instance_id, generator, transform=matter.transform, **rest)  # type: ignore[arg-type]


_MAKERS: dict[Paradigm, Callable[[Matter, str, str], Iterator[Subject]]] = {
    "single_rubric": _single_rubric,
    "all_rubrics": partial(_all_rubrics, ordered=True),
    "direct_assessment": partial(_all_rubrics, ordered=False),
    "pairwise": _pairwise,
    "score_rubric": _score_rubric,
    "quality": _each_response,
    "listwise": _listwise,
    "recognition": _recognition,
    "familiarity": _each_response,
}
