"""Drawing the pairs of responses to judge: equal, null, contrast and proxy pairs.

They follow the same rules as the measures (MEASURES sections 9 and 10), or are those of earlier runs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

import numpy as np

from engine.arrays.index import positions
from engine.arrays.pairs.pair_quality import Quality, far, judged_quality, near, scores_by_reference
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.gold_preferences import Preferences, SourceVotes
from engine.arrays.truths.references import NONE, Exclusion
from engine.collect.configuration.config import Drawing, DrawnRule, RunConfig
from engine.collect.plan.judged_pairs import BOTH, First, Pair, PairSource, drawn_pairs
from engine.errors import UsageError
from engine.slices import Slice
from engine.stats import Floats, Ints, ParallelArrays
from engine.stats.intervals.seeded_draws import CONTRAST, NULL, ORDER, PROXY, lowest, seeded_keys
from engine.stats.scores.ranks import TOLERANCE
from engine.store.study_files import StudyFiles

Row = dict[str, Any]


def stored_pairs(
    study: StudyFiles, purpose: DrawnRule, rule: str, seed: int, judges: Sequence[str]
) -> list[Row]:
    """Return the judges' stored pairs of a purpose; UsageError if drawn by another rule or seed."""
    rows: list[Row] = study.table("pairs").to_pylist()
    rows = [row for row in rows if row["purpose"] == purpose and row["judge"] in judges]
    for row in rows:
        # `equal` involves no random draw.
        if row["rule"] != rule or (purpose != "equal" and row["seed"] != seed):
            raise UsageError(
                f"pairs: the study {study.name!r} has pairs of purpose {purpose!r} for {row['judge']!r}, "
                f"drawn by {row['rule']!r} with seed {row['seed']!r}, and this run would draw by {rule!r} "
                f"with seed {seed!r}; make [drawing] and seed agree, or use another study"
            )
    return rows


def draw_pairs(
    config: RunConfig, study: StudyFiles, generators: Sequence[str], instances: Sequence[str]
) -> tuple[PairSource, list[Row]]:
    """Return the pairs to compare, reusing those stored by the same rule, and the new rows of `pairs`."""
    field = ResponsePool(config, StudyArrays(study), tuple(generators), tuple(instances))
    selected = frozenset(instances)
    pairs: dict[tuple[str, str], list[Pair]] = {}
    new_rows: list[Row] = []
    for rule in config.rules:
        assert rule != "all"  # noqa: S101 - those pairs need no draw
        words, candidates = rule_words(rule, config), list(_draw(rule, field))
        stored = stored_pairs(study, rule, words, config.seed, tuple(config.judges))
        # A draw is over all instances for contrast, else over one.
        group = itemgetter("judge") if rule == "contrast" else itemgetter("judge", "instance_id")
        stored_groups = set(map(group, stored))
        new = [row for row in candidates if group(row) not in stored_groups]
        rows = [row for row in stored if row["instance_id"] in selected] + new
        if not rows:
            raise UsageError(
                f"pairs: no pair of answers satisfies the rule {rule!r} ({words}) for "
                f"{', '.join(config.judges)}; widen it in [drawing], or give more answers"
            )
        new_rows += [row | {"purpose": rule, "rule": words, "seed": config.seed} for row in new]
        for row in rows:
            pair = Pair(row["generator"], row["opponent"], _orders(rule, field, row))
            pairs.setdefault((row["judge"], row["instance_id"]), []).append(pair)
    return partial(drawn_pairs, pairs), new_rows


def rule_words(rule: DrawnRule, config: RunConfig) -> str:
    """Return the description of a rule stored with its pairs; default numbers of pairs are omitted."""
    drawing, plain = config.drawing, Drawing()
    out = ", third parties outside the family" if drawing.third_party == "out_of_family" else ""
    by = " by the reference" if drawing.quality == "reference" else ""
    if rule == "equal":
        return f"|dQ| <= {drawing.epsilon:g}{by}{out}"
    if rule == "null":
        at_most = f", at most {drawing.null_pairs} of a question"
        cap = at_most if drawing.null_pairs != plain.null_pairs else ""
        return f"|dQ| <= {drawing.epsilon:g}{by}{cap}{out}"
    if rule == "contrast":
        cap = f", at most {drawing.contrast_pairs}" if drawing.contrast_pairs != plain.contrast_pairs else ""
        return f"|dQ| >= {drawing.gap:g}{by}{cap}"
    cap = f", at most {drawing.max_proxies}" if drawing.max_proxies is not None else ""
    return f"own, and others with the same outcome{cap}{out}"


