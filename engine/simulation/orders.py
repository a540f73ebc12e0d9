"""A simulated study of orders: its design, its draws, its tables and its stream of judgments."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from engine.errors import UsageError
from engine.simulation.design import (
    DECLINED,
    Bias,
    Design,
    Draws,
    Model,
    Simulation,
    default_models,
    draw_status,
    judgment_schema,
    numbered_ids,
    runs_table,
    text_column,
)
from engine.simulation.rubric_items import Chances, Items, chances, draw_items
from engine.simulation.rubrics import SimulatedStudy, draw_favourable, simulate_items
from engine.stats import Bools, Floats, Ints
from engine.stats.pairs import balanced_orderings
from engine.store.arrow_types import plain_texts
from engine.values import parse_int

# ------------------------------------------------------------------------------
# Planted in a simulated study of orders: the scorers, and how the order shown affects each.


LEAN = 0.08  # how far the share of a score is from 1/n at places other than its home

MOST_OPTIONS = 9

LISTS = ("original", "reversed", "rotated-3")  # the default orderings of lists


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model that writes and judges: `model` has its skill and error rates, and its bias on criteria.

    For scores: `positions` are weights of the places in the list of options (none: equal), which change the
    chance of any score there. `home` is an ordering, such as (3, 4, 5, 1, 2), in which the place affects no
    score; in others, scores at early places are likelier. `spread` is the standard deviation of its scores
    around its opinion of an item, `wander` that of a shift that depends on the item and the ordering and is
    the same in repeats.
    For lists: `slope` in (-1, 1) is the share by which a failed criterion is likelier to be credited in the
    last place, and less likely in the first.
    """

    model: Model
    positions: tuple[float, ...] = ()
    home: tuple[int, ...] = ()
    spread: float = 0.5
    wander: float = 0.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        name, home, spread, wander = self.model.name, self.home, self.spread, self.wander
        if any(not 0 < weight < float("inf") for weight in self.positions):
            raise UsageError(f"positions {self.positions!r} of {name!r}: give weights above 0")
        if sorted(home) != list(range(1, len(home) + 1)):
            raise UsageError(f"home {home!r} of {name!r} is not an ordering; give each score from 1 once")
        if spread <= 0 or wander < 0:
            raise UsageError(f"spread {spread!r}, wander {wander!r} of {name!r}: give deviations above 0")
        if not -1 < self.slope < 1:
            raise UsageError(f"slope {self.slope!r} of {name!r}: give a number between -1 and 1")


@dataclass(frozen=True, slots=True)
class OrderDesign(Draws):
    """The design of a simulated study of orders, without its texts.

    `options` is the number n of score options, `criteria` the score rubrics of each item. `lists` are the
    orderings in which lists of yes-or-no criteria are shown. `people` score the share `scored` of the items.
    """

    scorers: tuple[Scorer, ...]
    options: int = 5
    criteria: tuple[str, ...] = ("liveliness", "coherence")
    lists: tuple[str, ...] = LISTS
    people: tuple[str, ...] = ("human:one", "human:two")
    scored: float = 0.7

    def __post_init__(self) -> None:
        if not 2 <= self.options <= MOST_OPTIONS:
            raise UsageError(f"options {self.options!r}: give a whole number from 2 to {MOST_OPTIONS}")
        for scorer in self.scorers:
            for name in ("positions", "home"):
                count = len(getattr(scorer, name))
                if count not in (0, self.options):
                    problem = f"{name} of {scorer.model.name!r} has {count} places for {self.options} options"
                    raise UsageError(f"{problem}; give {self.options}")
            highest = scorer.model.overestimation * scorer.model.bias.strongest * (1 + abs(scorer.slope))
            if highest * (1 + self.base.instance_spread) > 1:
                problem = "overestimation with ratio, slope and the instances' spread is above 1"
                remedy = "not a probability; lower one of them"
                raise UsageError(f"judge {scorer.model.name!r}: {problem}, {remedy}")
        if not 0 <= self.scored <= 1:
            raise UsageError(f"scored {self.scored!r} is not a share; give 0 to 1")
        self.check_draws()

    @property
    def names(self) -> list[str]:
        return [scorer.model.name for scorer in self.scorers]

    @property
    def base(self) -> Design:
        """The design of the lists without effects of the order."""
        models = tuple(scorer.model for scorer in self.scorers)
        return Design(models, models, paradigms=("all_rubrics",), seed=self.seed)


