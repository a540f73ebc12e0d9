"""From a study to a task, from labels to agreement, and back into the study."""

import json

import numpy as np
import pytest
from plain.builders import judge_rubrics, refer, study_of
from plain.pair_builders import rate

from annotations.small import fresh, pair, task
from engine.annotations.agreement import agreement
from engine.annotations.database import open_database
from engine.annotations.database_tables import ASSIGNMENTS
from engine.annotations.disputes import disputes, settle_item
from engine.annotations.label_rows import annotation_rows, export_task, withdraw_task
from engine.annotations.labels import save
from engine.annotations.people import add_person
from engine.annotations.sampling import Sampling, closest_group, draw_evenly, select
from engine.annotations.shown_items import next_item
from engine.annotations.sides import screen_answer
from engine.annotations.tasks import assign, create_task
from engine.arrays.slicing.resolve import NoDataError
from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study
from engine.words.labelled_cases import selected_labels


def rated(instances=6):
    """A and B are equal, C is 4 worse; no response's text names a model."""
    study = study_of("A:G B:H C:I R:Q", instances=instances)
    for i in range(instances):
        rate(study, "R", {"A": 8, "B": 8.25, "C": 4}, f"x{i}")
        for k, model in enumerate("ABC"):
            study.add("responses", instance_id=f"x{i}", generator=model, text=f"answer {i}-{k}")
    return study


def open_study(study, folder):
    study.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


def answered(database, person, values, name="t"):
    """Label all items of a person with the value listed for the first response's text."""
    import sqlalchemy as sa

    while (item := next_item(database, name, person)) is not None:
        query = sa.select(ASSIGNMENTS.c.shown).where(
            ASSIGNMENTS.c.annotator == person,
            ASSIGNMENTS.c.place == item.place,
            ASSIGNMENTS.c.task == name,
        )
        with database.read() as connection:
            order = connection.execute(query).scalar_one()
        first = item.texts.responses[order.index(0)]
        answer = screen_answer(item.kind, values[first], order)
        save(database, name, person, item.place, answer, submission=fresh(), seconds=3)


def test_equal_pairs_are_matched_by_as_many_contrasts_and_the_seed_decides(tmp_path):
    study = open_study(rated(), tmp_path)

    items = select(study, Sampling("equal", "equal_pair", 8, seed=3))
    again = select(study, Sampling("equal", "equal_pair", 8, seed=3))

    why = [(item.hidden.why, item.hidden.automatic, item.hidden.models) for item in items]
    assert [each[:2] for each in why] == [("equal", "equal")] * 4 + [("contrast", "generator")] * 4
    assert {models for _, _, models in why[:4]} == {("A", "B")}
    assert all(models[1] == "C" for _, _, models in why[4:])
    assert len({item.hidden.instance_id for item in items[:4]}) == 4  # spread over questions
    assert items == again


def test_hard_cases_are_the_responses_with_the_most_close_pairs(tmp_path):
    items = select(open_study(rated(), tmp_path), Sampling("hard", "clusters", 2, cluster=2))

    assert [item.hidden.models for item in items] == [("A", "B")] * 2


def test_two_clusters_can_hold_more_close_pairs_than_neighbours():
    quality = np.array([0.0, 0.0, 3.0, 9.0, 9.0])
    close = np.abs(quality[:, None] - quality) <= 0.5

    group, pairs = closest_group(close, 4)

    # 0 0 9 9 has two close pairs; any with 3.0 among them has one.
    assert (group, pairs) == ([0, 1, 3, 4], 2)


def test_items_are_spread_over_strata():
    strata = [["a"] * 10 + ["b"] * 2 + ["c"] * 2]

    draw = [strata[0][place] for place in draw_evenly(strata, 6, np.random.default_rng(0))]

    assert sorted(draw) == ["a", "a", "b", "b", "c", "c"]


def verdicts():
    study = study_of("J:F K:F A:G B:H", rubrics=(1, 1, 1))
    study.add("responses", instance_id="x0", generator="A", text="the answer")
    refer(study, "A", "001")
    for judge, mets in (("J", "110"), ("K", "100"), ("B", "101")):
        judge_rubrics(study, judge, "A", mets)
    return study


def test_only_verdicts_on_which_judges_disagree_are_selected(tmp_path):
    items = select(open_study(verdicts(), tmp_path), Sampling("disagreement", "rubric_verdict", 9))

    assert {item.hidden.rubric_id for item in items} == {"k1", "k2"}


def test_the_selected_overestimations_are_those_behind_the_cell(tmp_path):
    items = select(open_study(verdicts(), tmp_path), Sampling("overestimation", number=9, judge="J"))

    assert {item.hidden.rubric_id for item in items} == {"k0", "k1"}
    assert {item.texts.responses for item in items} == {("the answer",)}


def test_an_impossible_selection_says_why(tmp_path):
    study = open_study(verdicts(), tmp_path)

    with pytest.raises(UsageError, match="'best'; choose from: equal, hard"):
        Sampling("best", "clusters", 1)
    with pytest.raises(UsageError, match="'score'"):
        Sampling("equal", "score", 1)
    with pytest.raises(
        NoDataError,
        match=r"no quality judgments, which the selection equal takes; run .*; or take .*: disagreement",
    ):
        select(study, Sampling("equal", "equal_pair", 4))


