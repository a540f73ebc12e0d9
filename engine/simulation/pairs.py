"""A simulated study of pairs: its tables, its stream of judgments, and what was planted in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from engine.schema import DIMENSIONS
from engine.simulation.gold_votes import SimulatedGold, draw_gold
from engine.simulation.pair_choices import VARIANTS, JudgeInputs, answer_status, draw_answers
from engine.simulation.pair_design import PairDesign
from engine.simulation.pair_expectations import COST, expected, reasons
from engine.simulation.pair_responses import (
    NOISE,
    DrawnPairs,
    Responses,
    draw_pairs,
    draw_responses,
    draw_scores,
)
from engine.simulation.study_tables import (
    CHOICE_NAMES,
    DECLINED,
    ORDER_NAMES,
    Simulation,
    call_ids,
    draw_status,
    first_of_call,
    judgment_schema,
    models_table,
    number_column,
    numbered_ids,
    runs_table,
    text_column,
)
from engine.stats import Floats

# Each kind of draw has its own random numbers, so that adding a judge changes no response.
_RESPONSES, _GOLD, _DIFFICULTY, _PAIRS, _QUALITY, _ANSWERS = range(6)

_LIFT = 0.4  # points by which a judge scores its own responses higher, for an SPB of 1
_BLUR = 6.0  # added noise of scores, per unit of a judge's sight below 0.9


@dataclass(frozen=True)
class SimulatedPairs(Simulation):
    """A drawn study of pairs, without its answers, which `judgments` draws lazily."""

    schema = judgment_schema(
        "run_id call_id judge paradigm variant instance_id generator opponent first rubric_id "
        "score choice p_generator p_tie status explanation raw cost_usd"
    )
    raw = ("Both have their merits; it depends on the reader.", DECLINED)
    design: PairDesign
    questions: tuple[str, ...]
    responses: Responses
    gold: SimulatedGold
    difficulty: Floats

    @cached_property
    def drawn_pairs(self) -> list[DrawnPairs]:
        judges = range(len(self.design.names))
        return [draw_pairs(self.responses, judge, self.design.rng(_PAIRS, judge)) for judge in judges]

    def case(self, judge: int) -> JudgeInputs:
        return JudgeInputs(
            self.design, self.responses, self.gold, self.drawn_pairs[judge], self.difficulty, judge
        )

    def tables(self) -> dict[str, pa.Table]:
        design, names = self.design, self.design.names
        contestants = models_table(design.contestants, "stage")
        other_names = (*design.benchmark, *design.gold)
        others = [{"model": name, "family": name.partition("-")[0]} for name in other_names]
        calls = [(name, "quality", "default") for name in (*design.benchmark, *names)]
        calls += [(name, "pairwise", variant) for variant in VARIANTS for name in names]
        logprobs = [variant.startswith("forced") for _, _, variant in calls]
        judge, question, pair = np.nonzero(~np.isnan(self.gold.votes))
        first, second = self.responses.pairs[:, pair]
        preferences = {
            "instance_id": text_column(question, self.questions),
            "generator": text_column(first, names),
            "opponent": text_column(second, names),
            "source": text_column(judge, design.gold),
            "outcome": pa.array(self.gold.votes[judge, question, pair].astype(np.int64)),
        }
        purposes = product(range(len(names)), ("equal", "null", "contrast"))
        return {
            "models": pa.concat_tables([contestants, pa.Table.from_pylist(others, contestants.schema)]),
            "instances": pa.table({"instance_id": pa.array(self.questions)}),
            "preferences": pa.table(preferences),
            "pairs": pa.concat_tables([self._drawn_table(judge, purpose) for judge, purpose in purposes]),
            "runs": runs_table(design, calls).append_column("logprobs", [logprobs]),
        }

    def planted(self) -> dict[str, Any]:
        return {
            "kind": "simulation of pairs",
            "seed": self.design.seed,
            "unparsed": self.design.unparsed,
            "refused": self.design.refused,
            "left_by_variant": dict(self.design.spb_share),
            "quality_judges": list(self.design.benchmark),
            "gold_judges": list(self.design.gold),
            "judges": {name: expected(self.case(place)) for place, name in enumerate(self.design.names)},
        }

    def _tables(self) -> Iterator[pa.Table]:
        yield from self._quality()
        for number, variant in enumerate(VARIANTS):
            for judge in range(len(self.design.names)):
                yield self._answers(self.case(judge), variant, self.design.rng(_ANSWERS, number, judge))

    def _answers(self, case: JudgeInputs, variant: str, rng: np.random.Generator) -> pa.Table:
        """Return the answers of one judge in one variant, with its own responses as `generator`."""
        answers, names = draw_answers(case, variant, rng), self.design.names
        first, second = (side[answers.pair] for side in self.responses.pairs)
        swapped = second == case.judge
        choice = np.where(swapped, -answers.choice, answers.choice)
        p = np.where(swapped, np.round(1 - answers.p, 4), answers.p)
        status = answer_status(self.design, answers, rng)
        ok, starts = status == 0, first_of_call(answers.call)
        rows = {
            "judge": case.model.name,
            "paradigm": "pairwise",
            "variant": variant,
            "instance_id": text_column(answers.question, self.questions),
            "generator": text_column(np.where(swapped, second, first), names),
            "opponent": text_column(np.where(swapped, first, second), names),
            "first": text_column((answers.second_first ^ swapped).astype(np.int64), ORDER_NAMES),
            "rubric_id": text_column(answers.dimension, DIMENSIONS),
            "choice": text_column(
                np.where(ok, np.select([choice == 1, choice == -1], [0, 1], 2), -1), CHOICE_NAMES
            ),
            "p_generator": number_column(np.where(ok, p, np.nan)),
            "p_tie": number_column(np.where(ok, answers.p_tie, np.nan)),
            "cost_usd": number_column(np.where(starts, COST[variant], np.nan)),
        }
        if variant == "structured":
            rows["call_id"] = call_ids(f"s{case.judge}", np.cumsum(starts) - 1)
        if variant == "cot":
            rows["explanation"] = reasons(answers, ok, verbose=case.model.verbose, rng=rng)
        return self._table(rows, status)

    def _quality(self) -> Iterator[pa.Table]:
        """Yield the benchmark judges' scores, then the contestants', which favour their own responses."""
        design, level = self.design, self.responses.level
        judge_scores = [*zip(design.benchmark, self.responses.scores, strict=True)]
        for place, model in enumerate(design.contestants):
            lift = np.zeros(level.shape)
            lift[place] = _LIFT * model.spb
            noise = NOISE + _BLUR * max(0.0, 0.9 - model.sight)
            scores = draw_scores(level, 1, design.rng(_QUALITY, place), lift=lift, noise=noise)
            judge_scores.append((model.name, scores[0]))
        for number, (name, scores) in enumerate(judge_scores):
            rng = design.rng(_QUALITY, len(design.names), number)
            yield self._quality_scores(number, name, scores, rng)

    def _quality_scores(self, place: int, judge: str, scores: Floats, rng: np.random.Generator) -> pa.Table:
        """Return one judge's scores (M, N, 5) of all responses as rows, five for each call."""
        design = self.design
        model, question, dimension = np.indices(scores.shape).reshape(3, -1)
        call = np.repeat(np.arange(scores.shape[0] * scores.shape[1]), scores.shape[2])
        status = draw_status(scores[:, :, 0].size, design.unparsed, design.refused, rng)[call]
        rows = {
            "judge": judge,
            "paradigm": "quality",
            "variant": "default",
            "call_id": call_ids(f"q{place}", call),
            "instance_id": text_column(question, self.questions),
            "generator": text_column(model, design.names),
            "rubric_id": text_column(dimension, DIMENSIONS),
            "score": number_column(np.where(status == 0, scores.ravel(), np.nan)),
            "cost_usd": number_column(np.where(first_of_call(call), COST["quality"], np.nan)),
        }
        return self._table(rows, status)

    def _drawn_table(self, judge: int, purpose: str) -> pa.Table:
        """Return the pairs drawn for a judge; `generator` is its own response, or the null pair's target."""
        pairs = self.drawn_pairs[judge]
        if purpose == "null":
            question, pair, swapped = pairs.null_question, pairs.null_pair, pairs.null_swapped
        else:
            question, pair = np.nonzero(pairs.own if purpose == "equal" else pairs.contrast)
            swapped = self.responses.pairs[1, pair] == judge
        first, second = self.responses.pairs[:, pair]
        size, names = len(question), self.design.names
        rule = "|dQ| >= 2" if purpose == "contrast" else "|dQ| <= 0.25"
        return pa.table(
            {
                "purpose": pa.array([purpose] * size, pa.string()),
                "judge": pa.array([names[judge]] * size, pa.string()),
                "instance_id": text_column(question, self.questions).cast(pa.string()),
                "generator": text_column(np.where(swapped, second, first), names).cast(pa.string()),
                "opponent": text_column(np.where(swapped, first, second), names).cast(pa.string()),
                "rule": pa.array([rule] * size, pa.string()),
                "seed": pa.array([self.design.seed] * size, pa.int64()),
            }
        )


def simulate_pairs(
    design: PairDesign, *, questions: int = 100, names: Sequence[str] | None = None
) -> SimulatedPairs:
    """Draw a study of pairs; `names` are the questions' ids, by default `q1` and so on."""
    names = names or numbered_ids("q", questions if names is None else 0)
    responses = draw_responses(design, len(names), design.rng(_RESPONSES))
    gold = draw_gold(design, responses, design.rng(_GOLD))
    difficulty = design.rng(_DIFFICULTY).uniform(-1, 1, len(names))
    return SimulatedPairs(design, tuple(names), responses, gold, difficulty)
