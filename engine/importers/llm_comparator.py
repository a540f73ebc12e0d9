"""LLM Comparator's JSON: two models' responses side by side, with a judge's score or several ratings.

A score above 0 says that A is better, below 0 that B is, 0 that they are equal; a rating's score is about A
and B whichever was shown first (`is_flipped`: B was). The file does not name the judge.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, each_file, instance_of
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import (
    BadRowError,
    Row,
    list_or_empty,
    number_of,
    objects,
    refuse,
    text_or_none,
)
from engine.importers.reading.verdicts import verdict

_EXPECTED = (
    "LLM Comparator's JSON: an object with models (two objects with name) and examples, a list of objects "
    "with input_text, output_text_a, output_text_b and score or individual_rater_scores"
)


class LlmComparator(FileReader):
    """Examples being read, of one file or a folder of them; a file is held whole."""

    suffixes = (".json",)
    expected = _EXPECTED
    judge_missing = "the file does not say who judged; give --judge NAME"
    models: tuple[str, str] = ("", "")

    def rows(self) -> Iterator[Row]:
        """Yield the examples."""
        for file, (models, examples) in each_file(self.files, _examples, self.tally):
            self.models = models
            yield from objects(file.name, examples, self.tally)

    def read(self, row: Row) -> StudyRows:
        """Return the question, both responses, and a judgment for each rating, or for the score."""
        prompt = _words(row, "input_text")
        instance = instance_of(prompt)
        tags = list_or_empty(row.values.get("tags"))
        category = text_or_none(tags[0]) if tags else None
        generator, opponent = self.models
        keys = {"instance_id": instance, "generator": generator, "opponent": opponent}
        shared = {"judge": self.options.judge, "paradigm": "pairwise", **keys}
        ratings = row.values.get("individual_rater_scores") or []
        if not isinstance(ratings, list):
            raise BadRowError("individual_rater_scores is no list", ratings)
        verdicts = [_rating(row.within("individual_rater_scores", one)) for one in ratings]
        if not verdicts:
            verdicts = [{"first": "unknown", **_outcome(row.values.get("score"))}]
        return {
            "instances": [{"instance_id": instance, "prompt": prompt, "category": category}],
            "responses": [
                {"instance_id": instance, "generator": model, "text": _words(row, f"output_text_{side}")}
                for model, side in zip(self.models, "ab", strict=True)
            ],
            "judgments": [shared | one for one in verdicts],
        }


def _examples(file: Path) -> tuple[tuple[str, str], list[Any]]:
    """Return the two models of a file, and its examples."""
    content = json_object(file, _EXPECTED)
    models, examples = content.get("models"), content.get("examples")
    names = [model.get("name") for model in list_or_empty(models) if isinstance(model, dict)]
    if len(names) != 2 or not all(isinstance(name, str) and name for name in names) or len(set(names)) < 2:
        raise refuse(file.name, f"its models are {str(models)[:80]}", _EXPECTED)
    if not isinstance(examples, list):
        raise refuse(file.name, "it has no list of examples", _EXPECTED)
    return (str(names[0]), str(names[1])), examples


def _rating(rating: Row) -> dict[str, Any]:
    flipped = rating.values.get("is_flipped")
    first = "unknown" if not isinstance(flipped, bool) else "opponent" if flipped else "generator"
    return {
        "first": first,
        "explanation": rating.maybe_text("rationale"),
        "raw": rating.maybe_text("rating_label"),
        **_outcome(rating.values.get("score")),
    }


def _outcome(score: object) -> dict[str, Any]:
    number = number_of(score)
    side = None if number is None else "generator" if number > 0 else "opponent" if number < 0 else "tie"
    return verdict("choice", side)


def _words(row: Row, name: str) -> str:
    """Return a text, which may come in pieces; pieces that are no text are left out."""
    value = row.get(name)
    if isinstance(value, list):
        pieces = [row.within(name, piece) for piece in value]
        return "\n".join(piece.words("data") for piece in pieces if piece.values.get("type") == "text")
    return row.words(name)


FORMAT = Format(
    "llm-comparator",
    "LLM Comparator examples",
    "https://github.com/PAIR-code/llm-comparator",
    _EXPECTED,
    (
        Field("input_text", "instances.prompt, instance_id", "the id is made of the text"),
        Field("tags", "instances.category", "the first"),
        Field("output_text_a", "responses.text", "the first of models: generator"),
        Field("output_text_b", "responses.text", "the second of models: opponent"),
        Field("score", "judgments.choice", "where there are no ratings; its order is unknown"),
        Field("individual_rater_scores", "judgments.choice, first, explanation", "one judgment for each"),
    ),
    LlmComparator,
)
