"""Parsing answers: replies of mixed shapes turned into rows, without a model or a plan."""

import os
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from engine.collect import paradigms
from engine.collect.calls import CallRequest, Reply, Subject

from .timing import Row

ANSWERS = int(os.environ.get("SPB_BENCH_ANSWERS", "1000000"))

_PAIR = Subject("i", "a", "b", first="generator")
_REQUESTS = {
    "one": CallRequest("judge", "m", "single_rubric", "default", Subject("i", "a", rubric_ids=("r0",))),
    "all": CallRequest(
        "judge", "m", "all_rubrics", "default", Subject("i", "a", rubric_ids=("r0", "r1", "r2"))
    ),
    "pair": CallRequest("judge", "m", "pairwise", "default", _PAIR),
    "rated": CallRequest("judge", "m", "quality", "default", Subject("i", "a")),
}
_ANSWERS = (
    ("one", '{"criteria_met": true}'),
    ("one", 'It names the river.\n\n```json\n{"explanation": "It does.", "criteria_met": false}\n```'),
    ("one", "I believe that it meets the criterion, on the whole."),
    ("one", '{"explanation": "Half an answer, that stops in the mid'),
    ("all", '{"results": [{"criteria_met": true}, {"criteria_met": false}, {"criteria_met": true}]}'),
    ("all", '{"results": [{"criteria_met": true}]}'),
    ("pair", '{"explanation": "A is shorter.", "outcome": "A is better"}'),
    ("pair", "Both rain and river are there, so neither is ahead."),
    ("rated", '{"relevance": 8.25, "accuracy": 7, "depth": 6, "logic": 9, "clarity": 11}'),
    ("rated", "Rating: 8/10"),
)


def answer_rows(work: Path) -> Iterator[Row]:
    """Time one process that parses the answers in turn: plain, fenced, in words, cut off, too few."""
    del work
    mixed = [(_REQUESTS[name], Reply(text)) for name, text in _ANSWERS]
    start, cpu, rows = time.perf_counter(), time.process_time(), 0
    for request, reply in islice(cycle(mixed), ANSWERS):
        rows += len(paradigms.read(request, reply))
    seconds, spent = time.perf_counter() - start, time.process_time() - cpu
    yield Row(f"{ANSWERS:,} answers of ten shapes read", seconds, "s")
    yield Row("answers read", ANSWERS / seconds, "a second")
    yield Row("answers read, by the processor's time", ANSWERS / spent, "a second")
    yield Row("rows made of them", rows / spent, "a second")
