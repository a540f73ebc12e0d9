"""AlpacaEval's `annotations.json`: one judge's preference between a baseline's and a model's output.

`preference` is 1 where output_1 is better and 2 where output_2 is; between them it is 1 plus the probability
of output_2 (weighted annotators), so that above 1.5 output_2 is preferred. 1.5 is a draw, and so is 0, as
older versions wrote it. Null, and anything outside of these, is no preference. The tool shows the two outputs
in one order, drawn by chance and not written down.
"""

import json
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, instance_of
from engine.importers.reading.rows import BadRowError, Row, number_of, object_or_empty

_EXPECTED = (
    "AlpacaEval's annotations.json: a list of objects with instruction, output_1, generator_1, output_2, "
    "generator_2, annotator and preference"
)


class AlpacaEval(FileReader):
    """Annotations being read, of one file or a folder of them."""

    suffixes = ("annotations.json", ".jsonl")
    expected = _EXPECTED

    def read(self, row: Row) -> StudyRows:
        """Return the question, both outputs and the verdict: model 2 is the generator."""
        if "preference" not in row.values:
            raise BadRowError("no preference")
        question, extra = row.text("instruction"), row.maybe_text("input")
        prompt = f"{question}\n\n{extra}" if extra else question
        instance = instance_of(prompt)
        models = {side: row.text(f"generator_{side}") for side in (1, 2)}
        keys = {"instance_id": instance, "generator": models[2], "opponent": models[1]}
        return {
            "instances": [{"instance_id": instance, "prompt": prompt, "category": row.maybe_text("dataset")}],
            "responses": [
                {"instance_id": instance, "generator": models[side], "text": row.words(f"output_{side}")}
                for side in (1, 2)
            ],
            "judgments": [
                {
                    "judge": self.options.judge or row.text("annotator"),
                    "paradigm": "pairwise",
                    **keys,
                    "first": "unknown",
                    "raw": _words(row.values.get("raw_completion")),
                    "latency_s": _at_least_0(row.values.get("time_per_example")),
                    "cost_usd": _at_least_0(row.values.get("price_per_example")),
                    **_verdict(row.values.get("preference")),
                }
            ],
        }


def _verdict(preference: object) -> dict[str, Any]:
    value = number_of(preference)
    if value is None or not (value == 0 or 1 <= value <= 2):
        return {"status": "unparsed"}
    if value in (0, 1.5):
        return {"status": "ok", "choice": "tie"}
    weighted = {} if value in (1, 2) else {"p_generator": value - 1}
    return {"status": "ok", "choice": "generator" if value > 1.5 else "opponent", **weighted}


def _words(completion: object) -> str | None:
    """Return what the annotator wrote: a text, or an object of the API that holds it beside its tokens."""
    if completion is None or isinstance(completion, str):
        return completion
    if isinstance(completion, dict):
        message = object_or_empty(completion.get("message"))
        for text in (completion.get("text"), message.get("content")):
            if isinstance(text, str):
                return text
    return json.dumps(completion, ensure_ascii=False)


def _at_least_0(value: object) -> float | None:
    number = number_of(value)
    return number if number is not None and number >= 0 else None


FORMAT = Format(
    "alpaca-eval",
    "AlpacaEval annotations",
    "https://github.com/tatsu-lab/alpaca_eval",
    _EXPECTED,
    (
        Field("instruction, input", "instances.prompt, instance_id", "the id is made of the text"),
        Field("dataset", "instances.category"),
        Field("output_1, output_2", "responses.text"),
        Field("generator_2", "judgments.generator"),
        Field("generator_1", "judgments.opponent"),
        Field("annotator", "judgments.judge"),
        Field(
            "preference",
            "judgments.choice, p_generator, status",
            "above 1.5 generator_2; 1.5 or 0 a tie; none or out of range unparsed",
        ),
        Field("raw_completion", "judgments.raw", "of an object its text"),
        Field("time_per_example", "judgments.latency_s"),
        Field("price_per_example", "judgments.cost_usd"),
    ),
    AlpacaEval,
    notes="Each pair was shown in one order, which the file does not tell.",
)
