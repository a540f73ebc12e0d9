"""One simulated study of orders: its tables, its stream of judgments, and what was planted in it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from engine.errors import UsageError
from engine.simulation.columns import coded, runs_table
from engine.simulation.items import Items, draw_items
from engine.simulation.orders.design import OrderDesign
from engine.simulation.orders.lists import draw_list, expected_by_position, places_in
from engine.simulation.orders.rows import SCHEMA, list_rows, score_rows
from engine.simulation.orders.scores import Picks, Stories, draw_picks, draw_scores, draw_stories
from engine.simulation.probabilities import Chances, chances
from engine.simulation.study import SimulatedStudy, simulate_items

# Apart from the streams of the lists' base study, which are numbered from 0.
_STORIES, _PICKS, _SCORES, _LISTS = range(10, 14)


@dataclass(frozen=True)
class SimulatedOrders:
    """A study of orders that was drawn, short of its answers, which `judgments` draws as they are read.

    `lists` holds the criteria answered with yes or no and which response meets them.
    """

    design: OrderDesign
    story_ids: tuple[str, ...]
    stories: Stories
    lists: SimulatedStudy

    def picks(self, judge: int) -> Picks:
        """Return how likely a judge picks each score; every call returns the same."""
        return draw_picks(self.design, self.stories, judge, self._rng(_PICKS, judge))

    @cached_property
    def chances(self) -> list[Chances]:
        """Each judge's chances of error on lists, before the order has an effect."""
        factor = self.lists.instance_factor
        return [chances(scorer.model, self.lists.truth, factor) for scorer in self.design.scorers]

    @property
    def run_id(self) -> str:
        """The name of the one run that the study consists of."""
        return self.design.run_id

    def tables(self) -> dict[str, pa.Table]:
        """Return every table but `judgments`, in the columns of the exchange form."""
        base = self.lists.tables()
        ways = ("score_rubric", "all_rubrics")
        asked = [(name, paradigm, "default") for paradigm in ways for name in self.design.names]
        instances = pa.table({"instance_id": pa.array(self.story_ids)})
        return {
            "models": base["models"],
            "instances": pa.concat_tables([base["instances"], instances], promote_options="default"),
            "rubrics": pa.concat_tables([base["rubrics"], self._score_rubrics()], promote_options="default"),
            "references": pa.concat_tables(
                [_plain(base["references"]), self._human_scores()], promote_options="default"
            ),
            "runs": runs_table(self.run_id, self.design.seed, asked),
        }

    def judgments(self) -> pa.RecordBatchReader:
        """Return the answers as a stream of record batches; every call returns the same rows."""
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(SCHEMA, batches)

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
        names = ["-".join(str(score + 1) for score in ordering) for ordering in picks.orderings]
        planted = {name: value for name, value in asdict(scorer).items() if name not in ("model", "home")}
        return {
            **planted,
            "home": "-".join(map(str, scorer.home)) or None,
            "self_ratio": scorer.model.bias.self_ratio,
            "overestimation": scorer.model.overestimation,
            "expected": {
                "position_shares": (selections.sum(axis=0) / selections.sum()).tolist(),
                "position_given_score": given.tolist(),
                "costs": dict(zip(names, costs.tolist(), strict=True)),
                "overestimation_by_position": {
                    ordering: expected_by_position(self.lists, self.chances[judge], ordering, scorer.slope)
                    for ordering in self.design.lists
                },
            },
        }

    def _rng(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self.design.seed, *stream])

    def _tables(self) -> Iterator[pa.Table]:
        for judge in range(len(self.design.scorers)):
            rng = self._rng(_SCORES, judge)
            scores = draw_scores(self.picks(judge), rng)
            yield score_rows(self.design, judge, scores, self.story_ids, rng)
        for number, ordering in enumerate(self.design.lists):
            for judge, scorer in enumerate(self.design.scorers):
                for generator in range(len(self.design.scorers)):
                    rng = self._rng(_LISTS, number, judge, generator)
                    chance = self.chances[judge]
                    told = draw_list(self.lists, chance, generator, ordering, scorer.slope, rng)
                    yield list_rows(self.design, (judge, generator), ordering, told, self.lists.items, rng)

    def _score_rubrics(self) -> pa.Table:
        """Return the score rubrics of all stories, with their options in ascending order."""
        options = json.dumps([{"score": score} for score in range(1, self.design.options + 1)])
        return pa.Table.from_pylist(
            [
                {"instance_id": story, "rubric_id": name, "points": 1.0, "options": options}
                for story in self.story_ids
                for name in self.design.criteria
            ]
        )

    def _human_scores(self) -> pa.Table:
        person, writer, story, criterion = np.nonzero(~np.isnan(self.stories.human))
        return pa.table(
            {
                "instance_id": coded(story, self.story_ids).cast(pa.string()),
                "generator": coded(writer, self.design.names).cast(pa.string()),
                "rubric_id": coded(criterion, self.design.criteria).cast(pa.string()),
                "source": coded(person, self.design.people).cast(pa.string()),
                "score": pa.array(self.stories.human[person, writer, story, criterion]),
            }
        )


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
    if story_ids is None:
        width = len(str(instances))
        story_ids = [f"s{number:0{width}d}" for number in range(1, instances + 1)]
    if not story_ids:
        raise UsageError(f"instances {instances!r}: give a whole number from 1")
    if items is None:
        rng = np.random.default_rng([design.seed, 0])
        items = draw_items(instances, rubrics_per_instance, rng)
    for ordering in design.lists:
        places_in(ordering, items.place, items.counts[items.instance])
    stories = draw_stories(design, len(story_ids), np.random.default_rng([design.seed, _STORIES]))
    return SimulatedOrders(design, tuple(story_ids), stories, simulate_items(design.base, items))


def _plain(table: pa.Table) -> pa.Table:
    """Return a table with its dictionary-encoded columns as plain text."""
    columns = {
        name: table[name].cast(pa.string()) if pa.types.is_dictionary(table[name].type) else table[name]
        for name in table.column_names
    }
    return pa.table(columns)