@dataclass(frozen=True)
class ResponsePool:
    """The generators' responses to the selected instances; both are positions in the study, ascending."""

    config: RunConfig
    study: StudyArrays
    generators: tuple[str, ...]
    instances: tuple[str, ...]

    @cached_property
    def model_ids(self) -> Ints:
        return positions(self.generators, self.study.index.models)

    @cached_property
    def instance_names(self) -> list[str]:
        names: list[str] = self.study.index.instances.to_pylist()  # all of the study, by position
        return names

    @cached_property
    def instance_ids(self) -> Ints:
        return positions(self.instances, self.instance_names)

    @cached_property
    def quality(self) -> Quality:
        """Q from the quality judges or the reference; UsageError if the study lacks it."""
        of_reference = self.config.drawing.quality == "reference"
        try:
            if of_reference:
                return Quality(10 * self._scores())
            return judged_quality(self.study, Slice(), {"quality_judges": tuple(self.config.quality_judges)})
        except NoDataError:
            missing = "references" if of_reference else "quality judgments"
            raise UsageError(
                f"pairs: the study {self.study.name!r} has no {missing} to draw pairs by; run paradigms = "
                '["quality"] on it first, or write quality = "reference" under [drawing] where it has '
                "references"
            ) from None
        except UsageError as error:
            raise UsageError(f"pairs: {error} (in a configuration: quality_judges)") from None

    def truth(self) -> Floats:
        """Return whether a response is better than another: 1, 0 or NaN, (models, opponents, instances).

        Decided by the majority of preferences, else by the reference's scores.
        """
        study, models, instances = self.study, self.model_ids, self.instance_ids
        preferences = Preferences.read(study.files, study.index)
        if preferences.counting and self.config.drawing.reference in (None, NONE):
            shape = (len(models), len(models), len(instances))
            target, other, instance = (part.ravel() for part in np.indices(shape))
            outcome = preferences.of(instances[instance], models[target], models[other])
            outcome = outcome[:, np.isin(preferences.sources, preferences.counting)]
            truth = SourceVotes((1 + outcome) / 2).oracle.reshape(shape)
            truth[np.arange(len(models)), np.arange(len(models))] = np.nan
            return truth
        try:
            scores = self._scores()[0][np.ix_(models, instances)]
        except NoDataError:
            raise UsageError(
                f"pairs: the study {study.name!r} has neither preferences nor references, and proxies need "
                "to be right or wrong as often as the judge; add one of them"
            ) from None
        gap = scores[:, None] - scores[None, :]
        return np.where(gap > TOLERANCE, 1.0, np.where(gap < -TOLERANCE, 0.0, np.nan))

    def _scores(self) -> Floats:
        """Return the reference's scores: (1, models, instances)."""
        source = self.study.references.choose(self.config.drawing.reference)
        return scores_by_reference(self.study, source, np.zeros(1, dtype=np.int64), Exclusion(), "fraction")

    def third_parties(self, judge: int) -> Ints:
        others: Ints = self.model_ids[self.model_ids != judge]
        if self.config.drawing.third_party == "all":
            return others
        relations = self.study.index.relations(np.array([judge]), others)
        return np.asarray(others[relations.unrelated_mask[0]])

    def q(self, models: Ints) -> Floats:
        return np.asarray(self.quality.values[0][np.ix_(models, self.instance_ids)])

    def keys(self, purpose: int, judge: int, instance: Ints, *models: Ints) -> Any:
        """Return the random keys of which a draw takes the lowest, the same as in the measures."""
        return seeded_keys(self.config.seed, purpose, np.full(len(instance), judge), instance, *models)


@dataclass(frozen=True, eq=False)
class PairPositions(ParallelArrays):
    instance: Ints
    target: Ints
    other: Ints


