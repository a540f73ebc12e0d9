import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from engine import schema
from engine.errors import UsageError
from engine.simulation.design import Bias, BiasedRubrics, Design, ModelTraits
from engine.simulation.rubrics import simulate

MODELS = (
    ModelTraits("a-1", "a", skill=0.7, bias=Bias(self_ratio=1.5)),
    ModelTraits("a-2", "a", skill=0.6),
    ModelTraits("b-1", "b", skill=0.8),
)


def small(
    *, paradigms=("single_rubric", "all_rubrics", "direct_assessment", "pairwise"), seed=0, judges=MODELS
):
    design = Design(judges, MODELS, paradigms=paradigms, unparsed=0.05, refused=0.03, seed=seed)
    return simulate(design, instances=30, rubrics_per_instance=4)


def rows(table, paradigm):
    return table.filter(pc.equal(table["paradigm"].cast(pa.string()), paradigm)).to_pylist()


@pytest.fixture(scope="module")
def judgments():
    return small().judgments().read_all()


def test_one_seed_gives_one_study():
    first, second = small(seed=4), small(seed=4)

    assert first.judgments().read_all().equals(second.judgments().read_all())
    assert first.tables() == second.tables()


def test_another_seed_gives_other_references_and_other_verdicts():
    first, second = small(seed=4), small(seed=5)

    assert not first.tables()["references"].equals(second.tables()["references"])
    assert not first.judgments().read_all()["met"].equals(second.judgments().read_all()["met"])


@pytest.mark.parametrize("rows_at_once", [1, 97, 100_000])
def test_the_batch_size_changes_no_row(judgments, rows_at_once):
    batches = list(small().judgments(batch_rows=rows_at_once))

    assert [row for batch in batches for row in batch.to_pylist()] == judgments.to_pylist()
    assert {batch.num_rows for batch in batches[:-1]} <= {rows_at_once}


def test_the_other_paradigms_change_no_verdict(judgments):
    alone = small(paradigms=("pairwise",)).judgments().read_all()

    assert alone.to_pylist() == rows(judgments, "pairwise")


def test_one_more_judge_changes_no_verdict_of_the_others():
    more = (
        small(paradigms=("single_rubric",), judges=(*MODELS, ModelTraits("c-1", "c"))).judgments().read_all()
    )
    fewer = small(paradigms=("single_rubric",)).judgments().read_all()

    assert more.slice(0, fewer.num_rows).to_pylist() == fewer.to_pylist()


def test_every_column_is_one_that_the_schema_declares(judgments):
    tables = {**small().tables(), "judgments": judgments}

    assert set(tables) <= set(schema.TABLES)
    for name, table in tables.items():
        assert set(table.column_names) <= set(schema.TABLES[name].names)


def test_only_ok_rows_have_a_verdict(judgments):
    carries = {"met": 0, "score": 0, "choice": 0}
    for row in judgments.to_pylist():
        values = [name for name in carries if row[name] is not None]

        assert len(values) == (row["status"] == "ok")
        for name in values:
            carries[name] += 1

    assert min(carries.values()) > 0
    assert set(judgments["status"].cast(pa.string()).unique().to_pylist()) == {"ok", "unparsed", "refused"}


def test_in_single_rubric_each_judge_judges_each_rubric_of_each_response_once(judgments):
    keys = [
        (row["judge"], row["generator"], row["instance_id"], row["rubric_id"])
        for row in rows(judgments, "single_rubric")
    ]

    assert len(keys) == len(set(keys)) == 3 * 3 * 30 * 4


def test_a_list_of_rubrics_is_one_answer_with_positions(judgments):
    calls = {}
    for row in rows(judgments, "all_rubrics"):
        calls.setdefault((row["judge"], row["generator"], row["instance_id"]), []).append(row)

    assert len(calls) == 3 * 3 * 30
    for call in calls.values():
        assert [row["position"] for row in call] == [1, 2, 3, 4]
        assert {row["ordering"] for row in call} == {"original"}
        assert len({row["status"] for row in call}) == 1


def test_direct_assessment_counts_whole_rubrics_out_of_all(judgments):
    scores = [row["score"] for row in rows(judgments, "direct_assessment") if row["score"] is not None]

    assert set(scores) == {0.0, 0.25, 0.5, 0.75, 1.0}


def test_every_pair_is_shown_in_both_orders(judgments):
    orders = {}
    for row in rows(judgments, "pairwise"):
        orders.setdefault((row["judge"], row["instance_id"], row["generator"], row["opponent"]), []).append(
            row["first"]
        )

    assert len(orders) == 3 * 30 * 3
    assert set(map(tuple, orders.values())) == {("generator", "opponent")}


def test_references_say_met_if_a_good_rubric_or_a_fault_is_met():
    study = small()

    references = study.tables()["references"].to_pylist()

    points = {
        (row["instance_id"], row["rubric_id"]): row["points"] for row in study.tables()["rubrics"].to_pylist()
    }
    names = [model.name for model in MODELS]
    index = {key: number for number, key in enumerate(points)}
    for row in references:
        key = row["instance_id"], row["rubric_id"]
        favourable = row["met"] if points[key] >= 0 else not row["met"]
        assert favourable == study.truth.favourable[names.index(row["generator"]), index[key]]
        assert row["source"] == "program"
    assert len(references) == 3 * 30 * 4


def test_every_judge_has_a_simulated_run_for_each_paradigm():
    runs = small().tables()["runs"].to_pylist()

    assert {(row["model"], row["paradigm"]) for row in runs} == {
        (model.name, paradigm)
        for model in MODELS
        for paradigm in ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
    }
    assert {(row["role"], row["provenance"]) for row in runs} == {("judge", "simulated")}


def test_the_planted_truth_survives_json():
    bias = Bias(self_ratio=1.5, on=BiasedRubrics("polarity", "negative"))
    model = ModelTraits("a-1", "a", bias=bias)

    planted = simulate(Design((model,), (model, ModelTraits("b-1", "b"))), instances=20).planted()

    assert json.loads(json.dumps(planted)) == planted
    assert planted["judges"]["a-1"]["self_ratio"] == 1.5
    assert planted["judges"]["a-1"]["on"] == "polarity=negative"


def test_better_generators_do_well_more_often():
    favourable = small().truth.favourable.mean(axis=1)

    # skills 0.7, 0.6, 0.8
    assert np.argsort(favourable).tolist() == [1, 0, 2]


def test_a_bias_on_an_empty_slice_is_refused():
    model = ModelTraits("a-1", "a", bias=Bias(self_ratio=1.5, on=BiasedRubrics("theme", "cookery")))

    with pytest.raises(UsageError, match="theme=cookery"):
        simulate(Design((model,), (model,)))
