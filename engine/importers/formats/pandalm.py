"""PandaLM: pairs of responses with people's preferences and two judges' verdicts."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from engine.importers.datasets.file_records import DataSet, DataSetImporter, FileRecord, Rows, json_lines
from engine.importers.reading.files import file_in
from engine.importers.reading.format import WholeFormat
from engine.importers.reading.rows import text_or_none, verdict
from engine.store.study_files import StudyInfo

NAME = "pandalm"
PEOPLE = ("annotator1", "annotator2", "annotator3")
CHOICES = {"0": "tie", "1": "generator", "2": "opponent"}
JUDGES = {"gpt35_verdict": "gpt-3.5-turbo", "pandalm_verdict": "pandalm-7b"}
FAMILIES = {
    "bloom-7b": "BLOOM",
    "cerebras-gpt-6.7B": "Cerebras-GPT",
    "llama-7b": "LLaMA",
    "opt-7b": "OPT",
    "pythia-6.9b": "Pythia",
    "gpt-3.5-turbo": "GPT",
    "pandalm-7b": "LLaMA",
}

_REMEDY = "give the human evaluation set of PandaLM as JSON Lines, one pair on each line"
_TEXTS = ("instruction", "input", "cmp_key", "response1", "response2")


@DataSetImporter
def import_pandalm(path: Path) -> DataSet:
    """Read PandaLM's human evaluation set: pairs with people's preferences and two judges' verdicts.

    A question is an instance. If a model answered it several times, pairs with further answers are instances
    of their own (`7`, `7-2`). Verdicts of a judge other than the three become `unparsed` rows. Raises
    BadInputError naming the line and the field.

    Each line is one pair: `instruction`, `input`, `cmp_key` (the two models, `one_other`), `response1`,
    `response2`, and for each of three annotators 0 (a tie), 1 or 2 (the better response).
    """
    path = file_in(path, ".jsonl", ".json", expected="the human evaluation set of PandaLM")
    info = StudyInfo(
        name=NAME,
        title="PandaLM: pairs compared by three people",
        dataset="PandaLM",
        provenance="imported",
        licence="Apache-2.0",
        source="https://github.com/WeOpenML/PandaLM",
        notes="In which order a judge or a person saw the two answers is not known.",
    )
    return DataSet(info, _rows(json_lines(path, _REMEDY)), families=FAMILIES)


def _rows(entries: Iterable[FileRecord]) -> dict[str, Rows]:
    rows: dict[str, Rows] = defaultdict(list)
    questions: dict[tuple[str | None, str], int] = {}
    instances: dict[str, dict[str, Any]] = {}
    answers: dict[str, dict[str, str]] = defaultdict(dict)  # the texts of each instance, by model
    judged_pairs = set()
    for entry in entries:
        category, prompt, texts = _question(entry)
        question = questions.setdefault((category, prompt), len(questions) + 1)
        names = (f"{question}" if part == 1 else f"{question}-{part}" for part in count(1))
        # The first instance to which no model has answered differently before.
        instance = next(
            name for name in names if all(answers[name].get(m, text) == text for m, text in texts.items())
        )
        new_instance = {"instance_id": instance, "prompt": prompt, "category": category}
        instances[instance] = instances.pop(instance, new_instance)  # in the order of their last lines
        rows["responses"] += [
            {"instance_id": instance, "generator": model, "text": text}
            for model, text in texts.items()
            if model not in answers[instance]
        ]
        answers[instance] |= texts
        keys = {"instance_id": instance, **dict(zip(("generator", "opponent"), texts, strict=True))}
        item = entry.text("idx") if "idx" in entry.values else str(entry.number)
        label = {"task": NAME, "item": item, "kind": "preference", **keys}
        for person in PEOPLE:
            entry.check_choice(person, entry.text(person), CHOICES)
            value = CHOICES[entry.text(person)]
            rows["annotations"].append({"annotator": person, **label, "value": value})
        if (instance, frozenset(texts)) in judged_pairs:
            continue  # a judge's second row on the same texts would count as a repeat
        judged_pairs.add((instance, frozenset(texts)))
        for field, judge in JUDGES.items():
            if field in entry.values:
                choice = (CHOICES | {"Tie": "tie"}).get(str(entry.values[field]))
                judgment = {"judge": judge, "paradigm": "pairwise", "first": "unknown", **keys}
                rows["judgments"].append(judgment | verdict("choice", choice))
    return rows | {"instances": list(instances.values())}


def _question(entry: FileRecord) -> tuple[str | None, str, dict[str, str]]:
    """Return the category and the prompt of a line, and the two responses by model."""
    texts = {field: entry.text(field) for field in _TEXTS}
    first, _, second = texts["cmp_key"].partition("_")
    if not (first and second) or first == second:
        raise entry.error(f"cmp_key is {texts['cmp_key'][:80]!r}, expected two models as one_other")
    prompt = "\n\n".join(part for part in (texts["instruction"], texts["input"]) if part)
    category = text_or_none(entry.values.get("motivation_app"))
    return category, prompt, {first: texts["response1"], second: texts["response2"]}


FORMAT = WholeFormat(
    "pandalm",
    "PandaLM pairs",
    "https://github.com/WeOpenML/PandaLM",
    import_pandalm,
    signs=(("idx", "annotator1", "annotator2", "annotator3"),),
)
