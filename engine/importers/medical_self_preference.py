"""Medical LLM Self-Preference (Ansari, Natarajan, Fanous and Daneshjou 2026): judges of themselves, too.

Three kinds of rows, one kind in each file: a judge's scores of one answer (`score_only.jsonl`), its ranking
of eight (`direct_ranking.jsonl`), or both at once (`rubric_and_model_ranking.jsonl`, with names shown in
`identity_revealed_...`). A row is an attempt: the last that succeeded counts, as in the authors' analysis.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import BadRowError, ImportStats, Row, count_of, number_of

_EXPECTED = (
    "judgments of Medical LLM Self-Preference in JSON Lines: judge_model, question_id, attempt, status, and "
    "scores with generator_model, or result with candidates"
)
AXES = ("accuracy", "clinical_utility", "source_quality", "verifiability", "completeness")
"""What each answer is scored on, from 0 to 5."""

_JUDGMENT = ("experiment_id", "judge_model", "question_id", "prompt_template_id", "generation_id")
"""What tells judgments apart that are not attempts at the same one."""

_MOST = 5 * len(AXES)
_POINTER = b"version https://git-lfs.github.com"


class MedicalSelfPreference(FileReader):
    """Attempts being read, the last good one of each judgment."""

    suffixes = (".jsonl",)
    expected = _EXPECTED

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield of each judgment the last attempt that succeeded, else the last.

        Raises BadInputError for what Git leaves where its large files were not fetched.
        """
        with file.open("rb") as stream:
            if stream.read(len(_POINTER)) == _POINTER:
                raise BadInputError(
                    f"{file.name!r} is a pointer to a large file of Git; run `git lfs pull` first"
                )
        best: dict[tuple[str, ...], tuple[bool, int, int]] = {}
        attempts = 0
        for row in json_lines(file, ImportStats(), _EXPECTED):
            attempt = count_of(row.values.get("attempt")) or 0
            rank = (row.values.get("status") == "succeeded", attempt, row.number)
            key = tuple(str(row.values.get(name)) for name in _JUDGMENT)
            best[key] = max(rank, best.get(key, rank))
            attempts += 1
        chosen = {number for _, _, number in best.values()}
        if attempts > len(chosen):
            self.tally.note(f"{file.name}: {attempts - len(chosen):,} attempts that were repeated later")
        yield from (row for row in json_lines(file, self.tally, _EXPECTED) if row.number in chosen)

    def read(self, row: Row) -> StudyRows:
        """Return a judge's scores and ranks, or that it gave none."""
        instance = {
            "instance_id": row.text("question_id"),
            "prompt": row.maybe_text("question_text"),
            "theme": row.maybe_text("specialty"),
        }
        judged = {
            "instance_id": instance["instance_id"],
            "judge": self.options.judge or row.text("judge_model"),
            "variant": _variant(row),
            "raw": row.maybe_text("judge_response_text"),
            "prompt_tokens": count_of(row.values.get("input_tokens")),
            "completion_tokens": count_of(row.values.get("output_tokens")),
        }
        if "candidates" in row.values:
            rows = _listed(row, judged)
        else:
            shared = judged | {"paradigm": "direct_assessment", "generator": row.text("generator_model")}
            scored = row.values.get("scores") is not None
            rows = [shared | (_mean(row.object_of("scores")) if scored else {"status": _without(row)})]
        for later in rows[1:]:  # what a call cost and said stands on its first row
            for name in ("raw", "prompt_tokens", "completion_tokens"):
                later.pop(name, None)
        return {"instances": [instance], "judgments": rows}


def _listed(row: Row, judged: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the judgments of answers shown together: a rank of each, and a score where it was asked for."""
    shown = [row.within("candidates", one) for one in row.listed("candidates")]
    models = {one.text("response_id"): one.text("generator_model") for one in shown}
    ordering = json.dumps(list(models.values()), ensure_ascii=False)
    given = row.maybe_object("result")
    ranking = given.values.get("model_ranking", given.values.get("ranking"))
    names = [] if ranking is None else row.within("ranking", ranking).listed("response_ids")
    if ranking is not None and sorted(map(str, names)) != sorted(models):
        raise BadRowError("the ranking does not hold every response once", names)
    ranks = {name: float(rank) for rank, name in enumerate(names, start=1)}
    rows = [
        judged
        | {"paradigm": "listwise", "generator": model, "ordering": ordering, "position": place}
        | ({"score": ranks[name], "status": "ok"} if ranks else {"status": _without(row)})
        for place, (name, model) in enumerate(models.items(), start=1)
    ]
    for one in given.maybe_listed("scored_responses"):
        scored = row.within("scored_responses", one)
        model = models.get(scored.text("response_id"))
        if model is None:
            raise BadRowError("a response is scored that was not shown", scored.text("response_id"))
        shared = judged | {"paradigm": "direct_assessment", "generator": model}
        shared["variant"] = _variant(row, listed=True)
        rows.append(shared | _mean(scored.object_of("scores")))
    return rows


def _mean(scores: Row) -> dict[str, Any]:
    """Return the mean over the axes as a share of the best; unparsed where an axis has no score."""
    numbers = [number_of(scores.values.get(axis)) for axis in AXES]
    known = [number for number in numbers if number is not None]
    if len(known) < len(AXES):
        return {"status": "unparsed"}
    if not all(0 <= number <= 5 for number in known):
        raise BadRowError("a score is not from 0 to 5", known)
    return {"status": "ok", "score": sum(known) / _MOST}


def _without(row: Row) -> str:
    """Return why there is no verdict."""
    return "unparsed" if row.values.get("judge_response_text") else "error"


def _variant(row: Row, *, listed: bool = False) -> str | None:
    """Return how it was asked, where not as usual: with names shown, without rubric, scored in a list."""
    template = row.maybe_text("prompt_template_id") or ""
    signs = {
        "identity_revealed": "identity_revealed" in template,
        "no_rubric": "direct_" in template,
        "in_list": listed,
    }
    return "-".join(name for name, there in signs.items() if there) or None


FORMAT = Format(
    "medical-self-preference",
    "Medical LLM Self-Preference",
    "https://github.com/DaneshjouLab/Medical-LLM-Self-Preference",
    _EXPECTED,
    (
        Field("question_id, question_text, specialty", "instances.instance_id, prompt, theme"),
        Field("judge_model", "judgments.judge"),
        Field("generator_model", "judgments.generator"),
        Field("candidates", "judgments.generator, ordering, position", "in the order shown"),
        Field("scores", "judgments.score", "the mean of five axes, as a share of 5"),
        Field("result", "judgments.score, status", "ranks, 1 the best, and scores"),
        Field("prompt_template_id", "judgments.variant"),
        Field("status, attempt", "judgments.status", "the last attempt that succeeded counts"),
        Field("judge_response_text", "judgments.raw"),
        Field("input_tokens, output_tokens", "judgments.prompt_tokens, completion_tokens"),
    ),
    MedicalSelfPreference,
)
