"""What judging cost: calls identified by id or by prompt; sums by hand and by plain loops."""

import pyarrow as pa
import pytest
from plain.builders import judge_rubrics, study_of

import engine
from engine.errors import UsageError


def total(study, paradigm, **options):
    rows = study.result("which-judge", rows="costs", paradigm=paradigm, **options).rows
    return next(row for row in rows if row["judge"] is None)


@pytest.fixture
def study(load):
    """J answers two rubrics in one call, with the cost on the first row; K has a call for each."""
    plain = study_of(models="J:F K:G A:H", rubrics=(1, 1), instances=2)
    for i in range(2):
        judge_rubrics(plain, "J", "A", "10", f"x{i}", paradigm="all_rubrics", call_id=f"call-{i}")
        judge_rubrics(plain, "K", "A", "1u", f"x{i}")
        judge_rubrics(plain, "K", "A", "11", f"x{i}", paradigm="all_rubrics")
    for row in plain.judgments:
        if row["judge"] == "J" and row["rubric_id"] == "k0":
            row |= {"prompt_tokens": 100, "completion_tokens": 7, "cost_usd": 0.25}
    return load(plain)


def test_rows_of_one_call_count_once_and_its_cost_once(study):
    rows = {
        row["judge"]: row for row in study.result("which-judge", rows="costs", paradigm="all_rubrics").rows
    }

    assert (rows["J"]["calls"], rows["J"]["judgments"], rows["J"]["costed"]) == (2, 4, 2)
    assert (rows["J"]["prompt_tokens"], rows["J"]["completion_tokens"], rows["J"]["cost_usd"]) == (
        200,
        14,
        0.5,
    )
    assert (rows[None]["calls"], rows[None]["judgments"], rows[None]["cost_usd"]) == (4, 8, 0.5)


def test_without_ids_a_call_is_identified_by_its_prompt(study):
    assert total(study, "single_rubric")["calls"] == 4  # a rubric each
    assert total(study, "all_rubrics", judges=("K",))["calls"] == 2  # a response each


def test_unrecorded_costs_are_null(study):
    row = total(study, "single_rubric")

    assert (row["cost_usd"], row["prompt_tokens"], row["costed"]) == (None, None, 0)
    assert row["reasons"]["cost_usd"] == "not_recorded"
    assert row["verdicts"] == 2  # of four, two could not be read


def test_a_filter_that_splits_calls_is_refused(study):
    with pytest.raises(UsageError, match="costs cannot be filtered by 'polarity'"):
        study.result("which-judge", rows="costs", polarity="negative")


def test_the_demonstrations_sums_equal_those_of_its_rows():
    study = engine.open_study("results/demo-pairs")
    table = study.files.judgments(("judge", "paradigm", "variant", "call_id", "cost_usd"))
    plain = pa.table({name: table.column(name).cast(pa.string()) for name in table.column_names[:-1]})
    costs = table.column("cost_usd").to_pylist()
    calls, spent = {}, {}
    for row, cost in zip(plain.to_pylist(), costs, strict=True):
        if row["paradigm"] == "pairwise" and row["variant"] == "structured":
            calls.setdefault(row["judge"], set()).add(row["call_id"])
            spent[row["judge"]] = spent.get(row["judge"], 0.0) + (cost or 0.0)

    rows = study.result("which-judge", rows="costs", paradigm="pairwise", variant="structured").rows

    assert all(None not in ids for ids in calls.values())
    for row in rows[:-1]:
        assert row["calls"] == len(calls[row["judge"]])
        assert row["cost_usd"] == pytest.approx(spent[row["judge"]])