# ------------------------------------------------------------------------------
# Default scorers for a simulation that gives only names: four position biases in turn.


_PULLS = (1.0, 2.5, 1.0, 0.4)
_SLOPES = (0.0, 0.5, -0.5, 0.0)
_WANDERS = (0.0, 0.0, 1.0, 0.5)


def scorers(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    options: int = 5,
    biased: Sequence[str] | None = None,
    pull: float | None = None,
    slope: float | None = None,
    self_ratio: float = 1.0,
) -> tuple[Scorer, ...]:
    """Return scorers of these names, in turn steady, preferring the first places, wandering, and the last.

    `pull` is how many times likelier the first place is than the last, `slope` that of lists (see `Scorer`).
    Given values replace the defaults in the judges `biased` (None: in all), which also have `self_ratio`; the
    others are then steady.
    """
    all_scorers = []
    for place, model in enumerate(default_models(names, families, Bias(self_ratio), biased)):
        turn = place % len(_PULLS)
        steady = biased is not None and model.name not in biased
        ratio = 1.0 if steady else _PULLS[turn] if pull is None else pull
        tilt = 0.0 if steady else _SLOPES[turn] if slope is None else slope
        if not 0 < ratio < float("inf"):
            raise UsageError(f"pull {ratio!r} is not a ratio; give a number above 0")
        # Evenly spaced on the log scale, the first `ratio` times the last.
        weights = () if ratio == 1 else np.geomspace(ratio**0.5, ratio**-0.5, options).round(6).tolist()
        all_scorers.append(Scorer(model, tuple(weights), wander=_WANDERS[turn], slope=tilt))
    return tuple(all_scorers)


# ------------------------------------------------------------------------------
# Verdicts on lists of criteria shown in several orders: later ones are credited more, or less.


def places_in(ordering: str, place: Ints, count: Ints) -> Ints:
    """Return the positions (from 1) of criteria at `place` of `count`; `rotated-3` begins with the third."""
    if ordering == "original":
        return place
    if ordering == "reversed":
        return count + 1 - place
    start = parse_int(ordering.removeprefix("rotated-")) if ordering.startswith("rotated-") else None
    if not start:
        remedy = "choose from: original, reversed, rotated-2, ..."
        raise UsageError(f"the ordering {ordering!r} is unknown; {remedy}")
    return np.asarray((place - start) % count + 1)


def list_positions(items: Items, ordering: str) -> Ints:
    return places_in(ordering, items.place, items.counts[items.instance])


def expected_by_position(
    study: SimulatedStudy, chance: Chances, ordering: str, slope: float
) -> dict[str, float]:
    """Return the expected share of failed criteria that a judge credits, by position in the list."""
    position, failed = list_positions(study.items, ordering), ~study.truth.favourable
    over = chance.over * _factors(slope, study.items, ordering)
    shares = {}
    for place in range(1, int(position.max()) + 1):
        cases = failed & (position == place)
        if cases.any():
            shares[str(place)] = float(over[cases].mean())
    return shares


def _factors(slope: float, items: Items, ordering: str) -> Floats:
    """Return the factor on the chance of crediting a failed criterion: 1 - slope to 1 + slope, by place."""
    middle = (items.counts[items.instance] + 1) / 2
    return np.asarray(1 + slope * (list_positions(items, ordering) - middle) / np.maximum(middle - 1, 0.5))


