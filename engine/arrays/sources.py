"""What is compared item by item: sources, and the examples of the quality baseline with their proxies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.index import Selection, StudyIndex, encode, integers, numbers
from engine.arrays.pair_outcomes import PairCube, PairRows, outcome, pair_up
from engine.arrays.pair_quality import Gold, JudgedPairs, judged_pairs, kept_mask
from engine.arrays.references import COMMITTEE, HUMAN, is_human
from engine.arrays.resolve import instance_mask, rubric_mask
from engine.arrays.scores import ScoreCube, read_item_scores, read_quality
from engine.arrays.verdicts import VerdictCube
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.schema import STATUSES, TRAITS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.agreement import plurality
from engine.stats.quality_baseline import PROXY, group_means, lowest, seeded_keys
from engine.stats.self_preference import TOLERANCE

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# The values of a source, item by item, and those of several people together.


Kind = Literal["verdict", "outcome", "score"]
KINDS: tuple[Kind, ...] = ("verdict", "outcome", "score")


@dataclass(frozen=True, eq=False)
class Values(ParallelArrays):
    """The values of a source, one for each (item, rater).

    `item` numbers what is judged; `rater` is the judge if a run holds several, else -1. Verdicts are 0 or 1,
    outcomes -1, 0 or 1 seen from the model earlier in the study; `swapped` marks the outcomes that the source
    gives from the other side.
    """

    item: Ints
    instance: Ints
    rater: Ints
    value: Floats
    swapped: Bools | None = None


@dataclass(frozen=True, eq=False)
class SourceFilter:
    """What the filters keep: masks over rubrics, instances, and models as judges and as generators.

    `instances` is None, and `refusal` the error, if they keep only some rubrics of an instance: then no value
    of a whole response can be kept.
    """

    rubrics: Bools
    instances: Bools | None
    judges: Bools
    generators: Bools
    refusal: UsageError | None = None

    @classmethod
    def of(cls, index: StudyIndex, spec: Slice) -> "SourceFilter":
        """Read a slice's filters; UsageError for a value that the study does not know."""
        rubrics = rubric_mask(index, spec)
        judges, generators = (
            np.array([not names or name in names for name in index.models], dtype=bool)
            for names in (spec.judges, spec.generators)
        )
        try:
            return cls(rubrics, instance_mask(index, spec, rubrics), judges, generators)
        except UsageError as refusal:
            return cls(rubrics, None, judges, generators, refusal)

    def responses(self, instance: Ints, *models: Ints) -> Bools:
        """Return which whole responses (or pairs of them) are kept."""
        keep = np.zeros(len(instance), dtype=bool) if self.instances is None else self.instances[instance]
        for model in models:
            keep = keep & self.generators[model]
        return np.asarray(keep)


def rubric_item(index: StudyIndex, generator: Ints, rubric: Ints) -> Ints:
    return np.asarray(generator * index.n_rubrics + rubric)


def response_item(index: StudyIndex, generator: Ints, instance: Ints) -> Ints:
    """Return a number for each whole response, below 0, so that it differs from those of rubrics."""
    return np.asarray(-1 - (generator * index.n_instances + instance))


def pair_item(index: StudyIndex, instance: Ints, low: Ints, high: Ints) -> Ints:
    n = len(index.models)
    return np.asarray((instance * n + low) * n + high)


def majority(values: Values) -> Values:
    """Return the strict majority on each item; items on which people are divided are left out."""
    share = mean(values)
    return replace(share, value=(share.value > 0.5).astype(np.float64)).select(share.value != 0.5)


def plurality_of(values: Values) -> Values:
    """Return the outcome that more than half of the people give; items without one are left out."""
    items, group = _by_item(values)
    lead = plurality(group, values.value, len(items.item))
    votes = np.bincount(group, weights=values.value == lead[group])
    return replace(items, value=lead).select(votes * 2 > np.bincount(group))


def mean(values: Values) -> Values:
    """Return the mean of the scores of each item."""
    items, group = _by_item(values)
    return replace(items, value=group_means(values.value, group, len(items.item)))


