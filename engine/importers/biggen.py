"""Evaluations of BiGGen Bench and other runs of Prometheus: one object, its entries keyed by id.

Each entry holds a question, a response with its model, a score rubric with five descriptions, and a judge's
feedback and score: one from 1 to 5, or a list of several trials. A file without `eval_model_name` needs
`--judge`, one without `response_model_name` `--generator`.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, prompt_of
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import BadRowError, Row, number_of, objects
from engine.importers.reading.verdicts import verdict

_EXPECTED = (
    "BiGGen Bench's evaluations: an object whose members are objects with input, response, score_rubric, "
    "score, response_model_name and eval_model_name"
)
RUBRIC = "score"
_OPTIONS = range(1, 6)


class BiggenBench(FileReader):
    """Entries being read, of one file or a folder of them; a file is held whole."""

    suffixes = (".json",)
    expected = _EXPECTED

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the entries, each with its key as `id` where it has none."""
        entries = json_object(file, _EXPECTED)
        members = [{"id": key, **one} if isinstance(one, dict) else one for key, one in entries.items()]
        yield from objects(file.name, members, self.tally)

    def read(self, row: Row) -> StudyRows:
        """Return the question, its rubric, the response and the score of each trial."""
        instance = row.text("id")
        generator = self.options.generator or row.maybe_text("response_model_name")
        judge = self.options.judge or row.maybe_text("eval_model_name")
        if generator is None:
            raise BadRowError("no response_model_name: give --generator")
        if judge is None:
            raise BadRowError("no eval_model_name: give --judge")
        rubric = row.object_of("score_rubric")
        options = [
            {"score": score, "text": rubric.maybe_text(f"score{score}_description") or ""}
            for score in _OPTIONS
        ]
        keys = {"instance_id": instance, "generator": generator}
        scores = row.values.get("score")
        trials = scores if isinstance(scores, list) else [scores]
        return {
            "instances": [
                {
                    "instance_id": instance,
                    "prompt": _prompt(row),
                    "category": row.maybe_text("capability"),
                    "theme": row.maybe_text("task"),
                    "reference_answer": row.maybe_text("reference_answer"),
                }
            ],
            "rubrics": [
                {
                    "instance_id": instance,
                    "rubric_id": RUBRIC,
                    "criterion": rubric.text("criteria"),
                    "options": json.dumps(options, ensure_ascii=False),
                }
            ],
            "responses": [{**keys, "text": row.words("response")}],
            "judgments": [
                {
                    "judge": judge,
                    "paradigm": "score_rubric",
                    **keys,
                    "rubric_id": RUBRIC,
                    "explanation": row.maybe_text("feedback") if place == 0 else None,
                    **verdict("score", score if score in _OPTIONS else None),
                }
                for place, score in enumerate(map(number_of, trials))
            ],
        }


def _prompt(row: Row) -> str:
    system = row.maybe_text("system_prompt")
    question = row.text("input")
    if not system:
        return question
    return prompt_of([{"role": "system", "content": system}, {"role": "user", "content": question}])


FORMAT = Format(
    "biggen",
    "BiGGen Bench evaluations",
    "https://github.com/prometheus-eval/prometheus-eval",
    _EXPECTED,
    (
        Field("id", "instances.instance_id", "else the entry's key"),
        Field("input, system_prompt", "instances.prompt"),
        Field("capability", "instances.category"),
        Field("task", "instances.theme"),
        Field("reference_answer", "instances.reference_answer"),
        Field("score_rubric", "rubrics.criterion, options"),
        Field("response_model_name", "judgments.generator", "else --generator"),
        Field("response", "responses.text"),
        Field("eval_model_name", "judgments.judge", "else --judge"),
        Field("score", "judgments.score, trial", "none of 1 to 5 is unparsed"),
        Field("feedback", "judgments.explanation"),
    ),
    BiggenBench,
    ("judge", "generator"),
)
