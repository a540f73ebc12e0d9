"""The demonstration study `demo-orders`: stories scored in ten orders of options, lists in three.

`python -m tests.tools.demos.orders [STORE]` builds it from `datasets/demo_orders`, into `results/demo-orders`
unless another store is named. The same texts give the same study.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from engine.errors import BadInputError
from engine.simulation.design import Bias, ModelTraits
from engine.simulation.order_design import OrderDesign, Scorer
from engine.simulation.orders import SimulatedOrders, simulate_orders
from engine.simulation.score_picks import PIECES
from tests.tools.demos.study import ROOT, Demo, with_generators
from tests.tools.demos.texts import (
    Conversation,
    Style,
    assemble,
    choose_pieces,
    read_rows,
    read_texts,
    text_items,
    twofold,
    value_of,
)

SEED = 2
TEXTS = ROOT / "datasets" / "demo_orders"

_PIECES = 100  # separate from the streams of the study, so that a new text changes no verdict

SCORERS = (
    Scorer(ModelTraits("quill-large", "Quill", 0.70, 0.25, size_b=300), spread=0.5),
    Scorer(
        ModelTraits("quill-mini", "Quill", 0.45, 0.25, bias=Bias(self_ratio=1.7), size_b=9),
        positions=(2.2, 1.3, 1.0, 0.8, 0.6),
        spread=0.8,
        slope=0.6,
    ),
    Scorer(ModelTraits("reed-large", "Reed", 0.65, 0.22, size_b=220), home=(3, 4, 5, 1, 2), spread=0.9),
    Scorer(
        ModelTraits("reed-mini", "Reed", 0.50, 0.28, size_b=7),
        positions=(0.6, 0.8, 1.0, 1.3, 2.2),
        spread=0.8,
        wander=0.5,
        slope=0.6,
    ),
    Scorer(ModelTraits("slate-large", "Slate", 0.60, 0.22, size_b=150), spread=0.4, wander=1.1, slope=-0.6),
    Scorer(
        ModelTraits("slate-mini", "Slate", 0.40, 0.30, size_b=12),
        positions=(1.9, 0.8, 0.6, 0.8, 1.9),
        spread=1.0,
    ),
)

CRITERIA = {
    "liveliness": (
        "How lively is the telling?",
        (
            "It lists events.",
            "One detail stays in mind.",
            "Some details stay.",
            "Most sentences show.",
            "All do.",
        ),
    ),
    "coherence": (
        "How well do the parts of the story hang together?",
        (
            "They do not.",
            "Two of them do.",
            "It can be followed.",
            "It is of one piece.",
            "Nothing can be cut.",
        ),
    ),
}
"""The score rubrics: the criterion, and the meanings of the scores from 1 to 5."""

NOTES = (
    "Simulated: no model was asked. Prompts and pieces were written for this project; how many pieces of a "
    "story are written well decides what it is worth, and whether a criterion of a list is met is known from "
    "the pieces. Scores and verdicts were drawn; the planted effects are recorded under truth in study.json."
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt for a story: the opening of each story, and its pieces, each as (written well, weakly)."""

    story_id: str
    category: str
    prompt: str
    opening: str
    pieces: tuple[tuple[str, str], ...]


def design() -> OrderDesign:
    """Return the design of the demonstration study."""
    return OrderDesign(SCORERS, criteria=tuple(CRITERIA), unparsed=0.004, refused=0.002, seed=SEED)


def read_prompts(folder: Path = TEXTS) -> tuple[Prompt, ...]:
    """Read the prompts of a folder of texts, sorted by file and line; the file names the category.

    Raises BadInputError that names file and line if a line is not a prompt, or an id occurs twice.
    """
    prompts: dict[str, Prompt] = {}
    for place, row in read_rows(folder / "stories"):
        pieces = twofold(row, "pieces", PIECES, "story", place)
        name = value_of(row, "story_id", place)
        if name in prompts:
            raise BadInputError(f"{place}: story_id {name!r} occurs twice; rename one")
        category = "stories about a " + place.partition("/")[2].partition(".")[0]
        prompt, opening = value_of(row, "prompt", place), value_of(row, "opening", place)
        prompts[name] = Prompt(name, category, prompt, opening, pieces)
    return tuple(prompts.values())


def responses_table(
    prompts: Sequence[Prompt], talks: Sequence[Conversation], study: SimulatedOrders
) -> pa.Table:
    """Return the table of all stories and answers, written as the truth says."""
    rows = []
    for number, model in enumerate(study.design.names):
        rng = np.random.default_rng([study.design.seed, _PIECES, number])
        for prompt, well in zip(prompts, study.stories.well[number], strict=True):
            texts = [good if here else weak for (good, weak), here in zip(prompt.pieces, well, strict=True)]
            rows.append((prompt.story_id, model, " ".join([prompt.opening, *texts])))
        met = np.split(study.lists.truth.met[number], study.lists.items.start[1:])
        for talk, verdicts in zip(talks, met, strict=True):
            text = assemble(talk, choose_pieces(talk, verdicts, rng), Style(bullets=number % 2 == 1))
            rows.append((talk.instance_id, model, text))
    names = ("instance_id", "generator", "text")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return pa.table({**columns, "run_id": [study.design.run_id] * len(rows)})


def demo_tables(folder: Path = TEXTS) -> tuple[dict[str, pa.Table], SimulatedOrders]:
    """Build all tables of the demonstration study from a folder of texts, and the study behind them.

    Raises BadInputError if the texts are malformed.
    """
    prompts, talks = read_prompts(folder), read_texts(folder)
    study = simulate_orders(
        design(), story_ids=[prompt.story_id for prompt in prompts], items=text_items(talks)
    )
    tables = study.tables()
    return {
        **tables,
        "instances": _instances(prompts, talks),
        "rubrics": _rubrics(tables["rubrics"]),
        "responses": responses_table(prompts, talks, study),
        "runs": with_generators(tables["runs"], study.design.run_id, study.design.names),
        "judgments": study.judgments().read_all(),
    }, study


def _instances(prompts: Sequence[Prompt], talks: Sequence[Conversation]) -> pa.Table:
    rows = [
        {
            "instance_id": talk.instance_id,
            "prompt": talk.messages[-1]["content"],
            "theme": talk.theme,
            "category": "advice",
        }
        for talk in talks
    ]
    rows += [
        {
            "instance_id": prompt.story_id,
            "prompt": prompt.prompt,
            "theme": "stories",
            "category": prompt.category,
        }
        for prompt in prompts
    ]
    return pa.Table.from_pylist([{**row, "language": "en"} for row in rows])


def _rubrics(rubrics: pa.Table) -> pa.Table:
    """Fill in the criteria of the score rubrics and the meanings of their options."""
    rows = rubrics.to_pylist()
    for row in rows:
        if row["rubric_id"] in CRITERIA:
            criterion, meanings = CRITERIA[row["rubric_id"]]
            options = [{"score": score, "text": text} for score, text in enumerate(meanings, start=1)]
            row |= {"criterion": criterion, "length": len(criterion), "options": json.dumps(options)}
    return pa.Table.from_pylist(rows, rubrics.schema)


DEMO = Demo("demo-orders", "Orders of options and lists (simulated)", NOTES, demo_tables)


if __name__ == "__main__":
    DEMO.main()
