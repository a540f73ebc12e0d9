"""One simulated study of pairs: its tables, its stream of judgments, and what was planted in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from engine.errors import UsageError
from engine.simulation.columns import coded, runs_table
from engine.simulation.pairs.design import PairDesign
from engine.simulation.pairs.expected import expected
from engine.simulation.pairs.gold import Gold, draw_gold, said
from engine.simulation.pairs.responses import (
    NOISE,
    DrawnPairs,
    Floats,
    Responses,
    draw_pairs,
    draw_responses,
    draw_scores,
)
from engine.simulation.pairs.rows import SCHEMA, pair_rows, quality_rows
from engine.simulation.pairs.verdicts import VARIANTS, Case, draw_answers

# Each kind of draw has its own random numbers, so that one more judge changes no response.
_RESPONSES, _GOLD, _DIFFICULTY, _DRAWN, _QUALITY, _ANSWERS = range(6)

_LIFT = 0.4  # points by which a judge scores its own responses higher, for an SPB of 1
_BLUR = 6.0  # how much noisier scores are, for each unit that a judge's sight is below 0.9


@dataclass(frozen=True)
class SimulatedPairs:
    """A study of pairs that was drawn, short of its answers, which `judgments` draws as they are read."""

    design: PairDesign
    questions: tuple[str, ...]
    responses: Responses
    gold: Gold
    difficulty: Floats

    @cached_property
    def drawn(self) -> list[DrawnPairs]:
        """The pairs drawn for each judge."""
        return [draw_pairs(self.responses, j, self._rng(_DRAWN, j)) for j in range(len(self.design.names))]

    def case(self, judge: int) -> Case:
        """Return what one judge is asked about."""
        return Case(self.design, self.responses, self.gold, self.drawn[judge], self.difficulty, judge)

    @property
    def run_id(self) -> str:
        """The name of the one run that the study consists of."""
        return self.design.run_id

    def tables(self) -> dict[str, pa.Table]:
        """Return every table but `judgments`, in the columns of the exchange form."""
        return {
            "models": _models_table(self.design),
            "instances": pa.table({"instance_id": pa.array(self.questions)}),
            "preferences": self._preferences(),
            "pairs": self._pairs(),
            "runs": _runs_table(self.design),
        }

    def judgments(self) -> pa.RecordBatchReader:
        """Return the answers as a stream of record batches; every call returns the same rows."""
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(SCHEMA, batches)

    def planted(self) -> dict[str, Any]:
        """Return what was planted and what it makes one expect, as JSON values."""
        return {
            "kind": "simulation of pairs",
            "seed": self.design.seed,
            "unparsed": self.design.unparsed,
            "refused": self.design.refused,
            "left_by_variant": dict(self.design.left),
            "quality_judges": list(self.design.benchmark),
            "gold_judges": list(self.design.gold),
            "judges": {name: expected(self.case(place)) for place, name in enumerate(self.design.names)},
        }

    def _rng(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self.design.seed, *stream])

    def _tables(self) -> Iterator[pa.Table]:
        yield from self._quality()
        for number, variant in enumerate(VARIANTS):
            for judge in range(len(self.design.names)):
                case, rng = self.case(judge), self._rng(_ANSWERS, number, judge)
                yield pair_rows(case, variant, draw_answers(case, variant, rng), self.questions, rng)

    def _quality(self) -> Iterator[pa.Table]:
        """Yield the scores of the benchmark judges, then each contestant's own, which lift its responses."""
        given = [*zip(self.design.benchmark, self.responses.scores, strict=True)]
        for place, model in enumerate(self.design.contestants):
            lift = np.zeros(self.responses.level.shape)
            lift[place] = _LIFT * model.spb
            noise = NOISE + _BLUR * max(0.0, 0.9 - model.sight)
            rng = self._rng(_QUALITY, place)
            scores = draw_scores(self.responses.level, 1, rng, lift=lift, noise=noise)
            given.append((model.name, scores[0]))
        for number, (name, scores) in enumerate(given):
            rng = self._rng(_QUALITY, len(self.design.names), number)
            yield quality_rows(self.design, number, name, scores, self.questions, rng)

    def _preferences(self) -> pa.Table:
        judge, question, pair = said(self.gold)
        one, two = self.responses.pairs[:, pair]
        return pa.table(
            {
                "instance_id": coded(question, self.questions),
                "generator": coded(one, self.design.names),
                "opponent": coded(two, self.design.names),
                "source": coded(judge, self.design.gold),
                "outcome": pa.array(self.gold.votes[judge, question, pair].astype(np.int64)),
            }
        )

    def _pairs(self) -> pa.Table:
        return pa.concat_tables(
            [
                self._drawn_table(judge, purpose)
                for judge in range(len(self.design.names))
                for purpose in ("equal", "null", "contrast")
            ]
        )

    def _drawn_table(self, judge: int, purpose: str) -> pa.Table:
        """Return the pairs drawn for a judge; its own response, or the null pair's target, as `generator`."""
        drawn = self.drawn[judge]
        if purpose == "null":
            question, pair, turned = drawn.null_question, drawn.null_pair, drawn.null_turned
        else:
            question, pair = np.nonzero(drawn.own if purpose == "equal" else drawn.contrast)
            turned = self.responses.pairs[1, pair] == judge
        one, two = self.responses.pairs[:, pair]
        size = len(question)
        rule = "|dQ| >= 2" if purpose == "contrast" else "|dQ| <= 0.25"
        return pa.table(
            {
                "purpose": pa.array([purpose] * size),
                "judge": pa.array([self.design.names[judge]] * size),
                "instance_id": coded(question, self.questions).cast(pa.string()),
                "generator": coded(np.where(turned, two, one), self.design.names).cast(pa.string()),
                "opponent": coded(np.where(turned, one, two), self.design.names).cast(pa.string()),
                "rule": pa.array([rule] * size),
                "seed": pa.array([self.design.seed] * size, pa.int64()),
            }
        )


