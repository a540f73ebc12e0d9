"""The demonstration study `demo-pairs`: readable responses, simulated choices, the four archetypes.

`python -m tests.tools.demos.pairs [STORE]` builds it from `datasets/demo_pairs`, into `results/demo-pairs`
unless another store is named. The same texts give the same study.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from engine.errors import BadInputError
from engine.simulation.pair_design import Contestant, PairDesign
from engine.simulation.pair_responses import LEVELS
from engine.simulation.pairs import SimulatedPairs, simulate_pairs
from tests.tools.demos.study import ROOT, Demo, with_generators
from tests.tools.demos.texts import read_rows, twofold, value_of

SEED = 8
TEXTS = ROOT / "datasets" / "demo_pairs"

POINTS = LEVELS - 1
"""The number of points of each response; its level says how many of them it makes well."""

_TEXTS = 100  # separate from the streams of the study, so that a new text changes no choice

CONTESTANTS = (
    Contestant("rowan-large", "Rowan", 0.85, 0.25, 0.30, 0.12, 0.94, 0.55, 0.28, 0.15, size_b=400),
    Contestant("rowan-medium", "Rowan", 0.60, 0.25, 0.22, 0.12, 0.92, 0.55, 0.30, 0.10, size_b=70),
    Contestant("rowan-mini", "Rowan", 0.20, 0.20, 0.0, 0.0, 0.55, 0.52, 0.42, 0.0, size_b=8),
    Contestant(
        "sorrel-large", "Sorrel", 0.80, 0.32, 0.0, 0.0, 0.95, 0.50, 0.27, 0.0, size_b=300, stage="reasoning"
    ),
    Contestant("sorrel-mini", "Sorrel", 0.35, 0.28, 0.0, 0.0, 0.91, 0.52, 0.41, 0.0, size_b=12),
    Contestant("tansy-large", "Tansy", 0.70, 0.36, -0.26, 0.0, 0.93, 0.48, 0.34, -0.12, size_b=180),
    Contestant("tansy-mini", "Tansy", 0.30, 0.34, -0.20, 0.0, 0.90, 0.30, 0.34, -0.08, size_b=14),
    Contestant(
        "umber-large", "Umber", 0.75, 0.30, 0.0, 0.0, 0.94, 0.55, 0.30, 0.0, size_b=250, stage="reasoning"
    ),
    Contestant("umber-mini", "Umber", 0.25, 0.08, 0.0, 0.0, 0.58, 0.92, 0.40, 0.0, verbose=True, size_b=10),
)

NOTES = (
    "Simulated: no model was asked. The questions and the points of the responses were written for this "
    "project; how many of its points a response makes well is its level, which the benchmark judges' scores "
    "follow. All choices were drawn; the planted effects are recorded under truth in study.json. Weak points "
    "are wrong on purpose."
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its points, each as (made well, made weakly)."""

    question_id: str
    category: str
    question: str
    points: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Style:
    """How a model lays out its responses: a sentence before the points, and the layout of these."""

    lead: str = ""
    layout: Literal["prose", "bullets", "numbers"] = "prose"


STYLES: Mapping[str, Style] = {
    "rowan-large": Style("Here is what matters.", "bullets"),
    "rowan-medium": Style("In short:", "bullets"),
    "rowan-mini": Style("", "bullets"),
    "sorrel-large": Style("", "prose"),
    "sorrel-mini": Style("A good question.", "prose"),
    "tansy-large": Style("Step by step:", "numbers"),
    "tansy-mini": Style("", "numbers"),
    "umber-large": Style("I would put it like this.", "prose"),
    "umber-mini": Style("Thank you for asking! Let me answer with care.", "prose"),
}


def design() -> PairDesign:
    """Return the design of the demonstration study."""
    return PairDesign(CONTESTANTS, unparsed=0.004, refused=0.002, seed=SEED)


def read_questions(folder: Path = TEXTS) -> tuple[Question, ...]:
    """Read the questions of a folder of texts, sorted by file and line; the file names the category.

    Raises BadInputError that names file and line if a line is not a question, or an id occurs twice.
    """
    questions: dict[str, Question] = {}
    for place, row in read_rows(folder / "questions"):
        points = twofold(row, "points", POINTS, "question", place)
        category = place.partition("/")[2].partition(".")[0]
        name = value_of(row, "question_id", place)
        if name in questions:
            raise BadInputError(f"{place}: question_id {name!r} occurs twice; rename one")
        questions[name] = Question(name, category, value_of(row, "question", place), points)
    return tuple(questions.values())


def write_response(question: Question, well: Sequence[bool], style: Style) -> str:
    """Write a response: the lead, then each point, made well or weakly, in the style's layout."""
    texts = [good if here else weak for (good, weak), here in zip(question.points, well, strict=True)]
    if style.layout == "prose":
        return " ".join([style.lead, *texts]).strip()
    marks = [f"{number}." if style.layout == "numbers" else "-" for number in range(1, POINTS + 1)]
    lines = [f"{mark} {text}" for mark, text in zip(marks, texts, strict=True)]
    return "\n".join([*([style.lead, ""] if style.lead else []), *lines])


def responses_table(questions: Sequence[Question], study: SimulatedPairs) -> pa.Table:
    """Return the table of all responses, each with `level` points made well, drawn at random."""
    rng = np.random.default_rng([study.design.seed, _TEXTS])
    rows = []
    for levels, model in zip(study.responses.level, study.design.contestants, strict=True):
        for question, level in zip(questions, levels, strict=True):
            well = (rng.permutation(POINTS) < level).tolist()
            rows.append(
                {
                    "instance_id": question.question_id,
                    "generator": model.name,
                    "text": write_response(question, well, STYLES[model.name]),
                    "finish_reason": "stop",
                    "run_id": study.design.run_id,
                }
            )
    return pa.Table.from_pylist(rows)


def demo_tables(folder: Path = TEXTS) -> tuple[dict[str, pa.Table], SimulatedPairs]:
    """Build all tables of the demonstration study from a folder of texts, and the study behind them.

    Raises BadInputError if the texts are malformed.
    """
    questions = read_questions(folder)
    study = simulate_pairs(design(), names=[question.question_id for question in questions])
    tables = study.tables()
    instances = {
        "instance_id": [question.question_id for question in questions],
        "prompt": [question.question for question in questions],
        "category": [question.category for question in questions],
        "language": ["en"] * len(questions),
    }
    return {
        **tables,
        "instances": pa.table(instances),
        "responses": responses_table(questions, study),
        "runs": with_generators(tables["runs"], study.design.run_id, study.design.names),
        "judgments": study.judgments().read_all(),
    }, study


DEMO = Demo("demo-pairs", "Pairs of answers (simulated)", NOTES, demo_tables)


if __name__ == "__main__":
    DEMO.main()
