"""Lists of rubrics that are the same in several orderings: judged once, and stored for each of them.

A single rubric reversed is the same list, and of two rubrics the second order is both `reversed` and
`rotated-2`. The answer is stored under every configured ordering that it holds for, so that each ordering is
measured on the same instances; only the rows of the call that was made have tokens and cost.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.collect.calls import CallRequest
from engine.collect.configuration.config import RunConfig
from engine.collect.plan.shown_orders import in_order, rubric_orderings
from engine.collect.plan.stage_calls import Plan
from engine.collect.plan.study_texts import Library
from engine.collect.rows.completed_calls import CompletedCalls
from engine.collect.rows.recorder import Collector

PARADIGM = "all_rubrics"


def repeated_orderings(config: RunConfig, library: Library, request: CallRequest) -> list[CallRequest]:
    """Return the requests for the same list under the other configured orderings, which are not planned."""
    subject = request.subject
    names = tuple(rubric.rubric_id for rubric in library.criteria(subject.instance_id))
    return [
        replace(request, subject=replace(subject, ordering=ordering))
        for ordering in rubric_orderings(config.orderings, len(names))
        if ordering != subject.ordering and in_order(names, ordering) == subject.rubric_ids
    ]


def share_answers(plan: Plan, config: RunConfig, collector: Collector) -> int:
    """Store the answers to a plan's lists under the other orderings that they hold for; return how many."""
    if PARADIGM not in config.paradigms or (len(config.orderings) < 2 and "rotated" not in config.orderings):
        return 0
    completed = CompletedCalls.of_run(collector.study, collector.runs.run_id)
    missing: dict[str, list[CallRequest]] = {}
    for request in plan:
        if request.paradigm == PARADIGM and request in completed:
            others = repeated_orderings(config, plan.library, request)
            if lacking := [each for each in others if each not in completed]:
                missing[request.key] = lacking
    rows = [
        _shared(row, twin)
        for row in collector.own_judgments(paradigm=PARADIGM)
        for twin in missing.get(row["call_id"] or "", ())
        if row["status"] != "error"
    ]
    if rows:
        collector.add_judgments(rows)
    return len({row["call_id"] for row in rows})


def _shared(row: Mapping[str, Any], twin: CallRequest) -> dict[str, Any]:
    """Return the row under another ordering: the same verdict and words, at no cost and no time."""
    free = None if row["cost_usd"] is None else 0.0
    unspent = {"latency_s": None, "prompt_tokens": None, "completion_tokens": None, "cost_usd": free}
    return {**row, **unspent, "ordering": twin.subject.ordering, "call_id": twin.key}
