"""Files of other tools, written by hand from their documented formats, awkward rows included."""

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine.importers.format_loading import row_format
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.model_names.corrections import NONE, Corrections
from engine.importers.pipeline import reading
from engine.store import Store
from engine.store.study_files import StudyFiles

Rows = list[dict[str, Any]]


def lines(path: Path, rows: Iterable[object]) -> Path:
    """Write rows as JSON Lines; a text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), "utf-8")
    return path


def dump(path: Path, content: object) -> Path:
    """Write an object or a list as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")
    return path


def imported(
    form: str,
    path: Path,
    options: ImportOptions | None = None,
    corrections: Corrections = NONE,
    *,
    strict: bool = False,
) -> tuple[MappingReport, StudyFiles]:
    """Read a file and write it as a study beside it; return the report and the study."""
    store = Store(path.parent / "store")
    with reading(row_format(form), path, options, corrections=corrections, strict=strict) as read:
        read.write(store, "read")
    return read.report, store.open("read")


def judgments(study: StudyFiles, *columns: str) -> list[tuple[Any, ...]]:
    """Return columns of the judgments, row by row."""
    return rows_of(study.judgments(columns), *columns)


def rows_of(table: pa.Table, *columns: str) -> list[tuple[Any, ...]]:
    """Return columns of a table, row by row."""
    return [tuple(row[name] for name in columns) for row in table.select(columns).to_pylist()]


ALPACA = {
    "instruction": "Name a fruit.",
    "output_1": "Apple",
    "generator_1": "text_davinci_003",
    "dataset": "helpful_base",
    "output_2": "A pear.",
    "generator_2": "gpt-4o-2024-05-13",
    "annotator": "weighted_alpaca_eval_gpt4_turbo",
    "preference": 1.9,
    "price_per_example": 0.01,
    "time_per_example": 0.7,
    "raw_completion": "M",
}


def alpaca(*preferences: object) -> Rows:
    """Return annotations with these preferences, each of a separate question."""
    return [
        {**ALPACA, "instruction": f"Name {number} fruits.", "preference": preference}
        for number, preference in enumerate(preferences)
    ]


def alpaca_board(annotator: str, baseline: str, counts: dict[str, tuple[int, int, int]]) -> Rows:
    """Return annotations in which each model has these wins, losses and ties against the baseline.

    Every model answers the same questions, of two data sets; its wins and losses are spread over them.
    """
    rows = []
    for model, (won, lost, tied) in counts.items():
        preferences = [2.0] * won + [1.0] * lost + [1.5] * tied
        for number, preference in enumerate(preferences):
            place = number * 7919 % len(preferences)
            about = {"instruction": f"Name {place} fruits.", "dataset": ("koala", "vicuna")[place % 2]}
            texts = {
                f"output_{side}": fruit * (1 + place % 7)
                for side, fruit in ((1, "Apples. "), (2, "A pear. "))
            }
            models = {"generator_1": baseline, "generator_2": model, "annotator": annotator}
            rows.append({**ALPACA, **about, **texts, **models, "preference": preference})
    return rows


def promptfoo(*components: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return results of one test and one provider with these component results."""
    result = {
        "promptIdx": 0,
        "testIdx": 0,
        "provider": {"id": "openai:gpt-4o-mini", "label": ""},
        "prompt": {"raw": "Name a fruit.", "label": "Name a {{thing}}."},
        "vars": {"thing": "fruit"},
        "response": {"output": "Apple"},
        "success": True,
        "failureReason": 0,
        "gradingResult": {"pass": True, "score": 1, "componentResults": list(components)},
        "testCase": {"options": {"provider": "openai:gpt-4.1"}},
        **more,
    }
    return {"evalId": "eval-1", "results": {"version": 3, "results": [result]}, "config": {}}


def component(kind: str, value: object, passed: object, reason: str = "", **more: Any) -> dict[str, Any]:
    """Return promptfoo's record of one assertion."""
    result = {"pass": passed, "score": float(passed is True), "reason": reason}
    return result | {"assertion": {"type": kind, "value": value}} | more


def sample(number: int, value: object, **more: Any) -> dict[str, Any]:
    """Return a sample of an Inspect log, graded by `model_graded_qa` with this value."""
    grading = [
        {"role": "user", "content": "Grade."},
        {"role": "assistant", "content": "GRADE: C", "model": "claude-3-5-sonnet-20241022"},
    ]
    score = {"value": value, "answer": "Apple", "explanation": "It is one.", "metadata": {"grading": grading}}
    return {
        "id": number,
        "epoch": 1,
        "input": [{"role": "user", "content": [{"type": "text", "text": f"Name {number} fruits."}]}],
        "target": ["Apple"],
        "output": {"model": "gpt-4o", "choices": [{"message": {"role": "assistant", "content": "Apple"}}]},
        "scores": {"model_graded_qa": score},
        **more,
    }


LOG = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "inspect_evals/fruit",
        "model": "openai/gpt-4o",
        "scorers": [{"name": "model_graded_qa"}],
    },
}


def archive(path: Path, *samples: dict[str, Any]) -> Path:
    """Write an `.eval` log."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", json.dumps(LOG))
        packed.writestr("summaries.json", "[]")
        for one in samples:
            packed.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
    return path