def _draw(rule: DrawnRule, field: ResponsePool) -> Iterator[Row]:
    """Yield the pairs that a rule draws for each judge, without purpose, rule and seed."""
    models = field.study.index.models
    for judge in field.config.judges:
        place = models.index(judge) if judge in models else -1
        if place < 0 or (rule != "contrast" and judge not in field.generators):
            continue
        pairs = _RULES[rule](field, place)
        for instance, target, other in zip(pairs.instance, pairs.target, pairs.other, strict=True):
            row = {"judge": judge, "instance_id": field.instance_names[instance]}
            yield row | {"generator": models[target], "opponent": models[other]}


def _equal(field: ResponsePool, judge: int) -> PairPositions:
    """Return the judge's own response paired with every third party's of equal quality."""
    others = field.third_parties(judge)
    alike = near(field.q(np.array([judge])), field.q(others), field.config.drawing.epsilon)
    other, instance = np.nonzero(alike)
    return PairPositions(field.instance_ids[instance], np.full(len(other), judge), others[other])


def _null(field: ResponsePool, judge: int) -> PairPositions:
    """Return ordered pairs of third parties of equal quality, to the judge's own too, drawn per instance."""
    epsilon = field.config.drawing.epsilon
    others = field.third_parties(judge)
    q = field.q(others)
    to_own = near(q, field.q(np.array([judge])), epsilon)
    alike = near(q[:, None], q[None, :], epsilon) & to_own[:, None] & to_own[None, :]
    alike &= ~np.eye(len(others), dtype=bool)[:, :, None]
    target, other, instance = np.nonzero(alike)
    pairs = PairPositions(field.instance_ids[instance], others[target], others[other])
    keys = field.keys(NULL, judge, pairs.instance, pairs.target, pairs.other)
    return pairs.select(lowest(pairs.instance, keys, field.config.drawing.null_pairs))


def _contrast(field: ResponsePool, judge: int) -> PairPositions:
    """Return pairs of others' responses that are far apart in quality, drawn over all instances."""
    others = field.model_ids[field.model_ids != judge]
    q = field.q(others)
    apart = far(q[:, None], q[None, :], field.config.drawing.gap)
    apart &= np.triu(np.ones((len(others), len(others)), dtype=bool), 1)[:, :, None]
    first, second, instance = np.nonzero(apart)
    pairs = PairPositions(field.instance_ids[instance], others[first], others[second])
    keys = field.keys(CONTRAST, judge, pairs.instance, pairs.target, pairs.other)
    everything = np.zeros(len(keys), dtype=np.int64)
    return pairs.select(lowest(everything, keys, field.config.drawing.contrast_pairs))


def _proxy(field: ResponsePool, judge: int) -> PairPositions:
    """Return the judge's own responses against each opponent, and others' with the same outcome."""
    truth = field.truth()
    own = int(np.flatnonzero(field.model_ids == judge)[0])
    same = (truth == truth[own][None]) & ~np.isnan(truth[own])[None]  # proxies, opponents, instances
    allowed = np.isin(field.model_ids, field.third_parties(judge))
    allowed[own] = True
    same &= allowed[:, None, None]
    model, opponent, instance = np.nonzero(same)
    pairs = PairPositions(field.instance_ids[instance], field.model_ids[model], field.model_ids[opponent])
    limit = field.config.drawing.max_proxies
    if limit is None:
        return pairs
    keys = field.keys(PROXY, judge, pairs.instance, pairs.other, pairs.target)
    proxy = pairs.target != judge
    example = instance * len(field.model_ids) + opponent
    keep = ~proxy
    keep[proxy] = lowest(example[proxy], keys[proxy], limit)
    return pairs.select(keep)


_RULES: Mapping[DrawnRule, Callable[[ResponsePool, int], PairPositions]]
_RULES = {"equal": _equal, "null": _null, "contrast": _contrast, "proxy": _proxy}


def _orders(rule: DrawnRule, field: ResponsePool, row: Row) -> tuple[First, ...]:
    """Return both orders; for a contrast pair only one, drawn with the seed."""
    if rule != "contrast":
        return BOTH
    models, place = field.study.index.models, field.instance_names.index(row["instance_id"])
    names = [np.array([models.index(row[side])]) for side in ("generator", "opponent")]
    key = field.keys(ORDER, models.index(row["judge"]), np.array([place]), *names)
    return ("generator",) if int(key[0]) & 1 else ("opponent",)
