"""A judge's pairs of two models as the JSON that LLM Comparator shows.

A rating's score is about A and B whichever was shown first: 1 where A won, -1 where B did, 0 for a tie; where
probabilities are stored, 3 (p - 1/2), on the tool's scale from -1.5 to 1.5. An example's score is the mean of
its ratings. Judgments without a verdict are left out; an example without any has no score.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.conversation import conversation
from engine.errors import UsageError, unknown

if TYPE_CHECKING:
    from engine.store import StudyFiles

_COLUMNS = (
    *("judge", "paradigm", "instance_id", "generator", "opponent", "first"),
    *("choice", "p_generator", "status", "explanation", "raw"),
)
_WON = {"generator": 1.0, "tie": 0.0, "opponent": -1.0}
_WIDEST = 3.0


def side_by_side(study: "StudyFiles", judge: str, a: str, b: str) -> dict[str, Any]:
    """Return LLM Comparator's object of what a judge said of the pairs of two models.

    Raises UsageError for an unknown name, and where the judge compared the two nowhere.
    """
    models = study.table("models", ["model"])["model"].to_pylist()
    for kind, name in (("judge", judge), ("model", a), ("model", b)):
        if name not in models:
            raise unknown(kind, name, models)
    ratings: dict[str, list[dict[str, Any]]] = {}
    for row in _judged(study, judge, {a, b}):
        rated = ratings.setdefault(row["instance_id"], [])
        if row["status"] == "ok":
            rated.append(_rating(row, a))
    if not ratings:
        raise UsageError(f"{judge!r} compared {a!r} and {b!r} nowhere in {study.name!r}; choose other models")
    texts = _responses(study, {a, b})
    examples = []
    for row in study.table("instances", ["instance_id", "prompt", "category"]).to_pylist():
        instance = row["instance_id"]
        if instance in ratings:
            one, other = texts.get((instance, a)), texts.get((instance, b))
            examples.append(_example(row, ratings[instance], one, other))
    return {
        "metadata": {
            "source_path": f"{study.name}, judge {judge}",
            "custom_fields_schema": [{"name": "instance_id", "type": "string"}],
        },
        "models": [{"name": a}, {"name": b}],
        "examples": examples,
    }


def _judged(study: "StudyFiles", judge: str, models: set[str]) -> Iterator[dict[str, Any]]:
    found = study.judgments(_COLUMNS, {"judge": [judge], "paradigm": ["pairwise"]})
    for row in found.to_pylist():
        if {row["generator"], row["opponent"]} == models:
            yield row


def _rating(row: dict[str, Any], a: str) -> dict[str, Any]:
    turn = 1.0 if row["generator"] == a else -1.0
    share = row["p_generator"]
    score = turn * (_WON[row["choice"]] if share is None else _WIDEST * (share - 0.5))
    shown = {"generator": row["generator"], "opponent": row["opponent"]}.get(row["first"])
    return {
        "score": score + 0.0,  # no -0.0
        "is_flipped": None if shown is None else shown != a,
        "rating_label": row["raw"],
        "rationale": row["explanation"],
        "custom_fields": {},
    }


def _example(
    row: dict[str, Any], ratings: list[dict[str, Any]], text_a: str | None, text_b: str | None
) -> dict[str, Any]:
    scores = [rating["score"] for rating in ratings]
    return {
        "input_text": "\n\n".join(message.text for message in conversation(row["prompt"])),
        "tags": [row["category"]] if row["category"] else [],
        "output_text_a": text_a or "",
        "output_text_b": text_b or "",
        "score": sum(scores) / len(scores) if scores else None,
        "individual_rater_scores": [{"index": i, **rating} for i, rating in enumerate(ratings)],
        "custom_fields": {"instance_id": row["instance_id"]},
    }


def _responses(study: "StudyFiles", models: set[str]) -> dict[tuple[str, str], str]:
    if not study.has("responses"):
        return {}
    rows = study.table("responses", ["instance_id", "generator", "transform", "text"]).to_pylist()
    return {
        (row["instance_id"], row["generator"]): row["text"]
        for row in rows
        if row["generator"] in models and row["transform"] == "none"
    }