def test_a_study_of_preferences_says_what_its_ties_are_good_for(tmp_path):
    plain = rated(1)
    plain.judgments = [row for row in plain.judgments if row["paradigm"] != "quality"]
    plain.add("preferences", instance_id="x0", generator="A", opponent="B", source="human", outcome=0.0)
    study = open_study(plain, tmp_path)

    with pytest.raises(NoDataError, match=r"are no scores; .*: spb measure outside small --pairs tied\)"):
        select(study, Sampling("equal", "equal_pair", 4))


def test_agreement_of_people_matches_hand_arithmetic(tmp_path):
    database = open_database(Store(tmp_path))
    task(database, [pair(i) for i in range(4)], people=("ann", "bo"))
    answered(database, "ann", {"one 0": "equal", "one 1": "equal", "one 2": "equal", "one 3": "opponent"})
    answered(database, "bo", {"one 0": "equal", "one 1": "generator", "one 2": "equal", "one 3": "opponent"})

    result = agreement(database, "t", resamples=200)
    split = disputes(database, "t")
    database.close()

    # Three of four items agree; labels: equal 5, opponent 2, generator 1 of 8: P_e = (25 + 4 + 1) / 64.
    assert result.kappa.value == pytest.approx((3 / 4 - 30 / 64) / (34 / 64))
    assert result.kappa.low < result.kappa.value <= result.kappa.high
    assert result.pairs["ann", "bo"].value == pytest.approx((3 / 4 - 7 / 16) / (9 / 16))
    assert (result.items, result.labels, result.seconds) == (4, 8, {"ann": 3, "bo": 3})
    assert [sorted(each.values.items()) for each in split] == [[("ann", "equal"), ("bo", "generator")]]


def test_labels_and_decisions_are_exported_to_the_study_and_its_measures(tmp_path):
    study = open_study(rated(4), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    items = select(study, Sampling("equal", "preference", 4, seed=1))
    for person, role in (("ann", "annotator"), ("bo", "annotator"), ("cy", "coordinator")):
        add_person(database, person, role)
    create_task(database, "t", "small", "preference", items)
    assign(database, "t", ["ann", "bo"])
    texts = [item.texts.responses[0] for item in items]
    assert len(set(texts)) == 4
    answered(database, "ann", dict(zip(texts, ("tie", "tie", "generator", "generator"), strict=True)))
    answered(database, "bo", dict.fromkeys(texts, "generator"))
    for dispute in disputes(database, "t"):
        settle_item(database, "t", dispute.item, "tie", by="cy", reason="the same")

    counts = export_task(database, "t", study.files)
    again = export_task(database, "t", Store(tmp_path / "store").open("small"))
    database.close()

    assert counts == again
    assert (counts.annotations, counts.references) == (10, 0)
    row = Study.open(tmp_path / "store" / "small").result("annotators", resamples=0).rows[0]
    assert (row["n_items"], row["n_annotators"], row["n_equal"]) == (4, 2, 2)
    gold = Store(tmp_path / "store").open("small").table("preferences").to_pylist()
    assert {each["source"] for each in gold} == {"human:ann", "human:bo", "human:adjudicated"}
    assert {each["outcome"] for each in gold if each["source"] == "human:bo"} == {1}


def test_clusters_are_written_by_model(tmp_path):
    study = open_study(rated(1), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    items = select(study, Sampling("hard", number=1, cluster=3))
    task(database, items, kind="clusters")
    item = next_item(database, "t", "ann")
    levels = [2 if text == "answer 0-2" else 1 for text in item.texts.responses]
    save(database, "t", "ann", 1, levels, submission=fresh())

    rows = annotation_rows(database, "t")
    database.close()

    assert [json.loads(row["value"]) for row in rows] == [{"A": 1, "B": 1, "C": 2}]


def test_only_a_coordinator_settles_disputes(tmp_path):
    database = open_database(Store(tmp_path))
    task(database, [pair(1)])

    with pytest.raises(UsageError, match="'ann' is not a coordinator"):
        settle_item(database, "t", "00001", "equal", by="ann")
    database.close()


def test_agreement_with_people_says_that_what_they_labelled_was_selected(tmp_path):
    study, plan = open_study(verdicts(), tmp_path), Sampling("disagreement", "rubric_verdict", 9)
    database = open_database(Store(tmp_path / "store"))
    add_person(database, "ann", "annotator")
    create_task(database, "t", "small", plan.kind, select(study, plan), options=plan.settings())
    assign(database, "t", ["ann"])
    answered(database, "ann", {"the answer": "met"})
    export_task(database, "t", study.files)
    database.close()
    labelled = Study.open(tmp_path / "store" / "small")

    def remarks(source):
        return selected_labels(labelled, labelled.result("accuracy", reference=source, resamples=0))

    [remark] = remarks("human")
    assert "People labelled items selected by disagreement (t), no random sample" in remark
    assert remarks("program") == []

    withdraw_task("t", labelled.files)

    assert Study.open(tmp_path / "store" / "small").info.label_selections == {}