# ------------------------------------------------------------------------------
# Scores picked from a list of options: their chances in each ordering, and draws.


PIECES = 4  # pieces of a story, each written well or poorly

# Standard deviations.
_TASTE = 0.35  # of an item's worth around that of its pieces, the same for all who score it
_PERSON = 0.5  # of a person's score around the worth
_OPINION = 0.3  # of a judge's opinion of an item around its worth


@dataclass(frozen=True, slots=True, eq=False)
class Stories:
    """N stories by each of M models, judged by K criteria.

    `well` (M, N, 4) says which pieces are written well, `worth` (M, N, K) is the true score of an item, from
    1 to the number of options. `human` (people, M, N, K) are scores by people, NaN if missing.
    """

    well: Bools
    worth: Floats
    human: Floats


def draw_stories(design: OrderDesign, stories: int, rng: np.random.Generator) -> Stories:
    skill = np.array([scorer.model.skill for scorer in design.scorers])[:, None, None]
    well = rng.random((len(skill), stories, PIECES)) < skill
    shape = (len(skill), stories, len(design.criteria))
    share = well.mean(axis=2)[..., None] + rng.normal(0, _TASTE / PIECES, shape)
    worth = 1 + (design.options - 1) * np.clip(share, 0, 1)
    human = np.round(worth + rng.normal(0, _PERSON, (len(design.people), *shape)))
    unscored = rng.random(shape) >= design.scored
    human = np.where(unscored, np.nan, np.clip(human, 1, design.options))
    return Stories(well, worth, human)


def leanings(scorer: Scorer, options: int) -> Floats:
    """Return the weight of each score at each place of the list, shape (scores, positions)."""
    weights = np.ones((options, options))
    if scorer.positions:
        weights *= np.array(scorer.positions)
    if scorer.home:
        for place, score in enumerate(scorer.home):
            others = [p for p in range(options) if p != place]
            early = len(others) // 2
            weights[score - 1, others[:early]] += LEAN * options
            weights[score - 1, others[-early:]] -= LEAN * options
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class Picks:
    """One judge's probabilities of each score: `chances` (items, orderings, scores), items as (M, N, K)."""

    chances: Floats
    orderings: Ints

    @property
    def selections(self) -> Floats:
        """Expected number of selections by score and position, shape (scores, positions)."""
        n = self.chances.shape[-1]
        counts = np.zeros((n, n))
        for ordering, expected in zip(self.orderings, self.chances.sum(axis=0), strict=True):
            counts[ordering, np.arange(n)] += expected[ordering]
        return counts


