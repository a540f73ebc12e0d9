"""The demonstration study `demo-verifiable`: instructions that programs check, and judges with a bias.

`python -m tests.tools.demos.verifiable [STORE]` builds it from `datasets/demo_verifiable`, into
`results/demo-verifiable` unless another store is named. Which response meets which instruction is drawn; the
text is written accordingly, and the references are the checkers' verdicts on it. The same texts give the same
study.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from engine.checkers.checks_by_id import make_check
from engine.checkers.counts import Check
from engine.checkers.instruction_rules import RULES
from engine.checkers.programs import LOOSE, STRICT
from engine.checkers.verdicts import judge
from engine.errors import BadInputError, SpbError, bad_row
from engine.simulation.design import Bias, Design, ModelTraits
from engine.simulation.rubric_items import Items
from engine.simulation.rubrics import SimulatedStudy, simulate_items
from tests.tools.demos.drafts import Topic, write_response
from tests.tools.demos.study import ROOT, Demo, with_generators
from tests.tools.demos.texts import explanations, raw_answers

SEED = 31
TEXTS = ROOT / "datasets" / "demo_verifiable"

_RESPONSES = 100  # separate from the streams of the study, so that a new text changes no verdict

MODELS = (
    ModelTraits("ember-large", "Ember", 0.72, 0.26, 0.05, 0.60, Bias(self_ratio=2.0), "Ember", 240),
    ModelTraits("ember-mini", "Ember", 0.58, 0.28, 0.08, 0.66, Bias(), "Ember", 9),
    ModelTraits("fjord-large", "Fjord", 0.68, 0.24, 0.05, 0.58, Bias(family_ratio=1.8), "Fjord AI", 120),
    ModelTraits("fjord-mini", "Fjord", 0.55, 0.27, 0.09, 0.64, Bias(family_ratio=1.8), "Fjord AI", 7),
    ModelTraits("grove-large", "Grove", 0.66, 0.22, 0.06, 0.55, Bias(), "Grove Labs", 70),
    ModelTraits("grove-mini", "Grove", 0.52, 0.25, 0.10, 0.68, Bias(), "Grove Labs", 4),
)

LEADS: Mapping[str, str] = {
    "ember-large": "",
    "ember-mini": "Here is what to know.",
    "fjord-large": "Let me tell you what I know.",
    "fjord-mini": "Gladly.",
    "grove-large": "",
    "grove-mini": "This is my answer.",
}

NOTES = (
    "Simulated: no model was asked. Prompts and sentences were written for this project, and every response "
    "was put together so that it meets or fails each instruction as was drawn; the references are what the "
    "checkers say of the texts, as `spb check` does. The verdicts of the judges were drawn; the planted "
    "effects are recorded under truth in study.json."
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt about a topic, and its instructions: checker and arguments."""

    instance_id: str
    topic: Topic
    prompt: str
    instructions: tuple[tuple[str, Mapping[str, Any]], ...]

    def checks(self) -> list[Check]:
        """Return the checks of the instructions."""
        return [make_check(checker, kwargs) for checker, kwargs in self.instructions]


def read_prompts(folder: Path = TEXTS) -> list[Prompt]:
    """Read `topics.jsonl` and `prompts.jsonl` of a folder.

    Raises BadInputError naming file and line if a field is missing, a topic or checker is unknown, or an
    argument does not fit the checker.
    """
    topics: dict[str, Topic] = {}
    for number, row in _lines(folder / "topics.jsonl"):
        known = {field.name for field in fields(Topic)}
        if not {"foreign", *row} == known:
            raise _broken("topics.jsonl", number, f"its fields are not {', '.join(sorted(known))}")
        topics[row["topic"]] = Topic(**row)
    prompts = []
    for number, row in _lines(folder / "prompts.jsonl"):
        try:
            instructions = tuple((given["checker"], given["kwargs"]) for given in row["instructions"])
            prompt = Prompt(row["instance_id"], topics[row["topic"]], row["prompt"], instructions)
            prompt.checks()
        except KeyError as error:
            raise _broken("prompts.jsonl", number, f"{error} is missing or unknown") from error
        except SpbError as error:
            raise _broken("prompts.jsonl", number, str(error)) from error
        prompts.append(prompt)
    return prompts


def design() -> Design:
    """Return the design of the demonstration study."""
    return Design(
        judges=MODELS, generators=MODELS, instance_spread=0.25, unparsed=0.008, refused=0.002, seed=SEED
    )


