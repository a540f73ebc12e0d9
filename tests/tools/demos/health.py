"""The demonstration study `demo-health`: readable responses, simulated verdicts, planted biases.

`python -m tests.tools.demos.health [STORE]` builds it from `datasets/demo_health`, into `results/demo-health`
unless another store is named. The same texts give the same study.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from engine.simulation.design import Bias, BiasedRubrics, Design, ModelTraits
from engine.simulation.rubrics import SimulatedStudy, simulate_items
from engine.store.study_files import Committee
from tests.tools.demos.study import ROOT, Demo, with_generators
from tests.tools.demos.texts import (
    Conversation,
    Style,
    assemble,
    choose_pieces,
    explanations,
    raw_answers,
    read_texts,
    text_items,
)

SEED = 20
TEXTS = ROOT / "datasets" / "demo_health"

_RESPONSES = 100  # separate from the streams of the study, so that a new text changes no verdict

MODELS = (
    ModelTraits("aster-large", "Aster", 0.86, 0.20, 0.05, 0.60, Bias(self_ratio=1.7), "Aster Labs", 420),
    ModelTraits("aster-medium", "Aster", 0.78, 0.24, 0.07, 0.65, Bias(), "Aster Labs", 70),
    ModelTraits("aster-mini", "Aster", 0.66, 0.30, 0.10, 0.72, Bias(), "Aster Labs", 8),
    ModelTraits("boreal-large", "Boreal", 0.83, 0.22, 0.05, 0.55, Bias(family_ratio=1.6), "Boreal", 310),
    ModelTraits("boreal-medium", "Boreal", 0.76, 0.25, 0.08, 0.62, Bias(family_ratio=1.6), "Boreal", 90),
    ModelTraits("boreal-mini", "Boreal", 0.65, 0.30, 0.11, 0.70, Bias(family_ratio=1.6), "Boreal", 12),
    ModelTraits("cinder-large", "Cinder", 0.80, 0.22, 0.06, 0.58, Bias(self_ratio=1.5), "Cinder AI", 180),
    ModelTraits(
        "cinder-mini",
        "Cinder",
        0.68,
        0.22,
        0.09,
        0.68,
        Bias(self_ratio=2.5, on=BiasedRubrics("polarity", "negative")),
        "Cinder AI",
        14,
    ),
    ModelTraits("dune-large", "Dune", 0.72, 0.16, 0.07, 0.60, Bias(hard_items=3.5), "Dune", 120),
)

STYLES: Mapping[str, Style] = {
    "aster-large": Style(heading="Advice"),
    "aster-medium": Style(lead="Here is my view."),
    "aster-mini": Style(bullets=True),
    "boreal-large": Style(lead="My thoughts on this:", order="weight"),
    "boreal-medium": Style(heading="Answer", bullets=True),
    "boreal-mini": Style(bullets=True, order="weight"),
    "cinder-large": Style(),
    "cinder-mini": Style(lead="Here goes."),
    "dune-large": Style(heading="What I can say", order="weight"),
}

FOUR_LARGEST = Committee(
    members=["aster-large", "boreal-large", "cinder-large", "dune-large"],
    paradigm="single_rubric",
    variant="default",
)

NOTES = (
    "Simulated: no model was asked. The conversations and the pieces of the responses were written for this "
    "project; whether a response meets a criterion is known from the pieces it was put together from. The "
    "verdicts were drawn; the planted effects are recorded under truth in study.json. Not medical advice: "
    "many responses are wrong on purpose."
)


def design() -> Design:
    """Return the design of the demonstration study."""
    return Design(
        judges=MODELS, generators=MODELS, instance_spread=0.25, unparsed=0.008, refused=0.003, seed=SEED
    )


def write_responses(
    conversations: Sequence[Conversation], study: SimulatedStudy
) -> tuple[pa.Table, list[list[str]]]:
    """Write every response as the reference says, in its model's style.

    Returns the table `responses`, sorted by generator and instance, and for each generator the piece for each
    of K rubrics.
    """
    rows = []
    pieces_of: list[list[str]] = []
    for number, (model, met) in enumerate(zip(study.truth.generators, study.truth.met, strict=True)):
        rng = np.random.default_rng([study.design.seed, _RESPONSES, number])
        pieces_of.append([])
        for talk, verdicts in zip(conversations, np.split(met, study.items.start[1:]), strict=True):
            pieces = choose_pieces(talk, verdicts, rng)
            pieces_of[-1] += pieces
            rows.append(
                {
                    "instance_id": talk.instance_id,
                    "generator": model.name,
                    "text": assemble(talk, pieces, STYLES.get(model.name, Style())),
                    "finish_reason": "stop",
                    "run_id": study.design.run_id,
                }
            )
    return pa.Table.from_pylist(rows), pieces_of


def demo_tables(folder: Path = TEXTS) -> tuple[dict[str, pa.Table], SimulatedStudy]:
    """Build all tables of the demonstration study from a folder of texts, and the study behind them.

    Raises BadInputError if the texts are malformed.
    """
    conversations = read_texts(folder)
    study = simulate_items(design(), text_items(conversations))
    responses, pieces = write_responses(conversations, study)
    judgments = study.judgments().read_all()
    judgments = judgments.append_column("explanation", explanations(judgments, study, pieces))
    judgments = judgments.append_column("raw", raw_answers(judgments))
    runs = study.tables()["runs"]
    tables = {
        **study.tables(),
        "responses": responses,
        "runs": with_generators(runs, study.design.run_id, [model.name for model in MODELS]),
        "judgments": judgments,
    }
    return tables, study


DEMO = Demo("demo-health", "Health chats (simulated)", NOTES, demo_tables, {"four-largest": FOUR_LARGEST})


if __name__ == "__main__":
    DEMO.main()