def _by_item(values: Values) -> tuple[Values, Ints]:
    """Return one entry for each item, without a rater, and the place of each value's item."""
    _, first, group = np.unique(values.item, return_index=True, return_inverse=True)
    return replace(values.select(first), rater=np.full(len(first), -1)), group.reshape(-1)


# ------------------------------------------------------------------------------
# The values of judges by item: verdicts, outcomes of pairs, or scores.


SCORES = tuple(name for name, of in TRAITS.items() if of.gives == "score" and not of.comparable)
"""Paradigms whose judgments are scores that are not used to compare responses."""


def judge_values(
    study: "StudyArrays", selection: Selection, judges: Ints, kind: Kind, source_filter: SourceFilter
) -> Values | None:
    """Return judges' values in a selection, None if its judgments are of another kind.

    Repeats are merged as usual. The quality of a response is the mean of its five dimensions; the score of a
    rubric is the mean over the orderings in which it was asked.
    """
    paradigm, index = selection.paradigm, study.index
    if paradigm in SCORES and kind != "score":
        return None
    if paradigm in SCORES and TRAITS[paradigm].subject != "dimension":
        return _of_options(study, selection, judges, source_filter)
    if paradigm in SCORES:
        rated = study.remember(("quality", selection), lambda: read_quality(study.files, index, selection))
        everyone = np.arange(len(index.models))
        return _of_scores(index, rated.judges, everyone, rated.scores, judges, source_filter)
    match kind, study.cube(selection):
        case "verdict", VerdictCube() as cube:
            return _of_verdicts(study, cube, judges, source_filter)
        case "score", ScoreCube() as cube:
            return _of_scores(index, cube.judges, cube.generators, cube.scores, judges, source_filter)
        case "outcome", PairCube() as cube:
            return _of_pairs(study, cube, judges, source_filter)
    return None


def _of_verdicts(
    study: "StudyArrays", cube: VerdictCube, judges: Ints, source_filter: SourceFilter
) -> Values:
    index, rows = study.index, np.flatnonzero(np.isin(cube.judges, judges))
    met, ok = index.layout.unpack(cube.met[rows]), index.layout.unpack(cube.ok[rows]) & source_filter.rubrics
    ok = ok & source_filter.generators[cube.generators][:, None]
    judge, generator, rubric = np.nonzero(ok)
    item = rubric_item(index, cube.generators[generator], rubric)
    value = met[judge, generator, rubric].astype(np.float64)
    return Values(item, index.layout.instance_of[rubric], cube.judges[rows][judge], value)


def _of_scores(
    index: StudyIndex, raters: Ints, rated: Ints, scores: Floats, judges: Ints, source_filter: SourceFilter
) -> Values:
    """Return the scores of responses by `judges`; `scores` is (raters, rated, instances), NaN for none."""
    rows = np.flatnonzero(np.isin(raters, judges))
    judge, place, instance = np.nonzero(~np.isnan(scores[rows]))
    row, generator = rows[judge], rated[place]
    item = response_item(index, generator, instance)
    values = Values(item, instance, raters[row], scores[row, place, instance])
    return values.select(source_filter.responses(instance, generator))


def _of_options(
    study: "StudyArrays", selection: Selection, judges: Ints, source_filter: SourceFilter
) -> Values:
    index, key = study.index, ("item scores", selection)
    scores = study.remember(key, lambda: read_item_scores(study.files, index, selection))
    bare = scores.rubric < 0
    of_rubric = rubric_item(index, scores.generator, scores.rubric)
    item = np.where(bare, response_item(index, scores.generator, scores.instance), of_rubric)
    rubrics = np.append(source_filter.rubrics, False)[scores.rubric]
    keep = np.where(bare, source_filter.responses(scores.instance), rubrics)
    keep &= np.isin(scores.judge, judges) & source_filter.generators[scores.generator]
    return Values(item, scores.instance, scores.judge, scores.score).select(keep)