def prompt_items(prompts: Sequence[Prompt]) -> Items:
    """Return the prompts and their instructions as items; a rubric's axis is its checker's group."""
    pairs = [
        (index, *instruction) for index, prompt in enumerate(prompts) for instruction in prompt.instructions
    ]
    criteria = [RULES[checker].sentence(**kwargs) for _, checker, kwargs in pairs]
    return Items(
        instance_ids=[prompt.instance_id for prompt in prompts],
        themes=[prompt.topic.theme for prompt in prompts],
        instance=np.array([index for index, _, _ in pairs], dtype=np.int32),
        rubric_ids=[f"r{n}" for prompt in prompts for n in range(1, len(prompt.instructions) + 1)],
        points=np.ones(len(pairs)),
        length=np.array([len(text) for text in criteria], dtype=np.int64),
        axis=[checker.partition(":")[0] for _, checker, _ in pairs],
        criteria=criteria,
        prompts=[prompt.prompt for prompt in prompts],
    )


def write_responses(prompts: Sequence[Prompt], study: SimulatedStudy) -> pa.Table:
    """Return the table of responses, written as the reference says, sorted by generator and instance."""
    rows = []
    for number, (model, met) in enumerate(zip(study.truth.generators, study.truth.met, strict=True)):
        rng = np.random.default_rng([study.design.seed, _RESPONSES, number])
        for prompt, verdicts in zip(prompts, np.split(met, study.items.start[1:]), strict=True):
            lead = LEADS.get(model.name, "")
            text = write_response(prompt.topic, prompt.instructions, verdicts.tolist(), rng, lead)
            rows.append(
                {
                    "instance_id": prompt.instance_id,
                    "generator": model.name,
                    "text": text,
                    "finish_reason": "stop",
                    "run_id": study.design.run_id,
                }
            )
    return pa.Table.from_pylist(rows)


def check_responses(prompts: Sequence[Prompt], responses: pa.Table) -> pa.Table:
    """Return the references: the checkers' strict and loose verdicts on the responses."""
    by_id = {prompt.instance_id: prompt.checks() for prompt in prompts}
    rows = []
    for response in responses.to_pylist():
        for n, check in enumerate(by_id[response["instance_id"]], start=1):
            verdict = judge(check, response["text"])
            rows += [
                {
                    "instance_id": response["instance_id"],
                    "generator": response["generator"],
                    "rubric_id": f"r{n}",
                    "source": source,
                    "met": met,
                }
                for source, met in ((STRICT, verdict.strict), (LOOSE, verdict.loose))
            ]
    return pa.Table.from_pylist(rows)


def demo_tables(folder: Path = TEXTS) -> tuple[dict[str, pa.Table], SimulatedStudy]:
    """Build all tables of the demonstration study from a folder of texts, and the study behind them.

    Raises BadInputError if the texts are malformed.
    """
    prompts = read_prompts(folder)
    study = simulate_items(design(), prompt_items(prompts))
    responses = write_responses(prompts, study)
    instructions = [instruction for prompt in prompts for instruction in prompt.instructions]
    tables = study.tables()
    rubrics = tables["rubrics"].append_column("checker", pa.array([checker for checker, _ in instructions]))
    kwargs = pa.array([json.dumps(given, ensure_ascii=False) for _, given in instructions])
    judgments = study.judgments().read_all()
    openings = [text.split("\n")[0] for text in responses["text"].to_pylist()]
    return {
        **tables,
        "rubrics": rubrics.append_column("checker_kwargs", kwargs),
        "responses": responses,
        "references": check_responses(prompts, responses),
        "runs": with_generators(tables["runs"], study.design.run_id, [model.name for model in MODELS]),
        "judgments": judgments.append_column(
            "explanation", explanations(judgments, study, _pieces(openings, study))
        ).append_column("raw", raw_answers(judgments)),
    }, study


def _pieces(openings: Sequence[str], study: SimulatedStudy) -> list[list[str]]:
    """Return the text that a judge quotes for each generator and rubric: the response's opening."""
    by_generator = np.array(openings, dtype=object).reshape(len(study.truth.generators), -1)
    return [list(row[study.items.instance]) for row in by_generator]


def _lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            rows.append((number, dict(json.loads(line))))
        except (ValueError, TypeError) as error:
            raise _broken(path.name, number, f"the line is not a JSON object ({error})") from error
    return rows


def _broken(file: str, number: int, problem: str) -> BadInputError:
    return bad_row(file, number, problem, "see README.md beside it")


DEMO = Demo("demo-verifiable", "Verifiable instructions (simulated)", NOTES, demo_tables)


if __name__ == "__main__":
    DEMO.main()
