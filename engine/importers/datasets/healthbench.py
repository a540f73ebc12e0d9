"""The data set HealthBench, and its meta-evaluation with physicians' labels."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from engine.importers.datasets.file_records import (
    DataSet,
    DataSetImporter,
    FileRecord,
    Rows,
    json_lines,
    rows_of,
)
from engine.importers.reading.study_builder import InstanceRows
from engine.phrases import quantity
from engine.store.study_files import StudyInfo

_REMEDY = "give a file of HealthBench such as 2025-05-07-06-14-12_oss_eval.jsonl"

_META_REMEDY = "give the file of its meta-evaluation, 2025-05-07-06-14-12_oss_meta_eval.jsonl"

_SOURCE = "https://github.com/openai/simple-evals"


@DataSetImporter
def import_healthbench(path: Path) -> DataSet:
    """Read HealthBench (Arora et al. 2025): conversations, and their rubrics with points, axis and theme.

    A physician's ideal completion, if there is one, is the reference answer. Raises BadInputError naming the
    line.
    """
    items = []
    for entry in json_lines(path, _REMEDY):
        tags = _tags(entry, entry.maybe("example_tags", list) or [])
        theme, category = tags.get("theme"), tags.get("physician_agreed_category")
        ideal = (entry.maybe("ideal_completions_data", dict) or {}).get("ideal_completion")
        rows = InstanceRows(**_instance(entry), theme=theme, category=category, reference_answer=ideal)
        rubrics = entry.get("rubrics", list)
        if not rubrics:
            raise entry.error("criteria is empty, expected at least one")
        for place, value in enumerate(rubrics, start=1):
            rubric = entry.within(f"criterion {place}", value)
            criterion, points = rubric.get("criterion", str), rubric.numeric("points")
            axis = _tags(rubric, rubric.maybe("tags", list) or []).get("axis")
            rows.rubric(f"r{place}", criterion=criterion, points=points, axis=axis, theme=theme)
        items.append(rows)
    info = StudyInfo(title="HealthBench", dataset="healthbench", licence="MIT", source=_SOURCE)
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_meta(path: Path) -> DataSet:
    """Read completions as responses, and physicians' labels of them as references `human:<id>`.

    The file does not say which model wrote a completion: those of a conversation are numbered in order of
    appearance, so `completion-1` is not a model. Contradictory labels by one physician give no verdict.
    Raises BadInputError naming the line.
    """
    meta = _Meta()
    for entry in json_lines(path, _META_REMEDY):
        meta.add(entry)
    info = StudyInfo(
        title="HealthBench meta-evaluation",
        dataset="healthbench-meta",
        licence="MIT",
        source=_SOURCE,
        notes="completion-1, completion-2, ... number the completions of a conversation; who wrote which "
        "is not public, so that they are no models and measures by model mean nothing here.",
    )
    warning = f"{quantity(meta.contradictions, 'label')} contradicted by the same physician: no verdict"
    families = {generator: "unknown" for _, generator in meta.texts}
    return DataSet(info, meta.rows(), [warning] if meta.contradictions else [], families)


class _Meta:
    """The meta-evaluation being read; the file has a line for each completion and criterion."""

    def __init__(self) -> None:
        self.instances: dict[str, dict[str, Any]] = {}
        self.completions: dict[str, dict[str, str]] = defaultdict(dict)  # generators by instance and id
        self.rubrics: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)  # by instance and criterion
        self.texts: dict[tuple[str, str], str] = {}
        self.labels: dict[tuple[str, str, str, str], bool | None] = {}
        self.contradictions = 0

    def add(self, entry: FileRecord) -> None:
        instance = _instance(entry)
        key = instance["instance"]
        self.instances.setdefault(key, {"instance_id": key, "prompt": instance["prompt"]})
        names, rubrics = self.completions[key], self.rubrics[key]
        generator = names.setdefault(entry.get("completion_id", str), f"completion-{len(names) + 1}")
        criterion = entry.get("rubric", str)
        new_rubric = {"instance_id": key, "rubric_id": f"r{len(rubrics) + 1}", "criterion": criterion}
        rubric = rubrics.setdefault(criterion, new_rubric)
        text = entry.get("completion", str)
        if self.texts.setdefault((key, generator), text) != text:
            raise entry.error(
                f"completion_id {entry.values['completion_id']!r} has another text in an earlier line"
            )
        rubric["theme"] = (entry.maybe("category", str) or "").removeprefix("cluster:") or None
        people, labels = entry.get("anonymized_physician_ids", list), entry.get("binary_labels", list)
        if len(people) != len(labels):
            problem = f"it has {len(people)} physicians and {len(labels)} labels, expected equal numbers"
            raise entry.error(problem)
        for person, label in zip(people, labels, strict=True):
            label_key = (key, generator, rubric["rubric_id"], f"human:{person}")
            met = entry.fits("binary_labels", label, bool)
            if self.labels.setdefault(label_key, met) != met:
                self.labels[label_key] = None
                self.contradictions += 1

    def rows(self) -> dict[str, Rows]:
        return {
            "instances": list(self.instances.values()),
            "rubrics": [rubric for rubrics in self.rubrics.values() for rubric in rubrics.values()],
            "responses": [
                {"instance_id": instance, "generator": generator, "text": text}
                for (instance, generator), text in self.texts.items()
            ],
            "references": [
                {"instance_id": i, "generator": g, "rubric_id": r, "source": source, "met": met}
                for (i, g, r, source), met in self.labels.items()
            ],
        }


def _instance(entry: FileRecord) -> dict[str, str]:
    messages = entry.get("prompt", list)
    for message in messages:
        record = entry.within("prompt", message)
        record.get("role", str), record.get("content", str)
    turns = [{"role": message["role"], "content": message["content"]} for message in messages]
    return {"instance": entry.get("prompt_id", str), "prompt": json.dumps(turns, ensure_ascii=False)}


def _tags(entry: FileRecord, tags: list[Any]) -> dict[str, str]:
    """Return the first value of each kind of tag: `axis:accuracy` gives `accuracy` under `axis`."""
    labels: dict[str, str] = {}
    for tag in tags:
        name, colon, value = entry.fits("tags", tag, str).partition(":")
        if colon:
            labels.setdefault(name, value)
    return labels