def _of_pairs(study: "StudyArrays", cube: PairCube, judges: Ints, source_filter: SourceFilter) -> Values:
    index = study.index
    pairs = cube.outcomes.select(np.isin(cube.outcomes.judge, judges))
    item = pair_item(index, pairs.instance, pairs.generator, pairs.opponent)
    items = pair_item(index, cube.rows.instance, cube.rows.generator, cube.rows.opponent)
    width = len(index.models)
    keys, first = np.unique(items * width + cube.rows.judge, return_index=True)
    swapped = cube.rows.swapped[first[np.searchsorted(keys, item * width + pairs.judge)]]
    values = Values(item, pairs.instance, pairs.judge, pairs.outcome.astype(np.float64), swapped)
    return values.select(source_filter.responses(pairs.instance, pairs.generator, pairs.opponent))


# ------------------------------------------------------------------------------
# Everything that can be compared: references, preferences, judges, runs.


OTHERS = "human:others"  # the majority of all people but the one it is compared with
_PERSON = f"{HUMAN}:"


class Sources:
    """The sources of a study: those of its judgments in one selection, all in what the filters keep."""

    def __init__(
        self, study: "StudyArrays", selection: Selection | None, source_filter: SourceFilter
    ) -> None:
        self._study, self._selection, self._filter = study, selection, source_filter

    def names(self) -> list[str]:
        """Return every source with a name of its own: references, preferences, judges, runs."""
        study = self._study
        judges = [f"judge:{name}" for name in study.inventory.values("judge")]
        runs = [f"run:{name}" for name in study.inventory.values("run_id")]
        others = [OTHERS] if len(self.people()) > 2 else []
        names = [*study.references.sources, *self._preferring(), *others, *judges, *runs]
        return list(dict.fromkeys(names))

    def people(self) -> list[str]:
        """Return the persons who gave verdicts, scores or preferences."""
        names = dict.fromkeys([*self._study.references.stored_sources, *self._preferring()])
        return [name for name in names if name.startswith(_PERSON)]

    def is_stored(self, source: str) -> bool:
        """Return whether a source has stored values; a committee may only be defined."""
        return not source.startswith(COMMITTEE) or source in self._study.references.stored_sources

    def _preferring(self) -> list[str]:
        column = self._study.files.table("preferences").column("source")
        return list(pc.unique(column.cast(pa.string())).to_pylist())

    def read(self, source: str, kind: Kind, against: str) -> Values | None:
        """Return a source's values of a kind, or None; the majority `human:others` leaves out `against`."""
        prefix, _, name = source.partition(":")
        if prefix in ("judge", "run"):
            return self._judge_values(prefix, name, kind)
        together = source in (OTHERS, HUMAN)
        left_out = against if source == OTHERS else None

        def who(name: str) -> bool:
            return is_human(name) and name != left_out if together else name == source

        if kind == "outcome":
            return self._outcomes(who, together=together)
        if kind == "verdict" and not self.is_stored(source):
            raise UsageError(
                f"{source!r} is defined but has no verdicts; compute them with `spb reference committee`"
            )
        values = self._of_references(self._references(who), "met" if kind == "verdict" else "score")
        if not len(values.item):
            return None
        if not together:
            return values
        return majority(values) if kind == "verdict" else mean(values)

    def persons(self) -> Values:
        """Return every person's verdicts, one rater each."""
        table = self._references(is_human)
        names = pc.unique(table.column("source").cast(pa.string()))
        return self._of_references(table, "met", encode(table.column("source"), names))

    def _references(self, who: Callable[[str], bool]) -> pa.Table:
        sources = tuple(name for name in self._study.references.stored_sources if who(name))
        return self._study.files.table("references", where={"source": sources})

    def _of_references(self, table: pa.Table, column: str, rater: Ints | None = None) -> Values:
        """Return the values present and kept in a column of references, without raters by default."""
        index, values = self._study.index, numbers(table.column(column))
        (generator, instance), rubric = index.responses_of(table), index.rubrics_of(table)
        keep = ~np.isnan(values) & (rubric >= 0) & self._filter.generators[generator]
        keep &= np.append(self._filter.rubrics, False)[rubric]
        rater = np.full(len(values), -1) if rater is None else rater
        return Values(rubric_item(index, generator, rubric), instance, rater, values).select(keep)

    def _outcomes(self, who: Callable[[str], bool], *, together: bool) -> Values | None:
        index, names = self._study.index, tuple(filter(who, self._preferring()))
        table = self._study.files.table("preferences", where={"source": names})
        (one, instance), two = index.responses_of(table), encode(table.column("opponent"), index.model_names)
        outcome = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        item = pair_item(index, instance, np.minimum(one, two), np.maximum(one, two))
        outcomes = Values(item, instance, np.full(len(item), -1), outcome.astype(np.float64), one > two)
        outcomes = outcomes.select(self._filter.responses(instance, one, two))
        if not len(outcomes.item):
            return None
        return plurality_of(outcomes) if together else outcomes

    def _judge_values(self, prefix: str, name: str, kind: Kind) -> Values | None:
        if self._selection is None:
            return None
        selection, judges = self._selection, np.flatnonzero(self._filter.judges)
        if prefix == "run":
            selection = replace(selection, runs=(name,))
        else:
            judges = judges[judges == self._study.index.models.index(name)]
        values = judge_values(self._study, selection, judges, kind, self._filter)
        if values is None or not len(values.item):
            return None
        return values if prefix == "run" else replace(values, rater=np.full(len(values.item), -1))


