"""An audit asks the same of every study; what a study cannot answer says what it would need."""

from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest

import engine
from engine.views.audit import SECTIONS, _answered, answers
from engine.views.detectable import size_words
from engine.views.keys import NoKeys
from engine.views.missing_verdicts import missing_sentences
from engine.views.ranking_without_own import ALONE, RANKING_WITHOUT_OWN, moves_sentence
from engine.views.registry import VIEWS
from engine.views.shown import Shown
from engine.views.view import View


@pytest.mark.parametrize("study", ["demo-health", "demo-pairs", "demo-orders", "demo-verifiable"])
def test_every_question_is_answered_or_says_what_it_needs(study):
    every = answers(engine.open_study(f"results/{study}"))

    assert [each.section for each in every] == list(SECTIONS)
    for each in every:
        assert each.sentences, each.section.question
        assert all(line.endswith((".", "?")) for line in each.lacking), each.lacking


def test_an_audit_shows_what_the_views_show_elsewhere():
    study = engine.open_study("results/demo-health")

    for answer in answers(study):
        for each in answer.exhibits:
            elsewhere = VIEWS[each.view.name].shown(study, each.keys)
            assert each.shown.table.rows == elsewhere.table.rows
            assert each.shown.sentences == elsewhere.sentences


def rank(by, model, place, low, high):
    return {"by": by, "model": model, "rank": place, "rank_low": low, "rank_high": high}


def test_a_move_is_clear_where_the_intervals_of_both_ranks_do_not_overlap():
    rows = [
        *(rank("all", "a", 1, 1, 1), rank("all", "b", 2, 2, 3), rank("all", "c", 3, 2, 3)),
        rank("all-without-self", "a", 3, 2, 3),
        rank("all-without-self", "b", 1, 1, 2),
        rank("all-without-self", "c", 2, 1, 3),
    ]

    assert moves_sentence(rows, "all-without-self") == (
        "Without each model's own verdicts all 3 models change their rank, 1 of them clearly: a from 1 (95% "
        "CI 1 to 1) to 3 (95% CI 2 to 3)."
    )


def test_a_model_that_drops_out_of_a_ranking_moves_no_other():
    rows = [rank("all", name, place, place, place) for place, name in enumerate("abc", 1)]
    rows += [rank("all-without-family", name, place, place, place) for place, name in enumerate("bc", 1)]

    assert moves_sentence(rows, "all-without-family") == (
        "Without the verdicts of each model's family neither model (of 3, those that both rank) changes "
        "its rank."
    )


def judge_row(name, **shares):
    empty = dict.fromkeys(("missing_own", "missing_other", "absent_own", "absent_other"), 0.0)
    return {"judge": name, "conclusion": "not_shown", "cautions": [], **empty, **shares}


def test_judgments_without_a_verdict_are_counted_by_status_and_judges_named_whose_own_are_missing():
    counts = {"a": Counter(ok=8, refused=2), "b": Counter(ok=9, unparsed=1)}
    rows = [
        judge_row("a", missing_own=0.2, missing_other=0.05, cautions=["missing_verdicts"]),
        judge_row("b", absent_own=0.5, absent_other=0.1, cautions=["missing_verdicts"]),
        judge_row("c", absent_own=1.0, absent_other=0.1, cautions=["missing_verdicts"]),
    ]

    first, *others = missing_sentences(counts, rows)

    assert first == (
        "3 of 20 judgments (15.0%) have no verdict: 1 unparsed and 2 refused. None of its own answers was "
        "judged by c."
    )
    assert others == [
        (
            "a: 20.0% of the cases of its own answers have no verdict, or several without a majority, 5.0% "
            "of others' cases."
        ),
        "b: only others judged 50.0% of its own answers' cases, 10.0% of others'.",
    ]


@pytest.mark.parametrize(
    ("decided_by", "size", "words"),
    [
        ("odds_self", 1.62, "odds of 1.62"),
        ("hspp_matched", 1.5, "a ratio of 1.50"),
        ("vote_outside", 0.124, "12.4 votes of 100"),
        ("bonus_outside", 3.14, "3.1 points"),
    ],
)
def test_the_smallest_effect_is_said_in_the_unit_of_the_number_that_decides(decided_by, size, words):
    assert size_words({"decided_by": decided_by, "detectable": size}) == words


@pytest.mark.parametrize("alone", [True, False])
def test_where_each_family_has_one_model_the_two_rankings_are_one_sentence(alone):
    models = ("J", "K", "A")
    rows = [
        {"judge": judge, "generator": model, "instance_id": f"q{place}", "score": 0.1 * (place + number)}
        for judge in models
        for number, model in enumerate(models)
        for place in range(3)
    ]
    families = {"J": "j", "K": "k", "A": "a" if alone else "k"}

    first, second = RANKING_WITHOUT_OWN.shown(
        engine.from_frame(pd.DataFrame(rows), families=families), {}
    ).sentences

    assert first.startswith("Without each model's own verdicts")
    assert (second == ALONE) == alone


def test_where_no_view_has_rows_the_question_says_what_it_needs():
    nothing = Shown(problems=("There is nothing to show: no judgment of this slice counts.",))
    position = next(section for section in SECTIONS if section.name == "position")
    section = replace(position, views=(View("x", "X", "X?", NoKeys, lambda *_: nothing, lambda _: None),))

    answered = _answered(engine.open_study("results/demo-health"), section)

    assert answered.sentences == (position.lacking,)


def test_a_study_without_a_reference_says_what_independent_votes_need():
    models = ("J", "K", "A")
    rows = [
        {"judge": judge, "generator": model, "instance_id": f"q{place}", "score": 0.5}
        for judge in models
        for model in models
        for place in range(3)
    ]
    study = engine.from_frame(pd.DataFrame(rows), families={name: name for name in models})

    every = {each.section.name: each for each in answers(study)}

    assert not every["independence"].is_answered
    assert "needs a reference" in " ".join(every["independence"].lacking)
    assert "texts of the answers" in " ".join(every["length"].lacking)
