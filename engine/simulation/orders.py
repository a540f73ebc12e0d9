"""A simulated study of orders: its tables, its stream of judgments, and what was planted in it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from engine.simulation.list_orders import expected_by_position, list_positions, place_factors
from engine.simulation.order_design import OrderDesign
from engine.simulation.rubric_items import Items, draw_items
from engine.simulation.rubric_truth import Chances, chances
from engine.simulation.rubrics import SimulatedStudy, simulate_items
from engine.simulation.score_picks import Picks, Stories, draw_picks, draw_scores, draw_stories
from engine.simulation.study_tables import (
    DECLINED,
    Simulation,
    draw_status,
    judgment_schema,
    numbered_ids,
    runs_table,
    text_column,
)
from engine.simulation.verdict_draws import draw_favourable
from engine.stats import Ints
from engine.stats.orders.option_orders import balanced_orderings
from engine.store.arrow_types import plain_texts


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
        over = self.chances[judge].over[generator] * place_factors(slope, items, ordering)
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
