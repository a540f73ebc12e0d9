"""The human evaluation set of PandaLM: pairs of responses that three people and two models compared.

Each line is one pair: `instruction`, `input`, `cmp_key` (the two models, `one_other`), `response1`,
`response2`, and for each of three annotators 0 (a tie), 1 or 2 (the better response).
"""

from dataclasses import dataclass, replace
from pathlib import Path

from engine.importers.datasets import DataSet, DataSetImporter, FileRecord, Rows, json_lines
from engine.importers.reading.format import WholeFormat, file_in
from engine.importers.reading.rows import text_or_none
from engine.importers.reading.verdicts import verdict
from engine.store.study_files import StudyInfo

NAME = "pandalm"
TASK = "pandalm"
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
    """Take the pairs as a study with people's preferences and two judges' verdicts.

    A question is an instance; where a model gave it several answers, the pairs with the others are instances
    of their own (`7`, `7-2`). Answers of a judge that are none of the three become `unparsed` rows. Raises
    BadInputError naming the line and the field where the file is another.
    """
    path = file_in(path, ".jsonl", ".json", expected="the human evaluation set of PandaLM")
    pairs = _placed([_pair(entry) for entry in json_lines(path, _REMEDY)])
    info = StudyInfo(
        name=NAME,
        title="PandaLM: pairs compared by three people",
        dataset="PandaLM",
        provenance="imported",
        licence="Apache-2.0",
        source="https://github.com/WeOpenML/PandaLM",
        notes="In which order a judge or a person saw the two responses is not known.",
    )
    return DataSet(info, _rows(pairs))


@dataclass(frozen=True)
class _Pair:
    """One line of the file, read and checked."""

    item: str
    category: str | None
    prompt: str
    models: tuple[str, str]
    texts: tuple[str, str]
    people: tuple[str, ...]
    judges: dict[str, str | None]
    instance: str = ""

    @property
    def keys(self) -> dict[str, str]:
        return {"instance_id": self.instance, "generator": self.models[0], "opponent": self.models[1]}


def _pair(entry: FileRecord) -> _Pair:
    texts = {field: entry.written(field) for field in _TEXTS}
    one, _, two = texts["cmp_key"].partition("_")
    if not (one and two) or one == two:
        raise entry.error(f"cmp_key is {texts['cmp_key'][:80]!r}, expected two models as one_other")
    for person in PEOPLE:
        entry.among(person, entry.written(person), CHOICES)
    return _Pair(
        item=entry.written("idx") if "idx" in entry.values else str(entry.number),
        category=text_or_none(entry.values.get("motivation_app")),
        prompt="\n\n".join(part for part in (texts["instruction"], texts["input"]) if part),
        models=(one, two),
        texts=(texts["response1"], texts["response2"]),
        people=tuple(CHOICES[entry.written(person)] for person in PEOPLE),
        judges={
            field: (CHOICES | {"Tie": "tie"}).get(str(entry.values[field]))
            for field in JUDGES
            if field in entry.values
        },
    )


def _placed(pairs: list[_Pair]) -> list[_Pair]:
    """Return the pairs with their instances: one for each question, more where a model answered it anew."""
    questions: dict[tuple[str | None, str], int] = {}
    known: dict[tuple[int, int], dict[str, str]] = {}
    placed = []
    for pair in pairs:
        question = questions.setdefault((pair.category, pair.prompt), len(questions) + 1)
        telling = dict(zip(pair.models, pair.texts, strict=True))
        part = 1
        while any(
            known.setdefault((question, part), {}).get(model, text) != text for model, text in telling.items()
        ):
            part += 1
        known.setdefault((question, part), {}).update(telling)
        name = f"{question}" if part == 1 else f"{question}-{part}"
        placed.append(replace(pair, instance=name))
    return placed


def _rows(pairs: list[_Pair]) -> dict[str, Rows]:
    judges = [JUDGES[field] for field in JUDGES if any(field in pair.judges for pair in pairs)]
    models = dict.fromkeys([*(model for pair in pairs for model in pair.models), *judges])
    instances = {pair.instance: pair for pair in reversed(pairs)}
    # Each pair of one question once: a judge's second row on the same texts would be a repeat.
    distinct = {(pair.instance, frozenset(pair.models)): pair for pair in reversed(pairs)}
    responses = {
        (pair.instance, model): text
        for pair in pairs
        for model, text in zip(pair.models, pair.texts, strict=True)
    }
    return {
        "models": [{"model": model, "family": FAMILIES.get(model, model)} for model in models],
        "instances": [
            {"instance_id": name, "prompt": pair.prompt, "category": pair.category}
            for name, pair in reversed(instances.items())
        ],
        "responses": [
            {"instance_id": instance, "generator": model, "text": text}
            for (instance, model), text in responses.items()
        ],
        "annotations": [
            {"annotator": person, "task": TASK, "item": pair.item, "kind": "preference", **pair.keys}
            | {"value": value}
            for pair in pairs
            for person, value in zip(PEOPLE, pair.people, strict=True)
        ],
        "judgments": [
            {"judge": JUDGES[field], "paradigm": "pairwise", "first": "unknown", **pair.keys}
            | verdict("choice", choice)
            for pair in reversed(distinct.values())
            for field, choice in pair.judges.items()
        ],
    }


FORMAT = WholeFormat("pandalm", "PandaLM pairs", "https://github.com/WeOpenML/PandaLM", import_pandalm)
