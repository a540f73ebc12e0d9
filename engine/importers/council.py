"""Judgments of a language-model council: each model judges pairs of all models' answers, its own among them.

Both forms are read: the published emotional-intelligence task (`lmc_ei.jsonl`, its questions by number) and
what `lm_council` writes (`judge_ratings.jsonl` with `completions.jsonl` beside it, its questions in words).
The first response is the generator and was shown first; `A>>B` and `A>B` are both for it.
"""

from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, instance_of
from engine.importers.reading.rows import BadRowError, Row, count_of
from engine.importers.reading.tables import nested_rows
from engine.importers.reading.verdicts import choice_of

_EXPECTED = (
    "judgments of a council in JSON Lines: judge_model, first_completion_by, second_completion_by, "
    "pairwise_choice, and emobench_id or user_prompt; or the folder of a run with judge_ratings.jsonl"
)


class Council(FileReader):
    """Judgments, and the completions that a run's folder has, being read."""

    suffixes = (".jsonl", ".parquet")
    expected = _EXPECTED
    rows_in = staticmethod(nested_rows)

    def read(self, row: Row) -> StudyRows:
        """Return a completion's response, or a judgment on a pair."""
        instance = _instance(row)
        keys = {"instance_id": instance["instance_id"]}
        if "completion_text" in row.values:
            response = {**keys, "generator": row.text("model"), "text": row.words("completion_text")}
            return {"instances": [instance], "responses": [response]}
        if "judge_model" not in row.values:
            raise BadRowError("neither a judgment nor a completion")
        judgment = {
            **keys,
            "judge": self.options.judge or row.text("judge_model"),
            "paradigm": "pairwise",
            "generator": row.text("first_completion_by"),
            "opponent": row.text("second_completion_by"),
            "first": "generator",
            "raw": row.maybe_text("judging_response_string"),
            "prompt_tokens": count_of(row.values.get("prompt_tokens")),
            "completion_tokens": count_of(row.values.get("completion_tokens")),
            **choice_of(row.values.get("pairwise_choice")),
        }
        return {"instances": [instance], "judgments": [judgment]}


def _instance(row: Row) -> dict[str, Any]:
    if row.values.get("emobench_id") is not None:
        return {"instance_id": f"emobench-{row.text('emobench_id')}"}
    prompt = row.text("user_prompt")
    return {"instance_id": instance_of(prompt), "prompt": prompt}


FORMAT = Format(
    "council",
    "Language-model council",
    "https://github.com/machine-theory/lm-council",
    _EXPECTED,
    (
        Field("emobench_id, user_prompt", "instances.instance_id, prompt"),
        Field("judge_model", "judgments.judge"),
        Field("first_completion_by", "judgments.generator, first", "shown first"),
        Field("second_completion_by", "judgments.opponent"),
        Field("pairwise_choice", "judgments.choice, status", "how much better is not kept"),
        Field("judging_response_string", "judgments.raw"),
        Field("prompt_tokens, completion_tokens", "judgments.prompt_tokens, completion_tokens"),
        Field("model, completion_text", "responses.generator, text", "completions.jsonl of a run"),
    ),
    Council,
)
