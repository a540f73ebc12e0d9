"""Texts to translate or to summarize, with reference answers: WMT19, CNN/DailyMail, XSum, SummEval."""

import json
from collections.abc import Iterable
from pathlib import Path

from engine.importers.datasets.file_records import (
    DataSet,
    DataSetImporter,
    FileRecord,
    Rows,
    json_lines,
    rows_of,
)
from engine.importers.datasets.question_sets import parquet_records
from engine.importers.reading.study_builder import InstanceRows
from engine.store.study_files import StudyInfo

_WMT = "give de-en/validation-00000-of-00001.parquet of wmt/wmt19"
_CNN = "give 3.0.0/test-00000-of-00001.parquet of abisee/cnn_dailymail"
_XSUM = "give data/test-00000-of-00001.parquet of EdinburghNLP/xsum"
_SUMMEVAL = "give test-00000-of-00001-35901af5f6649399.parquet of mteb/summeval"
_SUMMEVAL_SCORES = "give model_annotations.aligned.jsonl of Yale-LILY/SummEval"

_TRANSLATE = "Translate the following German text into English. Write the translation only.\n\n{}"
_SUMMARIZE = "Summarize the following article in {}. Write the summary only.\n\n{}"
_FAITHFUL_TRANSLATION = "The translation says all that the German text says, and nothing else."
_FAITHFUL_SUMMARY = "The summary says nothing that the article does not say."

DIMENSIONS = {
    "coherence": "The summary is well structured: its sentences build one body of information.",
    "consistency": "The summary states only facts that the article supports.",
    "fluency": "Each sentence of the summary is well formed and easy to read.",
    "relevance": "The summary has the important content of the article, and no more.",
}
"""What SummEval's annotators score from 1 to 5."""

_LOWEST, _HIGHEST = 1, 5
_OPTIONS = json.dumps([{"score": score, "text": ""} for score in range(_LOWEST, _HIGHEST + 1)])


@DataSetImporter
def import_wmt19(path: Path) -> DataSet:
    """Read WMT19's German sentences (newstest2018), each with a person's English translation."""
    items = []
    for entry in parquet_records(path, _WMT):
        texts = entry.within("translation", entry.get("translation", dict))
        prompt, answer = _TRANSLATE.format(texts.get("de", str)), texts.get("en", str)
        rows = InstanceRows(
            f"{entry.number:04}", prompt=prompt, category="de-en", language="en", reference_answer=answer
        )
        rows.rubric("faithful", criterion=_FAITHFUL_TRANSLATION, axis="accuracy")
        items.append(rows)
    return _text_set("WMT19 (de-en)", "wmt19-de-en", "none stated", "wmt/wmt19", items)


@DataSetImporter
def import_cnn_dailymail(path: Path) -> DataSet:
    """Read CNN/DailyMail's articles, each with its editors' highlights as the reference summary."""
    records = parquet_records(path, _CNN)
    items = [_summary(entry, "article", "highlights", "three or four sentences") for entry in records]
    return _text_set(
        "CNN/DailyMail", "cnn-dailymail", "Apache-2.0 for its preparation", "abisee/cnn_dailymail", items
    )


@DataSetImporter
def import_xsum(path: Path) -> DataSet:
    """Read XSum's articles of the BBC, each with its one-sentence summary."""
    items = [_summary(entry, "document", "summary", "one sentence") for entry in parquet_records(path, _XSUM)]
    return _text_set("XSum", "xsum", "none stated", "EdinburghNLP/xsum", items)


@DataSetImporter
def import_summeval(path: Path) -> DataSet:
    """Read SummEval's 100 articles, each with CNN/DailyMail's own summary as the reference.

    The file does not name the models of its machine summaries, so these are not read.
    """
    items = []
    for entry in parquet_records(path, _SUMMEVAL):
        summaries = entry.get("human_summaries", list)
        if not summaries:
            raise entry.error("human_summaries is empty, expected the article's own summary first")
        entry.values["own_summary"] = summaries[0]
        items.append(_summary(entry, "text", "own_summary", "three or four sentences"))
    return _text_set("SummEval", "summeval", "MIT", "mteb/summeval", items)


@DataSetImporter
def import_summeval_scores(path: Path) -> DataSet:
    """Read 16 systems' summaries with three experts' scores of them on four dimensions.

    The articles are not in the file; where its authors' program has added them (`text`), they are read. The
    scores of crowd workers are not read: the paper finds them at odds with the experts'.
    """
    items: dict[str, InstanceRows] = {}
    references: Rows = []
    for entry in json_lines(path, _SUMMEVAL_SCORES):
        name, system = entry.get("id", str), entry.get("model_id", str)
        if name not in items:
            article = entry.maybe("text", str)
            prompt = None if article is None else _SUMMARIZE.format("three or four sentences", article)
            items[name] = InstanceRows(name, prompt=prompt, category="summary")
            for dimension, criterion in DIMENSIONS.items():
                items[name].rubric(dimension, criterion=criterion, options=_OPTIONS)
        items[name].response(system, entry.get("decoded", str))
        for number, scores in enumerate(entry.get("expert_annotations", list), 1):
            place = entry.within("expert_annotations", scores)
            for dimension in DIMENSIONS:
                score = place.numeric(dimension)
                if not _LOWEST <= score <= _HIGHEST:
                    raise place.error(f"{dimension} is {score:g}, expected a number from 1 to 5")
                key = {"instance_id": name, "generator": system, "rubric_id": dimension}
                references.append({**key, "source": f"human:expert-{number}", "score": score})
    data = _text_set(
        "SummEval: experts' scores", "summeval-scores", "MIT", "Yale-LILY/SummEval", items.values()
    )
    return DataSet(data.info, {**data.rows, "references": references})


def _summary(entry: FileRecord, text: str, summary: str, length: str) -> InstanceRows:
    """Return an article to summarize with its reference summary, from the columns of these names."""
    prompt = _SUMMARIZE.format(length, entry.get(text, str).strip())
    answer, name = entry.get(summary, str).strip(), entry.get("id", str)
    rows = InstanceRows(name, prompt=prompt, category="summary", reference_answer=answer)
    rows.rubric("faithful", criterion=_FAITHFUL_SUMMARY, axis="accuracy")
    return rows


def _text_set(title: str, name: str, licence: str, place: str, items: Iterable[InstanceRows]) -> DataSet:
    host = "https://github.com" if place.startswith("Yale") else "https://huggingface.co/datasets"
    info = StudyInfo(title=title, dataset=name, licence=licence, source=f"{host}/{place}")
    return DataSet(info, rows_of(items))