def draw_picks(design: OrderDesign, stories: Stories, judge: int, rng: np.random.Generator) -> Picks:
    """Draw a judge's opinion of each item in each ordering, and return its probabilities of each score."""
    scorer, orderings = design.scorers[judge], balanced_orderings(design.options)
    worth = stories.worth.reshape(-1, 1)
    opinion = worth + rng.normal(0, _OPINION, worth.shape)
    view = opinion + rng.normal(0, 1, (len(worth), len(orderings))) * scorer.wander
    scores = np.arange(1, design.options + 1)
    fit = np.exp(-((scores - view[..., None]) ** 2) / (2 * scorer.spread**2)) + 1e-9
    places = np.argsort(orderings, axis=1)
    weighted = fit * leanings(scorer, design.options)[np.arange(design.options), places]
    return Picks(weighted / weighted.sum(axis=-1, keepdims=True), orderings)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Drawn scores as parallel arrays; `score` and `position` start at 1."""

    item: Ints
    ordering: Ints
    trial: Ints
    score: Ints
    position: Ints


def draw_scores(picks: Picks, rng: np.random.Generator) -> Scores:
    """Draw one score of each item in each ordering (trial 0), and as many in total of the first ordering."""
    items, count, n = picks.chances.shape
    ordering = np.concatenate([np.arange(count), np.zeros(count - 1, dtype=np.int64)])
    trial = np.concatenate([np.zeros(count, dtype=np.int64), np.arange(1, count)])
    chances = picks.chances[:, ordering].cumsum(axis=-1)
    uniform = rng.random((items, len(ordering), 1))
    score = np.minimum((uniform > chances).sum(axis=-1), n - 1)
    places = np.argsort(picks.orderings, axis=1)
    return Scores(
        np.repeat(np.arange(items), len(ordering)),
        np.tile(ordering, items),
        np.tile(trial, items),
        score.ravel() + 1,
        places[ordering, score].ravel() + 1,
    )


# ------------------------------------------------------------------------------
# A simulated study of orders: its tables, its stream of judgments, and what was planted in it.


def _ordering_names(orderings: Ints) -> list[str]:
    return ["-".join(str(score + 1) for score in ordering) for ordering in orderings]


# Separate from the streams of the lists' base study, which are numbered from 0.
_STORIES, _PICKS, _SCORES, _LISTS = range(10, 14)


@dataclass(frozen=True)
class SimulatedOrders(Simulation):
    """A drawn study of orders, without its answers; `lists` has the yes-or-no criteria and who meets them."""

    schema = judgment_schema(
        "run_id judge paradigm instance_id generator rubric_id ordering position trial met score status raw"
    )
    raw = ("Feedback: it has something of two of the descriptions.", DECLINED)
    design: OrderDesign
    story_ids: tuple[str, ...]
    stories: Stories
    lists: SimulatedStudy

    def picks(self, judge: int) -> Picks:
        """Return a judge's probabilities of each score; every call returns the same."""
        return draw_picks(self.design, self.stories, judge, self.design.rng(_PICKS, judge))

    @cached_property
    def chances(self) -> list[Chances]:
        """Each judge's chances of error on lists, without effects of the order."""
        factor = self.lists.instance_factor
        return [chances(scorer.model, self.lists.truth, factor) for scorer in self.design.scorers]

    def tables(self) -> dict[str, pa.Table]:
        base = self.lists.tables()
        paradigms = ("score_rubric", "all_rubrics")
        calls = [(name, paradigm, "default") for paradigm in paradigms for name in self.design.names]
        options = json.dumps([{"score": score} for score in range(1, self.design.options + 1)])
        keys = [{"instance_id": i, "rubric_id": r} for i in self.story_ids for r in self.design.criteria]
        person, writer, story, criterion = np.nonzero(~np.isnan(self.stories.human))
        human_scores = {
            "instance_id": text_column(story, self.story_ids),
            "generator": text_column(writer, self.design.names),
            "rubric_id": text_column(criterion, self.design.criteria),
            "source": text_column(person, self.design.people),
            "score": pa.array(self.stories.human[person, writer, story, criterion]),
        }
        tables = {
            "instances": pa.table({"instance_id": pa.array(self.story_ids)}),
            "rubrics": pa.Table.from_pylist([key | {"points": 1.0, "options": options} for key in keys]),
            "references": plain_texts(pa.table(human_scores)),
        }
        for name, table in tables.items():
            tables[name] = pa.concat_tables([plain_texts(base[name]), table], promote_options="default")
        return {"models": base["models"], **tables, "runs": runs_table(self.design, calls)}

    def planted(self) -> dict[str, Any]:
        return {
            "kind": "simulation of orders",
            "seed": self.design.seed,
            "options": self.design.options,
            "lists": list(self.design.lists),
            "unparsed": self.design.unparsed,
            "refused": self.design.refused,
            "judges": {name: self._planted(place) for place, name in enumerate(self.design.names)},
        }

    def _planted(self, judge: int) -> dict[str, Any]:
        """Return what is planted in one judge; `expected` holds shares and costs, given the drawn items."""
        scorer, picks = self.design.scorers[judge], self.picks(judge)
        selections, n = picks.selections, self.design.options
        shares = selections / selections.sum(axis=1, keepdims=True)
        costs = 100 * np.abs(shares[picks.orderings, np.arange(n)] - 1 / n).sum(axis=1)
        planted = {name: value for name, value in asdict(scorer).items() if name not in ("model", "home")}
        return {
            **planted,
            "home": "-".join(map(str, scorer.home)) or None,
            "self_ratio": scorer.model.bias.self_ratio,
            "overestimation": scorer.model.overestimation,
            "expected": {
                "position_shares": (selections.sum(axis=0) / selections.sum()).tolist(),
                "position_given_score": shares.tolist(),
                "costs": dict(zip(_ordering_names(picks.orderings), costs.tolist(), strict=True)),
                "overestimation_by_position": {
                    ordering: expected_by_position(self.lists, self.chances[judge], ordering, scorer.slope)
                    for ordering in self.design.lists
                },
            },
        }

    def _tables(self) -> Iterator[pa.Table]:
        models = range(len(self.design.scorers))
        yield from (self._scores(judge) for judge in models)
        for number, judge, generator in product(range(len(self.design.lists)), models, models):
            yield self._list_verdicts(number, judge, generator)

    def _scores(self, judge: int) -> pa.Table:
        design, rng = self.design, self.design.rng(_SCORES, judge)
        scores = draw_scores(self.picks(judge), rng)
        writer, story, criterion = np.unravel_index(scores.item, self.stories.worth.shape)
        status = draw_status(len(scores.item), design.unparsed, design.refused, rng)
        columns = {
            "judge": design.names[judge],
            "paradigm": "score_rubric",
            "instance_id": text_column(story, self.story_ids),
            "generator": text_column(writer, design.names),
            "rubric_id": text_column(criterion, design.criteria),
            "ordering": text_column(scores.ordering, _ordering_names(balanced_orderings(design.options))),
            "position": pa.array(scores.position, mask=status != 0),
            "trial": pa.array(scores.trial),
            "score": pa.array(scores.score.astype(np.float64), mask=status != 0),
        }
        return self._table(columns, status)

    def _list_verdicts(self, number: int, judge: int, generator: int) -> pa.Table:
        """Return verdicts on a generator's lists in one order; a whole list is one call with one status."""
        design, items, ordering = self.design, self.lists.items, self.design.lists[number]
        rng = design.rng(_LISTS, number, judge, generator)
        slope = design.scorers[judge].slope
        over = self.chances[judge].over[generator] * _factors(slope, items, ordering)
        truth, under = self.lists.truth.favourable[generator], self.chances[judge].under
        met = draw_favourable(truth, over, under, rng) ^ items.negative
        status = draw_status(len(items.counts), design.unparsed, design.refused, rng)[items.instance]
        columns = {
            "judge": design.names[judge],
            "paradigm": "all_rubrics",
            "instance_id": text_column(items.instance, items.instance_names),
            "generator": design.names[generator],
            "rubric_id": items.rubric,
            "ordering": ordering,
            "position": pa.array(list_positions(items, ordering)),
            "trial": pa.array(np.zeros_like(items.place)),
            "met": pa.array(met, mask=status != 0),
        }
        return self._table(columns, status)


def simulate_orders(
    design: OrderDesign,
    *,
    instances: int = 40,
    rubrics_per_instance: int = 5,
    story_ids: Sequence[str] | None = None,
    items: Items | None = None,
) -> SimulatedOrders:
    """Draw `instances` to score and as many with a list of criteria; `story_ids` and `items` replace them."""
    story_ids = story_ids or numbered_ids("s", instances if story_ids is None else 0)
    if items is None:
        items = draw_items(instances, rubrics_per_instance, design.rng(0))
    for ordering in design.lists:
        list_positions(items, ordering)
    stories = draw_stories(design, len(story_ids), design.rng(_STORIES))
    return SimulatedOrders(design, tuple(story_ids), stories, simulate_items(design.base, items))
