"""Pairs drawn for judges (MEASURES sections 9 and 10), by the rules that the measures count them by."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.arrays import StudyArrays
from engine.config import Drawing, RunConfig
from engine.config.fields import DrawnRule
from engine.cubes.index import positions
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.errors import UsageError
from engine.metrics.draws import CONTRAST, NULL, ORDER, PROXY, lowest, seeded_keys
from engine.plan.pairs import BOTH, DrawnPairs, First, Pair
from engine.plan.stored_pairs import StoredPairs
from engine.plan.truth import pair_truth, quality_of_responses
from engine.store import StudyFiles
from engine.views.quality import Quality, far, near

Row = dict[str, Any]


def draw_pairs(
    config: RunConfig, study: StudyFiles, generators: Sequence[str], instances: Sequence[str]
) -> tuple[DrawnPairs, list[Row]]:
    """Return the pairs that judges compare, and the rows of the table `pairs` that are not stored yet.

    What an earlier run drew by the same rule stays drawn. Raises UsageError where the study does not hold
    what a rule needs, no pair fulfils it, or stored pairs were drawn by another.
    """
    field = Field(config, StudyArrays(study), tuple(generators), tuple(instances))
    stored = StoredPairs(study)
    pairs: dict[tuple[str, str], list[Pair]] = {}
    fresh: list[Row] = []
    for rule in config.rules:
        assert rule != "all"  # noqa: S101 - such pairs are not drawn
        words, drawn = rule_words(rule, config), list(_drawn(rule, field))
        known = stored.of(rule, words, config.seed, tuple(config.judges))
        new = [row for row in drawn if not known.settles(rule, row["judge"], row["instance_id"])]
        rows = [row for row in known.rows if row["instance_id"] in field.names] + new
        if not rows:
            raise UsageError(
                f"pairs: no pair of responses fulfils the rule {rule!r} ({words}) for "
                f"{', '.join(config.judges)}; widen it in [drawing], or give more responses"
            )
        fresh += [row | {"purpose": rule, "rule": words, "seed": config.seed} for row in new]
        for row in rows:
            pair = Pair(row["generator"], row["opponent"], _orders(rule, field, row))
            pairs.setdefault((row["judge"], row["instance_id"]), []).append(pair)
    return DrawnPairs(pairs), fresh


def rule_words(rule: DrawnRule, config: RunConfig) -> str:
    """Return a rule in the words that are stored with its pairs; the usual numbers of pairs go unsaid."""
    asked, plain = config.drawing, Drawing()
    out = ", third parties outside the family" if asked.third_party == "out_of_family" else ""
    by = " by the reference" if asked.quality == "reference" else ""
    if rule == "equal":
        return f"|dQ| <= {asked.epsilon:g}{by}{out}"
    if rule == "null":
        most = "" if asked.null_pairs == plain.null_pairs else f", at most {asked.null_pairs} of a question"
        return f"|dQ| <= {asked.epsilon:g}{by}{most}{out}"
    if rule == "contrast":
        most = "" if asked.contrast_pairs == plain.contrast_pairs else f", at most {asked.contrast_pairs}"
        return f"|dQ| >= {asked.gap:g}{by}{most}"
    most = "" if asked.max_proxies is None else f", at most {asked.max_proxies}"
    return f"own, and others with the same outcome{most}{out}"


@dataclass(frozen=True)
class Field:
    """What pairs are drawn from: the responses of generators to the instances that take part.

    Models and instances are positions in the study; `names` are the instances that take part.
    """

    config: RunConfig
    study: StudyArrays
    generators: tuple[str, ...]
    instances: tuple[str, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The instances' ids."""
        return frozenset(self.instances)

    @cached_property
    def model_ids(self) -> Ints:
        """The generators' positions, ascending."""
        return positions(self.generators, self.study.index.models)

    @cached_property
    def instance_names(self) -> list[str]:
        """All instances of the study by position."""
        names: list[str] = self.study.index.instances.to_pylist()
        return names

    @cached_property
    def instance_ids(self) -> Ints:
        """The positions of the instances that take part, ascending."""
        return positions(self.instances, self.instance_names)

    @cached_property
    def quality(self) -> Quality:
        """How good each response is."""
        return quality_of_responses(self.study, self.config)

    def third_parties(self, judge: int) -> Ints:
        """Return the generators that stand in for others when a judge is tried."""
        others: Ints = self.model_ids[self.model_ids != judge]
        if self.config.drawing.third_party == "all":
            return others
        kin = self.study.index.kinship(np.array([judge]), others)
        return np.asarray(others[kin.other[0]])

    def q(self, models: Ints) -> Floats:
        """Return Q of shape (models, instances that take part)."""
        return np.asarray(self.quality.values[0][np.ix_(models, self.instance_ids)])

    def keys(self, purpose: int, judge: int, instance: Ints, *models: Ints) -> Any:
        """Return the keys that a draw takes the lowest of, the same that the measures draw by."""
        return seeded_keys(self.config.seed, purpose, np.full(len(instance), judge), instance, *models)


