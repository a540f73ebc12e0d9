"""Medical LLM Self-Preference: scores and rankings of answers to clinical questions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import BadRowError, ImportStats, Row, count_of, number_of
from engine.importers.reading.study_builder import InstanceRows, StudyRows

AXES = ("accuracy", "clinical_utility", "source_quality", "verifiability", "completeness")

"""The axes on which each answer is scored from 0 to 5."""

_JUDGMENT = ("experiment_id", "judge_model", "question_id", "prompt_template_id", "generation_id")

"""The key of a judgment; rows with the same key are attempts at it."""

_BEST_SUM = 5 * len(AXES)

_POINTER = b"version https://git-lfs.github.com"


class MedicalSelfPreference(FileReader):
    """Reads Medical LLM Self-Preference (Ansari et al. 2026): the last successful attempt at each judgment.

    Each file has one of three kinds of rows: a judge's scores of one answer (`score_only.jsonl`), its
    ranking of eight (`direct_ranking.jsonl`), or both at once (`rubric_and_model_ranking.jsonl`, with names
    shown in `identity_revealed_...`). A row is an attempt.
    """

    suffixes = (".jsonl",)
    expected = (
        "judgments of Medical LLM Self-Preference in JSON Lines: judge_model, question_id, attempt, status, "
        "and scores with generator_model, or result with candidates"
    )

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the last successful attempt at each judgment, else the last attempt."""
        with file.open("rb") as stream:
            if stream.read(len(_POINTER)) == _POINTER:
                raise BadInputError(
                    f"{file.name!r} is a pointer to a large file of Git; run `git lfs pull` first"
                )
        best: dict[tuple[str, ...], tuple[bool, int, int]] = {}
        attempts = 0
        for row in json_lines(file, ImportStats(), self.expected):
            attempt = count_of(row.values.get("attempt")) or 0
            rank = (row.values.get("status") == "succeeded", attempt, row.number)
            key = tuple(str(row.values.get(name)) for name in _JUDGMENT)
            best[key] = max(rank, best.get(key, rank))
            attempts += 1
        best_lines = {number for _, _, number in best.values()}
        if attempts > len(best_lines):
            self.tally.note(f"{file.name}: {attempts - len(best_lines):,} attempts that were repeated later")
        yield from (row for row in json_lines(file, self.tally, self.expected) if row.number in best_lines)

    def read(self, row: Row) -> StudyRows:
        """Return a judge's scores and ranks, or rows with the status of a missing verdict."""
        prompt, theme = row.maybe_text("question_text"), row.maybe_text("specialty")
        instance = InstanceRows(row.text("question_id"), prompt=prompt, theme=theme)
        judgment = {"judge": self.options.judge or row.text("judge_model"), "variant": _variant(row)}
        if "candidates" in row.values:
            rows = _list_judgments(row, judgment)
        else:
            columns = judgment | {"paradigm": "direct_assessment", "generator": row.text("generator_model")}
            has_scores = row.values.get("scores") is not None
            result = _mean(row.object_of("scores")) if has_scores else {"status": _no_verdict(row)}
            rows = [columns | result]
        call: dict[str, Any] = {
            "raw": row.maybe_text("judge_response_text"),
            "prompt_tokens": count_of(row.values.get("input_tokens")),
            "completion_tokens": count_of(row.values.get("output_tokens")),
        }
        for each in rows:
            instance.judgment(**each, **call)
            call = {}  # stored on its first row only
        return instance.tables


def _list_judgments(row: Row, judgment: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the judgments of answers shown together: a rank of each, and a score if it was requested."""
    candidates = [row.within("candidates", each) for each in row.list_of("candidates")]
    models = {each.text("response_id"): each.text("generator_model") for each in candidates}
    ordering = json.dumps(list(models.values()), ensure_ascii=False)
    result = row.maybe_object("result")
    ranking = result.values.get("model_ranking", result.values.get("ranking"))
    names = [] if ranking is None else row.within("ranking", ranking).list_of("response_ids")
    if ranking is not None and sorted(map(str, names)) != sorted(models):
        raise BadRowError("the ranking does not hold every answer once", names)
    ranks = {name: float(rank) for rank, name in enumerate(names, start=1)}
    rows = [
        judgment
        | {"paradigm": "listwise", "generator": model, "ordering": ordering, "position": place}
        | ({"score": ranks[name], "status": "ok"} if ranks else {"status": _no_verdict(row)})
        for place, (name, model) in enumerate(models.items(), start=1)
    ]
    for value in result.maybe_list("scored_responses"):
        response = row.within("scored_responses", value)
        model = models.get(response.text("response_id"))
        if model is None:
            raise BadRowError("an answer is scored that was not shown", response.text("response_id"))
        columns = judgment | {"paradigm": "direct_assessment", "generator": model}
        columns["variant"] = _variant(row, in_list=True)
        rows.append(columns | _mean(response.object_of("scores")))
    return rows


def _mean(scores: Row) -> dict[str, Any]:
    """Return the mean over the axes as a share of the maximum; unparsed if an axis has no score."""
    numbers = map(number_of, map(scores.values.get, AXES))
    present = [number for number in numbers if number is not None]
    if len(present) < len(AXES):
        return {"status": "unparsed"}
    if not all(0 <= number <= 5 for number in present):
        raise BadRowError("a score is not from 0 to 5", present)
    return {"status": "ok", "score": sum(present) / _BEST_SUM}


def _no_verdict(row: Row) -> str:
    """Return the status of a judgment without a verdict."""
    return "unparsed" if row.values.get("judge_response_text") else "error"


def _variant(row: Row, *, in_list: bool = False) -> str | None:
    """Return how the prompt differed, if it did: with names shown, without rubric, scored in a list."""
    template = row.maybe_text("prompt_template_id") or ""
    no_rubric, revealed = "direct_" in template, "identity_revealed" in template
    signs = {"identity_revealed": revealed, "no_rubric": no_rubric, "in_list": in_list}
    return "-".join(name for name, holds in signs.items() if holds) or None


FORMAT = MedicalSelfPreference.as_format(
    "medical-self-preference",
    "Medical LLM Self-Preference",
    "https://github.com/DaneshjouLab/Medical-LLM-Self-Preference",
    ImportedField("question_id, question_text, specialty", "instances.instance_id, prompt, theme"),
    ImportedField("judge_model", "judgments.judge"),
    ImportedField("generator_model", "judgments.generator"),
    ImportedField("candidates", "judgments.generator, ordering, position", "in the order shown"),
    ImportedField("scores", "judgments.score", "the mean of five axes, as a share of 5"),
    ImportedField("result", "judgments.score, status", "ranks, 1 the best, and scores"),
    ImportedField("prompt_template_id", "judgments.variant"),
    ImportedField("status, attempt", "judgments.status", "the last attempt that succeeded counts"),
    ImportedField("judge_response_text", "judgments.raw"),
    ImportedField("input_tokens, output_tokens", "judgments.prompt_tokens, completion_tokens"),
    signs=(
        ("judge_model", "question_id", "judging_case", "candidates"),
        ("judge_model", "generator_model", "ranking_requested"),
    ),
)
