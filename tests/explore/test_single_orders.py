"""What the doctor says about pairs judged in one order, and why they support no conclusion."""

from plain.builders import compare, study_of

from engine.explore.compare import Side
from engine.explore.compare import compare as compare_sides
from engine.explore.doctor import examine, unknown_self_preference
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study


def write_study(tmp_path, plain):
    plain.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "small")
    return Study.open(tmp_path / "store" / "small")


def study_in_one_order(judges, models="J:F K:G A:H B:H", pair=("A", "B"), first="unknown"):
    study = study_of(models)
    for judge in judges:
        compare(study, judge, *pair, first, "generator")
    return study


def test_without_own_responses_other_judges_are_needed(tmp_path):
    sentence = unknown_self_preference(write_study(tmp_path, study_in_one_order("JK")))

    assert "because no judge is among the models that it judged; have these models" in sentence


def test_own_pairs_in_one_order_need_the_other_order(tmp_path):
    sentence = unknown_self_preference(write_study(tmp_path, study_in_one_order("AJ")))

    assert sentence.endswith(
        "no pair with a judge's own answer is known to be judged in both orders; judge the pairs in the "
        "other order too; import which answer was shown first, where that is not known; only verdicts that "
        "are over both orders already are imported with first=both."
    )


def test_where_each_order_is_known_the_votes_are_named(tmp_path):
    sentence = unknown_self_preference(write_study(tmp_path, study_in_one_order("AJ", first="generator")))

    assert sentence.endswith(
        "judge the pairs in the other order too; the measure `votes` shows how often each judge votes for "
        "its own, whichever was shown first."
    )


def test_judges_of_one_family_need_other_judges_too(tmp_path):
    sentence = unknown_self_preference(write_study(tmp_path, study_in_one_order("AB")))

    assert sentence.endswith(
        "all judges are of one family; have judges of other families judge the pairs too, in both orders."
    )


def test_the_doctor_lists_possible_measures_and_cautions(tmp_path):
    diagnosis = examine(write_study(tmp_path, study_in_one_order("JK")), resamples=0)

    assert next(verdict.measure for verdict in diagnosis.measures if verdict.answer == "yes") == "votes"
    assert [text.partition(":")[0] for text in diagnosis.cautions] == [
        "Each pair was judged in one order only, or in an unknown one, by J; K"
    ]


def test_where_each_order_is_known_the_caution_does_not_doubt_it(tmp_path):
    diagnosis = examine(write_study(tmp_path, study_in_one_order("AJ", first="generator")), resamples=0)

    (caution,) = diagnosis.cautions
    assert caution.startswith("Each pair was judged in one order only by J; A: these votes include any")
    assert "favours no model only if it was random which answer was shown first" in caution
    why = {verdict.measure: verdict.why for verdict in diagnosis.measures}
    assert why["expected"] == (
        "no judgment of a judge's own answer counts in this slice; pairs count only in both orders"
    )


def test_no_conclusion_is_drawn_on_judges_without_own_pairs(tmp_path):
    study = write_study(tmp_path, study_in_one_order("JK"))

    assert study.result("scorecard").reason == "no judge has judged its own answers in this slice"


def test_two_sides_without_rows_say_what_the_study_lacks(tmp_path):
    study = write_study(tmp_path, study_in_one_order("JK"))

    comparison = compare_sides(Side(study, {}), Side(study, {}), resamples=0)

    assert comparison.reason.startswith("the study has no reference")


def test_two_slices_of_votes_name_the_judges_of_one_order(tmp_path):
    result = write_study(tmp_path, study_in_one_order("JK")).result(
        "votes", resamples=0, against="generators=A,B"
    )

    assert result.filters["single_order"] == ["J", "K"]
