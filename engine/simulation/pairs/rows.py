"""Drawn answers and scores as tables in the stored columns of `judgments`."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from engine.simulation import columns
from engine.simulation.columns import STATUS_NAMES, Codes, call_ids, coded, constant, first_of_call, numbers
from engine.simulation.pairs.design import PairDesign
from engine.simulation.pairs.reasons import RAW, reasons
from engine.simulation.pairs.responses import DIMENSIONS, Floats
from engine.simulation.pairs.verdicts import Answers, Case

TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        *((name, TEXT) for name in ("run_id", "call_id", "judge", "paradigm", "variant", "instance_id")),
        *((name, TEXT) for name in ("generator", "opponent", "first", "rubric_id")),
        ("score", pa.float64()),
        ("choice", TEXT),
        *((name, pa.float64()) for name in ("p_generator", "p_tie")),
        *((name, TEXT) for name in ("status", "explanation", "raw")),
        ("cost_usd", pa.float64()),
    ]
)

COST = {"forced": 0.0002, "forced_tie": 0.0002, "cot": 0.0012, "structured": 0.0005, "quality": 0.0003}
"""What a call costs in each variant, and for scores of quality."""

_CHOICES = ("generator", "opponent", "tie")
_SHOWN = ("generator", "opponent")


def pair_rows(
    case: Case, variant: str, answers: Answers, questions: Sequence[str], rng: np.random.Generator
) -> pa.Table:
    """Return the answers of one judge in one variant; its own response stands as `generator`."""
    names = np.array(case.design.names)
    one, two = (side[answers.pair] for side in case.responses.pairs)
    turned = two == case.judge
    choice = np.where(turned, -answers.choice, answers.choice)
    p = np.where(turned, np.round(1 - answers.p, 4), answers.p)
    status = _status(case.design, answers, rng)
    ok = status == 0
    judge = case.design.contestants[case.judge]
    size = len(answers)
    made = {
        **_common(case.design, judge.name, "pairwise", variant, size),
        "instance_id": coded(answers.question, questions),
        "generator": coded(np.where(turned, two, one), names.tolist()),
        "opponent": coded(np.where(turned, one, two), names.tolist()),
        "first": coded((answers.two_first ^ turned).astype(np.int64), _SHOWN),
        "rubric_id": coded(answers.dimension, DIMENSIONS),
        "choice": coded(np.where(ok, np.select([choice == 1, choice == -1], [0, 1], 2), -1), _CHOICES),
        "p_generator": numbers(np.where(ok, p, np.nan)),
        "p_tie": numbers(np.where(ok, answers.p_tie, np.nan)),
        "status": coded(status, STATUS_NAMES),
        "raw": coded(status - 1, RAW),
        "cost_usd": numbers(np.where(first_of_call(answers.call), COST[variant], np.nan)),
    }
    if variant == "structured":
        numbered = np.cumsum(first_of_call(answers.call)) - 1
        made["call_id"] = call_ids(f"s{case.judge}", numbered)
    if variant == "cot":
        made["explanation"] = reasons(answers, ok, verbose=judge.verbose, rng=rng)
    return columns.table_of(made, SCHEMA)


def _status(design: PairDesign, answers: Answers, rng: np.random.Generator) -> Codes:
    """Draw a status for each answer: a refusal takes the whole call, an unparsed dimension only itself."""
    status = columns.draw_status(len(answers), design.unparsed, design.refused, rng)
    if (answers.dimension < 0).all():
        return status
    first = np.flatnonzero(first_of_call(answers.call))
    refused = columns.draw_status(len(first), 0.0, design.refused, rng)
    whole = np.repeat(refused, np.diff(np.append(first, len(status))))
    return np.where(whole == 2, 2, np.where(status == 2, 0, status))


def quality_rows(
    design: PairDesign,
    place: int,
    judge: str,
    scores: Floats,
    questions: Sequence[str],
    rng: np.random.Generator,
) -> pa.Table:
    """Return one judge's scores (M, N, 5) of all responses, five rows for each call."""
    model, question, dimension = np.indices(scores.shape).reshape(3, -1)
    call = np.repeat(np.arange(scores.shape[0] * scores.shape[1]), scores.shape[2])
    size = len(call)
    status = columns.draw_status(scores.shape[0] * scores.shape[1], design.unparsed, design.refused, rng)[
        call
    ]
    made = {
        **_common(design, judge, "quality", "default", size),
        "call_id": call_ids(f"q{place}", call),
        "instance_id": coded(question, questions),
        "generator": coded(model, design.names),
        "rubric_id": coded(dimension, DIMENSIONS),
        "score": numbers(np.where(status == 0, scores.ravel(), np.nan)),
        "status": coded(status, STATUS_NAMES),
        "raw": coded(status - 1, RAW),
        "cost_usd": numbers(np.where(first_of_call(call), COST["quality"], np.nan)),
    }
    return columns.table_of(made, SCHEMA)


def _common(design: PairDesign, judge: str, paradigm: str, variant: str, size: int) -> dict[str, pa.Array]:
    return {
        "run_id": constant(design.run_id, size),
        "judge": constant(judge, size),
        "paradigm": constant(paradigm, size),
        "variant": constant(variant, size),
    }