# ------------------------------------------------------------------------------
# Examples of the evaluator quality baseline, and the proxies of each (MEASURES section 10).


@dataclass(frozen=True, eq=False)
class Examples:
    """A judge's own response against an opponent's, one entry each."""

    row: Ints  # the judge's place among those shown
    judge: Ints
    instance: Ints
    opponent: Ints
    share: Floats  # how likely it votes for itself
    truth: Floats  # 1 where its response is better, 0 where it is worse

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Proxies(ParallelArrays):
    """Responses by `model` in place of the judge's own in an `example`; `share`: how likely its vote is."""

    example: Ints
    model: Ints
    share: Floats


def voted_cube(view: SliceView, cube: PairCube, ties: str) -> tuple[PairCube, Floats]:
    """Return the cube with pairs resolved by votes, and the values for the other response.

    A row with a probability counts even if a tie was offered; if one of the orders has none, the outcome of
    the pair is used instead.
    """

    def make() -> tuple[PairCube, Floats]:
        rows = cube.rows
        answered = ~np.isnan(rows.choice) | ~np.isnan(rows.p)
        vote = rows.p if ties == "drop" else rows.p * (1 - np.nan_to_num(rows.p_tie))
        against = 1 - rows.p if ties == "drop" else (1 - rows.p) * (1 - np.nan_to_num(rows.p_tie))
        pairs = pair_up(rows, answered, lambda votes, one, two: _mean_or_outcome(votes, vote, one, two, 1))
        unanswered = cube.unanswered.select(np.isin(cube.unanswered.code, STATUSES))
        other = _mean_or_outcome(rows, against, pairs.one, pairs.two, -1)
        return replace(cube, pairs=pairs, unanswered=unanswered), other

    return view.study.remember(("votes", view.request.selection, ties), make)


def _mean_or_outcome(rows: PairRows, vote: Floats, one: Ints, two: Ints, side: int) -> Floats:
    mean = (vote[one] + vote[two]) / 2
    return np.where(np.isnan(mean), (1 + side * outcome(rows, one, two)) / 2, mean)


def voted_pairs(view: SliceView, cube: PairCube, against: Floats) -> JudgedPairs:
    """Return every pair shown and kept from either response, its value the share of votes for the target."""
    first = judged_pairs(view, cube.rows, cube.pairs)
    swapped = replace(cube.pairs, value=against)
    second = judged_pairs(view, cube.rows, swapped)
    return JudgedPairs.concatenate([first, second.swapped(second.value)])