def simulate_pairs(
    design: PairDesign, *, questions: int = 100, names: Sequence[str] | None = None
) -> SimulatedPairs:
    """Draw a study of pairs: responses, their quality, gold preferences and each judge's pairs.

    `names` are the questions' ids, `q1` and so on unless given. Raises UsageError for no question.
    """
    if names is None:
        width = len(str(questions))
        names = [f"q{number:0{width}d}" for number in range(1, questions + 1)]
    if not names:
        raise UsageError(f"instances {questions!r}: give a whole number from 1")
    rng = [np.random.default_rng([design.seed, stream]) for stream in (_RESPONSES, _GOLD, _DIFFICULTY)]
    responses = draw_responses(design, len(names), rng[0])
    return SimulatedPairs(
        design,
        tuple(names),
        responses,
        draw_gold(design, responses, rng[1]),
        rng[2].uniform(-1, 1, len(names)),
    )


def _models_table(design: PairDesign) -> pa.Table:
    rows = [
        {
            "model": model.name,
            "family": model.family,
            "provider": model.provider,
            "size_b": model.size_b,
            "stage": model.stage,
        }
        for model in design.contestants
    ]
    rows += [{"model": name, "family": name.partition("-")[0]} for name in (*design.benchmark, *design.gold)]
    return pa.Table.from_pylist(rows)


def _runs_table(design: PairDesign) -> pa.Table:
    """One row for each judge, paradigm and variant."""
    asked = [(name, "quality", "default") for name in (*design.benchmark, *design.names)]
    asked += [(name, "pairwise", variant) for variant in VARIANTS for name in design.names]
    runs = runs_table(design.run_id, design.seed, asked)
    return runs.append_column("logprobs", [[variant.startswith("forced") for _, _, variant in asked]])
