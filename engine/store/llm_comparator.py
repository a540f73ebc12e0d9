"""A judge's verdicts on two models as JSON for LLM Comparator."""

from typing import Any

from engine import schema
from engine.errors import UsageError, unknown
from engine.messages import conversation
from engine.store.study_files import StudyFiles

_COLUMNS = (
    *("judge", "paradigm", "instance_id", "generator", "opponent", "first"),
    *("choice", "p_generator", "status", "explanation", "raw"),
)
_WIDEST = 3.0


def llm_comparator_json(study: StudyFiles, judge: str, a: str, b: str) -> dict[str, Any]:
    """Return a judge's pairwise judgments of two models as an object for LLM Comparator."""
    models = study.table("models", ["model"])["model"].to_pylist()
    for kind, name in (("judge", judge), ("model", a), ("model", b)):
        if name not in models:
            raise unknown(kind, name, models)
    ratings: dict[str, list[dict[str, Any]]] = {}
    for row in study.judgments(_COLUMNS, {"judge": [judge], "paradigm": ["pairwise"]}).to_pylist():
        if {row["generator"], row["opponent"]} != {a, b}:
            continue
        verdicts = ratings.setdefault(row["instance_id"], [])
        if row["status"] == "ok":
            verdicts.append(_rating(row, a))
    if not ratings:
        raise UsageError(f"{judge!r} never compared {a!r} with {b!r} in {study.name!r}; choose other models")
    where = {"generator": {a, b}, "transform": ["none"]}
    responses = study.table("responses", ["instance_id", "generator", "text"], where).to_pylist()
    texts = {(row["instance_id"], row["generator"]): row["text"] for row in responses}
    instances = study.table("instances", ["instance_id", "prompt", "category"]).to_pylist()
    return {
        "metadata": {
            "source_path": f"{study.name}, judge {judge}",
            "custom_fields_schema": [{"name": "instance_id", "type": "string"}],
        },
        "models": [{"name": a}, {"name": b}],
        "examples": [
            _example(row, ratings[instance], texts.get((instance, a)), texts.get((instance, b)))
            for row in instances
            if (instance := row["instance_id"]) in ratings
        ],
    }


def _rating(row: dict[str, Any], a: str) -> dict[str, Any]:
    sign = 1.0 if row["generator"] == a else -1.0
    share = row["p_generator"]
    score = sign * (schema.OUTCOMES[row["choice"]] if share is None else _WIDEST * (share - 0.5))
    first = {"generator": row["generator"], "opponent": row["opponent"]}.get(row["first"])
    return {
        "score": score + 0.0,  # no -0.0
        "is_flipped": None if first is None else first != a,
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
