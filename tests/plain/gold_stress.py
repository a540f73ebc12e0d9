"""Numbers under every panel of gold judges, from the plain numbers of a study in which only the panel judges.

Readings:
 1. A judge is never its own gold judge; a gold judge without a vote on a judge's pairs is one still.
 2. A panel's number is that of the study in which nobody else votes; even panels decide nothing.
 3. The change that a gold judge makes is the mean over the panels that have it, others too, and a number with
    it and without it.
"""

from dataclasses import replace
from itertools import combinations
from typing import Any

from plain.dbg import dbg
from plain.equal_quality import Rules, equal_quality
from plain.measures import hspp
from plain.study import PlainStudy

Numbers = dict[str, dict[tuple[str, ...], float]]
"""By judge, the number under each panel that gives one."""


def subsets(sources: list[str]) -> list[tuple[str, ...]]:
    return [panel for n in range(1, len(sources) + 1) for panel in combinations(sources, n)]


def of_dbg(study: PlainStudy, sources: list[str], **options: Any) -> Numbers:
    numbers: Numbers = {}
    for panel in subsets(sources):
        for (judge, opponent), row in dbg(study, gold=panel, leave_self_out=True, **options).items():
            if opponent is None and row["dbg"] is not None:
                numbers.setdefault(judge, {})[panel] = row["dbg"]
    return numbers


def of_spb(study: PlainStudy, raters: list[str], **options: Any) -> Numbers:
    numbers: Numbers = {}
    for panel in subsets(raters):
        for judge, row in equal_quality(study, Rules(quality_judges=panel), **options).items():
            if row["spb"] is not None:
                numbers.setdefault(judge, {})[panel] = row["spb"]
    return numbers


def of_people(study: PlainStudy, people: list[str], **options: Any) -> Numbers:
    """Own minus others' passed failures, in the study whose references are the panel's alone."""
    numbers: Numbers = {}
    for panel in subsets(people):
        rows = [row for row in study.references if row["source"] in panel]
        for row in hspp(replace(study, references=rows), **options)[0]:
            if row["judge"] is not None and row["difference_self"] is not None:
                numbers.setdefault(row["judge"], {})[panel] = row["difference_self"]
    return numbers


def mean_change(of_judge: dict[tuple[str, ...], float], gold_judge: str) -> float | None:
    changes = []
    for panel, value in of_judge.items():
        rest = tuple(name for name in panel if name != gold_judge)
        if gold_judge in panel and rest in of_judge:
            changes.append(abs(value - of_judge[rest]))
    return sum(changes) / len(changes) if changes else None
