"""What is missing from a study's judgments: verdicts that could not be read, and errors."""

import json
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from engine import paradigms, schema
from engine.collect.dispatch.run_status import ErrorWords
from engine.collect.dispatch.unread_answers import UnreadJudge
from engine.collect.rows.completed_calls import judgments_of_run
from engine.store.study_files import StudyFiles


def shortcomings(study: StudyFiles) -> tuple[dict[str, int], list[tuple[str, int]]]:
    """Return the numbers of a study's unparsed judgments by shortfall, and its most frequent error messages.

    Judgments that are unparsed for an unknown reason count under an empty name. Messages come with their
    numbers of judgments, most frequent first.
    """
    shortfalls: Counter[str] = Counter()
    words = ErrorWords()
    columns = ["status", "shortfall", "explanation"]
    for rows in study.judgment_batches(columns=columns):
        table = pa.table({name: rows[name].cast(pa.string()) for name in columns})
        unparsed = table.filter(pc.equal(table["status"], "unparsed"))["shortfall"].value_counts()
        for each in unparsed.to_pylist():
            shortfalls[each["values"] or ""] += each["counts"]
        errors = table.filter(pc.equal(table["status"], "error"))["explanation"].value_counts()
        for each in errors.to_pylist():
            words.add(each["values"] or "no words", each["counts"])
    return dict(shortfalls), words.most_frequent()


def unparsed_by_judge(study: StudyFiles) -> list[tuple[str, int]]:
    """Return the judges with unparsed judgments and the numbers of these, the most first."""
    judges = study.judgments(["judge"], {"status": ("unparsed",)})["judge"].cast(pa.string())
    counts = {each["values"]: each["counts"] for each in judges.value_counts().to_pylist()}
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def has_no_verdict(study: StudyFiles, run_id: str) -> bool:
    """Return whether a run has judgments and none of them is `ok`: all are unparsed, refused or errors."""
    is_judged = False
    for row in judgments_of_run(study, run_id, ["run_id", "status"]):
        if row["status"] == "ok":
            return False
        is_judged = True
    return is_judged


_FEWEST_ANSWERS = 10


def unread_judges(study: StudyFiles, run_id: str) -> list[UnreadJudge]:
    """Return the judges of a run of whose answers in a paradigm at least half could not be read.

    Of at least ten answers; failed calls are none. A call is unread if none of its rows could be read.
    """
    columns, group = ["judge", "paradigm", "call_id", "status"], ["judge", "paradigm"]
    rows = study.judgments(columns, {"run_id": (run_id,), "status": ("ok", "unparsed", "refused")})
    if "unparsed" not in rows["status"].unique().to_pylist():
        return []
    read = rows.filter(pc.not_equal(rows["status"].cast(pa.string()), "unparsed"))
    answers, answers_read = (_calls_by(group, each) for each in (rows, read))
    return [
        UnreadJudge(*key, unread, calls)
        for key, calls in answers.items()
        if calls >= _FEWEST_ANSWERS and 2 * (unread := calls - answers_read.get(key, 0)) >= calls
    ]


def _calls_by(group: list[str], rows: pa.Table) -> dict[tuple[str, str], int]:
    texts = pa.table({name: rows[name].cast(pa.string()) for name in (*group, "call_id")})
    counts = texts.group_by(group, use_threads=False).aggregate([("call_id", "count_distinct")])
    return {(row[group[0]], row[group[1]]): row["call_id_count_distinct"] for row in counts.to_pylist()}


def unread_calls(study: StudyFiles, run_id: str) -> dict[str, int]:
    """Return the numbers of a run's calls that `--redo` can request again, by its names for them.

    Responses without an answer are among them. Unparsed answers count by their shortfall, or as `unparsed` if
    that is unknown.
    """
    kinds: dict[str, set[str]] = {}
    columns = ["run_id", "instance_id", "generator", "transform", "shortfall"]
    for run, *key, shortfall in _values(study.table("responses", columns)):
        if run == run_id and shortfall in paradigms.NO_ANSWER:
            kinds.setdefault(shortfall, set()).add(json.dumps(key))
    where = {"run_id": (run_id,), "status": ("unparsed", "refused", "error")}
    for row in study.judgments(["call_id", "status", "shortfall"], where).to_pylist():
        if row["call_id"] is not None:
            kinds.setdefault(row["shortfall"] or row["status"], set()).add(row["call_id"])
    order = (*paradigms.SHORTFALLS, *schema.STATUSES)
    return {kind: len(kinds[kind]) for kind in order if kind in kinds}


def _values(table: pa.Table) -> Iterator[tuple[str | None, ...]]:
    return zip(*(column.cast(pa.string()).to_pylist() for column in table.columns), strict=True)
