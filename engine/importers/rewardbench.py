"""RewardBench's scores for each prompt (`eval-set-scores/.../MODEL.json`): chosen against rejected.

The file is one object of columns: `results` (1 the chosen response won, 0 the rejected one, 0.5 the judge
gave no verdict), `text_chosen`, `text_rejected`, `subset`, `id`, and `model`, the judge. Whose the responses
are is in the data set, not here; with its columns `chosen_model` and `rejected_model` added they get their
models, else they are `chosen` and `rejected`. RewardBench shuffles the two and does not write down how.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, prompt_of
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import BadRowError, Row, number_of, refuse, text_or_none
from engine.importers.reading.verdicts import verdict

_EXPECTED = (
    "RewardBench's scores for each prompt: an object with model, and the columns results, subset, id, "
    "text_chosen and text_rejected, lists of the same length"
)
_COLUMNS = ("text_chosen", "text_rejected", "subset", "id", "chosen_model", "rejected_model", "prompt")
_CHOICES = {1.0: "generator", 0.0: "opponent"}


class RewardBench(FileReader):
    """Prompts being read, of one file or a folder of them; a file is held whole."""

    suffixes = (".json",)
    expected = _EXPECTED
    judge = ""

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the prompts of a file, which names the judge."""
        content = json_object(file, _EXPECTED)
        results, judge = content.get("results"), self.options.judge or content.get("model")
        if not isinstance(results, list) or not isinstance(judge, str):
            raise refuse(file.name, "it has no results and model", _EXPECTED)
        self.judge = judge
        columns = {name: content[name] for name in _COLUMNS if isinstance(content.get(name), list)}
        short = [name for name, values in columns.items() if len(values) != len(results)]
        if short:
            raise refuse(file.name, f"{', '.join(short)} are not as long as results", _EXPECTED)
        columns["results"] = results
        for number, values in enumerate(zip(*columns.values(), strict=True), start=1):
            yield Row(file.name, number, dict(zip(columns, values, strict=True)))

    def read(self, row: Row) -> StudyRows:
        """Return the responses, the judge's choice, and that the chosen response is the better one."""
        instance = {"instance_id": row.text("id")}
        models = {side: row.maybe_text(f"{side}_model") or side for side in ("chosen", "rejected")}
        if models["chosen"] == models["rejected"]:
            models = {side: f"{model} ({side})" for side, model in models.items()}
            self.tally.note("where both responses are one model's, each is a model of its own")
        keys = {**instance, "generator": models["chosen"], "opponent": models["rejected"]}
        result = number_of(row.get("results"))
        if result is None:
            raise BadRowError("results is no number", row.values.get("results"))
        chosen = row.values.get("text_chosen")
        shared = {"judge": self.judge, "paradigm": "pairwise", "first": "unknown", **keys}
        return {
            "instances": [{**instance, "prompt": _prompt(row, chosen), "category": row.maybe_text("subset")}],
            "responses": [
                {**instance, "generator": model, "text": text}
                for side, model in models.items()
                if (text := _answer(row.values.get(f"text_{side}"))) is not None
            ],
            "judgments": [shared | verdict("choice", _CHOICES.get(result))],
            "preferences": [{**keys, "source": "human:rewardbench", "outcome": 1}],
        }


def _answer(talk: Any) -> str | None:
    """Return the last turn of a conversation, or the text as it is."""
    if isinstance(talk, list) and talk and isinstance(talk[-1], dict):
        talk = talk[-1].get("content")
    return text_or_none(talk)


def _prompt(row: Row, talk: Any) -> str | None:
    if isinstance(talk, list) and len(talk) > 1 and all(isinstance(turn, dict) for turn in talk):
        return prompt_of(talk[:-1])
    return row.maybe_text("prompt")


FORMAT = Format(
    "rewardbench",
    "RewardBench scores",
    "https://github.com/allenai/reward-bench",
    _EXPECTED,
    (
        Field("id", "instances.instance_id"),
        Field("subset", "instances.category"),
        Field("prompt", "instances.prompt", "where text_chosen is no conversation"),
        Field("text_chosen, text_rejected", "responses.text, instances.prompt"),
        Field("chosen_model", "judgments.generator", "else `chosen`"),
        Field("rejected_model", "judgments.opponent", "else `rejected`"),
        Field("results", "judgments.choice, status", "1 chosen, 0 rejected, 0.5 no verdict"),
    ),
    RewardBench,
    notes="The chosen response is taken as the better one. Which was shown first is not in the file.",
)