def examples_of(pairs: JudgedPairs, gold: Gold) -> Examples:
    """Return the pairs with the judge's own response whose truth is known."""
    own = pairs.select(pairs.target == pairs.judge)
    truth = gold.votes(own.row, own.instance, own.target, own.other).oracle
    defined = ~np.isnan(truth)
    own, truth = own.select(defined), truth[defined]
    return Examples(own.row, own.judge, own.instance, own.other, own.value, truth)


def proxies_of(view: SliceView, pairs: JudgedPairs, examples: Examples, gold: Gold) -> Proxies:
    """Return all proxies: other models with the same truth against the same opponent, by the same judge."""
    n = len(view.study.index.models)

    def number(row: Ints, instance: Ints, opponent: Ints) -> Ints:
        return (row * view.study.index.n_instances + instance) * n + opponent

    others = pairs.select((pairs.target != pairs.judge) & (pairs.other != pairs.judge))
    own_keys = number(examples.row, examples.instance, examples.opponent)
    order = np.argsort(own_keys)
    keys = number(others.row, others.instance, others.other)
    place = np.minimum(np.searchsorted(own_keys[order], keys), max(len(own_keys) - 1, 0))
    matched = own_keys[order][place] == keys if len(own_keys) else np.zeros(len(keys), dtype=bool)
    others, example = others.select(matched), order[place[matched]]
    truth = gold.votes(others.row, others.instance, others.target, others.other).oracle
    same = truth == examples.truth[example]
    every = Proxies(example, others.target, others.value).select(same)
    return every.select(np.lexsort((every.model, every.example)))


def accuracies(view: SliceView, gold: Gold, row: Ints, model: Ints, opponent: Ints) -> Floats:
    """Return Acc(K, R) for each entry, over all instances of the slice on which the truth is known."""
    triples = np.stack([row if gold.differs_by_judge else np.zeros_like(row), model, opponent])
    unique, at = np.unique(triples, axis=1, return_inverse=True)
    cells = kept_mask(view, np.arange(len(view.study.index.models)))
    values = np.full(unique.shape[1], np.nan)
    instances = np.arange(view.study.index.n_instances)
    for i, (judge, one, two) in enumerate(unique.T):
        common = instances[cells[one] & cells[two]]
        places = [np.full(len(common), place) for place in (judge, one, two)]
        truth = gold.votes(places[0], common, places[1], places[2]).oracle
        defined = truth[~np.isnan(truth)]
        values[i] = defined.mean() if len(defined) else np.nan
    return values[at.reshape(-1)]


def select_proxies(
    view: SliceView, gold: Gold, examples: Examples, every: Proxies, options: Mapping[str, Any]
) -> Proxies:
    """Return the proxies that the options select."""
    index, kind = view.study.index, options["proxies"]
    everyone = np.arange(len(index.models))
    keep = np.ones(len(every.example), dtype=bool)
    if kind != "all":
        relatives = "provider" if kind == "out_of_provider" else view.request.exclusion.relatives
        outside = index.relations(view.judges, everyone, relatives).unrelated_mask
        keep &= outside[examples.row[every.example], every.model]
    if options["proxy_models"]:
        keep &= np.isin(every.model, [index.models.index(name) for name in options["proxy_models"]])
    if options["like_accuracy"] is not None:
        row, opponent = examples.row[every.example], examples.opponent[every.example]
        of_proxies = accuracies(view, gold, row, every.model, opponent)
        of_judge = accuracies(view, gold, row, examples.judge[every.example], opponent)
        with np.errstate(invalid="ignore"):
            keep &= np.abs(of_proxies - of_judge) <= options["like_accuracy"] + TOLERANCE
    proxies = every.select(keep)
    if options["max_proxies"] is None:
        return proxies
    keys = proxy_keys(examples, proxies, options["seed"])
    return proxies.select(lowest(proxies.example, keys, options["max_proxies"]))


def proxy_keys(examples: Examples, proxies: Proxies, seed: int) -> Any:
    who = (part[proxies.example] for part in (examples.judge, examples.instance, examples.opponent))
    return seeded_keys(seed, PROXY, *who, proxies.model)