@dataclass(frozen=True, eq=False)
class Found:
    """Pairs by positions, one entry each."""

    instance: Ints
    target: Ints
    other: Ints

    def select(self, keep: Bools) -> "Found":
        """Return some of them."""
        return Found(self.instance[keep], self.target[keep], self.other[keep])


def _drawn(rule: DrawnRule, field: Field) -> Iterator[Row]:
    """Yield the pairs that a rule draws for every judge, without purpose, rule and seed."""
    models = field.study.index.models
    for judge in field.config.judges:
        place = models.index(judge) if judge in models else -1
        if place < 0 or (rule != "contrast" and judge not in field.generators):
            continue
        found = _RULES[rule](field, place)
        for instance, target, other in zip(found.instance, found.target, found.other, strict=True):
            yield {
                "judge": judge,
                "instance_id": field.instance_names[instance],
                "generator": models[target],
                "opponent": models[other],
            }


def _equal(field: Field, judge: int) -> Found:
    """Return the judge's own response beside every third party's of equal quality."""
    others = field.third_parties(judge)
    alike = near(field.q(np.array([judge])), field.q(others), field.config.drawing.epsilon)
    other, instance = np.nonzero(alike)
    return Found(field.instance_ids[instance], np.full(len(other), judge), others[other])


def _null(field: Field, judge: int) -> Found:
    """Return ordered pairs of third parties equal to each other and to the judge's own, drawn by question."""
    epsilon = field.config.drawing.epsilon
    others = field.third_parties(judge)
    q = field.q(others)
    to_own = near(q, field.q(np.array([judge])), epsilon)
    alike = near(q[:, None], q[None, :], epsilon) & to_own[:, None] & to_own[None, :]
    alike &= ~np.eye(len(others), dtype=bool)[:, :, None]
    target, other, instance = np.nonzero(alike)
    found = Found(field.instance_ids[instance], others[target], others[other])
    keys = field.keys(NULL, judge, found.instance, found.target, found.other)
    return found.select(lowest(found.instance, keys, field.config.drawing.null_pairs))


def _contrast(field: Field, judge: int) -> Found:
    """Return pairs of others' responses that are far apart in quality, drawn over all questions."""
    others = field.model_ids[field.model_ids != judge]
    q = field.q(others)
    apart = far(q[:, None], q[None, :], field.config.drawing.gap)
    apart &= np.triu(np.ones((len(others), len(others)), dtype=bool), 1)[:, :, None]
    one, two, instance = np.nonzero(apart)
    found = Found(field.instance_ids[instance], others[one], others[two])
    keys = field.keys(CONTRAST, judge, found.instance, found.target, found.other)
    everything = np.zeros(len(keys), dtype=np.int64)
    return found.select(lowest(everything, keys, field.config.drawing.contrast_pairs))


def _proxy(field: Field, judge: int) -> Found:
    """Return the judge's own responses against each opponent, and others' with the same outcome."""
    truth = pair_truth(field.study, field.config, field.model_ids, field.instance_ids)
    own = int(np.flatnonzero(field.model_ids == judge)[0])
    same = (truth == truth[own][None]) & ~np.isnan(truth[own])[None]  # proxies, opponents, instances
    allowed = np.isin(field.model_ids, field.third_parties(judge))
    allowed[own] = True
    same &= allowed[:, None, None]
    same[:, own] = False
    model, opponent, instance = np.nonzero(same)
    found = Found(field.instance_ids[instance], field.model_ids[model], field.model_ids[opponent])
    most = field.config.drawing.max_proxies
    if most is None:
        return found
    keys = field.keys(PROXY, judge, found.instance, found.other, found.target)
    proxy = found.target != judge
    example = instance * len(field.model_ids) + opponent
    keep = ~proxy
    keep[proxy] = lowest(example[proxy], keys[proxy], most)
    return found.select(keep)


_RULES: Mapping[DrawnRule, Callable[[Field, int], Found]] = {
    "equal": _equal,
    "null": _null,
    "contrast": _contrast,
    "proxy": _proxy,
}


def _orders(rule: DrawnRule, field: Field, row: Row) -> tuple[First, ...]:
    """Return both orders; for a pair far apart in quality one, drawn by the seed."""
    if rule != "contrast":
        return BOTH
    models, place = field.study.index.models, field.instance_names.index(row["instance_id"])
    names = [np.array([models.index(row[side])]) for side in ("generator", "opponent")]
    key = field.keys(ORDER, models.index(row["judge"]), np.array([place]), *names)
    return ("generator",) if int(key[0]) & 1 else ("opponent",)
