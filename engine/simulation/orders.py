"""A simulated study of orders: its tables, its stream of judgments, and what was planted in it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from engine.simulation.columns import (
    DECLINED,
    Simulated,
    coded,
    draw_status,
    judgment_schema,
    numbered,
    runs_table,
)
from engine.simulation.order_draws import (
    OrderDesign,
    Picks,
    Stories,
    draw_list,
    draw_picks,
    draw_scores,
    draw_stories,
    expected_by_position,
    list_positions,
    orderings,
)
from engine.simulation.rubric_items import Chances, Items, chances, draw_items
from engine.simulation.rubrics import SimulatedStudy, simulate_items
from engine.stats.types import Ints
from engine.store.parquet import plain_texts


def _ordering_names(shown: Ints) -> list[str]:
    return ["-".join(str(score + 1) for score in ordering) for ordering in shown]


# Apart from the streams of the lists' base study, which are numbered from 0.
_STORIES, _PICKS, _SCORES, _LISTS = range(10, 14)


@dataclass(frozen=True)
class SimulatedOrders(Simulated):
    """A study of orders that was drawn, short of its answers, which `judgments` draws as they are read.

    `lists` holds the criteria answered with yes or no and which response meets them.
    """

    schema = judgment_schema(
        "run_id judge paradigm instance_id generator rubric_id ordering position trial met score status raw"
    )
    raw = ("Feedback: it has something of two of the descriptions.", DECLINED)
    design: OrderDesign
    story_ids: tuple[str, ...]
    stories: Stories
    lists: SimulatedStudy

    def picks(self, judge: int) -> Picks:
        """Return how likely a judge picks each score; every call returns the same."""
        return draw_picks(self.design, self.stories, judge, self.design.rng(_PICKS, judge))

    @cached_property
    def chances(self) -> list[Chances]:
        """Each judge's chances of error on lists, before the order has an effect."""
        factor = self.lists.instance_factor
        return [chances(scorer.model, self.lists.truth, factor) for scorer in self.design.scorers]

    def tables(self) -> dict[str, pa.Table]:
        """Return every table but `judgments`, in the columns of the exchange form."""
        base = self.lists.tables()
        ways = ("score_rubric", "all_rubrics")
        calls = [(name, paradigm, "default") for paradigm in ways for name in self.design.names]
        of_stories = {
            "instances": pa.table({"instance_id": pa.array(self.story_ids)}),
            "rubrics": self._score_rubrics(),
            "references": self._human_scores(),
        }
        joined = {
            name: pa.concat_tables([plain_texts(base[name]), table], promote_options="default")
            for name, table in of_stories.items()
        }
        runs = runs_table(self.run_id, self.design.seed, calls)
        return {"models": base["models"], **joined, "runs": runs}

    def planted(self) -> dict[str, Any]:
        """Return what was planted and what it makes one expect, as JSON values."""
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
        """Return what is planted in one judge; `expected` holds shares and costs given the drawn items."""
        scorer, picks = self.design.scorers[judge], self.picks(judge)
        selections, n = picks.selections, self.design.options
        given = selections / selections.sum(axis=1, keepdims=True)
        costs = 100 * np.abs(given[picks.orderings, np.arange(n)] - 1 / n).sum(axis=1)
        planted = {name: value for name, value in asdict(scorer).items() if name not in ("model", "home")}
        return {
            **planted,
            "home": "-".join(map(str, scorer.home)) or None,
            "self_ratio": scorer.model.bias.self_ratio,
            "overestimation": scorer.model.overestimation,
            "expected": {
                "position_shares": (selections.sum(axis=0) / selections.sum()).tolist(),
                "position_given_score": given.tolist(),
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
        """Return all scores of one judge; each is a call of its own."""
        design, rng = self.design, self.design.rng(_SCORES, judge)
        scores = draw_scores(self.picks(judge), rng)
        writer, story, criterion = np.unravel_index(scores.item, self.stories.worth.shape)
        status = draw_status(len(scores.item), design.unparsed, design.refused, rng)
        columns = {
            "judge": design.names[judge],
            "paradigm": "score_rubric",
            "instance_id": coded(story, self.story_ids),
            "generator": coded(writer, design.names),
            "rubric_id": coded(criterion, design.criteria),
            "ordering": coded(scores.ordering, _ordering_names(orderings(design.options))),
            "position": pa.array(scores.position, mask=status != 0),
            "trial": pa.array(scores.trial),
            "score": pa.array(scores.score.astype(np.float64), mask=status != 0),
        }
        return self._table(columns, status)

    def _list_verdicts(self, number: int, judge: int, generator: int) -> pa.Table:
        """Return verdicts on a generator's lists in one order; a call, and so its status, is a whole list."""
        design, items, ordering = self.design, self.lists.items, self.design.lists[number]
        rng = design.rng(_LISTS, number, judge, generator)
        slope = design.scorers[judge].slope
        met = draw_list(self.lists, self.chances[judge], generator, ordering, slope, rng)
        status = draw_status(len(items.counts), design.unparsed, design.refused, rng)[items.instance]
        columns = {
            "judge": design.names[judge],
            "paradigm": "all_rubrics",
            "instance_id": coded(items.instance, items.instance_names),
            "generator": design.names[generator],
            "rubric_id": items.rubric,
            "ordering": ordering,
            "position": pa.array(list_positions(items, ordering)),
            "trial": pa.array(np.zeros_like(items.place)),
            "met": pa.array(met, mask=status != 0),
        }
        return self._table(columns, status)

    def _score_rubrics(self) -> pa.Table:
        """Return the score rubrics of all stories, with their options in ascending order."""
        options = json.dumps([{"score": score} for score in range(1, self.design.options + 1)])
        keys = ({"instance_id": i, "rubric_id": r} for i in self.story_ids for r in self.design.criteria)
        return pa.Table.from_pylist([key | {"points": 1.0, "options": options} for key in keys])

    def _human_scores(self) -> pa.Table:
        person, writer, story, criterion = np.nonzero(~np.isnan(self.stories.human))
        columns = {
            "instance_id": coded(story, self.story_ids),
            "generator": coded(writer, self.design.names),
            "rubric_id": coded(criterion, self.design.criteria),
            "source": coded(person, self.design.people),
            "score": pa.array(self.stories.human[person, writer, story, criterion]),
        }
        return plain_texts(pa.table(columns))


def simulate_orders(
    design: OrderDesign,
    *,
    instances: int = 40,
    rubrics_per_instance: int = 5,
    story_ids: Sequence[str] | None = None,
    items: Items | None = None,
) -> SimulatedOrders:
    """Draw a study of orders: as many instances to score as instances with a list of criteria.

    `story_ids` and `items` take their places where there are texts. Raises UsageError for no instance, and
    for the name of an ordering that is unknown.
    """
    story_ids = story_ids or numbered("s", instances if story_ids is None else 0)
    if items is None:
        rng = design.rng(0)
        items = draw_items(instances, rubrics_per_instance, rng)
    for ordering in design.lists:
        list_positions(items, ordering)
    stories = draw_stories(design, len(story_ids), design.rng(_STORIES))
    return SimulatedOrders(design, tuple(story_ids), stories, simulate_items(design.base, items))
